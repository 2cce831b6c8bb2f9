public import NFCProtocols

/// A type A card with ISO-DEP whose APDUs are answered by an application.
///
/// The application is either an `EmulatedCard` or whoever drives this endpoint: then commands come
/// out as `RadioOutput.application` and responses go in as `RadioInput.application` at whatever
/// later instant. An answer that comes after its session has ended is dropped; it never becomes
/// the answer to the first command of the next session.
public struct CardEmulator: RadioEndpoint, Sendable {
  /// How the card presents itself.
  public let configuration: CardEmulatorConfiguration
  /// The application, or `nil` if the driver of this endpoint speaks for it.
  public private(set) var application: (any EmulatedCard)?
  /// How many answers were dropped because their session was over.
  public private(set) var droppedAnswers = 0
  /// How many sessions (RATS answered) there have been.
  public private(set) var sessions = 0

  /// The timer of the block protocol.
  static let blockTimer = RadioTimer(1)

  private enum Phase {
    /// No field, or activation up to SELECT.
    case activating
    /// RATS was answered; PPS may still come in place of a block.
    case negotiating
    /// Blocks are exchanged.
    case exchanging
  }

  private var phase = Phase.activating
  private var activation: TypeACardActivation
  private var target: IsoDepTarget?
  private var cid: UInt8 = 0
  private var powerUps = 0
  /// True if a command of the present session waits for its answer outside.
  private var owesAnswer = false
  /// Answers still to come from outside that belong to sessions that are over.
  private var staleAnswers = 0
  private var scratch: [IsoDepTarget.Output] = []

  /// Makes a card with an application, or with `nil` one that its driver speaks for.
  public init(
    _ application: (any EmulatedCard)? = nil,
    configuration: CardEmulatorConfiguration = CardEmulatorConfiguration()
  ) {
    self.application = application
    self.configuration = configuration
    guard let uid = configuration.uid(powerUp: 0) else {
      preconditionFailure("the example UID has a legal length")
    }
    activation = TypeACardActivation(
      TypeACardActivation.Identity(
        uid: uid, atqa: configuration.atqa, sak: configuration.sak))
  }

