import NFCProtocols
import Testing

@testable import TagAccess

/// Public bug reports as scenarios, with what must and what must never happen.
@Suite struct ScenarioTests {
  /// S9: the card leaves between poll and select (libnfc #291: the select waited for ever).
  @Test(arguments: 3...7)
  func cardLeavesBetweenPollAndSelect(_ first: Int) {
    var air = FaultSweepTests.air()
    air.dropped = { $0 >= first }
    air.run()
    // EXPECT an error that names the step and the wait; NEVER a hang.
    #expect(air.hasFinished)
    guard case .noAnswer(let limit, let waited, 1) = air.reader.result?.failure?.problem else {
      Issue.record("expected silence to be reported")
      return
    }
    #expect(waited == limit.duration + Nanoseconds(1))
  }

  /// S10: the same card at rest must be found at every poll: the field is reset in between.
  @Test func cardAtRestIsFoundAtEveryPoll() {
    var card = CardEmulator(NDEFCard(bytes: TagReaderTests.message))
    for ending in [TagReaderConfiguration.Ending.deselect, .fieldOff, .deselect] {
      var air = Air(TagReaderTests.reader { $0.ending = ending }, card)
      air.run()
      #expect((try? air.reader.result?.get()) != nil)
      card = air.card
    }
  }

  /// S11: a phone with a UID of four bytes was taken for a MIFARE Classic.
  @Test func phoneIsToldBySAKAndNotByUIDLength() {
    var tag = TagIdentity(.a, identifier: hex("08 55 66 E6"))
    tag.sak = SAK(rawValue: 0x20)
    #expect(tag.tagType == .type4)
    #expect(tag.hasRandomIdentifier)
    tag.sak = SAK(rawValue: 0x08)
    #expect(tag.tagType == nil)

    var air = Air(CardEmulatorTests.session(), CardEmulator(EchoCard()))
    air.run(firstCommand: hex("00 A4 04 00"))
    // NEVER a Classic command (60, 61, 30) to an ISO-DEP card.
    for prefix in ["> 60", "> 61", "> 30"] {
      #expect(!air.frames.contains { $0.hasPrefix(prefix) })
    }
  }

  /// S12: a phone that wakes its service slowly: the first SELECT takes 1.2 s.
  @Test func slowFirstSelectIsNoLoss() throws {
    struct Slow: EmulatedCard {
      var base = NDEFCard(bytes: TagReaderTests.message)
      var isAwake = false
      mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
        var answer = base.respond(to: command)
        if !isAwake { answer.processing = .milliseconds(1_200) }
        isAwake = true
        return answer
      }
    }
    var air = Air(TagReaderTests.reader(), CardEmulator(Slow()))
    air.run()
    #expect(try air.reader.result?.get().raw == TagReaderTests.message)
    #expect(air.frames.contains { $0.hasPrefix("< F2 01") })

