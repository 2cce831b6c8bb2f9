import NFCProtocols
import Testing

/// ISO/IEC 14443-4 clause 7.5, card's side.
@Suite struct IsoDepTargetTests {
  @Test func commandGoesToTheApplicationAndItsResponseBack() {
    var play = CardPlaybook()
    #expect(play.reader("02 00 A4 04 00") == ["? 00 A4 04 00"])
    #expect(play.response("90 00") == ["< 02 90 00"])
    #expect(play.reader("03 00 B0 00 00 02") == ["? 00 B0 00 00 02"])
    #expect(play.response("00 0F 90 00") == ["< 03 00 0F 90 00"])
  }

  @Test func answerAtOnceLiesOnTheGridOfTypeA() {
    var play = CardPlaybook()
    _ = play.reader("02 00 A4 04 00")
    _ = play.response("90 00")
    let cycles: Set<Nanoseconds> = [.carrierCycles(1_172), .carrierCycles(1_236)]
    #expect(play.delay.map(cycles.contains) == true)
  }

  @Test func declaredWorkDelaysTheAnswerExactly() {
    var play = CardPlaybook(waiting: .off)
    _ = play.reader("02 00")
    #expect(play.response("90 00", after: .milliseconds(31)) == [])
    #expect(play.wait() == ["< 02 90 00"])
    #expect(play.delay == .milliseconds(31))
  }

  @Test func chainOfTheReaderIsJoined() {
    var play = CardPlaybook(IsoDepParameters(cardFrameSize: 16))
    #expect(play.reader("12 01 02") == ["< A2"])
    #expect(play.reader("13 03") == ["< A3"])
    #expect(play.reader("02 04") == ["? 01 02 03 04"])
    #expect(play.response("90 00") == ["< 02 90 00"])
  }

