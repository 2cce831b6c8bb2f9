public import Exploration
public import NFCProtocols

/// A Type 4 tag: a card with ISO-DEP and the NDEF application.
public typealias Type4Card = ApplicationCard<Type4Application>

/// A card with ISO/IEC 14443-4 over type A or B that hands its APDUs to an application.
public struct ApplicationCard<Application: CardApplication>: CardModel {
  /// The application.
  public private(set) var application: Application
  /// One line for people.
  public let summary: String
  /// When to ask for more time.
  public var waiting = IsoDepTarget.WaitingPolicy.standard

  private var activation: Activation
  private var target: IsoDepTarget?
  private var canNegotiate = false
  private var cid: UInt8 = 0
  private var pendingParameters: IsoDepParameters?
  private var decisions: any Decisions

  private enum Activation {
    case a(TypeAActivation, ATS)
    case b(TypeBActivation)
  }

  /// The timer of the block protocol.
  static var blockTimer: RadioTimer { RadioTimer(1) }

  /// Makes a type A card.
  public init(
    _ application: Application, typeA identity: TypeAIdentity, ats: ATS = ATS(),
    summary: String? = nil, decisions: any Decisions = CalmDecisions()
  ) {
    self.application = application
    self.decisions = decisions
    self.summary = summary ?? application.name
    activation = .a(TypeAActivation(identity), ats)
  }

  /// Makes a type B card.
  public init(
    _ application: Application, typeB atqb: ATQB, afi: UInt8 = 0, summary: String? = nil,
    decisions: any Decisions = CalmDecisions()
  ) {
    self.application = application
    self.decisions = decisions
    self.summary = summary ?? application.name
    activation = .b(TypeBActivation(atqb, afi: afi))
  }

  /// The application's name.
  public var name: String { application.name }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .fieldChanged(let isOn):
      fieldChanged(isOn, into: &outputs)
    case .received(let frame):
      received(frame, at: now, into: &outputs)
    case .sent:
      // New bit rates count from the frame after the answer to PPS.
      if let parameters = pendingParameters {
        pendingParameters = nil
        begin(parameters)
      }
      run(.sent, at: now, into: &outputs)
    case .timer(Self.blockTimer):
      run(.timerFired, at: now, into: &outputs)
    case .start, .receiving, .timer, .application, .applicationEnded:
      break
    }
  }

  private mutating func fieldChanged(_ isOn: Bool, into outputs: inout [RadioOutput]) {
    if target != nil { outputs.append(.cancelTimer(Self.blockTimer)) }
    target = nil
    pendingParameters = nil
    application.activated()
    switch activation {
    case .a(var machine, let ats):
      machine.fieldChanged(isOn: isOn, decisions: &decisions)
      activation = .a(machine, ats)
    case .b(var machine):
      machine.fieldChanged(isOn: isOn)
      activation = .b(machine)
    }
  }

  private mutating func received(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    if target != nil {
      if canNegotiate, negotiate(frame, into: &outputs) { return }
      canNegotiate = false
      guard !isForeign(frame) else { return }
      return run(.received(frame), at: now, into: &outputs)
    }
    switch activation {
    case .a(var machine, let ats):
      let outcome = machine.receive(frame)
      activation = .a(machine, ats)
      switch outcome {
      case .silence: break
      case .answer(let answer), .selected(let answer):
        outputs.append(.send(answer, after: TypeAFrameDelay.afterCommand(frame)))
      case .forCard: requestedATS(frame, ats, into: &outputs)
      }
    case .b(var machine):
      let outcome = machine.receive(frame, decisions: &decisions)
      activation = .b(machine)
      switch outcome {
      case .silence: break
      case .answer(let answer):
        outputs.append(.send(answer, after: TypeBActivation.answerDelay))
      case .selected(let answer, let parameters, let waitingTime):
        outputs.append(.send(answer, after: TypeBActivation.answerDelay))
        begin(parameters, IsoDepTimings(waitingTime))
      }
    }
  }

  private func isForeign(_ frame: RadioFrame) -> Bool {
    guard let technology = frame.technology, let target else { return false }
    return technology != target.parameters.technology
  }

  // MARK: Type A: RATS and PPS

  private mutating func requestedATS(
    _ frame: RadioFrame, _ ats: ATS, into outputs: inout [RadioOutput]
  ) {
    guard case .content(let content) = SelectedCommand(frame), let rats = try? RATS(content) else {
      // Only RATS can follow the selection of such a card (ISO/IEC 14443-4 5.6.1.2).
      leave()
      return
    }
    cid = rats.cid
    outputs.append(
      .send(
        .protected(ats.bytes, .a, kilobitsPerSecond: 106),
        after: TypeAFrameDelay.afterCommand(frame)))
    begin(
      IsoDepParameters(
        cardFrameSize: ats.frameSize, deviceFrameSize: rats.frameSize,
        cid: ats.supportsCID ? rats.cid : nil),
      IsoDepTimings(ats.frameWaitingTime))
    canNegotiate = true
  }

  /// PPS, which can only come directly after the ATS; true if the frame is one.
  private mutating func negotiate(_ frame: RadioFrame, into outputs: inout [RadioOutput]) -> Bool {
    guard case .a(_, let ats) = activation, let target,
      case .content(let content) = SelectedCommand(frame), let pps = try? PPS(content)
    else { return false }
    guard pps.cid == cid else { return true }
    let rate = pps.divisors.map { UInt16(106) << UInt16(min($0.cardToReader, 3)) } ?? 106
    let offered = ats.cardToReaderRates
    guard rate == 106 || offered.contains(rate) else { return true }
    canNegotiate = false
    var parameters = target.parameters
    parameters.kilobitsPerSecond = rate
    pendingParameters = parameters
    outputs.append(
      .send(
        .protected(pps.answer, .a, kilobitsPerSecond: 106),
        after: TypeAFrameDelay.afterCommand(frame)))
    return true
  }

  private mutating func begin(_ parameters: IsoDepParameters, _ timings: IsoDepTimings? = nil) {
    let timings = timings ?? target?.timings ?? IsoDepTimings()
    if target == nil { application.activated() }
    target = IsoDepTarget(parameters, timings: timings, waiting: waiting)
    target?.answersAtOnce = true
  }

  private mutating func leave() {
    if case .a(var machine, let ats) = activation {
      machine.leave()
      activation = .a(machine, ats)
    }
  }

  private mutating func halt() {
    target = nil
    pendingParameters = nil
    switch activation {
    case .a(var machine, let ats):
      machine.halt()
      activation = .a(machine, ats)
    case .b(var machine):
      machine.halt()
      activation = .b(machine)
    }
  }

  // MARK: Blocks

  private mutating func run(
    _ input: IsoDepTarget.Input, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard target != nil else { return }
    var causes: [IsoDepTarget.Output] = []
    target?.step(input, at: now, into: &causes)
    var index = 0
    while index < causes.count {
      switch causes[index] {
      case .send(let frame, let delay): outputs.append(.send(frame, after: delay))
      case .setTimer(let instant): outputs.append(.setTimer(Self.blockTimer, at: instant))
      case .cancelTimer: outputs.append(.cancelTimer(Self.blockTimer))
      case .note(let note): outputs.append(.note(note))
      case .command(let bytes):
        let answer = application.respond(to: bytes)
        let response = IsoDepTarget.Input.response(answer.bytes, after: answer.processing)
        target?.step(response, at: now, into: &causes)
      case .deselected:
        halt()
      }
      index += 1
    }
  }
}
