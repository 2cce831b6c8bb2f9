import NFCProtocols
import NFCTrace
import Replay
import Testing

/// A script of exchanges with the given commands at a layer, all answered with 90 00.
private func script(
  _ layer: ReplayLayer, _ commands: [[UInt8]], technology: Technology? = nil
) -> ReplayScript {
  ReplayScript(
    layer: layer,
    entries: commands.map { bytes in
      ScriptEntry(
        command: technology == .a ? .protected(bytes, .a) : RadioFrame(bytes), gap: .zero,
        answers: [ScriptAnswer(RadioFrame([0x90, 0x00]), delay: .zero)],
        limit: TimeLimit(.frameWaitingTime, .milliseconds(5)))
    })
}

@Suite struct MatchingTests {
  private let commands: [[UInt8]] = [
    [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03], [0x00, 0xB0, 0x00, 0x00, 0x0F],
    [0x00, 0xB0, 0x00, 0x0F, 0x02],
  ]

  private func taken(_ policy: MatchPolicy, _ order: [Int]) -> [Int?] {
    var matcher = ScriptMatcher(script(.apdu, commands), policy: policy)
    return order.map { matcher.take(RadioFrame(commands[$0]), at: .start) }
  }

  @Test func strictTakesEachExchangeOnceAndInOrder() {
    #expect(taken(.strict, [0, 1, 2]) == [0, 1, 2])
    #expect(taken(.strict, [0, 2]) == [0, nil])
    #expect(taken(.strict, [0, 0]) == [0, nil])
    #expect(taken(.strict, [1]) == [nil])
  }

  @Test func restartTakesTheFirstCommandAgainAtAnyTime() {
    #expect(taken(.restart, [0, 1, 0, 1, 2, 0]) == [0, 1, 0, 1, 2, 0])
    #expect(taken(.restart, [0, 1, 1]) == [0, 1, nil])
  }

  @Test func repeatsTakesOnlyTheLastCommandAgain() {
    #expect(taken(.repeats, [0, 0, 1, 1, 2, 2]) == [0, 0, 1, 1, 2, 2])
    #expect(taken(.repeats, [0, 1, 0]) == [0, 1, nil])
  }

  @Test func anyOrderTakesEachExchangeOnce() {
    #expect(taken(.anyOrder, [2, 0, 1]) == [2, 0, 1])
    #expect(taken(.anyOrder, [2, 2]) == [2, nil])
    #expect(taken([.anyOrder, .repeats], [2, 2, 0]) == [2, 2, 0])
  }

  @Test func leftoversAreADivergenceUnlessAllowed() {
    for (policy, expected) in [(MatchPolicy.strict, 2), (.allowLeftover, 0)] {
      var matcher = ScriptMatcher(script(.apdu, commands), policy: policy)
      _ = matcher.take(RadioFrame(commands[0]), at: .start)
      matcher.close(at: .start)
      #expect((matcher.divergence?.leftoverCount ?? 0) == expected)
    }
  }

  /// Pairs that differ in one field; which mask lets the second pass for the first.
  @Test(
    arguments: [
      // The number of an I-block; the CRC follows.
      ([0x02, 0x60], [0x03, 0x60], "block-number"),
      // SELECT with another UID and its BCC.
      (
        [0x93, 0x70, 0x11, 0x22, 0x33, 0x44, 0x44], [0x93, 0x70, 0x12, 0x22, 0x33, 0x44, 0x47],
        "uid"
      ),
      // GET PROCESSING OPTIONS in an I-block with another unpredictable number.
      (
        [0x02, 0x80, 0xA8, 0x00, 0x00, 0x06, 0x83, 0x04, 1, 2, 3, 4, 0x00],
        [0x02, 0x80, 0xA8, 0x00, 0x00, 0x06, 0x83, 0x04, 5, 6, 7, 8, 0x00],
        "unpredictable-number"
      ),
    ] as [([UInt8], [UInt8], String)])
  func oneMaskIsEnough(recorded: [UInt8], actual: [UInt8], name: String) throws {
    for named in MaskSet.named {
      var matcher = ScriptMatcher(
        script(.radio, [recorded], technology: .a), masks: try MaskSet.parse(named.name))
      let index = matcher.take(.protected(actual, .a), at: .start)
      #expect((index == 0) == (named.name == name), "mask \(named.name)")
    }
  }

  @Test func aMaskForgivesNoOtherByte() throws {
    var matcher = ScriptMatcher(
      script(.radio, [[0x02, 0x60]], technology: .a), masks: .blockNumber)
    #expect(matcher.take(.protected([0x03, 0x61], .a), at: .start) == nil)
  }

  @Test func aBrokenCheckValueNeedsTheMaskForIt() {
    var frame = RadioFrame.protected([0x30, 0x04], .a)
    frame.bytes[3] ^= 1
    for (masks, fits) in [(MaskSet.none, false), (.uid, false), (.crc, true)] {
      var matcher = ScriptMatcher(
        script(.radio, [[0x30, 0x04]], technology: .a), masks: masks)
      #expect((matcher.take(frame, at: .start) != nil) == fits)
    }
  }

  @Test func namesAreReadAndWritten() throws {
    #expect(try MaskSet.parse("uid,crc").text == "crc,uid")
    #expect(try MatchPolicy.parse("restart,repeats").text == "restart,repeats")
    #expect(try MatchPolicy.parse("strict").text == "strict")
    #expect {
      _ = try MaskSet.parse("uid,nonsense")
    } throws: { error in
      guard case .badText(let bad)? = error as? ReplayError else { return false }
      return bad.column == 5 && bad.expected.contains("block-number")
    }
    #expect(throws: ReplayError.self) { try MatchPolicy.parse("") }
  }
}
