public import NFCProtocols

/// The NDEF application of a Type 4 tag: capability container and NDEF file (NFC Forum T4T 2.0).
public struct Type4Application: CardApplication, Sendable {
  /// The NDEF file as it is now: two bytes of length, then the message.
  public private(set) var file: [UInt8]
  /// The capability container.
  public let container: Type4CapabilityFile
  /// The time that each command takes.
  public var processing: Nanoseconds

  private var selected = Selection.none

  private enum Selection: Hashable, Sendable {
    case none
    case application
    case container
    case ndef
  }

  /// Instructions (ISO/IEC 7816-4).
  private enum Instruction {
    static let select: UInt8 = 0xA4
    static let readBinary: UInt8 = 0xB0
    static let updateBinary: UInt8 = 0xD6
  }

  /// Status words that only this application uses (ISO/IEC 7816-4 table 6).
  private enum Status {
    static let endOfFile = StatusWord(0x6282)
    static let notAllowed = StatusWord(0x6986)
    static let noRoom = StatusWord(0x6A84)
  }

  /// Makes the application.
  ///
  /// - Parameters:
  ///   - ndefMessage: The message at the beginning.
  ///   - capacity: The size of the file; grows if the message needs more.
  ///   - isWritable: False for a tag that was made read-only.
  public init(
    ndefMessage: [UInt8], capacity: Int = 2_048, isWritable: Bool = true,
    processing: Nanoseconds = .zero
  ) {
    // A file of mapping version 2 has at most 65,534 bytes (T4T 2.0 table 4).
    let size = min(max(capacity, ndefMessage.count + 2), 0xFFFE)
    let message = Array(ndefMessage.prefix(size - 2))
    let length = message.count
    file = [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)] + message
    file += [UInt8](repeating: 0, count: size - file.count)
    container = Type4CapabilityFile(
      files: [
        Type4CapabilityFile.FileControl(
          .ndef, identifier: 0xE104, maximumSize: size, readAccess: 0x00,
          writeAccess: isWritable ? 0x00 : 0xFF)
      ])
    self.processing = processing
  }

  /// What it is.
  public var name: String { "Type 4 Tag" }

  /// Nothing is selected any more.
  public mutating func activated() { selected = .none }

  /// Runs a command.
  public mutating func respond(to command: [UInt8]) -> CardAnswer {
    guard let apdu = try? CommandAPDU(command[...], mode: .strict) else {
      return CardAnswer(.wrongLength, processing: processing)
    }
    guard apdu.cla == 0x00 else { return CardAnswer(.classNotSupported, processing: processing) }
    let response: ResponseAPDU
    switch apdu.ins {
    case Instruction.select: response = ResponseAPDU(status: select(apdu))
    case Instruction.readBinary: response = read(apdu)
    case Instruction.updateBinary: response = ResponseAPDU(status: update(apdu))
    default: response = ResponseAPDU(status: .instructionNotSupported)
    }
    return CardAnswer(response.bytes, processing: processing)
  }

  private mutating func select(_ apdu: CommandAPDU) -> StatusWord {
    switch (apdu.p1, apdu.p2) {
    case (0x04, 0x00):
      guard apdu.data == Type4CapabilityFile.applicationIdentifier else { return .notFound }
      selected = .application
    case (0x00, 0x0C):
      guard selected != .none else { return .notFound }
      guard apdu.data.count == 2 else { return .wrongLength }
      let identifier = UInt16(apdu.data[0]) << 8 | UInt16(apdu.data[1])
      if identifier == Type4CapabilityFile.fileIdentifier {
        selected = .container
      } else if identifier == container.ndefFile?.identifier {
        selected = .ndef
      } else {
        return .notFound
      }
    default:
      return .wrongParameters
    }
    return .success
  }

  private func read(_ apdu: CommandAPDU) -> ResponseAPDU {
    guard let content = selectedFile else { return ResponseAPDU(status: Status.notAllowed) }
    guard let wanted = apdu.expectedLength, apdu.data.isEmpty else {
      return ResponseAPDU(status: .wrongLength)
    }
    guard let offset = offset(of: apdu), offset < content.count else {
      return ResponseAPDU(status: .wrongOffset)
    }
    let data = Array(content[offset...].prefix(wanted))
    // A Le of 00 asks for all there is; any other that is not met is told.
    let isMaximum = wanted == 256 || wanted == 65_536
    let status = data.count < wanted && !isMaximum ? Status.endOfFile : .success
    return ResponseAPDU(data: data, status: status)
  }

  private mutating func update(_ apdu: CommandAPDU) -> StatusWord {
    guard selected == .ndef else {
      return selected == .container ? .securityStatusNotSatisfied : Status.notAllowed
    }
    guard container.ndefFile?.writeAccess == 0x00 else { return .securityStatusNotSatisfied }
    guard !apdu.data.isEmpty else { return .wrongLength }
    guard let offset = offset(of: apdu), offset < file.count else { return .wrongOffset }
    guard offset + apdu.data.count <= file.count else { return Status.noRoom }
    file.replaceSubrange(offset..<(offset + apdu.data.count), with: apdu.data)
    return .success
  }

  /// The offset in P1 and P2; `nil` if bit 8 of P1 names a file instead.
  private func offset(of apdu: CommandAPDU) -> Int? {
    apdu.p1 & 0x80 == 0 ? Int(apdu.p1) << 8 | Int(apdu.p2) : nil
  }

  private var selectedFile: [UInt8]? {
    switch selected {
    case .container: container.bytes
    case .ndef: file
    case .none, .application: nil
    }
  }
}
