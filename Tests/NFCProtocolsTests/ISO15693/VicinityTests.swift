import NFCProtocols
import Testing

@Suite struct VicinityTests {
  @Test(arguments: [
    "260100", "360107 00", "0601 00", "0601 0C 3412", "22 20 8877665544332211 00", "022000",
    "0223 00 03", "62 21 8877665544332211 05 AABBCCDD", "0224 00 01 AABBCCDD11223344",
    "22 02 8877665544332211", "22 25 8877665544332211", "0226", "022B", "02 2C 00 0F",
    "02 27 50", "02 28", "02 29 01", "02 2A", "02 22 07", "0A 30 0001", "0A 31 0001 AABBCCDD",
    "0A 33 0000 0300", "22 A0 04 8877665544332211 01", "02 B2 04", "02 E0 01 02",
  ])
  func `requests both ways`(_ text: String) throws {
    #expect(try roundTrip(VicinityRequest.self, text).isSame)
  }

  @Test func `an inventory as readers send it`() throws {
    #expect(VicinityRequest.inventory().bytes == hex("260100"))
    #expect(VicinityRequest.inventory().frame.bytes == hex("260100F60A"))
    let request = try VicinityRequest(hex("36010700"))
    #expect(request.command == .inventory(afi: 7, maskBits: 0, mask: []))
    #expect(
      VicinityRequest.inventory(afi: 7, oneSlot: false, maskBits: 12, mask: [0x34, 0x02]).bytes
        == hex("1601070C3402"))
  }

  @Test func `flags agree with the address`() {
    let request = VicinityRequest(.readSingleBlock(3), uid: hex("8877665544332211"))
    #expect(request.bytes == hex("2220887766554433221103"))
    #expect(VicinityRequest(.readSingleBlock(3)).bytes == hex("022003"))
    #expect(
      VicinityRequest(.readMultipleBlocks(first: 0, count: 256)).bytes == hex("022300FF"))
  }

  @Test(arguments: ["", "26", "2601", "2601 41 00", "2601 09 11", "2220 88", "0220", "02200011"])
  func `broken requests`(_ text: String) {
    #expect(throws: ProtocolError.self) { try VicinityRequest(hex(text)) }
  }

  @Test func `responses`() throws {
    let (inventory, isSame) = try roundTrip(VicinityResponse.self, "00 00 88776655443300E0")
    #expect(isSame && inventory.error == nil)
    #expect(try inventory.inventory().uid == hex("88776655443300E0"))
    let fault = try VicinityResponse(hex("0110"))
    #expect(fault.error == .blockNotAvailable && fault.error?.name == "block not available")
    #expect(VicinityResponse(error: .notSupported).bytes == hex("0101"))
    #expect(throws: ProtocolError.self) { try VicinityResponse(hex("01")) }
  }

  @Test func `system information of a card with 28 blocks of 4 bytes`() throws {
    let (answer, isSame) = try roundTrip(
      VicinityResponse.self, "00 0F 88776655443300E0 00 00 1B03 01")
    let information = try answer.systemInformation()
    #expect(isSame && information.blockCount == 28 && information.blockSize == 4)
    #expect(information.bytes == answer.data)
    let few = try VicinitySystemInformation(hex("04 88776655443300E0 FF1F"))
    #expect(few.blockCount == 256 && few.blockSize == 32 && few.dsfid == nil)
    #expect(throws: ProtocolError.self) {
      try VicinitySystemInformation(hex("04 88776655443300E0 FF20"))
    }
  }
}
