import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@Suite struct RedactorTests {
  private func card(_ record: [UInt8] = TestCard.record) -> [TraceEvent.Content] {
    [.apdu(.outbound, hex("00 B2 01 0C 00")), .apdu(.inbound, record + hex("90 00"))]
  }

  @Test("the same value becomes the same value, in digits, in characters and inside tracks")
  func consistent() throws {
    let trace = SampleTrace(
      card() + [
        .apdu(.outbound, hex("80 E2 00 00 10") + Array(TestCard.number.utf8)),
        .application(nil, "paid with \(TestCard.number), then with 4111111111111111"),
        // Nothing tells what these bytes are, but the number stands in them.
        .link(LinkTransfer(.inbound, hex("01 02 47 61 73 90 01 01 00 10 03"), payload: .other)),
      ])
    let (redacted, entries) = trace.redacted()
    let made = hex("47 00 00 00 00 00 00 13")
    #expect(
      redacted.events[1].content.bytes
        == object(
          "70",
          object("57", made + hex("D4 91 22 01 00 00 00 00 0F")) + object("5A", made)
            + object("5F24", hex("49 12 31")) + object("5F20", Array("XXX/XXAB".utf8))
            + object("5F34", hex("01")) + object("9F07", hex("FF 00"))) + hex("90 00"))
    #expect(redacted.events[2].content.bytes.suffix(16) == Array("4700000000000013".utf8)[...])
    guard case .application(_, let words) = redacted.events[3].content else { return }
    #expect(words == "paid with 4700000000000013, then with 4100000000000027")
    #expect(redacted.events[4].content.bytes == hex("01 02") + made + hex("03"))
    #expect(entries.map(\.finding.kind).contains(.cardNumber))
    #expect(
      redacted.header.redaction
        == "made up by test 1: 2 card-number, 1 track-data, 1 expiry-date, 1 holder-name")
  }

  @Test("a redacted trace is left as it is")
  func idempotent() {
    let (once, _) = SampleTrace(card()).redacted()
    let (twice, entries) = once.redacted()
    #expect(entries.isEmpty)
    #expect(twice.events == once.events)
    #expect(twice.header == once.header)
  }

  @Test("kinds that are kept")
  func kept() {
    let (redacted, entries) = SampleTrace(card()).redacted([.holderName])
    #expect(entries.map(\.finding.kind) == [.holderName])
    #expect(redacted.bytes.holds(TestCard.track))
    #expect(!redacted.bytes.holds(Array("DOE".utf8)))
  }

  @Test("a certificate holds the number, a short or random value under its tag does not")
  func certificates() {
    let certificate = (0..<128).map { UInt8(($0 * 37 + 11) & 0xFF) }
    let record = object("70", object("9F46", certificate) + object("9F47", hex("03")))
    let trace = SampleTrace(card(record))
    #expect(trace.findings().map(\.kind) == [.cardCertificate])
    let (redacted, _) = trace.redacted()
    #expect(redacted.bytes.holds(Array("MADE UP MADE UP ".utf8)))
    #expect(redacted.findings().isEmpty)
    #expect(SampleTrace(card(object("70", object("9F46", hex("01 02"))))).findings().isEmpty)
  }

  @Test("numbers of all lengths keep length and check digit", arguments: 13...19)
  func lengths(_ length: Int) throws {
    var digits = Array("4111111111111111111".utf8.prefix(length - 1))
    // The check digit by the standard's rule, written once more.
    let sum = digits.reversed().enumerated().reduce(0) { sum, next in
      let value = Int(next.element) - 0x30
      let doubled = next.offset % 2 == 0 ? value * 2 : value
      return sum + doubled / 10 + doubled % 10
    }
    digits.append(UInt8((10 - sum % 10) % 10) + 0x30)
    let packed = stride(from: 0, to: length, by: 2).map { index in
      (digits[index] - 0x30) << 4 | (index + 1 < length ? digits[index + 1] - 0x30 : 0x0F)
    }
    let trace = SampleTrace(card(object("70", object("5A", packed))))
    #expect(trace.findings().map(\.kind) == [.cardNumber])
    let (redacted, _) = trace.redacted()
    #expect(redacted.findings().isEmpty)
    #expect(redacted.bytes.count == trace.bytes.count)
    #expect(redacted.bytes != trace.bytes)
  }

  @Test("UIDs: cascade, BCC, parts cut at a bit, pages, GetVersion, words")
  func identifiers() throws {
    let trace = try SampleTrace(
      """
      1 rf > 26'7 tech=A
      2 rf < 44 00 tech=A
      3 rf > 93 20 tech=A
      4 rf < 88 04 5A 11 C7 tech=A
      5 rf > 93 70 88 04 5A 11 C7 65 5B tech=A crc=good
      6 rf < 04 DA 17 tech=A crc=good
      7 rf > 95 20 tech=A
      8 rf < 22 33 44 80 D5 tech=A
      9 rf > 95 40 22 33 tech=A
      10 rf < 44 80 D5 tech=A
      11 rf > 95 70 22 33 44 80 D5 8C C3 tech=A crc=good
      12 rf < 00 FE 51 tech=A crc=good
      13 rf > 30 00 02 A8 tech=A crc=good
      14 rf < 04 5A 11 C7 22 33 44 80 D5 48 00 00 E1 10 06 00 8B BB tech=A crc=good
      15 app "found 045A1122334480 and 04 5a 11 22 33 44 80"
      """)
    let plain = trace.lint()
    let (unchanged, none) = trace.redacted()
    #expect(none.isEmpty)
    #expect(unchanged.events == trace.events)
    let (redacted, entries) = trace.redacted(PersonalDataKind.allCases)
    #expect(entries.map(\.finding.kind) == [.uid])
    let bytes = redacted.events.map(\.content.bytes)
    #expect(bytes[3] == hex("88 04 00 00 8C"))
    #expect(bytes[4].prefix(7) == hex("93 70 88 04 00 00 8C")[...])
    #expect(bytes[7] == hex("00 00 00 01 01"))
    #expect(bytes[8] == hex("95 40 00 00"))
    #expect(bytes[9] == hex("00 01 01"))
    #expect(bytes[13].prefix(10) == hex("04 00 00 8C 00 00 00 01 01 48")[...])
    guard case .application(_, let words) = redacted.events[14].content else { return }
    #expect(words == "found 04000000000001 and 04 00 00 00 00 00 01")
    for index in [4, 10, 13] { #expect(CRC16.a.check(bytes[index])) }
    #expect(redacted.lint().count <= plain.count)
  }

  @Test("random answers, nonces and cryptograms are no personal data")
  func noFalseAlarm() {
    var generator = TestGenerator(seed: 7)
    var contents: [TraceEvent.Content] = []
    for round in 0..<1_000 {
      let length = [4, 8, 16, 32, 250][round % 5]
      let random = generator.bytes(length)
      contents.append(.apdu(.outbound, hex("00 84 00 00 00")))
      contents.append(.apdu(.inbound, random + hex("90 00")))
      contents.append(.apdu(.outbound, hex("80 AE 80 00 08") + generator.bytes(8)))
      contents.append(
        .apdu(
          .inbound,
          object(
            "77",
            object("9F27", hex("80")) + object("9F36", hex("00 12"))
              + object("9F26", generator.bytes(8)) + object("9F10", generator.bytes(18)))
            + hex("90 00")))
      contents.append(.radio(.outbound, .protected(generator.bytes(17), .a)))
      contents.append(.link(LinkTransfer(.inbound, generator.bytes(64), payload: .other)))
    }
    #expect(SampleTrace(contents).findings() == [])
  }

  @Test("wrong checksums and wrong parity bits stay wrong")
  func wrongStaysWrong() throws {
    let record = TestCard.record + hex("90 00")
    let frame = RadioFrame.protected([0x02] + record, .a)
    var bad = frame
    bad.bytes[frame.bytes.count - 1] ^= 0x55
    bad.crc = .bad
    var parity = ParityBits.odd(for: frame.bytes)
    parity.bits[3].toggle()
    var marked = frame
    marked.parity = parity
    let trace = SampleTrace([
      .radio(.outbound, .protected(hex("02 00 B2 01 0C 00"), .a)), .radio(.inbound, bad),
      .radio(.outbound, .protected(hex("B2"), .a)), .radio(.inbound, marked),
    ])
    let (redacted, _) = trace.redacted()
    guard case .radio(_, let first) = redacted.events[1].content,
      case .radio(_, let second) = redacted.events[3].content
    else { return }
    #expect(!first.bytes.holds(TestCard.track))
    #expect(!CRC16.a.check(first.bytes))
    #expect(CRC16.a.check(second.bytes))
    let odd = ParityBits.odd(for: second.bytes).bits
    #expect(second.parity?.bits.indices.filter { second.parity?.bits[$0] != odd[$0] } == [3])
  }
}
