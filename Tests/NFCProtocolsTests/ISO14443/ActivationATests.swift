import NFCProtocols
import Testing

@Suite struct ActivationATests {
  /// The SENS_RES and SEL_RES of recorded InListPassiveTarget replies (UIDs made up).
  @Test(arguments: [
    ("4400", UID.Size.double, true),  // NTAG215, 7-byte UID
    ("0400", .single, true),  // MIFARE Classic 1K, phones
    ("4403", .double, true),  // DESFire EV1
    ("4800", .double, true),  // JCOP31
  ])
  func `ATQA tells the length of the UID`(
    _ sent: String, _ size: UID.Size, _ anticollision: Bool
  ) throws {
    let atqa = try ATQA(hex(sent))
    #expect(atqa.uidSize == size)
    #expect(atqa.supportsBitFrameAnticollision == anticollision)
    #expect(atqa.bytes == hex(sent))
  }

  @Test func `ATQA with the reserved UID size has none`() {
    #expect(ATQA(rawValue: 0x00C4).uidSize == nil)
    #expect(ATQA(rawValue: 0x0C00).supportsBitFrameAnticollision == false)
    #expect(ATQA(rawValue: 0x0344).proprietaryCoding == 3)
  }

  @Test func `SAK tells what comes next`() throws {
    #expect(!SAK.cascade.isUIDComplete)
    #expect(SAK(rawValue: 0x20).supportsISODEP)
    #expect(SAK(rawValue: 0x28).supportsISODEP && SAK(rawValue: 0x28).supportsMifareClassic)
    #expect(!SAK(rawValue: 0x08).supportsISODEP)
    #expect(SAK(rawValue: 0x40).supportsNFCDEP)
    #expect(!SAK(rawValue: 0x24).supportsISODEP, "bits 6 and 7 mean nothing while UID is missing")
    #expect(throws: ProtocolError.self) { try SAK(hex("2000")) }
  }

  @Test func `a seven-byte UID goes out in two levels with cascade tag and BCC`() throws {
    let uid = try UID(hex("04112233445566"))
    #expect(uid.parts.map(\.bytes) == [hex("88041122"), hex("33445566")])
    #expect(uid.parts[0].checkByte == 0x88 ^ 0x04 ^ 0x11 ^ 0x22)
    #expect(try UID(joining: uid.parts) == uid)
    #expect(uid.size == .double && uid.size.levels == 2)
  }

  @Test(arguments: ["08112233", "04112233445566", "04112233445566778899"])
  func `UIDs of all sizes survive the cascade`(_ text: String) throws {
    let uid = try UID(hex(text))
    #expect(uid.parts.count == uid.size.levels)
    #expect(try UID(joining: uid.parts) == uid)
    #expect(uid.isRandom == text.hasPrefix("08"))
  }

  @Test func `UIDs of other lengths and parts without tag are refused`() throws {
    for count in [0, 1, 3, 5, 6, 8, 9, 11] {
      #expect(throws: ProtocolError.self) { try UID([UInt8](repeating: 4, count: count)) }
    }
    let end = try UID(hex("01020304")).parts
    #expect(
      throws: ProtocolError.badValue(
        element: "UID", offset: 0, found: 0x01, expected: "cascade tag 88")
    ) { try UID(joining: end + end) }
    #expect(throws: ProtocolError.self) { try UID(joining: []) }
  }

  @Test func `a wrong BCC is told with what it should be`() {
    #expect(
      throws: ProtocolError.badChecksum(element: "BCC", offset: 4, found: 0, expected: 4)
    ) { try CascadeLevel.Part(hex("0102030400")) }
  }

  @Test(arguments: [
    ("26", UInt8(7), TypeACommand.request),
    ("52", 7, .wakeUp),
    ("500057CD", 8, .halt),
    ("9320", 8, .anticollision(.one, .none)),
  ])
  func `commands of the reader`(_ text: String, _ bits: UInt8, _ command: TypeACommand) throws {
    let frame = RadioFrame(hex(text), lastByteBits: bits)
    #expect(try TypeACommand(frame) == command)
    #expect(command.frame.bytes == frame.bytes)
    #expect(command.frame.lastByteBits == bits)
  }

  @Test func `SELECT carries part, BCC and CRC`() throws {
    let part = try UID(hex("08112233")).parts[0]
    let frame = TypeACommand.select(.one, part).frame
    #expect(frame.bytes.starts(with: hex("93700811223308")))
    #expect(frame.bytes.count == 9 && frame.crc == .good)
    #expect(try TypeACommand(frame) == .select(.one, part))
    var wrong = frame
    wrong.bytes[6] ^= 1
    wrong.crc = .bad
    #expect(
      throws: ProtocolError.badChecksum(element: "BCC", offset: 6, found: 9, expected: 8)
    ) { try TypeACommand(wrong) }
  }

  @Test func `bit oriented anticollision splits inside a byte`() throws {
    let part = try UID(hex("08112233")).parts[0]
    for count in 0..<AnticollisionBits.maximumCount {
      let bits = try AnticollisionBits(first: count, of: part)
      #expect(bits.matches(part))
      let frame = TypeACommand.anticollision(.two, bits).frame
      #expect(frame.bitCount == 16 + count)
      #expect(Int(frame.bytes[1] >> 4) * 8 + Int(frame.bytes[1] & 7) == 16 + count)
      #expect(try TypeACommand(frame) == .anticollision(.two, bits))
      // What the reader sent and what the card answers give the whole part.
      let answer = bits.answer(of: part)
      var joined = bits.bytes + [UInt8](repeating: 0, count: 5 - bits.bytes.count)
      let start = count / 8
      for (index, byte) in answer.enumerated() { joined[start + index] |= byte }
      #expect(joined == part.bytes + [part.checkByte])
    }
    #expect(throws: ProtocolError.self) { try AnticollisionBits(first: 40, of: part) }
    let other = try UID(hex("09112233")).parts[0]
    #expect(!(try AnticollisionBits(first: 1, of: part).matches(other)))
  }

  @Test(arguments: ["9310", "9380", "9328", "932011", "93"])
  func `an NVB that does not fit the frame is a fault`(_ text: String) throws {
    let frame = RadioFrame(hex(text), crc: .absent)
    if frame.bytes.count == 1 {
      #expect(try TypeACommand(frame) == nil)
    } else {
      #expect(throws: ProtocolError.self) { try TypeACommand(frame) }
    }
  }

  @Test func `other frames are no type A commands`() throws {
    #expect(try TypeACommand(RadioFrame([])) == nil)
    #expect(try TypeACommand(RadioFrame([0x26])) == nil, "eight bits are not REQA")
    #expect(try TypeACommand(RadioFrame(hex("3000"))) == nil)
    #expect(try TypeACommand(RadioFrame(hex("3500"), lastByteBits: 4)) == nil)
  }
}
