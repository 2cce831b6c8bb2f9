import NFCProtocols
import Testing

/// ISO/IEC 14443-4 clause 7.5, reader's side, with PCBs and rules as the standard prints them.
@Suite struct IsoDepInitiatorTests {
  let select = "00 A4 04 00 07 D2 76 00 00 85 01 01 00"

  @Test func blockNumbersToggleWithEachExchange() {
    var play = ReaderPlaybook()
    #expect(play.command(select) == ["> 02 " + select])
    #expect(play.card("02 90 00") == ["= 90 00"])
    #expect(play.command("00 B0 00 00 02") == ["> 03 00 B0 00 00 02"])
    #expect(play.card("03 00 0F 90 00") == ["= 00 0F 90 00"])
    #expect(play.command("") == ["> 02"])
    #expect(play.card("02") == ["= "])
  }

  @Test func readerPausesAfterEachFrameOfTheCard() {
    var play = ReaderPlaybook()
    _ = play.command("01")
    _ = play.card("12 01")
    #expect(play.delays == [.zero, .carrierCycles(1_172)])
  }

  @Test func answerOfTheCardMayComeInAChain() {
    var play = ReaderPlaybook()
    _ = play.command("00 B0 00 00 00")
    #expect(play.card("12 01 02") == ["> A3"])
    #expect(play.card("13 03") == ["> A2"])
    #expect(play.card("02 04 90 00") == ["= 01 02 03 04 90 00"])
    #expect(play.command("FF") == ["> 03 FF"])
  }

  @Test func commandGoesInAChainDownToTheFrameSizeOfTheCard() {
    var play = ReaderPlaybook(IsoDepParameters(cardFrameSize: 16))
    let command = (0..<30).map { UInt8($0) }
    // 16 bytes less PCB and CRC leave 13 of the APDU.
    #expect(play.command(command) == ["> 12 " + Hexadecimal.pairs(Array(command[0..<13]))])
    #expect(play.card("A2") == ["> 13 " + Hexadecimal.pairs(Array(command[13..<26]))])
    #expect(play.card("A3") == ["> 02 " + Hexadecimal.pairs(Array(command[26..<30]))])
    #expect(play.card("02 90 00") == ["= 90 00"])
  }

