public import NFCProtocols

/// A reader that activates an ISO-DEP card and then exchanges the APDUs of an application.
///
/// Commands come in as `RadioInput.application` and are kept until the card is active; each
/// response goes out as `RadioOutput.application` before the next command is sent. The session
/// ends with `applicationEnded`, or by itself when the card is lost; `result` tells which.
public struct APDUSession: RadioEndpoint, Sendable {
  /// The card, once it is active.
  public var tag: TagIdentity? { session.tag }
  /// The number of exchanges so far.
  public private(set) var exchanges = 0
  /// How the session ended: in good order, or why not; `nil` while it lasts.
  public private(set) var result: Result<TagIdentity, TagAccessError>?

  /// How many commands may wait; the next one is dropped with an error.
  public static let maximumWaitingCommands = 64

  private var session: TagSession
  private var waiting: [[UInt8]] = []
  private var isBusy = true
  private var hasApplicationEnded = false
  private var sessionsLeft: Int
  private var failure: TagAccessError?

  /// Makes a session that begins with `RadioInput.start`.
  public init(_ configuration: TagReaderConfiguration = TagReaderConfiguration([.a, .b])) {
    session = TagSession(configuration)
    sessionsLeft = configuration.sessionAttempts - 1
  }

  /// Takes one input and appends what it causes to `outputs`, in order.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard result == nil else { return }
    switch input {
    case .start:
      session.open(at: now, into: &outputs)
    case .application(let command):
      guard waiting.count < Self.maximumWaitingCommands else {
        let error = TagAccessError(
          .exchange, command: command,
          .unsupported("more than \(Self.maximumWaitingCommands) commands wait"))
        return close(error, at: now, into: &outputs)
      }
      waiting.append(command)
      proceed(at: now, into: &outputs)
    case .applicationEnded:
      hasApplicationEnded = true
      proceed(at: now, into: &outputs)
    default:
      if let event = session.step(input, at: now, into: &outputs) {
        handle(event, at: now, into: &outputs)
      }
    }
  }

  private mutating func handle(
    _ event: TagSession.Event, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch event {
    case .activated:
      guard session.tag?.supportsISODEP == true else {
        return close(
          TagAccessError(
            .exchange, command: waiting.first ?? [],
            .unsupported("the tag does not speak ISO-DEP")),
          at: now, into: &outputs)
      }
      isBusy = false
      proceed(at: now, into: &outputs)
    case .answered(let response):
      isBusy = false
      exchanges += 1
      outputs.append(.application(response))
      proceed(at: now, into: &outputs)
    case .failed(let error):
      if exchanges == 0, sessionsLeft > 0 {
        sessionsLeft -= 1
        isBusy = true
        return session.restart(at: now, into: &outputs)
      }
      close(error, at: now, into: &outputs)
    case .closed:
      if let failure {
        result = .failure(failure)
      } else if let tag = session.tag {
        result = .success(tag)
      } else {
        result = .failure(TagAccessError(.close, command: [], .noTag))
      }
      outputs.append(.finished)
    }
  }

  private mutating func proceed(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard !isBusy, session.isReady else { return }
    if !waiting.isEmpty {
      isBusy = true
      let command = waiting.removeFirst()
      return session.ask(TagRequest(.exchange, command), at: now, into: &outputs)
    }
    if hasApplicationEnded { close(nil, at: now, into: &outputs) }
  }

  private mutating func close(
    _ error: TagAccessError?, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    failure = failure ?? error
    isBusy = true
    if let event = session.close(at: now, into: &outputs) {
      handle(event, at: now, into: &outputs)
    }
  }
}
