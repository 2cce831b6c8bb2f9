/// Answers of FeliCa cards (FeliCa Card User's Manual, section 4), from LEN on, without CRC.
public enum FeliCaResponse: Hashable, Sendable, ByteCodable {
  /// Answer to Polling; the request data is there if the command asked for it.
  case polling(IDm, PMm, requestData: [UInt8])
  /// Answer to Request Service: one key version a node, FFFF where there is none.
  case requestService(IDm, keyVersions: [UInt16])
  /// Answer to Request Response.
  case requestResponse(IDm, mode: UInt8)
  /// Answer to Read Without Encryption; the data is empty after a fault.
  case read(IDm, FeliCaStatus, data: [UInt8])
  /// Answer to Write Without Encryption.
  case write(IDm, FeliCaStatus)
  /// Answer to Search Service Code: 2 bytes a service, 4 an area, FFFF at the end.
  case searchServiceCode(IDm, [UInt8])
  /// Answer to Request System Code.
  case requestSystemCode(IDm, [UInt16])
  /// Any other answer, its content as sent.
  case other(code: UInt8, [UInt8])

  /// Decodes an answer from its length byte on.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = try FeliCaFrame.content(of: bytes, "FeliCa response")
    let code = try cursor.byte()
    guard [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D].contains(code) else {
      self = .other(code: code, Array(cursor.rest()))
      return
    }
    let identifier = try IDm(try cursor.take(8))
    switch code {
    case 0x01:
      let parameters = try PMm(try cursor.take(8))
      let count = cursor.remaining
      guard count == 0 || count == 2 else {
        throw .badLength(element: "FeliCa response", offset: 18, found: count, expected: 0...2)
      }
      self = .polling(identifier, parameters, requestData: Array(cursor.rest()))
    case 0x03:
      var versions: [UInt16] = []
      for _ in 0..<Int(try cursor.byte()) { versions.append(try cursor.littleEndian16()) }
      self = .requestService(identifier, keyVersions: versions)
    case 0x05:
      self = .requestResponse(identifier, mode: try cursor.byte())
    case 0x07:
      let status = FeliCaStatus(try cursor.byte(), try cursor.byte())
      self = .read(identifier, status, data: try Self.blocks(&cursor, status))
    case 0x09:
      self = .write(identifier, FeliCaStatus(try cursor.byte(), try cursor.byte()))
    case 0x0B:
      self = .searchServiceCode(identifier, Array(cursor.rest()))
    default:
      var systems: [UInt16] = []
      for _ in 0..<Int(try cursor.byte()) { systems.append(try cursor.bigEndian16()) }
      self = .requestSystemCode(identifier, systems)
    }
    try cursor.end()
  }

  private static func blocks(
    _ cursor: inout ByteCursor, _ status: FeliCaStatus
  ) throws(ProtocolError) -> [UInt8] {
    guard status.isSuccess else { return [] }
    let count = Int(try cursor.byte())
    return try cursor.array(count * FeliCaCommand.blockSize)
  }

  /// Appends the answer from its length byte on.
  public func encode(into output: inout [UInt8]) {
    let start = output.count
    output += [0, code]
    switch self {
    case .polling(let identifier, let parameters, let requestData):
      output += identifier.bytes + parameters.bytes + requestData
    case .requestService(let identifier, let versions):
      output += identifier.bytes
      output.append(UInt8(truncatingIfNeeded: versions.count))
      for version in versions { output.append(littleEndian: version) }
    case .requestResponse(let identifier, let mode):
      output += identifier.bytes + [mode]
    case .read(let identifier, let status, let data):
      output += identifier.bytes + [status.flag1, status.flag2]
      if status.isSuccess {
        output.append(UInt8(truncatingIfNeeded: data.count / FeliCaCommand.blockSize))
        output += data
      }
    case .write(let identifier, let status):
      output += identifier.bytes + [status.flag1, status.flag2]
    case .searchServiceCode(let identifier, let content):
      output += identifier.bytes + content
    case .requestSystemCode(let identifier, let systems):
      output += identifier.bytes
      output.append(UInt8(truncatingIfNeeded: systems.count))
      for system in systems { output.append(bigEndian: system) }
    case .other(_, let content):
      output += content
    }
    FeliCaFrame.setLength(of: &output, from: start)
  }

  /// The response code: that of the command plus one.
  public var code: UInt8 {
    switch self {
    case .polling: 0x01
    case .requestService: 0x03
    case .requestResponse: 0x05
    case .read: 0x07
    case .write: 0x09
    case .searchServiceCode: 0x0B
    case .requestSystemCode: 0x0D
    case .other(let code, _): code
    }
  }

  /// The identifier of the card, where the answer is of a known kind.
  public var identifier: IDm? {
    switch self {
    case .polling(let identifier, _, _), .requestService(let identifier, _),
      .requestResponse(let identifier, _), .read(let identifier, _, _),
      .write(let identifier, _), .searchServiceCode(let identifier, _),
      .requestSystemCode(let identifier, _):
      identifier
    case .other: nil
    }
  }

  /// The frame of the answer, CRC included, preamble and sync code left out.
  public var frame: RadioFrame { .protected(bytes, .f) }
}
