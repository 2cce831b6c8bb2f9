import NFCProtocols
import Testing

@testable import TagAccess

/// One fault at every place of a session: nothing may hang, and only activation may fail.
@Suite struct FaultSweepTests {
  /// Frames of activation: REQA, ATQA, ANTICOLLISION, UID, SELECT, SAK, RATS, ATS.
  static let activationFrames = 8
  static let sessionFrames = 22

  static func air() -> Air<TagReader, CardEmulator> {
    Air(TagReaderTests.reader(), CardEmulator(NDEFCard(bytes: TagReaderTests.message)))
  }

  @Test func sessionWithoutFaultHasTheExpectedFrames() {
    var air = Self.air()
    air.run()
    #expect(air.frames.count == Self.sessionFrames)
  }

  @Test(arguments: 1...sessionFrames)
  func lostFrame(_ number: Int) {
    var air = Self.air()
    air.dropped = { $0 == number }
    air.run()
    expectOutcome(air, number)
  }

  @Test(arguments: 1...sessionFrames)
  func damagedFrame(_ number: Int) {
    var air = Self.air()
    air.corrupted = { $0 == number }
    air.run()
    // An ATQA has no CRC; a reader that asks for the whole UID does not miss the wrong bit.
    if number == 2 {
      #expect((try? air.reader.result?.get().raw) == TagReaderTests.message)
    } else {
      expectOutcome(air, number)
    }
  }

  @Test(arguments: 1...sessionFrames, 1...sessionFrames)
  func twoLostFrames(_ first: Int, _ second: Int) {
    var air = Self.air()
    air.dropped = { $0 == first || $0 == second }
    air.run()
    expectOutcome(air, min(first, second))
  }

  @Test(arguments: 1...sessionFrames)
  func secondSessionRepairsWhatTheFirstCannot(_ number: Int) {
    var air = Air(
      TagReaderTests.reader { $0.sessionAttempts = 2 },
      CardEmulator(NDEFCard(bytes: TagReaderTests.message)))
    air.dropped = { $0 == number }
    air.run()
    // A lost REQA or ATQA is no tag; all else is repaired.
    if number > 2 {
      #expect((try? air.reader.result?.get().raw) == TagReaderTests.message)
    }
    for (off, on) in zip(air.fieldOffAt, air.fieldOnAt.dropFirst()) {
      #expect(on - off >= .milliseconds(5))
    }
  }

  @Test(arguments: 1...sessionFrames)
  func everythingFromThisFrameOnIsLost(_ number: Int) {
    var air = Self.air()
    air.dropped = { $0 >= number }
    air.run()
    #expect(air.hasFinished)
    if number > 20 {
      // The message is there; only the end of the session is not confirmed.
      #expect((try? air.reader.result?.get().raw) == TagReaderTests.message)
    } else {
      #expect(air.reader.result?.failure != nil)
    }
    if number > Self.activationFrames, number <= 20 {
      guard case .blocks(let failure) = air.reader.result?.failure?.problem else {
        Issue.record("expected a failure of the block protocol")
        return
      }
      #expect(failure.reason == .silence)
      #expect(failure.attempts == 2)
      // R(NAK) twice, then S(DESELECT) twice, as the policy says.
      let tail = air.frames.suffix(4).map { $0.prefix(3) }
      #expect(tail.dropFirst(2).map { $0 } == ["> C", "> C"])
    }
  }

  private func expectOutcome(
    _ air: Air<TagReader, CardEmulator>, _ number: Int, _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(air.hasFinished, sourceLocation: place)
    if number > Self.activationFrames {
      #expect(
        (try? air.reader.result?.get().raw) == TagReaderTests.message, sourceLocation: place)
      return
    }
    let steps: [TagAccessError.Step] = [
      .poll(.a), .anticollision(level: 1), .select(level: 1), .rats,
    ]
    #expect(air.reader.result?.failure?.step == steps[(number - 1) / 2], sourceLocation: place)
  }
}

/// The same in chains of blocks in both directions.
@Suite struct ChainFaultTests {
  static let command = [UInt8](repeating: 0x11, count: 40)

  static func air() -> Air<APDUSession, CardEmulator> {
    var configuration = CardEmulatorConfiguration()
    configuration.ats = ATS(frameSizeIndex: 0, interfaceB: 0x50)
    return Air(
      CardEmulatorTests.session { $0.frameSizeIndex = 0 },
      CardEmulator(EchoCard(processing: .milliseconds(30)), configuration: configuration))
  }

  /// The frames after activation, counted in a run without fault.
  static let chainFrames: ClosedRange<Int> = {
    var run = ChainFaultTests.air()
    run.run(firstCommand: command)
    return 9...(run.frames.count - 2)
  }()

  @Test(arguments: chainFrames)
  func lostOrDamagedFrame(_ number: Int) {
    for isDamaged in [false, true] {
      var air = Self.air()
      var answers: [[UInt8]] = []
      air.nextCommand = {
        answers.append($0)
        return nil
      }
      if isDamaged {
        air.corrupted = { $0 == number }
      } else {
        air.dropped = { $0 == number }
      }
      air.run(firstCommand: Self.command)
      #expect(answers == [Self.command + [0x90, 0x00]])
      #expect((air.card.application as? EchoCard)?.commands == [Self.command])
    }
  }

  @Test func chainHasBlocksAcknowledgementsAndExtensions() {
    var air = Self.air()
    air.run(firstCommand: Self.command)
    let text = air.frames.dropFirst(8).map { String($0.prefix(4)) }
    #expect(
      text == [
        "> 12", "< A2", "> 13", "< A3", "> 12", "< A2", "> 03", "< F2", "> F2", "< F2", "> F2",
        "< F2", "> F2", "< 13", "> A2", "< 12", "> A3", "< 13", "> A2", "< 02",
        "> C2", "< C2",
      ])
  }
}
