import NFCProtocols
import NFCTrace
import Testing

@Suite struct LinkLintTests {
  private static func summary(
    _ transfers: [(Direction, String)], originalLength: Int? = nil
  ) -> [String] {
    var script = LintScript()
    for (index, transfer) in transfers.enumerated() {
      let bytes = Hexadecimal.bytes(of: transfer.1) ?? []
      script.events.append(
        TraceEvent(
          start: .milliseconds(Int64(index)),
          .link(
            LinkTransfer(
              transfer.0, bytes, originalLength: index == 0 ? originalLength : nil))))
    }
    return script.summary
  }

  @Test func `host frames that fit`() {
    #expect(
      Self.summary([
        (.outbound, "0000FF02FED4022A00"), (.inbound, "0000FF00FF00"),
        (.inbound, "0000FF06FAD50333020707E500"), (.outbound, "0000FFFF0000"),
        (.inbound, "0000FF01FF7F8100"), (.outbound, "0000FFFFFF0004FCD44A0100E100"),
      ]) == [])
  }

  @Test func `a frame over two transfers is one frame`() {
    #expect(
      Self.summary([(.inbound, "0000FF06FAD503"), (.inbound, "33020707E500")]) == [])
  }

  @Test(arguments: [
    ("0000FF02FFD4022A00", "lcs"), ("0000FF02FED4022B00", "dcs"),
    ("0000FF0000D500", "host-frame"),
  ])
  func `faults`(_ text: String, _ rule: String) {
    let summary = Self.summary([(.inbound, text), (.inbound, "0000FF00FF00")])
    #expect(summary.contains("1 " + rule))
  }

  @Test func `a transfer that the capture cut is not judged, nor its tail`() {
    #expect(
      Self.summary(
        [
          (.inbound, "0000FFFFFF0109F6D5010001020304"), (.inbound, "F5F6F701029B00"),
          (.inbound, "0000FF00FF00"),
        ], originalLength: 275) == [])
  }
}
