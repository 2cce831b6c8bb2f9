import NFCProtocols
import PN53x

/// Turns messages into transfers of a link and back.
struct LinkCoding: Sendable {
  let framing: LinkFraming
  private var decoder = HostFrameDecoder()
  private var found: [HostFrameEvent] = []

  init(_ framing: LinkFraming) { self.framing = framing }

  /// What a transfer completes.
  enum Message: Hashable, Sendable {
    /// A body, or a whole message.
    case body([UInt8])
    case ack
    case nack
    /// Bytes that no frame can be made of; a receiver stays silent.
    case garbage
  }

  mutating func decode(_ transfer: RadioFrame) -> [Message] {
    guard framing == .hostFrames else { return [.body(transfer.bytes)] }
    found.removeAll(keepingCapacity: true)
    decoder.decode(transfer.bytes, into: &found)
    return found.compactMap { event in
      switch event {
      case .frame(.ack): .ack
      case .frame(.nack): .nack
      case .frame(let frame): .body(frame.body)
      case .corrupt: .garbage
      case .wakeUp: nil
      }
    }
  }

  /// The transfer of a message; an empty one is an ACK.
  func encode(_ message: [UInt8]) -> RadioFrame {
    guard framing == .hostFrames else { return RadioFrame(message) }
    return RadioFrame(Self.frame(of: message).encoded())
  }

  private static func frame(of body: [UInt8]) -> HostFrame {
    guard let identifier = body.first else { return .ack }
    if body == [HostFrame.errorIdentifier] { return .error }
    if identifier == HostFrame.rcS380ToHost || identifier == HostFrame.hostToRCS380 {
      return .information(body, .extendedLittleEndian)
    }
    let isNormal = body.count <= InformationForm.normalMaximumBodyLength
    return .information(body, isNormal ? .normal : .extended)
  }
}
