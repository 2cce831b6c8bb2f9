import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct NFCGateTests {
  typealias Make = CaptureBytes

  static let head =
    Make.section(isBig: true) + Make.interface(264, isBig: true) + Make.interface(147, isBig: true)

  private func decode(_ bytes: [UInt8]) throws(TraceError) -> DecodedTrace {
    try DecodedTrace.decode(bytes, with: PacketCaptureDecoder(ImportOptions()))
  }

  /// SEL_INFO 20 in the card's configuration says ISO-DEP: the data are APDUs.
  @Test func apdusOfACardWithISODEP() throws {
    let bytes =
      Self.head
      + Make.packet(1_000_000, Make.air(0xFB, "02 32 01 20"), interface: 1, isBig: true)
      + Make.packet(1_005_000, Make.air(0xFA, "02 60"), isBig: true)
      + Make.packet(1_009_000, Make.air(0xFB, "02 AF 04 01"), isBig: true)
    #expect(CaptureDecoding.format(of: bytes)?.name == "nfcgate")
    let trace = try decode(bytes)
    #expect(
      trace.events.map(\.content) == [
        .application(.inbound, "NFCGate initial data: 32 01 20"), .apdu(.outbound, [0x60]),
        .apdu(.inbound, [0xAF, 0x04, 0x01]),
      ])
    #expect(trace.events.map(\.start) == [.zero, .milliseconds(5), .milliseconds(9)])
  }

  @Test func rawCommandsOfACardWithoutISODEP() throws {
    let bytes =
      Self.head + Make.packet(0, Make.air(0xFA, "02 30 04"), isBig: true)
      + Make.packet(9, Make.air(0xFB, "02 01 02 03 04"), isBig: true)
    let trace = try decode(bytes)
    #expect(
      trace.events.map(\.content) == [
        .radio(.outbound, RadioFrame([0x30, 0x04], crc: .notCaptured)),
        .radio(.inbound, RadioFrame([1, 2, 3, 4], crc: .notCaptured)),
      ])
  }

  @Test(arguments: [
    ("00A40400", true), ("00B000000F", true), ("00A4040007D2760000850101", true),
    ("00A4040007D276000085010100", true), ("00D6000000000401020304", true), ("3004", false),
    ("A20401020304", false), ("60", false), ("FFFFFFFF", false),
  ])
  func commandsTellTheLayer(_ bytes: String, _ isCommand: Bool) {
    #expect(NFCGatePackets.isCommandAPDU(Make.hex(bytes)) == isCommand)
  }

  /// The exact bytes that its rigid reader wants (trace-formats.md 7).
  @Test func exportHasTheRigidForm() throws {
    var trace = DecodedTrace()
    trace.events = [
      TraceEvent(start: .zero, .application(.inbound, "NFCGate initial data: 32 01 20")),
      TraceEvent(start: .zero, .field(FieldChange(isOn: true))),
      TraceEvent(start: .milliseconds(3), .apdu(.outbound, [0x00, 0xA4, 0x04, 0x00])),
      TraceEvent(start: .milliseconds(5), .apdu(.inbound, [0x6A, 0x82])),
    ]
    let bytes = try CaptureDecoding.encode(trace, with: NFCGateEncoder())
    let expected =
      Self.head + Make.packet(0, Make.air(0xFB, "02 32 01 20"), interface: 1, isBig: true)
      + Make.packet(3_000, Make.air(0xFA, "02 00 A4 04 00"), isBig: true)
      + Make.packet(5_000, Make.air(0xFB, "02 6A 82"), isBig: true)
    #expect(bytes == expected)
    let again = try decode(bytes)
    #expect(CaptureDecoding.frameLines(again.events) == CaptureDecoding.frameLines(trace.events))
  }

  @Test func framesAndTransfersCannotBeSaid() {
    let contents: [TraceEvent.Content] = [
      .radio(.outbound, RadioFrame([0x26], lastByteBits: 7)),
      .link(LinkTransfer(.outbound, [0x00])),
    ]
    for content in contents {
      var trace = DecodedTrace()
      trace.events = [TraceEvent(start: .zero, content)]
      #expect {
        try CaptureDecoding.encode(trace, with: NFCGateEncoder())
      } throws: { error in
        guard case .cannotExpress(_, "nfcgate", let remedy)? = error as? TraceError else {
          return false
        }
        return remedy.contains(".pcapng")
      }
    }
  }

  @Test func aPacketWithoutTheInventedByteIsBadInput() {
    let bytes = Self.head + Make.packet(0, Make.air(0xFA, "03 30 04"), isBig: true)
    #expect(throws: TraceError.self) { try decode(bytes) }
  }
}
