import NFCProtocols
import Testing

@Suite struct CRC16Tests {
  /// ISO/IEC 14443-3 annex B (A and B), JIS X 6319-4 polling frame, well-known frames.
  @Test(arguments: [
    (CRC16.a, "0000", "A01E"),  // annex B.1: 00 00 → CRC_A = 1EA0
    (.a, "1234", "26CF"),  // annex B.1: 12 34 → CRC_A = CF26
    (.a, "5000", "57CD"),  // HLTA
    (.a, "E080", "3173"),  // RATS FSDI 8 CID 0
    (.a, "E050", "BCA5"),
    (.a, "3000", "02A8"),  // READ block 0
    (.b, "000000", "CCC6"),  // annex B.2: 00 00 00 → CRC_B = C6CC
    (.b, "0FAAFF", "FCD1"),  // annex B.2: 0F AA FF → CRC_B = D1FC
    (.b, "0A123456", "2CF6"),  // annex B.2: 0A 12 34 56 → CRC_B = F62C
    (.b, "050008", "3973"),  // WUPB AFI 0, one slot
    (.b, "260100", "F60A"),  // ISO 15693 inventory, one slot, high rate
    (.felica, "0600FFFF000F", "F8CE"),  // polling, any system, 16 slots (as heard on the air)
  ])
  func `check values of published frames`(_ variant: CRC16, _ frame: String, _ check: String) throws
  {
    let bytes = try #require(Hexadecimal.bytes(of: frame))
    let expected = try #require(Hexadecimal.bytes(of: check))
    #expect(variant.appended(to: bytes) == bytes + expected)
    #expect(variant.check(bytes + expected))
  }

  @Test(arguments: CRC16.allCases)
  func `every single-bit fault is seen`(_ variant: CRC16) {
    let good = variant.appended(to: [0x02, 0x90, 0x00, 0xFF])
    for bit in 0..<(good.count * 8) {
      var bad = good
      bad[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!variant.check(bad))
    }
  }

  @Test(arguments: CRC16.allCases)
  func `the shift form equals the bit-by-bit definition`(_ variant: CRC16) {
    for first in UInt8.min...UInt8.max {
      let bytes = [first, ~first, first &* 31]
      #expect(variant.checksum(of: bytes) == Self.bitwise(variant, bytes))
    }
  }

  @Test func `frames too short for a CRC never fit`() {
    for variant in CRC16.allCases {
      #expect(!variant.check([]))
      #expect(!variant.check([0x63]))
      #expect(!variant.check([0x63, 0x63]))
    }
  }

  @Test func `a slice counts from its own start`() {
    let frame: [UInt8] = [0xFF, 0xFF, 0x50, 0x00, 0x57, 0xCD, 0xFF]
    #expect(CRC16.a.check(frame[2..<6]))
    #expect(!CRC16.a.check(frame[1..<6]))
  }

  @Test func `a frame's content is what stands before its CRC`() {
    let halt = RadioFrame.protected([0x50, 0x00], .a)
    #expect(halt.bytes == [0x50, 0x00, 0x57, 0xCD])
    #expect(halt.content() == [0x50, 0x00])
    #expect(RadioFrame([0x50, 0x00, 0x57, 0xCD]).content() == [0x50, 0x00])
    #expect(RadioFrame([0x50, 0x00], crc: .notCaptured).content() == [0x50, 0x00])
    #expect(RadioFrame([0x44, 0x00]).content() == [0x44, 0x00])
    #expect(RadioFrame([0x50, 0x00, 0x57, 0xCC], crc: .bad).content() == [0x50, 0x00])
    #expect(RadioFrame([0x01], crc: .bad).content() == [])
  }

  private static func bitwise(_ variant: CRC16, _ bytes: [UInt8]) -> UInt16 {
    var value: UInt16 = variant == .a ? 0x6363 : variant == .b ? 0xFFFF : 0
    for byte in bytes {
      for index in 0..<8 {
        if variant == .felica {
          let bit = UInt16(byte >> UInt8(7 - index) & 1) ^ (value >> 15)
          value = (value << 1) ^ (bit == 1 ? 0x1021 : 0)
        } else {
          let bit = UInt16(byte >> UInt8(index) & 1) ^ (value & 1)
          value = (value >> 1) ^ (bit == 1 ? 0x8408 : 0)
        }
      }
    }
    return variant == .b ? ~value : value
  }
}
