import NFCProtocols
import NFCTrace
import Replay
import TagAccess
import Testing

/// A run depends on nothing but its input: a thousand of them in one process have one hash.
@Suite struct RepeatedRunTests {
  private static let repeats = 1_000

  @Test(arguments: [
    "", "drop(2)", "late(5,+7ms)", "corrupt(3,4) dup(6)", "late(card,+1ms) drop(4,reader)",
  ])
  func aThousandRunsHaveOneHash(faults: String) throws {
    let script = SampleTrace.script()
    let options = ReplayOptions(faults: try FaultText.parse(faults), keepsLogText: false)
    let first = script.playAgainstItself(options)
    for _ in 1..<Self.repeats {
      let again = script.playAgainstItself(options)
      guard again.log.hash == first.log.hash, again.verdict == first.verdict else {
        Issue.record("\(again.log.hashText) instead of \(first.log.hashText)")
        return
      }
    }
    #expect(first.log.lineCount > 5)
  }

  /// With code under test in place of the recorded reader, retries and all.
  @Test(arguments: ["", "drop(1)", "late(2,+6ms)", "corrupt(2,9)"])
  func aThousandRunsOfAReaderHaveOneHash(faults: String) throws {
    var lifting = TraceLifting(header: TraceHeader(technology: .a))
    for event in SampleTrace.session { lifting.add(event) }
    let script = lifting.script(.apdu)
    let options = ReplayOptions(faults: try FaultText.parse(faults), keepsLogText: false)
    var hashes: [UInt64] = []
    for _ in 0..<Self.repeats {
      var run = script.run(reader: TagReader(TagReaderConfiguration([.a])), options)
      let stop = run.run()
      let outcome = script.outcome(of: &run, options, stop: stop, failure: nil)
      if hashes.last != outcome.log.hash { hashes.append(outcome.log.hash) }
    }
    #expect(hashes.count == 1)
  }
}
