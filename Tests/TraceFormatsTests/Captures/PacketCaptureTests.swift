import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct PacketCaptureTests {
  private func decode(
    _ bytes: [UInt8], _ options: ImportOptions = ImportOptions()
  ) throws(TraceError) -> DecodedTrace {
    try DecodedTrace.decode(bytes, with: PacketCaptureDecoder(options))
  }

  private func place(of bytes: [UInt8]) -> BadInput.Place? {
    do {
      _ = try decode(bytes)
      return nil
    } catch {
      guard case .badInput(let bad) = error else { return nil }
      return bad.place
    }
  }

  static let packets: [[UInt8]] = [
    CaptureBytes.air(0xFC, ""), CaptureBytes.air(0xFE, "26"), CaptureBytes.air(0xFF, "44 00"),
    CaptureBytes.air(0xFA, "30 04"), CaptureBytes.air(0xFB, "01 02 03 04"),
    CaptureBytes.air(0xFD, ""),
  ]

  private func expectAllEvents(_ trace: DecodedTrace, step: Nanoseconds) {
    #expect(trace.events.count == 6)
    #expect(trace.events.map(\.start) == (0..<6).map { step * Int64($0) })
    #expect(trace.events[0].content == .field(FieldChange(isOn: true)))
    #expect(trace.events[1].content == .radio(.outbound, RadioFrame([0x26], lastByteBits: 7)))
    #expect(trace.events[2].content == .radio(.inbound, RadioFrame([0x44, 0x00])))
    #expect(
      trace.events[3].content == .radio(.outbound, RadioFrame([0x30, 0x04], crc: .notCaptured)))
    #expect(
      trace.events[4].content == .radio(.inbound, RadioFrame([1, 2, 3, 4], crc: .notCaptured)))
    #expect(trace.events[5].content == .field(FieldChange(isOn: false)))
  }

  @Test(arguments: [false, true], [0xA1B2_C3D4, 0xA1B2_3C4D])
  func classicFilesOfBothByteOrdersAndUnits(_ isBig: Bool, _ magic: UInt64) throws {
    let packets = Self.packets.enumerated().map { (UInt64(1_700_000_000), UInt64($0), $1) }
    let bytes = CaptureBytes.classic(linkType: 264, isBig: isBig, magic: magic, packets)
    let trace = try decode(bytes)
    expectAllEvents(trace, step: magic == 0xA1B2_C3D4 ? .microseconds(1) : Nanoseconds(1))
    #expect(trace.header?.clock.origin == "2023-11-14T22:13:20.000000000Z")
    #expect(trace.header?.clock.tickUnit == (magic == 0xA1B2_C3D4 ? "us" : "ns"))
  }

  /// `if_tsresol`: the option, the ticks between packets, the nanoseconds that they are.
  @Test(arguments: [false, true], [(9, 5, 5), (6, 5, 5_000), (12, 5_000, 5), (0x8A, 1, 976_562)])
  func sectionFilesOfBothByteOrdersAndAnyUnit(
    _ isBig: Bool, _ unit: (option: UInt8, ticks: UInt64, step: Int64)
  ) throws {
    let resolution = CaptureBytes.option(9, [unit.option], isBig: isBig)
    let offset = CaptureBytes.option(
      14, CaptureBytes.number(1_000, 8, isBig: isBig), isBig: isBig)
    var bytes = CaptureBytes.section(isBig: isBig)
    bytes += CaptureBytes.interface(264, options: resolution + offset, isBig: isBig)
    for (index, packet) in Self.packets.prefix(2).enumerated() {
      bytes += CaptureBytes.packet(UInt64(index) * unit.ticks, packet, isBig: isBig)
    }
    let trace = try decode(bytes)
    #expect(trace.events.map(\.start) == [.zero, Nanoseconds(unit.step)])
    #expect(trace.events[1].sourceTicks?.start == Int64(unit.ticks))
  }

  @Test func theOffsetOfTheInterfaceIsAddedToTheDate() throws {
    let offset = CaptureBytes.option(14, CaptureBytes.little(1_700_000_000, 8), isBig: false)
    let bytes =
      CaptureBytes.section(isBig: false)
      + CaptureBytes.interface(264, options: offset, isBig: false)
      + CaptureBytes.packet(250_000, Self.packets[1], isBig: false)
    #expect(try decode(bytes).header?.clock.origin == "2023-11-14T22:13:20.250000000Z")
  }

  @Test func commentsSimpleAndOldPacketsAndASecondSection() throws {
    let comment = CaptureBytes.option(1, Array("by\nhand".utf8), isBig: false)
    let old = CaptureBytes.block(
      2,
      CaptureBytes.number(0, 8, isBig: true) + CaptureBytes.number(7_000_000, 4, isBig: true)
        + CaptureBytes.number(6, 4, isBig: true) + CaptureBytes.number(6, 4, isBig: true)
        + CaptureBytes.padded(CaptureBytes.air(0xFF, "44 00")), isBig: true)
    var bytes = CaptureBytes.section(isBig: false)
    bytes += CaptureBytes.interface(264, isBig: false)
    bytes += CaptureBytes.packet(5_000_000, Self.packets[1], options: comment, isBig: false)
    bytes += CaptureBytes.block(0x4000_0BAD, [1, 2, 3, 4], isBig: false)
    bytes += CaptureBytes.section(isBig: true) + CaptureBytes.interface(264, isBig: true)
    // The simple packet's length is in the byte order of its section.
    bytes +=
      old
      + CaptureBytes.block(
        3, CaptureBytes.number(5, 4, isBig: true) + CaptureBytes.air(0xFE, "52"), isBig: true)
    let trace = try decode(bytes)
    #expect(trace.events.count == 3)
    #expect(trace.events[0].comment == "by hand")
    #expect(trace.events[1].start == .seconds(2))
    #expect(trace.events[2].isTimeUnknown)
    #expect(trace.events[2].radioFrame?.bytes == [0x52])
  }

  @Test func packetsWithoutAnyTimeAreOfUnknownTime() throws {
    let zero = CaptureBytes.classic(
      linkType: 264, Self.packets.map { (0, 0, $0) })
    #expect(try decode(zero).events.allSatisfy { $0.isTimeUnknown })
    let fromZero = CaptureBytes.classic(
      linkType: 264, [(0, 0, Self.packets[0]), (0, 9, Self.packets[1])])
    #expect(try decode(fromZero).events.map(\.isTimeUnknown) == [false, false])
    let same = CaptureBytes.classic(linkType: 264, Self.packets.map { (99, 0, $0) })
    #expect(try decode(same).warnings.contains { $0.message.contains("one time") })
  }

  /// A Flipper stores bits / 8 bytes: REQA comes as an empty frame.
  @Test func anEmptyFrameIsKept() throws {
    let bytes = CaptureBytes.classic(
      linkType: 264, [(0, 0, CaptureBytes.air(0xFE, "")), (0, 0, CaptureBytes.air(0xFF, "4400"))])
    #expect(try decode(bytes).events[0].radioFrame?.bytes == [])
  }

  /// One cycle became 0.1 ns: 22,280 cycles are 2,228 ns there and 1,643.07 us in truth.
  @Test func timesOfAConvertedListAreScaledBack() throws {
    let resolution = CaptureBytes.option(9, [9], isBig: false)
    let bytes =
      CaptureBytes.section(isBig: false)
      + CaptureBytes.interface(264, options: resolution, isBig: false)
      + CaptureBytes.packet(1_700_000_000_000_000_000, Self.packets[1], isBig: false)
      + CaptureBytes.packet(1_700_000_000_000_002_228, Self.packets[2], isBig: false)
    let trace = try decode(bytes, ImportOptions(timeScale: "pm3-x"))
    #expect(trace.events[1].start == .carrierCycles(22_280))
    #expect(trace.events[1].uncertainty == .carrierCycles(10))
  }

  @Test func lyingLengthsAreToldWithTheirPlace() {
    var classic = CaptureBytes.classic(linkType: 264, [(1, 0, Self.packets[1])])
    classic.replaceSubrange(32..<36, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(place(of: classic) == .byte(32))
    let start = CaptureBytes.section(isBig: false) + CaptureBytes.interface(264, isBig: false)
    var block = CaptureBytes.packet(0, Self.packets[1], isBig: false)
    block.replaceSubrange(4..<8, with: [0xFC, 0xFF, 0xFF, 0xFF])
    #expect(place(of: start + block) == .byte(start.count + 4))
    block = CaptureBytes.packet(0, Self.packets[1], isBig: false)
    block[20] = 0xF0
    #expect(place(of: start + block) == .byte(start.count + 20))
    block = CaptureBytes.packet(0, Self.packets[1], interface: 7, isBig: false)
    #expect(place(of: start + block) == .byte(start.count + 8))
    block = CaptureBytes.packet(0, Self.packets[1], isBig: false)
    block[block.count - 4] = 4
    #expect(place(of: start + block) == .byte(start.count + block.count - 4))
    let air = CaptureBytes.classic(linkType: 264, [(1, 0, [0, 0xFE, 0, 9, 0x26])])
    #expect(place(of: air) == .byte(42))
  }

  @Test func foreignFilesSayWhatTheyAre() {
    #expect(place(of: Array("retap 1\n".utf8)) == .byte(0))
    #expect(place(of: []) == .byte(0))
    let network = CaptureBytes.classic(linkType: 1, [(1, 0, [UInt8](repeating: 0, count: 60))])
    #expect {
      try decode(network)
    } throws: { error in
      guard case .badInput(let bad)? = error as? TraceError else { return false }
      return bad.found.contains("Ethernet")
    }
  }

  /// The longest packet that is read, and one byte more.
  @Test func packetsHaveALimit() throws {
    let limit = CaptureContainer.packetLimit
    let head = CaptureBytes.classic(linkType: 1, [])
    func record(_ count: Int) -> [UInt8] {
      CaptureBytes.little(0, 8) + CaptureBytes.little(UInt64(count), 4)
        + CaptureBytes.little(UInt64(count), 4)
    }
    var container = CaptureContainer()
    container.append((head + record(limit))[...])
    #expect(try container.next() == nil)
    #expect(throws: TraceError.self) {
      var container = CaptureContainer()
      container.append((head + record(limit + 1))[...])
      _ = try container.next()
    }
  }

  @Test func controllerPacketsOf245() throws {
    let bytes = CaptureBytes.classic(
      linkType: 245,
      [
        (1, 0, [0x00, 0x01, 0x05, 0x60]),
        (1, 1, [0x00, 0x03, 0x20, 0x00, 0x01, 0x00]),
      ])
    let trace = try decode(bytes)
    #expect(trace.events[0].content == .application(.outbound, "LLCP PDU 05 60"))
    #expect(trace.events[1].transfer?.payload == .nci)
    #expect(trace.events[1].transfer?.bytes == [0x20, 0x00, 0x01, 0x00])
  }
}
