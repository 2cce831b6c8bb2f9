public import NFCProtocols

/// A reader that finds a tag, activates it, reads its NDEF message and ends the session.
///
/// ```swift
/// var reader = TagReader(TagReaderConfiguration([.a]))
/// // A driver steps it; when it has put out `.finished`, `reader.result` tells what was read.
/// ```
public struct TagReader: RadioEndpoint, Sendable {
  /// What was read or why nothing was, once the reader has finished.
  public private(set) var result: Result<TagReadResult, TagAccessError>?
  /// The tag, from its activation on.
  public var tag: TagIdentity? { session.tag }

  private var session: TagSession
  private var reading: (any TagReading)?
  private var outcome: Result<TagReadResult, TagAccessError>?
  private var sessionsLeft: Int

  /// Makes a reader that begins with `RadioInput.start`.
  public init(_ configuration: TagReaderConfiguration = TagReaderConfiguration()) {
    session = TagSession(configuration)
    sessionsLeft = configuration.sessionAttempts - 1
  }

  /// Takes one input and appends what it causes to `outputs`, in order.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard result == nil else { return }
    if input == .start { return session.open(at: now, into: &outputs) }
    guard let event = session.step(input, at: now, into: &outputs) else { return }
    handle(event, at: now, into: &outputs)
  }

  private mutating func handle(
    _ event: TagSession.Event, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch event {
    case .activated:
      guard let tag = session.tag, var reading = Self.reading(tag, session.configuration) else {
        return conclude(message: nil, at: now, into: &outputs)
      }
      let first = reading.begin()
      self.reading = reading
      session.ask(first, at: now, into: &outputs)
    case .answered(let answer):
      do {
        guard let move = try reading?.answered(answer) else { return }
        switch move {
        case .request(let request): session.ask(request, at: now, into: &outputs)
        case .done(let message): conclude(message: message, at: now, into: &outputs)
        }
      } catch {
        close(.failure(error), at: now, into: &outputs)
      }
    case .failed(let error):
      failed(error, at: now, into: &outputs)
    case .closed:
      result = outcome
      outputs.append(.finished)
    }
  }

  private mutating func failed(
    _ error: TagAccessError, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    // A FeliCa card without the NDEF system stays silent when it is polled for.
    if case .noAnswer = error.problem, error.step == .readCapability,
      let tag = session.tag, tag.technology == .f,
      tag.systemCode != FeliCaCommand.ndefSystem, error.command.dropFirst().first == 0x00
    {
      return conclude(message: nil, at: now, into: &outputs)
    }
    if sessionsLeft > 0, error.problem != .noTag {
      sessionsLeft -= 1
      reading = nil
      return session.restart(at: now, into: &outputs)
    }
    close(.failure(error), at: now, into: &outputs)
  }

  private mutating func conclude(
    message: [UInt8]?, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard let tag = session.tag else { preconditionFailure("a tag was read that is not there") }
    close(TagReadResult.read(message, of: tag), at: now, into: &outputs)
  }

  private mutating func close(
    _ outcome: Result<TagReadResult, TagAccessError>, at now: VirtualInstant,
    into outputs: inout [RadioOutput]
  ) {
    self.outcome = outcome
    reading = nil
    if let event = session.close(at: now, into: &outputs) {
      handle(event, at: now, into: &outputs)
    }
  }

  static func reading(
    _ tag: TagIdentity, _ configuration: TagReaderConfiguration
  ) -> (any TagReading)? {
    switch tag.tagType {
    case .type2: return Type2Reading(limit: configuration.limits.type2Read)
    case .type3:
      guard let idm = try? IDm(tag.identifier), let pmm = tag.pmm else { return nil }
      return Type3Reading(idm: idm, pmm: pmm, systemCode: tag.systemCode)
    case .type4: return Type4Reading(maximumReadLength: configuration.maximumReadLength)
    case .type5:
      return Type5Reading(uid: tag.identifier, limit: configuration.limits.vicinityAnswer)
    case nil: return nil
    }
  }
}

/// What a reader has read.
public struct TagReadResult: Hashable, Sendable {
  /// The tag.
  public var tag: TagIdentity
  /// The message, or `nil` if the tag holds none.
  public var ndef: NDEFMessage?
  /// The bytes of the message: empty if there is room for one, `nil` if there is no such place.
  public var raw: [UInt8]?

  /// Makes a result.
  public init(tag: TagIdentity, ndef: NDEFMessage?, raw: [UInt8]?) {
    self.tag = tag
    self.ndef = ndef
    self.raw = raw
  }

  /// What the bytes that were read come to.
  static func read(
    _ message: [UInt8]?, of tag: TagIdentity
  ) -> Result<TagReadResult, TagAccessError> {
    guard let message, !message.isEmpty else {
      return .success(TagReadResult(tag: tag, ndef: nil, raw: message))
    }
    do {
      let ndef = try NDEFMessage(message)
      return .success(TagReadResult(tag: tag, ndef: ndef, raw: message))
    } catch {
      return .failure(
        TagAccessError(.decodeMessage, command: [], .malformed(error, message)))
    }
  }
}
