import NFCProtocols
import Replay
import TagAccess
import Testing

@testable import RetapTesting

/// The trait as a user writes it, on the shipped captures.
struct TapTests {
  @Test(.replay("captures/type4-ndef-read.retap"))
  func sendsTheRecordedCommands() throws {
    let tap = try Tap.current
    #expect(tap.script.layer == .apdu)
    for entry in tap.script.entries {
      #expect(try tap.transmit(entry.command.bytes) == entry.answers[0].frame.bytes)
    }
  }

  @Test(.replay("captures/type2-ndef-read.retap", layer: .radio, policy: "allow-leftover"))
  func readsAType2Tag() throws {
    let tag = try Tap.current.read()
    #expect(tag.tag.technology == .a)
    #expect(tag.ndef?.records.count == 1)
  }

  @Test(.replay("captures/terminal-ndef-apdus.retap"))
  func servesTheRecordedTerminal() throws {
    let tap = try Tap.current
    _ = try tap.present(RecordedAnswers(tap.script))
  }
}

/// What the trait says when something is wrong.
struct TapFailureTests {
  private func tap(
    _ path: String, faults: String = "", layer: ReplayLayer? = nil
  ) throws -> Tap {
    let recording = try RecordingFile.read(path, near: #filePath)
    let rules = try faults.isEmpty ? [] : FaultText.parse(faults)
    return try Tap(
      recording, layer: layer, options: ReplayOptions(faults: rules), testName: "example()")
  }

  @Test func aWrongByteIsADivergenceWithItsReport() throws {
    let tap = try tap("captures/type4-ndef-read.retap")
    var command = tap.script.entries[0].command.bytes
    command[1] = 0xB2
    let error = #expect(throws: TapError.self) { try tap.transmit(command) }
    guard case .diverged(let report)? = error else {
      Issue.record("not a divergence: \(String(describing: error))")
      return
    }
    #expect(report.contains("DIFFERENT at exchange 1"))
    #expect(report.contains("swift test --filter example"))
    #expect(tap.close().problem == report)
  }

  @Test func stoppingEarlyLeavesExchangesOver() throws {
    let tap = try tap("captures/type4-ndef-read.retap")
    _ = try tap.transmit(tap.script.entries[0].command.bytes)
    let ending = tap.close()
    #expect(ending.problem?.contains("LEFTOVER") == true, "\(ending.problem ?? "nothing")")
  }

  @Test func aTestThatIgnoresItsRecordingIsTold() throws {
    let ending = try tap("captures/type4-ndef-read.retap").close()
    #expect(ending.problem?.contains("never talked to its recording") == true)
  }

  @Test func aMissingFileNamesThePlaces() {
    let error = #expect(throws: TapError.self) { try tap("captures/missing.retap") }
    #expect(error?.description.contains("no recording captures/missing.retap") == true)
  }

  @Test func outsideATestWithTheTraitThereIsNoTap() {
    #expect(throws: TapError.noRecording) { try Tap.current }
  }

  @Test func aCardThatComesTooLateIsLost() throws {
    let tap = try tap("captures/type4-ndef-read.retap", faults: "late(1,+5s)")
    let first = tap.script.entries[0].command.bytes
    let error = #expect(throws: TapError.self) { try tap.transmit(first) }
    guard case .lost? = error else {
      Issue.record("the card is not lost: \(String(describing: error))")
      return
    }
  }

  @Test func wrongFaultTextIsAnErrorWithItsColumn() throws {
    let trait = ReplayTrait.replay("captures/type4-ndef-read.retap", faults: "lat(1,+5ms)")
    #expect(throws: TapError.self) { try trait.options.get() }
  }

  @Test func anEmulatorThatAnswersWronglyDiverges() throws {
    let tap = try tap("captures/terminal-ndef-apdus.retap")
    let error = #expect(throws: TapError.self) { try tap.present(AlwaysWrong()) }
    guard case .diverged(let report)? = error else {
      Issue.record("not a divergence: \(String(describing: error))")
      return
    }
    #expect(report.contains("6F 00"))
  }
}

/// A card that knows the recorded answers by heart.
private struct RecordedAnswers: EmulatedCard {
  var answers: [EmulatedAnswer]

  init(_ script: ReplayScript) {
    answers = script.entries.map { EmulatedAnswer($0.answers[0].frame.bytes) }
  }

  mutating func respond(to command: [UInt8]) -> EmulatedAnswer { answers.removeFirst() }
}

private struct AlwaysWrong: EmulatedCard {
  mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
    EmulatedAnswer([0x6F, 0x00])
  }
}
