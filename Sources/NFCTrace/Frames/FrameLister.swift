public import NFCProtocols
import PN53x

/// Lists the frames of a trace, one a line, for comparing traces by tools.
///
/// A line is the sender, a blank and the bytes in lower-case hexadecimal digits:
/// - `R` and `T`: reader and card on the air, or command and response APDU,
/// - `H` and `C`: host and chip; of PN53x frames the body from the TFI on, or `ack`, `nack`,
///   `wake`.
public struct FrameLister: Sendable {
  private var finder = FrameFinder()

  /// Makes a lister.
  public init() {}

  /// Appends the lines of the frames that the event completes.
  public mutating func append(_ event: TraceEvent, to output: inout TextBuffer) {
    finder.find(in: event) { Self.append($0, $1, to: &output) }
  }

  private static func append(
    _ sender: FrameSender, _ content: FrameContent, to output: inout TextBuffer
  ) {
    output.append(ascii: sender.letter)
    output.append(ascii: 0x20)
    switch content {
    case .bytes(let bytes): output.append(compactHex: bytes)
    case .ack: output.append("ack")
    case .nack: output.append("nack")
    case .wakeUp: output.append("wake")
    }
    output.append(ascii: 0x0A)
  }
}

/// Who sent a frame.
public enum FrameSender: UInt8, Hashable, Sendable {
  /// A reader or terminal.
  case reader
  /// A card.
  case card
  /// The host of a chip.
  case host
  /// A chip.
  case chip

  /// The letter in a list of frames.
  var letter: UInt8 {
    switch self {
    case .reader: 0x52
    case .card: 0x54
    case .host: 0x48
    case .chip: 0x43
    }
  }
}

/// What a frame is in a list of frames.
enum FrameContent {
  /// A frame with bytes.
  case bytes([UInt8])
  /// An ACK frame.
  case ack
  /// A NACK frame.
  case nack
  /// A wake-up sequence.
  case wakeUp
}

/// Finds the frames in the events of a trace.
struct FrameFinder: Sendable {
  private var reassembler = LinkReassembler()
  private var messages: [LinkMessage] = []

  /// Calls `visit` for each frame that the event completes.
  mutating func find(in event: TraceEvent, visit: (FrameSender, FrameContent) -> Void) {
    switch event.content {
    case .field, .application:
      break
    case .radio(let direction, let frame):
      visit(direction == .outbound ? .reader : .card, .bytes(frame.bytes))
    case .apdu(let direction, let bytes):
      visit(direction == .outbound ? .reader : .card, .bytes(bytes))
    case .link(let transfer):
      messages.removeAll(keepingCapacity: true)
      reassembler.take(transfer, into: &messages)
      for message in messages {
        let sender: FrameSender = message.direction == .outbound ? .host : .chip
        switch message.content {
        case .pn53x(.ack): visit(sender, .ack)
        case .pn53x(.nack): visit(sender, .nack)
        case .pn53x(let frame): visit(sender, .bytes(frame.body))
        case .wakeUp: visit(sender, .wakeUp)
        case .ccid(let bytes), .nci(let bytes): visit(sender, .bytes(bytes))
        case .incomplete: break
        }
      }
    }
  }
}
