import NFCTrace
import ProtocolTesting
import Testing

@Suite struct PcapngReaderTests {
  private func items(_ pieces: [ArraySlice<UInt8>]) throws(TraceError) -> [String] {
    var reader = PcapngReader()
    var found: [String] = []
    for piece in pieces {
      reader.append(piece)
      while let item = try reader.next() {
        switch item {
        case .section(let order): found.append("section \(order)")
        case .interface(let interface):
          found.append("interface \(interface.linkType) \(interface.resolution)")
        case .packet(var packet):
          found.append("packet \(packet.timestamp) \(Array(packet.data)) \(packet.originalLength)")
          while let (code, value) = try packet.options.next() {
            found.append("option \(code) \(Array(value))")
          }
        case .block(let block): found.append("block \(block.type) \(Array(block.body))")
        }
      }
    }
    return found
  }

  private func sample(_ order: PcapngByteOrder) -> [UInt8] {
    let writer = PcapngWriter(byteOrder: order)
    var bytes: [UInt8] = []
    writer.section(options: [.comment("x")], into: &bytes)
    writer.interface(PcapngInterface(linkType: 264, offsetSeconds: -5), into: &bytes)
    writer.packet(
      interface: 0, timestamp: 0x1_0000_0002, data: [1, 2, 3, 4, 5], originalLength: 9,
      options: [.comment("hello"), .init(code: 0x9000, value: [])], into: &bytes)
    writer.block(0x8000_0001, into: &bytes) { $0.append(7) }
    return bytes
  }

  @Test(arguments: [PcapngByteOrder.little, .big])
  func readsWhatItWrites(order: PcapngByteOrder) throws {
    let bytes = sample(order)
    for pieces in SplitVerifier.cuts(of: bytes) {
      #expect(
        try items(pieces) == [
          "section \(order)", "interface 264 9", "packet 4294967298 [1, 2, 3, 4, 5] 9",
          "option 1 [104, 101, 108, 108, 111]", "option 36864 []",
          "block 2147483649 [7, 0, 0, 0]",
        ])
    }
  }

  /// Lengths that lie are told with their offset, and no memory is taken for them.
  @Test(
    arguments: [
      (4, 0xFFFF_FFFC, 4), (4, 13, 4), (4, 8, 4), (8, 0, 8),
      (44, 0x0100_0004, 44), (92, 0x1000, 92), (80, 7, 80), (104, 0x1000, 104),
      (120, 0xFFFF_0001, 122),
    ] as [(Int, UInt32, Int)])
  func refusesLies(offset: Int, value: UInt32, told: Int) {
    var bytes = sample(.little)
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    #expect {
      try items([bytes[...]])
    } throws: { error in
      guard case .badInput(let fault)? = error as? TraceError else { return false }
      return fault.place == .byte(told)
    }
  }

  @Test(
    arguments: [
      (PcapngInterface(linkType: 264), 1_500, 1_500),
      (PcapngInterface(linkType: 264, resolution: 6), 3, 3_000),
      (PcapngInterface(linkType: 264, resolution: 0x80 | 10), 512, 500_000_000),
      (PcapngInterface(linkType: 264, resolution: 12), 1_999, 1),
      (PcapngInterface(linkType: 264, offsetSeconds: -1), 1, -999_999_999),
      (PcapngInterface(linkType: 264, resolution: 20), 1, nil),
      (PcapngInterface(linkType: 264, resolution: 0), UInt64.max, nil),
    ] as [(PcapngInterface, UInt64, Int64?)])
  func readsTimeStamps(interface: PcapngInterface, timestamp: UInt64, nanoseconds: Int64?) {
    #expect(interface.nanoseconds(of: timestamp) == nanoseconds)
  }

  @Test func keepsTheBoundOfInterfaces() throws {
    let writer = PcapngWriter()
    var bytes: [UInt8] = []
    writer.section(into: &bytes)
    for _ in 0..<PcapngReader.mostInterfaces {
      writer.interface(PcapngInterface(linkType: 264), into: &bytes)
    }
    #expect(try items([bytes[...]]).count == 1 + PcapngReader.mostInterfaces)
    writer.interface(PcapngInterface(linkType: 264), into: &bytes)
    #expect(throws: TraceError.self) { try items([bytes[...]]) }
  }
}