  /// Takes one input and appends what it causes to `outputs`, in order.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .start, .receiving:
      break
    case .sent:
      pass(.sent, at: now, into: &outputs)
    case .fieldChanged(let isOn):
      fieldChanged(isOn, into: &outputs)
    case .received(let frame):
      guard frame.technology ?? .a == .a else { return }
      received(frame, at: now, into: &outputs)
    case .timer(Self.blockTimer):
      pass(.timerFired, at: now, into: &outputs)
    case .timer:
      break
    case .application(let bytes):
      answered(bytes, at: now, into: &outputs)
    case .applicationEnded:
      endSession(into: &outputs)
      outputs.append(.finished)
    }
  }

  // MARK: Field and activation

  private mutating func fieldChanged(_ isOn: Bool, into outputs: inout [RadioOutput]) {
    if isOn {
      if let uid = configuration.uid(powerUp: powerUps) { activation.identity.uid = uid }
      powerUps += 1
    } else {
      let wasInSession = target != nil
      endSession(into: &outputs)
      if wasInSession { application?.fieldLost() }
    }
    activation.fieldChanged(isOn: isOn)
  }

  /// Forgets the session; an answer that is still to come from outside counts as stale.
  private mutating func endSession(into outputs: inout [RadioOutput]) {
    guard target != nil else { return }
    target = nil
    phase = .activating
    if owesAnswer, configuration.applicationAnswersAlways { staleAnswers += 1 }
    owesAnswer = false
    outputs.append(.cancelTimer(Self.blockTimer))
  }

  private mutating func received(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch phase {
    case .activating:
      switch activation.received(frame) {
      case .silent: break
      case .answered(let answer), .selected(let answer):
        outputs.append(.send(answer, after: FrameDelayTimeA(after: frame).duration))
      case .passed: selected(frame, into: &outputs)
      }
    case .negotiating:
      if let first = frame.bytes.first, first & 0xF0 == 0xD0 {
        return negotiate(frame, into: &outputs)
      }
      phase = .exchanging
      pass(.received(frame), at: now, into: &outputs)
    case .exchanging:
      pass(.received(frame), at: now, into: &outputs)
    }
  }

  /// The first frame after SELECT: RATS, or something that this card does not take.
  private mutating func selected(_ frame: RadioFrame, into outputs: inout [RadioOutput]) {
    guard frame.lastByteBits == 8, CRC16.a.check(frame.bytes) || frame.crc == .notCaptured,
      configuration.sak.supportsISODEP,
      let rats = try? RATS(frame.content())
    else {
      return activation.fallBack()
    }
    let ats = configuration.ats
    cid = rats.cid
    var session = IsoDepTarget(
      IsoDepParameters(
        cardFrameSize: ats.frameSize, deviceFrameSize: rats.frameSize,
        cid: ats.supportsCID ? rats.cid : nil, nad: ats.supportsNAD ? 0 : nil),
      timings: IsoDepTimings(ats.frameWaitingTime), waiting: configuration.waiting)
    session.answersAtOnce = application != nil
    target = session
    phase = .negotiating
    sessions += 1
    owesAnswer = false
    application?.activated()
    outputs.append(.note(.activated(.a, identifier: activation.identity.uid.bytes)))
    outputs.append(
      .send(
        .protected(ats.bytes, .a, kilobitsPerSecond: 106),
        after: FrameDelayTimeA(after: frame).duration))
  }

  /// PPS: agreed to if the ATS offers the rates, else there is no answer and nothing changes.
  private mutating func negotiate(_ frame: RadioFrame, into outputs: inout [RadioOutput]) {
    guard CRC16.a.check(frame.bytes) || frame.crc == .notCaptured,
      let request = try? PPS(frame.content()), request.cid == cid,
      let old = target
    else { return }
    var parameters = old.parameters
    if let divisors = request.divisors {
      let sending = UInt16(106) << UInt16(divisors.cardToReader)
      let listening = UInt16(106) << UInt16(divisors.readerToCard)
      guard configuration.ats.cardToReaderRates.contains(sending),
        configuration.ats.readerToCardRates.contains(listening)
      else { return }
      parameters.kilobitsPerSecond = sending
    }
    var session = IsoDepTarget(parameters, timings: old.timings, waiting: old.waiting)
    session.answersAtOnce = old.answersAtOnce
    target = session
    phase = .exchanging
    outputs.append(
      .send(
        .protected(request.answer, .a, kilobitsPerSecond: 106),
        after: FrameDelayTimeA(after: frame).duration))
  }

  // MARK: Blocks

  private mutating func answered(
    _ bytes: [UInt8], at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard staleAnswers == 0, owesAnswer else {
      staleAnswers = max(0, staleAnswers - 1)
      droppedAnswers += 1
      return outputs.append(.note(.answerDropped(byteCount: bytes.count)))
    }
    owesAnswer = false
    pass(.response(bytes, after: .zero), at: now, into: &outputs)
  }

  private mutating func pass(
    _ input: IsoDepTarget.Input, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard target != nil else { return }
    target?.step(input, at: now, into: &scratch)
    var index = 0
    while index < scratch.count {
      switch scratch[index] {
      case .send(let frame, let delay): outputs.append(.send(frame, after: delay))
      case .setTimer(let instant): outputs.append(.setTimer(Self.blockTimer, at: instant))
      case .cancelTimer: outputs.append(.cancelTimer(Self.blockTimer))
      case .note(let note): outputs.append(.note(note))
      case .command(let apdu):
        if let answer = application?.respond(to: apdu) {
          target?.step(
            .response(answer.bytes, after: answer.processing), at: now, into: &scratch)
        } else {
          owesAnswer = true
          outputs.append(.application(apdu))
        }
      case .deselected:
        endSession(into: &outputs)
        outputs.append(.note(.deselected))
        activation.halt()
        application?.deselected()
      }
      index += 1
    }
    scratch.removeAll(keepingCapacity: true)
  }
}
