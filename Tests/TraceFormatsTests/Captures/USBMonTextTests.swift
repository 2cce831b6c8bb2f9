import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct USBMonTextTests {
  private func decode(_ text: String) throws(TraceError) -> DecodedTrace {
    try DecodedTrace.decode(Array(text.utf8), with: USBMonTextDecoder(ImportOptions()))
  }

  static let text = """
    ffff888012340000 4095999900 S Ci:2:026:0 s 80 06 0100 0000 0012 18 <
    ffff888012340000 4095999950 C Ci:2:026:0 0 18 = 12010002 00000008 cc043325 07020102 0001
    ffff888012340100 4095999990 S Bo:2:026:4 -115 9 = 0000ff02 fed4022a 00
    ffff888012340100 10 C Bo:2:026:4 0 9 >
    ffff888012340200 20 S Bi:2:026:4 -115 300 <
    ffff888012340300 25 C Ii:2:003:1 0:8 8 = 00000400 00000000
    ffff888012340400 26 C Zi:2:003:2 0:1:2:0 1 0:0:8 8 = 00000400 00000000
    ffff888012340200 500 C Bi:2:026:4 0 275 = 0000ffff ff0109f6 d5010000 01020304 05060708 090a0b0c 0d0e0f10 11121314
    ffff888012340200 600 S Bi:2:026:4 -115 300 <
    ffff888012340200 900 C Bi:2:026:4 -2 0

    """

  @Test func transfersOfTheTextForm() throws {
    let trace = try decode(Self.text)
    #expect(trace.header?.reader?.address == "usb:04cc:2533")
    #expect(trace.events.count == 4)
    // The counter starts again after 4,096 s.
    #expect(
      trace.events.map(\.start) == [
        .zero, .microseconds(40), .microseconds(550), .microseconds(950),
      ])
    #expect(trace.events[1].end == .microseconds(60))
    let long = try #require(trace.events[2].transfer)
    #expect(long.bytes.count == 32)
    #expect(long.originalLength == 275)
    #expect(long.requestedLength == 300)
    #expect(trace.events[3].transfer?.outcome == .cancelled)
  }

  @Test(arguments: [
    "ffff 12 X Bo:2:026:4 -115 9\n", "ffff 12 S Bo:2:026 -115 9\n", "no usbmon\n",
    "ffff 4096000000 S Bo:2:026:4 -115 9\n", "ffff 12 S Bo:2:026:4 -115 1 = 0000\n",
    "ffff 12 S Ci:2:026:0 s 80 06 10000 0000 0012 18 <\n", "ffff 12 S Bo:2:026:4 -115 9 = 0g\n",
  ])
  func badLinesAreToldWithTheirNumber(_ line: String) {
    #expect {
      try decode(Self.text + line)
    } throws: { error in
      guard case .badInput(let bad)? = error as? TraceError else { return false }
      return bad.place == .line(11)
    }
  }

  @Test func linesHaveALimit() {
    let long = String(repeating: "0", count: USBMonTextDecoder.lineLimit + 1)
    #expect(throws: TraceError.self) { try decode(Self.text + long) }
    let comment = "#" + String(repeating: "0", count: USBMonTextDecoder.lineLimit - 1)
    #expect(throws: Never.self) { try decode(Self.text + comment + "\n") }
  }

  @Test func theFirstLineTellsTheFormat() {
    #expect(CaptureDecoding.format(of: Array(Self.text.utf8))?.name == "usbmon-text")
  }
}
