import NFCProtocols
import Testing

@Suite struct FeliCaTests {
  private static let idm = "0101112233445566"

  @Test(arguments: [
    "0600FFFF0100", "06 00 12FC 00 0F", "0E 02 \(idm) 01 0B00 00", "0A04\(idm)",
    "10 06 \(idm) 01 0B00 01 8000", "12 06 \(idm) 01 0B00 02 8000 8001", "0C0A\(idm)0000",
    "0A0C\(idm)", "11 06 \(idm) 01 0B00 01 00 0001 ",
  ])
  func `commands both ways`(_ text: String) throws {
    var bytes = hex(text)
    bytes[0] = UInt8(bytes.count)
    if bytes[1] == 0x02 { bytes.removeLast(); bytes[0] -= 1 }
    let command = try FeliCaCommand(bytes)
    #expect(command.bytes == bytes)
    if case .other = command { Issue.record("a known command was taken for another") }
  }

  @Test func `polling names system, request and slots`() throws {
    #expect(
      try FeliCaCommand(hex("0600FFFF0100"))
        == .polling(systemCode: FeliCaCommand.anySystem, requestCode: 1, timeSlots: 0))
  }

  @Test func `read without encryption of two blocks`() throws {
    let command = FeliCaCommand.read(
      try IDm(hex(Self.idm)), services: [.ndefRead],
      blocks: [BlockListElement(block: 0), BlockListElement(block: 0x100, serviceOrder: 2)])
    #expect(command.bytes == hex("13 06 \(Self.idm) 01 0B00 02 8000 02 0001"))
    #expect(try FeliCaCommand(command.bytes) == command)
  }

  @Test func `write without encryption carries 16 bytes a block`() throws {
    let data = [UInt8](repeating: 0xAB, count: 16)
    let command = FeliCaCommand.write(
      try IDm(hex(Self.idm)), services: [.ndefWrite], blocks: [BlockListElement(block: 1)],
      data: data)
    #expect(command.bytes.count == 32)
    #expect(try FeliCaCommand(command.bytes) == command)
    var cut = command.bytes
    cut.removeLast()
    cut[0] -= 1
    #expect(throws: ProtocolError.self) { try FeliCaCommand(cut) }
  }

  @Test func `responses both ways`() throws {
    let identifier = try IDm(hex(Self.idm))
    let parameters = try PMm(hex("00F1000000014300"))
    let responses: [FeliCaResponse] = [
      .polling(identifier, parameters, requestData: []),
      .polling(identifier, parameters, requestData: hex("12FC")),
      .requestService(identifier, keyVersions: [0xFFFF, 1]),
      .requestResponse(identifier, mode: 0),
      .read(identifier, .success, data: [UInt8](repeating: 1, count: 32)),
      .read(identifier, FeliCaStatus(0x01, 0xA8), data: []),
      .write(identifier, .success),
      .searchServiceCode(identifier, hex("0000FEFF")),
      .requestSystemCode(identifier, [0x12FC, 0x0003]),
      .other(code: 0x33, hex("00")),
    ]
    for response in responses { #expect(try FeliCaResponse(response.bytes) == response) }
    #expect(responses[0].bytes.count == 18 && responses[1].bytes.count == 20)
  }

  @Test func `faults name their place`() {
    #expect(
      throws: ProtocolError.badLength(
        element: "FeliCa command", offset: 0, found: 7, expected: 6...6)
    ) { try FeliCaCommand(hex("0700FFFF0100")) }
    #expect(throws: ProtocolError.self) { try FeliCaCommand([]) }
    #expect(throws: ProtocolError.self) { try FeliCaCommand([1]) }
    #expect(throws: ProtocolError.self) { try FeliCaResponse(hex("0301")) }
    #expect(throws: ProtocolError.self) { try IDm([1, 2, 3]) }
  }

  @Test func `status flags and identities`() throws {
    #expect(FeliCaStatus.success.isSuccess)
    #expect(FeliCaStatus(0xFF, 0xA8).name == "illegal block number")
    #expect(try IDm(hex("01FE112233445566")).isNFCDEP)
    #expect(ServiceCode.ndefRead.isWithoutEncryption)
    #expect(ServiceCode(rawValue: 0x090F).number == 0x24)
  }

  @Test func `response times come from the PMm`() throws {
    // D5 of the read group is 43: A = 3, B = 0, E = 1.
    let parameters = try PMm(hex("00F1000000430000"))
    #expect(
      parameters.maximumResponseTime(.read, count: 1) == .carrierCycles(4_096 * (1 + 4) * 4))
    #expect(parameters.maximumResponseTime(.requestResponse, count: 0) == .carrierCycles(4_096))
    #expect(FeliCaTiming.slotStart(0) == .carrierCycles(32_768))
    #expect(FeliCaTiming.pollingLimit(slots: 16) == .carrierCycles(32_768 + 16 * 16_384))
  }
}
