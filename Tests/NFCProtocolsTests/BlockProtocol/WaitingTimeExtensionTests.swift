import NFCProtocols
import Testing

/// S(WTX), ISO/IEC 14443-4 7.3: the faults of public reader firmware as tests.
@Suite struct WaitingTimeExtensionTests {
  let fwt = Nanoseconds.carrierCycles(4_096 << 8)

  @Test func multiplierIsEchoedAndTheLimitHoldsForOneBlock() {
    var play = ReaderPlaybook(fwi: 8)
    #expect(play.command("00 A4 04 00") == ["> 02 00 A4 04 00"])
    #expect(play.card("F2 02") == ["> F2 02"])
    #expect(play.limit == TimeLimit(.waitingTimeExtension, .carrierCycles(4_096 << 9)))
    // The block number is the same as before.
    #expect(play.card("02 90 00", after: .milliseconds(150)) == ["= 90 00"])
    _ = play.command("00 B0 00 00 02")
    #expect(play.limit == TimeLimit(.frameWaitingTime, fwt))
  }

  @Test func limitIsKeptToTheNanosecond() {
    let limit = Nanoseconds.carrierCycles(4_096 << 9)
    var play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    _ = play.card("F2 02")
    #expect(play.card("02 90 00", after: limit) == ["= 90 00"])
    play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    _ = play.card("F2 02")
    let begun = play.now
    #expect(play.silence() == ["> B2"])
    #expect(play.now - begun == limit + Nanoseconds(1))
  }

  @Test(arguments: [(11, 59), (14, 59), (14, 2), (13, 3)] as [(UInt8, UInt8)])
  func extensionIsCappedAtTheLongestFrameWaitingTime(_ fwi: UInt8, _ multiplier: UInt8) {
    var play = ReaderPlaybook(fwi: fwi)
    _ = play.command("01")
    #expect(play.card(bytes: [0xF2, multiplier]).count == 1)
    #expect(play.limit == TimeLimit(.waitingTimeExtension, .carrierCycles(4_096 << 14)))
  }

  @Test(arguments: 1...59 as ClosedRange<UInt8>)
  func everyLegalMultiplierIsGranted(_ multiplier: UInt8) {
    var play = ReaderPlaybook(fwi: 4)
    _ = play.command("01")
    #expect(play.card(bytes: [0xF2, multiplier]) == ["> F2 " + Hexadecimal.pairs([multiplier])])
    let granted = Nanoseconds.carrierCycles(65_536 * Int64(multiplier))
    #expect(play.limit == TimeLimit(.waitingTimeExtension, granted))
    #expect(
      play.notes == [.waitingTimeExtended(multiplier: multiplier, granted: granted)])
  }

  @Test func zeroIsAFaultOfTheCard() {
    var play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    #expect(play.card("F2 00") == ["> B2"])
    #expect(play.limit == TimeLimit(.frameWaitingTime, fwt))
    #expect(play.card("F2 00") == ["> B2"])
    #expect(play.card("F2 00") == ["> C2"])
    #expect(play.card("C2") == ["failed"])
    #expect(play.failure?.reason == .illegalMultiplier(0))
  }

  @Test(arguments: 60...63 as ClosedRange<UInt8>)
  func reservedMultipliersCountAsTheHighestOrAreRefused(_ multiplier: UInt8) {
    var play = ReaderPlaybook(fwi: 4)
    _ = play.command("01")
    #expect(play.card(bytes: [0xF2, multiplier]) == ["> F2 " + Hexadecimal.pairs([multiplier])])
    #expect(play.limit == TimeLimit(.waitingTimeExtension, .carrierCycles(65_536 * 59)))

    play = ReaderPlaybook(fwi: 4, recovery: RecoveryPolicy(illegalMultipliers: .refuse))
    _ = play.command("01")
    #expect(play.card(bytes: [0xF2, multiplier]) == ["> B2"])
  }

  @Test func powerLevelIsNotEchoed() {
    var play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    #expect(play.card("F2 C2") == ["> F2 02"])
  }

  @Test func extensionInPlaceOfAnAcknowledgement() {
    var play = ReaderPlaybook(IsoDepParameters(cardFrameSize: 16), fwi: 8)
    _ = play.command([UInt8](repeating: 1, count: 14))
    #expect(play.card("F2 01") == ["> F2 01"])
    #expect(play.card("A2") == ["> 03 01"])
  }

  @Test func extensionBetweenBlocksOfTheCardsChain() {
    var play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    #expect(play.card("12 AA") == ["> A3"])
    #expect(play.card("F2 01") == ["> F2 01"])
    #expect(play.card("03 BB") == ["= AA BB"])
  }

  @Test func lostExtensionInTheCardsChainIsAskedForByAcknowledgement() {
    var play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    _ = play.card("12 AA")
    #expect(play.silence() == ["> A3"])
    #expect(play.card("F2 01") == ["> F2 01"])
    #expect(play.silence() == ["> A3"])
    #expect(play.card("03 BB") == ["= AA BB"])
  }

  @Test func silenceAfterAGrantLeavesTheGrantInForce() {
    var play = ReaderPlaybook(fwi: 8)
    _ = play.command("01")
    _ = play.card("F2 02")
    #expect(play.silence() == ["> B2"])
    #expect(play.limit?.kind == .waitingTimeExtension)
    #expect(play.card("F2 01") == ["> F2 01"])
    #expect(play.limit == TimeLimit(.waitingTimeExtension, fwt))
  }

  @Test(arguments: [600, 1_000, 2_100, 4_900] as [Int64])
  func onlySilenceCountsNotTheWholeTime(_ milliseconds: Int64) {
    // A card with FWI 7 that needs seconds and asks for 59 times FWT whenever it must.
    var play = ReaderPlaybook(fwi: 7)
    _ = play.command("80 10 00 00")
    let end = VirtualInstant(.milliseconds(milliseconds))
    while end - play.now > .milliseconds(500) {
      #expect(play.card("F2 3B", after: .milliseconds(30)) == ["> F2 3B"])
      #expect(play.card("F2 3B", after: .milliseconds(470)) == ["> F2 3B"])
    }
    #expect(play.card("02 90 00", after: max(.microseconds(100), end - play.now)) == ["= 90 00"])
  }
}
