import NFCProtocols
import Testing

@Suite struct ATSTests {
  /// Answers recorded from public logs: FWI, SFGI, FSCI, TC as read out there.
  @Test(arguments: [
    ("067577810280", UInt8(8), UInt8(1), 64, false, true, 1),  // DESFire EV1
    ("0D7877B1024A434F5076323431", 11, 1, 256, false, true, 8),  // JCOP31 v2.4.1
    ("0578807100", 7, 1, 256, false, false, 0),  // iPhone, TB 71, TC 00
    ("0578807002", 7, 0, 256, false, true, 0),  // Android HCE, TB 70, TC 02
    ("0675339203FF", 9, 2, 64, true, true, 1),  // PN532 as card: 75 33 92 03 + historical byte
  ])
  func `recorded answers`(
    _ text: String, _ fwi: UInt8, _ sfgi: UInt8, _ size: Int, _ nad: Bool, _ cid: Bool,
    _ historical: Int
  ) throws {
    let (ats, isSame) = try roundTrip(ATS.self, text)
    #expect(isSame)
    #expect(ats.frameWaitingTimeInteger == fwi)
    #expect(ats.startUpFrameGuardTime.integer == sfgi)
    #expect(ats.frameSize == size)
    #expect(ats.supportsNAD == nad)
    #expect(ats.supportsCID == cid)
    #expect(ats.historicalBytes.count == historical)
  }

  @Test func `an ATS of its length byte alone has the defaults`() throws {
    let (ats, isSame) = try roundTrip(ATS.self, "01")
    #expect(isSame)
    #expect(ats.frameSize == 32)  // FSCI 2
    #expect(ats.frameWaitingTime == .standard)
    #expect(ats.startUpFrameGuardTime.duration == .zero)
    #expect(ats.supportsCID && !ats.supportsNAD)
  }

  @Test func `each interface byte may be missing by itself`() throws {
    // nfcpy read TB only where TA was present.
    let ats = try ATS(hex("0328B1"))
    #expect(ats.interfaceA == nil && ats.interfaceB == 0xB1 && ats.interfaceC == nil)
    #expect(ats.frameWaitingTime.integer == 11)
    #expect(try ATS(hex("034800")).interfaceC == 0)
    #expect(try ATS(hex("034800")).frameWaitingTime.integer == 4)
  }

  @Test func `TA names the bit rates`() throws {
    let ats = try ATS(hex("067577810280"))
    #expect(ats.cardToReaderRates == [106, 212, 424, 848])
    #expect(ats.readerToCardRates == [106, 212, 424, 848])
    #expect(try ATS(hex("0578807002")).readerToCardRates == [106])
    #expect(try ATS(hex("0578807002")).needsSameBitRate)
  }

  @Test func `made and decoded are the same`() throws {
    #expect(ATS().bytes == hex("0578807002"))
    let plain = ATS(interfaceA: nil, interfaceB: nil, interfaceC: nil, historicalBytes: [1, 2])
    #expect(plain.bytes == hex("04080102"))
    let longest = ATS(historicalBytes: [UInt8](repeating: 7, count: ATS.maximumLength - 5))
    #expect(longest.bytes.count == 254)
    #expect(try ATS(longest.bytes) == longest)
  }

  @Test(arguments: [
    ("", ProtocolError.truncated(element: "ATS", offset: 0, missing: 1)),
    ("00", .badLength(element: "ATS", offset: 0, found: 0, expected: 1...254)),
    ("FF", .badLength(element: "ATS", offset: 0, found: 255, expected: 1...254)),
    ("05788070", .truncated(element: "ATS", offset: 4, missing: 1)),
    ("057880700200", .trailingBytes(element: "ATS", offset: 5, count: 1)),
    ("0278", .truncated(element: "ATS", offset: 2, missing: 1)),
    ("02F8", .badValue(element: "ATS", offset: 1, found: 0xF8, expected: "bit 8 of T0 zero")),
  ])
  func `faults`(_ text: String, _ fault: ProtocolError) {
    #expect(throws: fault) { try ATS(hex(text)) }
  }

  @Test func `FWT for each FWI`() {
    // µs, 14443-4: 4096/fc · 2^FWI
    let table: [Int64] = [
      302, 604, 1_208, 2_417, 4_833, 9_666, 19_332, 38_664, 77_329, 154_657, 309_314, 618_629,
      1_237_258, 2_474_516, 4_949_031,
    ]
    for (integer, microseconds) in table.enumerated() {
      let time = FrameWaitingTime(integer: UInt8(integer)).duration.count
      #expect(abs(time - microseconds * 1_000) <= 600)
    }
    #expect(FrameWaitingTime(integer: 15) == .standard)
    #expect(FrameWaitingTime(integer: 15).integer == 4)
    #expect(StartUpFrameGuardTime(integer: 15).duration == .zero)
    #expect(StartUpFrameGuardTime(integer: 14).duration == FrameWaitingTime.maximum.duration)
  }

  @Test func `S(WTX) grants FWT times WTXM up to the longest FWT`() {
    let eight = FrameWaitingTime(integer: 8)
    // Proxmark3 PR 3570: FWI 8, WTXM 2 is 154.7 ms and not 256 times as much.
    #expect(eight.extended(by: 2) == FrameWaitingTime(integer: 9).duration)
    #expect(FrameWaitingTime(integer: 11).extended(by: 59) == FrameWaitingTime.maximum.duration)
    #expect(eight.extended(by: 0) == eight.extended(by: 1))
    #expect(eight.extended(by: 63) == eight.extended(by: 59))
  }

  @Test func `RATS and PPS`() throws {
    let (rats, isSame) = try roundTrip(RATS.self, "E080")
    #expect(isSame && rats.frameSize == 256 && rats.cid == 0)
    #expect(try RATS(hex("E051")).frameSize == 64)
    #expect(throws: ProtocolError.self) { try RATS(hex("E08F")) }
    let (pps, samePPS) = try roundTrip(PPS.self, "D0110A")
    #expect(samePPS && pps.divisors == PPS.Divisors(cardToReader: 2, readerToCard: 2))
    #expect(pps.answer == [0xD0])
    #expect(try roundTrip(PPS.self, "D301").value.cid == 3)
    for bad in ["D00110", "DF01", "D012", "D01110", "D1", "D011"] {
      #expect(throws: ProtocolError.self) { try PPS(hex(bad)) }
    }
  }
}