  @Test(arguments: FrameSize.table)
  func commandThatFillsTheFrameIsNotChainedAndOneByteMoreIs(_ size: Int) {
    let room = size - 3
    var play = ReaderPlaybook(IsoDepParameters(cardFrameSize: size))
    #expect(
      play.command([UInt8](repeating: 7, count: room)).first?.hasPrefix("> 02 ") == true)
    play = ReaderPlaybook(IsoDepParameters(cardFrameSize: size))
    #expect(
      play.command([UInt8](repeating: 7, count: room + 1)).first?.hasPrefix("> 12 ") == true)
    #expect(play.card("A2") == ["> 03 07"])
  }

  @Test func cidAndNadTakeTheirRoom() {
    var play = ReaderPlaybook(IsoDepParameters(cardFrameSize: 16, cid: 3, nad: 0x21))
    let command = [UInt8](repeating: 9, count: 12)
    #expect(
      play.command(command) == ["> 1E 03 21 " + Hexadecimal.pairs(Array(command[0..<11]))])
    // The NAD is in the first block of a chain only.
    #expect(play.card("AA 03") == ["> 0B 03 09"])
    #expect(play.card("0F 03 12 90 00") == ["= 90 00"])
    // A block without the CID, or with another one, is not for this reader's session.
    _ = play.command("01")
    #expect(play.card("02 90 00") == ["> BA 03"])
    #expect(play.card("0A 04 90 00") == ["> BA 03"])
    #expect(play.card("0A 03 90 00") == ["= 90 00"])
  }

  @Test func typeBUsesItsOwnCRC() {
    var play = ReaderPlaybook(IsoDepParameters(technology: .b, cardFrameSize: 64))
    #expect(play.command("00 84") == ["> 02 00 84"])
    #expect(play.card("02 90 00") == ["= 90 00"])
  }

  // MARK: Recovery

  @Test func lostAnswerIsAskedForAgain() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.silence() == ["> B2"])
    #expect(play.card("02 90 00") == ["= 90 00"])
    #expect(play.command("FF") == ["> 03 FF"])
  }

  @Test func lostCommandIsSentAgainAfterTheCardsAcknowledgement() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.silence() == ["> B2"])
    // The card's number is still 1: it has not got the command (rule 6).
    #expect(play.card("A3") == ["> 02 " + select])
    #expect(play.card("02 90 00") == ["= 90 00"])
    #expect(play.notes.contains(.retransmission(attempt: 1)))
  }

  @Test func lostAcknowledgementInTheReadersChain() {
    var play = ReaderPlaybook(IsoDepParameters(cardFrameSize: 16))
    _ = play.command([UInt8](repeating: 1, count: 14))
    #expect(play.silence() == ["> B2"])
    // The card got the block and repeats its R(ACK) (rules 11 and 7).
    #expect(play.card("A2") == ["> 03 01"])
    #expect(play.card("03 90 00") == ["= 90 00"])
  }

  @Test func inTheCardsChainTheReaderAcknowledgesAgain() {
    var play = ReaderPlaybook()
    _ = play.command("00 B0")
    #expect(play.card("12 01") == ["> A3"])
    #expect(play.silence() == ["> A3"])
    #expect(play.card("03 02", crc: .bad) == ["> A3"])
    #expect(play.card("03 02") == ["= 01 02"])
  }

  @Test func damagedBlocksOfAllKindsAreAskedForAgain() {
    let sound = RadioFrame.protected(hex("02 90 00"), .a)
    var wrongCRC = sound
    wrongCRC.bytes[1] ^= 1
    var collided = sound
    collided.isCollision = true
    var cut = sound
    cut.isTruncated = true
    let broken = [
      wrongCRC, collided, cut, RadioFrame([0x02], crc: .absent), RadioFrame([]),
      RadioFrame(sound.bytes, lastByteBits: 7), RadioFrame.protected([], .a),
    ]
    for frame in broken {
      var play = ReaderPlaybook()
      _ = play.command(select)
      #expect(play.garbage(frame) == ["> B2"])
      #expect(play.card("02 90 00") == ["= 90 00"])
    }
  }

  @Test func frameWithoutCapturedCRCIsTakenAsItIs() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.garbage(RadioFrame(hex("02 90 00"), crc: .notCaptured)) == ["= 90 00"])
  }

  @Test(arguments: ["03 90 00", "A2", "B3", "C2", "E2", "40", "F2", "F2 01 01", "F0"])
  func blockThatDoesNotFitIsAskedForAgain(_ block: String) {
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.card(block) == ["> B2"])
    #expect(play.card("02 90 00") == ["= 90 00"])
  }

  @Test func blockLongerThanTheReadersFrameIsRefused() {
    var play = ReaderPlaybook(IsoDepParameters(cardFrameSize: 256, deviceFrameSize: 16))
    _ = play.command(select)
    #expect(play.card(bytes: [0x02] + [UInt8](repeating: 1, count: 14)) == ["> B2"])
    #expect(
      play.card(bytes: [0x02] + [UInt8](repeating: 1, count: 13)).first?.hasPrefix("= ") == true)
  }

  @Test(arguments: [0, 1, 2, 5])
  func cardIsGivenUpAfterTheTriesAndDeselected(_ attempts: Int) {
    var play = ReaderPlaybook(recovery: RecoveryPolicy(attempts: attempts))
    _ = play.command(select)
    for _ in 0..<attempts { #expect(play.silence() == ["> B2"]) }
    #expect(play.silence() == ["> C2"])
    #expect(play.limit == TimeLimit(.activation, .carrierCycles(65_536)))
    #expect(play.silence() == ["> C2"])
    #expect(play.silence() == ["failed"])
    #expect(play.failure?.reason == .silence)
    #expect(play.failure?.attempts == attempts)
    // Each wait is the limit and the nanosecond after it.
    let fwt = FrameWaitingTime(integer: 7).duration + Nanoseconds(1)
    #expect(play.failure?.waited == fwt * Int64(attempts + 1))
    #expect(play.reader.hasEnded)
  }

  @Test func confirmedDeselectEndsAtOnce() {
    var play = ReaderPlaybook(recovery: RecoveryPolicy(attempts: 0))
    _ = play.command(select)
    #expect(play.silence() == ["> C2"])
    #expect(play.card("C2") == ["failed"])
  }

  @Test func withoutDeselectTheReaderStopsAtOnce() {
    var play = ReaderPlaybook(recovery: .none)
    _ = play.command(select)
    #expect(play.silence() == ["failed"])
  }

  @Test func cardThatAsksForTheSameBlockForEverIsGivenUp() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.card("A3") == ["> 02 " + select])
    #expect(play.card("A3") == ["> 02 " + select])
    #expect(play.card("A3") == ["> C2"])
    #expect(play.card("C2") == ["failed"])
    #expect(play.failure?.reason == .retransmissionRefused)
  }

  @Test func responseLongerThanAnyAPDUIsGivenUp() {
    var play = ReaderPlaybook(
      IsoDepParameters(cardFrameSize: 256, deviceFrameSize: 40_000), recovery: .none)
    _ = play.command(select)
    let half = [UInt8](repeating: 0, count: IsoDepInitiator.maximumResponseBytes / 2)
    #expect(play.card(bytes: [0x12] + half) == ["> A3"])
    #expect(play.card(bytes: [0x13] + half) == ["> A2"])
    #expect(play.card(bytes: [0x02, 0x00]) == ["failed"])
    #expect(play.failure?.reason == .responseTooLong)
  }

  // MARK: Limits

  @Test func answerAtTheLimitIsInTimeAndOneNanosecondLaterIsNot() {
    let fwt = Nanoseconds.carrierCycles(4_096 << 7)
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.limit == TimeLimit(.frameWaitingTime, fwt))
    #expect(play.card("02 90 00", after: fwt) == ["= 90 00"])

    play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.timer == .start + fwt + Nanoseconds(1))
    #expect(play.silence() == ["> B2"])
  }

  @Test func marginIsPartOfTheLimit() {
    let margin = ProtocolTiming.waitingTimeMargin
    var play = ReaderPlaybook(margin: margin)
    _ = play.command(select)
    let limit = Nanoseconds.carrierCycles(4_096 << 7) + margin
    #expect(play.limit == TimeLimit(.frameWaitingTime, limit))
    #expect(play.card("02 90 00", after: limit) == ["= 90 00"])
  }

  @Test func lateAnswerIsTakenAndItsLatenessTold() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    #expect(play.silence() == ["> B2"])
    let late = play.card("02 90 00", after: .milliseconds(5))
    #expect(late == ["= 90 00"])
    let limit = TimeLimit(.frameWaitingTime, .carrierCycles(4_096 << 7))
    #expect(
      play.notes == [
        .limitExceeded(limit, attempt: 1),
        .lateAnswer(by: .milliseconds(5) + Nanoseconds(1), limit),
      ])
  }

  /// What comes in time for S(DESELECT) says nothing of the answer that never came.
  @Test func theAnswerToDeselectIsNotLate() {
    var play = ReaderPlaybook(recovery: RecoveryPolicy(attempts: 0))
    _ = play.command(select)
    #expect(play.silence() == ["> C2"])
    #expect(play.card("C2", after: .milliseconds(1)) == ["failed"])
    #expect(play.failure?.lateAnswer == nil)
  }

  @Test func answerDuringDeselectIsToldInTheFailure() {
    var play = ReaderPlaybook(recovery: RecoveryPolicy(attempts: 0))
    _ = play.command(select)
    #expect(play.silence() == ["> C2"])
    #expect(play.card("02 90 00", after: .milliseconds(2)) == ["> C2"])
    #expect(play.card("C2") == ["failed"])
    #expect(play.failure?.lateAnswer == .milliseconds(2) + Nanoseconds(1))
  }

  @Test func receptionUnderWayStopsTheTimer() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    _ = play.run(.receiving)
    #expect(play.timer == nil)
    #expect(play.run(.timerFired) == [])
  }

  @Test func exchangeLimitEndsAnExchangeThatTheCardKeepsExtending() {
    var play = ReaderPlaybook(
      recovery: RecoveryPolicy(deselectAttempts: 0, exchangeLimit: .milliseconds(100)))
    _ = play.command(select)
    for _ in 0..<3 {
      #expect(play.card("F2 01", after: .milliseconds(30)) == ["> F2 01"])
    }
    // 90.3 ms are over: the timer is set to the exchange limit, not to FWT.
    #expect(play.timer == .start + .milliseconds(100) + Nanoseconds(1))
    #expect(play.silence() == ["failed"])
    #expect(play.failure?.reason == .exchangeLimit)
    #expect(play.failure?.limit == TimeLimit(.application, .milliseconds(100)))
  }

  // MARK: Presence and end

  @Test func presenceIsCheckedWithoutAnAPDU() {
    var play = ReaderPlaybook()
    _ = play.command(select)
    _ = play.card("02 90 00")
    #expect(play.checkPresence() == ["> B3"])
    #expect(play.card("A2") == ["present"])
    #expect(play.command("FF") == ["> 03 FF"])
    _ = play.card("03 90 00")
    _ = play.checkPresence()
    #expect(play.silence() == ["> B2"])
    #expect(play.silence() == ["> B2"])
    #expect(play.silence() == ["> C2"])
    #expect(play.silence() == ["> C2"])
    #expect(play.silence() == ["failed"])
  }

  @Test func deselectEndsTheSession() {
    var play = ReaderPlaybook()
    #expect(play.deselect() == ["> C2"])
    #expect(play.card("C2") == ["deselected"])
    play = ReaderPlaybook()
    _ = play.deselect()
    #expect(play.silence() == ["> C2"])
    #expect(play.silence() == ["left alone"])
  }
}
