/// Commands of FeliCa cards (FeliCa Card User's Manual, section 4), from LEN on, without CRC.
public enum FeliCaCommand: Hashable, Sendable, ByteCodable {
  /// Polling: cards of a system answer in one of the time slots.
  case polling(systemCode: UInt16, requestCode: UInt8, timeSlots: UInt8)
  /// Request Service: key versions of areas and services.
  case requestService(IDm, nodes: [UInt16])
  /// Request Response: is the card there, and in which mode.
  case requestResponse(IDm)
  /// Read Without Encryption.
  case read(IDm, services: [ServiceCode], blocks: [BlockListElement])
  /// Write Without Encryption, 16 bytes a block.
  case write(IDm, services: [ServiceCode], blocks: [BlockListElement], data: [UInt8])
  /// Search Service Code: the area or service of an index.
  case searchServiceCode(IDm, index: UInt16)
  /// Request System Code: all systems of the card.
  case requestSystemCode(IDm)
  /// Any other command, its content as sent.
  case other(code: UInt8, [UInt8])

  /// The bytes of a block.
  public static let blockSize = 16
  /// The longest frame that one length byte can tell, LEN included.
  public static let maximumLength = 255
  /// The sync code in front of LEN, which some sources record with the frame.
  public static let syncCode: [UInt8] = [0xB2, 0x4D]
  /// The system code that every card answers to.
  public static let anySystem: UInt16 = 0xFFFF
  /// The system code of Type 3 tags.
  public static let ndefSystem: UInt16 = 0x12FC

  /// Decodes a command from its length byte on.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = try FeliCaFrame.content(of: bytes, "FeliCa command")
    let code = try cursor.byte()
    switch code {
    case 0x00:
      let system = try cursor.bigEndian16()
      let request = try cursor.byte()
      self = .polling(systemCode: system, requestCode: request, timeSlots: try cursor.byte())
    case 0x02:
      let identifier = try IDm(try cursor.take(8))
      let count = Int(try cursor.byte())
      var nodes: [UInt16] = []
      for _ in 0..<count { nodes.append(try cursor.littleEndian16()) }
      self = .requestService(identifier, nodes: nodes)
    case 0x04:
      self = .requestResponse(try IDm(try cursor.take(8)))
    case 0x06, 0x08:
      let identifier = try IDm(try cursor.take(8))
      var services: [ServiceCode] = []
      for _ in 0..<Int(try cursor.byte()) {
        services.append(ServiceCode(rawValue: try cursor.littleEndian16()))
      }
      var blocks: [BlockListElement] = []
      for _ in 0..<Int(try cursor.byte()) { blocks.append(try BlockListElement(&cursor)) }
      if code == 0x06 {
        self = .read(identifier, services: services, blocks: blocks)
      } else {
        let data = try cursor.array(blocks.count * Self.blockSize)
        self = .write(identifier, services: services, blocks: blocks, data: data)
      }
    case 0x0A:
      let identifier = try IDm(try cursor.take(8))
      self = .searchServiceCode(identifier, index: try cursor.littleEndian16())
    case 0x0C:
      self = .requestSystemCode(try IDm(try cursor.take(8)))
    default:
      self = .other(code: code, Array(cursor.rest()))
    }
    try cursor.end()
  }

  /// Appends the command from its length byte on.
  public func encode(into output: inout [UInt8]) {
    let start = output.count
    output += [0, code]
    switch self {
    case .polling(let system, let request, let slots):
      output.append(bigEndian: system)
      output += [request, slots]
    case .requestService(let identifier, let nodes):
      output += identifier.bytes
      output.append(UInt8(truncatingIfNeeded: nodes.count))
      for node in nodes { output.append(littleEndian: node) }
    case .requestResponse(let identifier), .requestSystemCode(let identifier):
      output += identifier.bytes
    case .read(let identifier, let services, let blocks):
      Self.encode(identifier, services, blocks, into: &output)
    case .write(let identifier, let services, let blocks, let data):
      Self.encode(identifier, services, blocks, into: &output)
      output += data
    case .searchServiceCode(let identifier, let index):
      output += identifier.bytes
      output.append(littleEndian: index)
    case .other(_, let content):
      output += content
    }
    FeliCaFrame.setLength(of: &output, from: start)
  }

  private static func encode(
    _ identifier: IDm, _ services: [ServiceCode], _ blocks: [BlockListElement],
    into output: inout [UInt8]
  ) {
    output += identifier.bytes
    output.append(UInt8(truncatingIfNeeded: services.count))
    for service in services { output.append(littleEndian: service.rawValue) }
    output.append(UInt8(truncatingIfNeeded: blocks.count))
    for block in blocks { block.encode(into: &output) }
  }

  /// The command code.
  public var code: UInt8 {
    switch self {
    case .polling: 0x00
    case .requestService: 0x02
    case .requestResponse: 0x04
    case .read: 0x06
    case .write: 0x08
    case .searchServiceCode: 0x0A
    case .requestSystemCode: 0x0C
    case .other(let code, _): code
    }
  }

  /// The name of a command code, or `nil` if it is not a common one.
  public static func name(ofCode code: UInt8) -> String? {
    switch code {
    case 0x00: "Polling"
    case 0x02: "Request Service"
    case 0x04: "Request Response"
    case 0x06: "Read Without Encryption"
    case 0x08: "Write Without Encryption"
    case 0x0A: "Search Service Code"
    case 0x0C: "Request System Code"
    case 0x10: "Authentication1"
    case 0x12: "Authentication2"
    case 0x14: "Read"
    case 0x16: "Write"
    case 0x32: "Request Service v2"
    case 0x38: "Get System Status"
    case 0x3C: "Request Specification Version"
    case 0x3E: "Reset Mode"
    default: nil
    }
  }

  /// The frame of the command, CRC included, preamble and sync code left out.
  public var frame: RadioFrame { .protected(bytes, .f) }
}

/// The common form of FeliCa frames: a length byte that counts itself, a code, content.
enum FeliCaFrame {
  /// A cursor behind the length byte, which must count all bytes.
  static func content(
    of bytes: ArraySlice<UInt8>, _ element: String
  ) throws(ProtocolError) -> ByteCursor {
    var cursor = ByteCursor(bytes, element)
    let length = Int(try cursor.byte())
    guard length == bytes.count, length >= 2 else {
      throw .badLength(
        element: element, offset: 0, found: length,
        expected: max(bytes.count, 2)...max(bytes.count, 2))
    }
    return cursor
  }

  /// Sets the length byte of the frame that begins at `start`.
  static func setLength(of output: inout [UInt8], from start: Int) {
    precondition(
      output.count - start <= FeliCaCommand.maximumLength,
      "a FeliCa frame has up to 255 bytes from LEN on")
    output[start] = UInt8(truncatingIfNeeded: output.count - start)
  }
}