    // Without requests for time the session is lost, and a second one with the phone awake works.
    var configuration = CardEmulatorConfiguration(waiting: .off)
    configuration.uids = try [hex("08 11 22 2C"), hex("08 44 55 66")].map { try UID($0) }
    air = Air(
      TagReaderTests.reader { $0.sessionAttempts = 2 },
      CardEmulator(Slow(), configuration: configuration))
    air.run()
    let result = try #require(try air.reader.result?.get())
    #expect(result.tag.identifier == hex("08 44 55 66"))
    #expect(air.fieldOnAt.count == 2)
    #expect(air.fieldOnAt[1] - air.fieldOffAt[0] >= .milliseconds(5))
  }

  /// S13: extensions, whatever the FWI (FWI 11 with WTXM 59 is over the longest FWT).
  @Test(arguments: [(8, 2), (8, 4), (11, 59), (14, 59), (0, 59), (4, 1)] as [(UInt8, UInt8)])
  func extensionsOfEveryKindKeepTheSession(_ fwi: UInt8, _ multiplier: UInt8) throws {
    var configuration = CardEmulatorConfiguration()
    configuration.ats = ATS(interfaceB: fwi << 4)
    configuration.waiting = .automatic(percent: 90, multiplier: multiplier)
    let work = FrameWaitingTime(integer: fwi).extended(by: multiplier) * 3
    var air = Air(
      CardEmulatorTests.session(),
      CardEmulator(EchoCard(processing: work), configuration: configuration))
    var answers: [[UInt8]] = []
    air.nextCommand = {
      answers.append($0)
      return answers.count < 2 ? hex("00 84") : nil
    }
    air.run(firstCommand: hex("00 84"))
    #expect(answers == [hex("00 84 90 00"), hex("00 84 90 00")])
    let granted = FrameWaitingTime(integer: fwi).extended(by: multiplier)
    #expect(granted <= FrameWaitingTime.maximum.duration)
    #expect(air.limits.contains(TimeLimit(.waitingTimeExtension, granted)))
    // The block number is the same before and after.
    #expect(air.frames.contains { $0.hasPrefix("< 02 00 84 90 00") })
    #expect(air.frames.contains { $0.hasPrefix("< 03 00 84 90 00") })
    #expect(!air.notes.contains { if case .limitExceeded = $0 { true } else { false } })
  }

  /// S15: success at 0.6, 1.0, 2.1 and 4.9 s as long as requests for time keep coming.
  @Test(arguments: [600, 1_000, 2_100, 4_900] as [Int64])
  func slowCardIsNotLostWhileItAsksForTime(_ milliseconds: Int64) throws {
    var air = Air(
      CardEmulatorTests.session(),
      CardEmulator(EchoCard(processing: .milliseconds(milliseconds))))
    var answer: [UInt8]?
    air.nextCommand = {
      answer = $0
      return nil
    }
    air.run(firstCommand: hex("80 10 00 00 00 00 01 04"))
    #expect(answer == hex("80 10 00 00 00 00 01 04 90 00"))
  }

  /// S15, failure: the error names the APDU and the time waited.
  @Test func silenceIsReportedWithAPDUAndWait() throws {
    var air = Air(
      CardEmulatorTests.session(),
      CardEmulator(
        EchoCard(processing: .seconds(2)),
        configuration: CardEmulatorConfiguration(waiting: .off)))
    air.run(firstCommand: hex("80 10 00 00"))
    let error = try #require(air.reader.result?.failure)
    #expect(error.command == hex("80 10 00 00"))
    guard case .blocks(let failure) = error.problem else {
      Issue.record("expected the block protocol to fail")
      return
    }
    // FWI 7: 38.66 ms, three times with the repetitions.
    #expect(failure.limit == TimeLimit(.frameWaitingTime, .carrierCycles(4_096 << 7)))
    #expect(failure.waited > .milliseconds(116) && failure.waited < .milliseconds(118))
    #expect(error.message.contains("80 10 00 00") && error.message.contains("38.664 ms"))
  }

  /// An answer at the limit, one nanosecond late, and 5 ms late with the reader's recovery.
  @Test func answerAtTheLimitAndPastIt() throws {
    let fwt = FrameWaitingTime(integer: 7).duration
    for (work, isLate) in [
      (fwt, false), (fwt + Nanoseconds(1), true), (fwt + .milliseconds(5), true),
    ] {
      var air = Air(
        CardEmulatorTests.session(),
        CardEmulator(
          EchoCard(processing: work), configuration: CardEmulatorConfiguration(waiting: .off)))
      var answer: [UInt8]?
      air.nextCommand = {
        answer = $0
        return nil
      }
      air.run(firstCommand: hex("01"))
      #expect(answer == hex("01 90 00"))
      let limit = TimeLimit(.frameWaitingTime, fwt)
      #expect(air.notes.contains(.limitExceeded(limit, attempt: 1)) == isLate)
      #expect(air.frames.contains { $0.hasPrefix("> B2") } == isLate)
      if work == fwt + .milliseconds(5) {
        #expect(air.notes.contains(.lateAnswer(by: .milliseconds(5), limit)))
      }
    }
  }

  /// S17: the link is lost at every frame while an outside program computes its answer.
  @Test(arguments: 9...24)
  func lateAnswerNeverReachesTheNextSession(_ frame: Int) throws {
    var air = Air(
      CardEmulatorTests.session {
        $0.sessionAttempts = 1
        $0.recovery = RecoveryPolicy(attempts: 0, deselectAttempts: 0)
      }, CardEmulator())
    var asked: [[UInt8]] = []
    air.respond = { command in
      asked.append(command)
      // The first session's answers take 90 ms of work; asking for time keeps the reader there.
      return ([UInt8(truncatingIfNeeded: asked.count), 0x0B, 0x90, 0x00], .milliseconds(90))
    }
    let read = hex("00 B0 00 00 02")
    air.nextCommand = { _ in read }
    air.removal = (frame, .milliseconds(400))
    air.run(firstCommand: read)
    let commandsOfFirst = asked.count
    #expect(air.reader.result?.failure != nil)

    // A new reader and the same card: its first answer belongs to its first command.
    var answers: [[UInt8]] = []
    var next = Air(CardEmulatorTests.session(), air.card)
    next.respond = { command in
      asked.append(command)
      return ([UInt8(truncatingIfNeeded: asked.count), 0x0B, 0x90, 0x00], .milliseconds(10))
    }
    next.nextCommand = {
      answers.append($0)
      return nil
    }
    next.run(firstCommand: hex("00 A4 04 00 07 D2 76 00 00 85 01 01 00"))
    #expect(answers == [[UInt8(truncatingIfNeeded: commandsOfFirst + 1), 0x0B, 0x90, 0x00]])
  }

  /// S17 with both sessions at once: the stale answer comes after the new session's first command.
  @Test func staleAnswerInsideTheNextSessionIsDropped() {
    var card = CardEmulator()
    var outputs: [RadioOutput] = []
    func activate(at time: Int64) {
      let now = VirtualInstant(.milliseconds(time))
      card.step(.fieldChanged(isOn: true), at: now, into: &outputs)
      for command in [
        TypeACommand.request.frame, RadioFrame([0x93, 0x20], crc: .absent),
        .protected(hex("93 70 08 11 22 33 08"), .a), .protected(hex("E0 80"), .a),
      ] {
        card.step(.received(command), at: now, into: &outputs)
      }
    }
    activate(at: 0)
    card.step(
      .received(.protected(hex("02 00 B0 00 00 02"), .a)), at: .start, into: &outputs)
    #expect(outputs.last != nil)
    card.step(.fieldChanged(isOn: false), at: VirtualInstant(.milliseconds(82)), into: &outputs)
    activate(at: 400)
    outputs = []
    let now = VirtualInstant(.milliseconds(410))
    card.step(.received(.protected(hex("02 00 A4 04 00"), .a)), at: now, into: &outputs)
    #expect(outputs.contains(.application(hex("00 A4 04 00"))))
    outputs = []
    // The answer to the READ BINARY of the lost session: NEVER the reply to SELECT.
    card.step(.application(hex("00 0B 90 00")), at: now, into: &outputs)
    #expect(outputs == [.note(.answerDropped(byteCount: 4))])
    #expect(card.droppedAnswers == 1)
    outputs = []
    card.step(.application(hex("90 00")), at: now, into: &outputs)
    #expect(
      outputs.contains {
        if case .send(let frame, _) = $0 {
          frame.bytes.starts(with: hex("02 90 00"))
        } else {
          false
        }
      })
  }

  /// An application that falls silent when the link is lost must say so in the configuration.
  @Test func applicationThatDropsItsOwnAnswers() {
    let configuration = CardEmulatorConfiguration(applicationAnswersAlways: false)
    var air = Air(CardEmulatorTests.session(), CardEmulator(configuration: configuration))
    air.removal = (9, .milliseconds(400))
    air.run(firstCommand: hex("01"))
    var next = Air(CardEmulatorTests.session(), air.card)
    var answer: [UInt8]?
    next.respond = { ($0 + [0x90, 0x00], .zero) }
    next.nextCommand = {
      answer = $0
      return nil
    }
    next.run(firstCommand: hex("02"))
    #expect(answer == hex("02 90 00"))
  }
}
