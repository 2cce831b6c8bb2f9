public import NFCProtocols

/// A card that holds one NDEF message: the application of a Type 4 tag, mapping version 2.0.
///
/// Nothing is selected when a session begins; an instruction that the card does not know is
/// answered with a status word and never with silence, as phones probe for other applications.
public struct NDEFCard: EmulatedCard, Hashable, Sendable {
  /// The bytes of the message.
  public private(set) var message: [UInt8]
  /// The size of the NDEF file with its length field, in bytes.
  public let fileSize: Int
  /// True if readers may write.
  public let isWritable: Bool
  /// The time that every command takes.
  public var processing: Nanoseconds

  /// The identifier of the NDEF file, as in the examples of T4T 2.0.
  public static let fileIdentifier: UInt16 = 0xE104
  /// The largest NDEF file of mapping version 2.0, length field included.
  public static let maximumFileSize = 0x7FFF

  private enum Selection: Hashable, Sendable {
    case nothing
    case application
    case capability
    case message
  }

  private var selection = Selection.nothing
  private let capability: [UInt8]
  private var file: [UInt8]

  /// Makes a card with a message.
  ///
  /// - Parameter fileSize: The room for the message and its two bytes of length; by default just
  ///   what the message needs, at least 256 bytes.
  public init(
    _ message: NDEFMessage, fileSize: Int? = nil, isWritable: Bool = false,
    processing: Nanoseconds = .zero
  ) {
    self.init(
      bytes: message.bytes, fileSize: fileSize, isWritable: isWritable, processing: processing)
  }

  /// Makes a card with the bytes of a message, which need not be a sound one.
  public init(
    bytes message: [UInt8], fileSize: Int? = nil, isWritable: Bool = false,
    processing: Nanoseconds = .zero
  ) {
    let size = fileSize ?? max(message.count + 2, 256)
    precondition(
      message.count + 2 <= size && size <= Self.maximumFileSize,
      "an NDEF file holds the message and two bytes, 32767 at most")
    self.message = message
    self.fileSize = size
    self.isWritable = isWritable
    self.processing = processing
    capability =
      Type4CapabilityFile(
        files: [
          .init(
            identifier: Self.fileIdentifier, maximumSize: size,
            writeAccess: isWritable ? 0x00 : 0xFF)
        ]
      ).bytes
    var content = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
    content += [UInt8](repeating: 0, count: size - content.count)
    file = content
  }

  /// A session begins: nothing is selected.
  public mutating func activated() { selection = .nothing }
  /// The session is over: nothing is selected.
  public mutating func deselected() { selection = .nothing }
  /// The field has gone: nothing is selected.
  public mutating func fieldLost() { selection = .nothing }

  /// Answers a command APDU.
  public mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
    EmulatedAnswer(response(to: command).bytes, processing: processing)
  }

  private mutating func response(to bytes: [UInt8]) -> ResponseAPDU {
    guard let command = try? CommandAPDU(bytes) else {
      return ResponseAPDU(status: .wrongLength)
    }
    guard command.cla == 0x00 else { return ResponseAPDU(status: .classNotSupported) }
    switch command.ins {
    case 0xA4: return ResponseAPDU(status: select(command))
    case 0xB0: return read(command)
    case 0xD6: return ResponseAPDU(status: update(command))
    default: return ResponseAPDU(status: .instructionNotSupported)
    }
  }

  private mutating func select(_ command: CommandAPDU) -> StatusWord {
    switch command.p1 {
    case 0x04:
      guard command.data == Type4CapabilityFile.applicationIdentifier else {
        return .notFound
      }
      selection = .application
    case 0x00:
      guard selection != .nothing, command.data.count == 2 else { return .notFound }
      switch UInt16(command.data[0]) << 8 | UInt16(command.data[1]) {
      case Type4CapabilityFile.fileIdentifier: selection = .capability
      case Self.fileIdentifier: selection = .message
      default: return .notFound
      }
    default:
      return .wrongParameters
    }
    return .success
  }

  private func read(_ command: CommandAPDU) -> ResponseAPDU {
    let content: [UInt8]
    switch selection {
    case .capability: content = capability
    case .message: content = file
    case .nothing, .application: return ResponseAPDU(status: .conditionsNotSatisfied)
    }
    guard let length = command.expectedLength else { return ResponseAPDU(status: .wrongLength) }
    let offset = Int(command.p1) << 8 | Int(command.p2)
    guard command.p1 < 0x80, offset < content.count else {
      return ResponseAPDU(status: .wrongOffset)
    }
    return ResponseAPDU(data: Array(content[offset..<min(content.count, offset + length)]))
  }

  private mutating func update(_ command: CommandAPDU) -> StatusWord {
    guard selection == .message else { return .conditionsNotSatisfied }
    guard isWritable else { return .securityStatusNotSatisfied }
    let offset = Int(command.p1) << 8 | Int(command.p2)
    guard command.p1 < 0x80, offset + command.data.count <= file.count else {
      return .wrongOffset
    }
    file.replaceSubrange(offset..<(offset + command.data.count), with: command.data)
    let length = min(Int(file[0]) << 8 | Int(file[1]), file.count - 2)
    message = Array(file[2..<(2 + length)])
    return .success
  }
}