  @Test func longResponseGoesInAChainDownToTheReadersFrameSize() {
    var play = CardPlaybook(IsoDepParameters(cardFrameSize: 256, deviceFrameSize: 16))
    _ = play.reader("02 00 B0")
    let bytes = (0..<28).map { UInt8($0) }
    #expect(
      play.response(Hexadecimal.pairs(bytes)) == ["< 12 " + Hexadecimal.pairs(Array(bytes[0..<13]))]
    )
    #expect(play.reader("A3") == ["< 13 " + Hexadecimal.pairs(Array(bytes[13..<26]))])
    #expect(play.reader("A2") == ["< 02 " + Hexadecimal.pairs(Array(bytes[26..<28]))])
    #expect(play.reader("03 FF") == ["? FF"])
  }

  @Test(arguments: FrameSize.table)
  func responseThatFillsTheFrameIsNotChainedAndOneByteMoreIs(_ size: Int) {
    for (count, pcb) in [(size - 3, "< 02 "), (size - 2, "< 12 ")] {
      var play = CardPlaybook(IsoDepParameters(cardFrameSize: 256, deviceFrameSize: size))
      _ = play.reader("02 00")
      let lines = play.response(Hexadecimal.pairs([UInt8](repeating: 5, count: count)))
      #expect(lines.first?.hasPrefix(pcb) == true)
    }
  }

  // MARK: Recovery

  @Test func lastBlockIsRepeatedForItsOwnNumber() {
    var play = CardPlaybook()
    _ = play.reader("02 00")
    _ = play.response("90 00")
    #expect(play.reader("B2") == ["< 02 90 00"])
    #expect(play.reader("B2") == ["< 02 90 00"])
    // Rule 12: with the other number the reader asks whether its command has come.
    #expect(play.reader("B3") == ["< A2"])
    #expect(play.reader("03 01") == ["? 01"])
  }

  @Test func cardThatHeardNothingYetAcknowledgesWithItsFirstNumber() {
    var play = CardPlaybook()
    #expect(play.reader("B2") == ["< A3"])
    #expect(play.reader("02 01") == ["? 01"])
  }

  @Test func acknowledgementInAChainIsRepeated() {
    var play = CardPlaybook(IsoDepParameters(cardFrameSize: 16))
    #expect(play.reader("12 01") == ["< A2"])
    #expect(play.reader("B2") == ["< A2"])
    // The next block was lost: R(NAK) 1 gets the old number.
    #expect(play.reader("B3") == ["< A2"])
    #expect(play.reader("03 02") == ["? 01 02"])
  }

  @Test func chainedBlockIsRepeatedForARepeatedAcknowledgement() {
    var play = CardPlaybook(IsoDepParameters(cardFrameSize: 256, deviceFrameSize: 16))
    _ = play.reader("02 00")
    let bytes = Hexadecimal.pairs([UInt8](repeating: 4, count: 14))
    #expect(play.response(bytes).first?.hasPrefix("< 12") == true)
    #expect(play.reader("A3") == ["< 03 04"])
    #expect(play.reader("A3") == ["< 03 04"])
  }

  @Test func damagedBlocksAndBlocksForOthersGetNoAnswer() {
    var play = CardPlaybook()
    #expect(play.reader(bytes: hex("02 00"), crc: .bad) == [])
    #expect(play.reader("0A 01 00") == [])
    #expect(play.reader("06 21 00") == [])
    #expect(play.reader("E2") == [])
    #expect(play.reader("F0 A0") == [])
    #expect(play.reader(bytes: [0x02] + [UInt8](repeating: 0, count: 254)) == [])
    #expect(play.reader(bytes: [0x02] + [UInt8](repeating: 0, count: 253)).count == 1)
  }

  @Test func repeatedNumberReachesTheApplicationOnce() {
    var play = CardPlaybook()
    #expect(play.reader("02 01") == ["? 01"])
    _ = play.response("90 00")
    #expect(play.reader("02 01") == [])
    play = CardPlaybook()
    play.card.ignoresRepeatedNumbers = false
    _ = play.reader("02 01")
    _ = play.response("90 00")
    #expect(play.reader("02 01") == ["? 01"])
    // Rule D to the letter: the number toggles whatever came.
    #expect(play.response("90 00") == ["< 03 90 00"])
  }

  @Test func cidIsEchoedWhereTheReaderUsesIt() {
    var play = CardPlaybook(IsoDepParameters(cardFrameSize: 256, cid: 0))
    #expect(play.reader("0A 00 01") == ["? 01"])
    #expect(play.response("90 00") == ["< 0A 00 90 00"])
    // CID 0 may be left out (ISO/IEC 14443-4 7.1.2).
    #expect(play.reader("03 01") == ["? 01"])
    #expect(play.response("90 00") == ["< 03 90 00"])
    #expect(play.reader("0A 05 01") == [])
  }

  @Test func deselectIsAnsweredAndEndsTheSession() {
    var play = CardPlaybook()
    _ = play.reader("02 01")
    #expect(play.reader("C2") == ["< C2", "deselected"])
    // The response to the command that was dropped comes to nothing.
    #expect(play.response("90 00") == [])
    #expect(play.reader("02 01") == [])
  }

  @Test func commandLongerThanAnyAPDUIsDropped() {
    var play = CardPlaybook(IsoDepParameters(cardFrameSize: 70_000))
    let long = [UInt8](repeating: 0, count: IsoDepTarget.maximumCommandBytes)
    #expect(play.reader(bytes: [0x12] + long) == ["< A2"])
    #expect(play.reader(bytes: [0x03, 0x00]) == [])
    play = CardPlaybook(IsoDepParameters(cardFrameSize: 70_000))
    #expect(play.reader(bytes: [0x02] + long).count == 1)
  }

  // MARK: Time

  @Test func slowApplicationMakesTheCardAskForTime() {
    var play = CardPlaybook(waiting: .automatic(percent: 80, multiplier: 2))
    let fwt = FrameWaitingTime(integer: 7).duration
    #expect(play.reader("02 01") == ["? 01"])
    #expect(play.wait() == ["< F2 02"])
    #expect(play.delay == Nanoseconds(fwt.count / 100 * 80))
    // Not granted yet: the response waits.
    #expect(play.response("90 00") == [])
    #expect(play.reader("F2 02") == ["< 02 90 00"])
  }

  @Test func grantsAreAskedForAsLongAsTheApplicationWorks() {
    var play = CardPlaybook()
    _ = play.reader("02 01")
    #expect(play.response("90 00", after: .milliseconds(100)) == [])
    #expect(play.wait() == ["< F2 01"])
    #expect(play.reader("F2 01") == [])
    #expect(play.wait() == ["< F2 01"])
    #expect(play.reader("F2 01") == [])
    #expect(play.wait() == ["< F2 01"])
    #expect(play.reader("F2 01") == [])
    #expect(play.wait() == ["< 02 90 00"])
    #expect(play.now >= .start + .milliseconds(101))
  }

  @Test func lostRequestForTimeIsRepeated() {
    var play = CardPlaybook()
    _ = play.reader("02 01")
    #expect(play.wait() == ["< F2 01"])
    #expect(play.reader("B2") == ["< F2 01"])
    // A grant of another multiplier is none.
    #expect(play.reader("F2 02") == [])
    #expect(play.reader("F2 01") == [])
    #expect(play.response("90 00") == ["< 02 90 00"])
  }

  @Test func impatientReaderIsToldToWait() {
    var play = CardPlaybook()
    _ = play.reader("02 01")
    #expect(play.reader("B2") == ["< F2 01"])
  }

  @Test func withoutThePolicyTheAnswerIsLateAndNothingElseIsSent() {
    var play = CardPlaybook(waiting: .off)
    _ = play.reader("02 01")
    #expect(play.response("90 00", after: .milliseconds(60)) == [])
    #expect(play.reader("B2") == [])
    #expect(play.wait() == ["< 02 90 00"])
    #expect(play.now == .start + .milliseconds(61))
  }
}
