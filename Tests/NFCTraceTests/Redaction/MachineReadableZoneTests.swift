import Testing

@testable import NFCTrace

/// The specimens of ICAO 9303, parts 4 to 7.
@Suite struct MachineReadableZoneTests {
  static let specimens = [
    """
    P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
    L898902C36UTO7408122F1204159ZE184226B<<<<<10
    """,
    """
    I<UTOD231458907<<<<<<<<<<<<<<<
    7408122F1204159UTO<<<<<<<<<<<6
    ERIKSSON<<ANNA<MARIA<<<<<<<<<<
    """,
    """
    I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<
    D231458907UTO7408122F1204159<<<<<<<6
    """,
    """
    V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
    L8988901C4XXX4009078F96121096ZE184226B<<<<<<
    """,
    """
    V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<
    L8988901C4XXX4009078F9612109<<<<<<<<
    """,
  ]

  @Test("recognised with line ends, without, and between other bytes", arguments: specimens)
  func recognises(_ specimen: String) {
    let joined = Array(specimen.utf8.filter { $0 != 0x0A })
    #expect(MachineReadableZone(joined)?.layout.length == joined.count)
    let forms = [
      Array(specimen.utf8), Array(specimen.replacing("\n", with: "\r\n").utf8), joined,
      [0x61, 0x5B, 0x5F, 0x1F, 0x58] + joined + [0x90, 0x00],
    ]
    for form in forms {
      let found = MachineReadableZone.find(in: TracedBytes(form, event: 0))
      #expect(found.map(\.bytes) == [joined])
    }
  }

  @Test("the second line alone is enough to open a chip, so it counts")
  func secondLine() {
    let line = Array("L898902C36UTO7408122F1204159ZE184226B<<<<<10".utf8)
    #expect(MachineReadableZone(line)?.layout.length == 44)
    var wrong = line
    wrong[9] = 0x37
    #expect(MachineReadableZone(wrong) == nil)
  }

  @Test("capitals alone are no zone")
  func others() {
    #expect(MachineReadableZone(Array(String(repeating: "A", count: 88).utf8)) == nil)
    #expect(MachineReadableZone(Array(String(repeating: "0", count: 44).utf8)) == nil)
    #expect(MachineReadableZone(Array(String(repeating: "<", count: 88).utf8)) == nil)
  }

  @Test(
    "what is made up keeps length and layout, has right check digits, and is known as such",
    arguments: specimens)
  func madeUp(_ specimen: String) throws {
    let trace = SampleTrace([.application(nil, specimen)])
    #expect(trace.findings().map(\.kind) == [.machineReadableZone])
    let (redacted, entries) = trace.redacted()
    #expect(entries.count == 1)
    guard case .application(_, let text) = redacted.events[0].content else { return }
    #expect(text.utf8.count == specimen.utf8.count)
    #expect(!text.contains("ERIKSSON"))
    let zone = try #require(MachineReadableZone(Array(text.utf8.filter { $0 != 0x0A })))
    let made = Array(text.utf8.filter { $0 != 0x0A })
    for check in zone.layout.checks {
      #expect(
        made[check.digit] == MachineReadableZone.checkDigit(of: check.covered, in: made)
          || made[check.digit] == 0x3C)
    }
    #expect(redacted.findings().isEmpty)
  }
}
