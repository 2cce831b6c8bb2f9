import NFCProtocols
import Testing

@Suite struct BlockTests {
  /// 14443-4 Tables 6 to 8, and the blocks of public bug reports.
  @Test(arguments: [
    ("0200A40400", Block.information(.zero, hex("00A40400"))),
    ("039000", .information(.one, hex("9000"))),
    ("12AABB", .information(.zero, hex("AABB"), isChaining: true)),
    ("13AABB", .information(.one, hex("AABB"), isChaining: true)),
    ("0A01C0", .information(.zero, hex("C0"), cid: 1)),
    (
      "0E017FC0",
      Block(.information(number: .zero, isChaining: false, hex("C0")), cid: 1, nad: 0x7F)
    ),
    ("02", .information(.zero, [])),
    ("A2", Block(.acknowledge(number: .zero))),
    ("A3", Block(.acknowledge(number: .one))),
    ("B2", Block(.negativeAcknowledge(number: .zero))),
    ("BA01", Block(.negativeAcknowledge(number: .zero), cid: 1)),  // PN532 with a type B card
    ("C2", Block(.deselect)),
    ("CA01", Block(.deselect, cid: 1)),
    ("F202", Block(.waitingTimeExtension(multiplier: 2, powerLevel: 0))),
    ("F23B", Block(.waitingTimeExtension(multiplier: 59, powerLevel: 0))),
    ("F2C1", Block(.waitingTimeExtension(multiplier: 1, powerLevel: 3))),
    ("FA4201", Block(.waitingTimeExtension(multiplier: 1, powerLevel: 0), cid: 2, powerLevel: 1)),
    ("F0A00100", Block(.parameters(hex("A00100")))),
  ])
  func `blocks both ways`(_ text: String, _ block: Block) throws {
    #expect(try Block(hex(text)) == block)
    #expect(block.bytes == hex(text))
  }

  @Test func `an S-block is no chained I-block although its bit is set`() {
    #expect(BlockType(pcb: 0xF2) == .waitingTimeExtension)
    #expect(0xF2 & BlockType.chaining != 0)
  }

  @Test func `illegal multipliers are decoded and left to the caller`() throws {
    for multiplier: UInt8 in [0, 60, 63] {
      let block = try Block([0xF2, multiplier])
      #expect(block.kind == .waitingTimeExtension(multiplier: multiplier, powerLevel: 0))
      #expect(!Block.legalMultipliers.contains(multiplier))
    }
    #expect(Block.legalMultipliers.contains(1) && Block.legalMultipliers.contains(59))
  }

  @Test(arguments: [
    ("", ProtocolError.truncated(element: "block", offset: 0, missing: 1)),
    ("F2", .truncated(element: "block", offset: 1, missing: 1)),
    ("F20101", .trailingBytes(element: "block", offset: 2, count: 1)),
    ("A200", .trailingBytes(element: "block", offset: 1, count: 1)),
    ("C290", .trailingBytes(element: "block", offset: 1, count: 1)),
    ("0A", .truncated(element: "block", offset: 1, missing: 1)),
    ("06", .truncated(element: "block", offset: 1, missing: 1)),
  ])
  func `faults`(_ text: String, _ fault: ProtocolError) {
    #expect(throws: fault) { try Block(hex(text)) }
  }

  @Test func `every PCB either decodes to itself or is reserved`() throws {
    var known = 0
    for pcb in UInt8.min...UInt8.max {
      guard BlockType(pcb: pcb) != nil else {
        #expect(throws: ProtocolError.self) { try Block([pcb, 1, 1]) }
        continue
      }
      known += 1
      for length in 0...3 {
        let bytes = [pcb] + [UInt8](repeating: 1, count: length)
        if let block = try? Block(bytes) { #expect(block.bytes == bytes) }
      }
    }
    // I: chaining, CID, NAD, number; R: kind, CID, number; S: three kinds with and without CID.
    #expect(known == 16 + 8 + 6)
  }

  @Test func `frame sizes at the ends of the table`() {
    #expect(FrameSize.bytes(ofIndex: 0) == 16)
    #expect(FrameSize.bytes(ofIndex: 5) == 64)
    #expect(FrameSize.bytes(ofIndex: 8) == 256)
    #expect(FrameSize.bytes(ofIndex: 12) == 4_096)
    #expect(FrameSize.bytes(ofIndex: 13) == 4_096)
    #expect(FrameSize.bytesBefore2016(ofIndex: 12) == 256)
    #expect(Block.overhead(hasCID: true, hasNAD: true) == 5)
  }
}
