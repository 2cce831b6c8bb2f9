public import NFCProtocols

/// The host end of a link whose driver lives behind it: what the driver says is one transfer, what
/// the chip sends is handed to it transfer by transfer.
public struct DriverLink: RadioEndpoint, Sendable {
  /// How long the driver listens after its next transfer; `nil` until the chip has nothing to say.
  public var listening: Nanoseconds?

  private static let listeningTimer = RadioTimer(0)

  /// Makes a link at rest.
  public init() {}

  /// Takes one input; an empty `application` output says that the driver has listened in vain.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .application(let bytes):
      outputs.append(.cancelTimer(Self.listeningTimer))
      outputs.append(.send(RadioFrame(bytes), after: .zero))
    case .sent:
      guard let listening else { return }
      self.listening = nil
      outputs.append(.setTimer(Self.listeningTimer, at: now + listening))
    case .received(let frame): outputs.append(.application(frame.bytes))
    case .timer: outputs.append(.application([]))
    case .applicationEnded: outputs.append(.finished)
    case .start, .fieldChanged, .receiving: break
    }
  }
}
