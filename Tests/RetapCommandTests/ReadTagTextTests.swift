import NFCProtocols
import TagAccess
import Testing

@testable import RetapCommand

@Suite struct ReadTagTextTests {
  private func tag(_ technology: Technology, _ identifier: [UInt8]) -> TagIdentity {
    TagIdentity(technology, identifier: identifier)
  }

  @Test func aType4TagWithTwoRecords() throws {
    var card = tag(.a, [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6])
    card.sak = SAK(rawValue: 0x20)
    card.ats = try ATS([0x06, 0x75, 0x77, 0x81, 0x02, 0x80])
    let message = NDEFMessage([
      .text(NDEFText("one", language: "en")), .text(NDEFText("two", language: "de")),
    ])
    #expect(
      ReadTagText.lines(TagReadResult(tag: card, ndef: message, raw: message.bytes)) == """
          tag   Type 4 (A), UID 04 A1 B2 C3 D4 E5 F6
          ATS   06 75 77 81 02 80
          NDEF  Text en "one"
          NDEF  Text de "two"

        """)
  }

  @Test func aRandomUIDIsMarked() {
    var card = tag(.a, [0x08, 0x11, 0x22, 0x33])
    card.sak = SAK(rawValue: 0x20)
    let text = ReadTagText.lines(TagReadResult(tag: card, ndef: nil, raw: nil))
    #expect(text == "  tag   Type 4 (A), UID 08 11 22 33 (random)\n  NDEF  none\n")
  }

  @Test func otherTechnologiesNameWhatTheyHave() {
    let felica = tag(.f, [0x01, 0x2E, 1, 2, 3, 4, 5, 6])
    #expect(
      ReadTagText.lines(TagReadResult(tag: felica, ndef: nil, raw: []))
        == "  tag   Type 3 (F), IDm 01 2E 01 02 03 04 05 06\n  NDEF  empty\n")
    let vicinity = tag(.v, [0xE0, 0x04, 1, 2, 3, 4, 5, 6])
    #expect(
      ReadTagText.lines(TagReadResult(tag: vicinity, ndef: nil, raw: nil))
        .hasPrefix("  tag   Type 5 (V), UID E0 04 01 02 03 04 05 06\n"))
    let typeB = tag(.b, [0x11, 0x22, 0x33, 0x44])
    #expect(
      ReadTagText.lines(TagReadResult(tag: typeB, ndef: nil, raw: nil)).contains("(B), PUPI 11 22"))
    var classic = tag(.a, [0x11, 0x22, 0x33, 0x44])
    classic.sak = SAK(rawValue: 0x08)
    #expect(
      ReadTagText.lines(TagReadResult(tag: classic, ndef: nil, raw: nil))
        .hasPrefix("  tag   no NFC Forum type (A), UID 11 22 33 44\n"))
  }
}
