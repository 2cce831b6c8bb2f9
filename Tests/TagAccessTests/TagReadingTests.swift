import NFCProtocols
import Testing
import VirtualCards

@testable import TagAccess

/// Reading of Type 2, 3 and 5 tags at their edges.
@Suite struct TagReadingTests {
  /// Frames of the activation of a Type 2 tag with a UID of seven bytes.
  static let type2Activation = 10

  static func type2(_ message: [UInt8]) throws -> Air<TagReader, Type2Card> {
    let image = try CardImage.ntag(
      .ntag213, uid: hex("04 11 22 33 44 55 66"), ndefMessage: message)
    return Air(TagReaderTests.reader(), try Type2Card(image))
  }

  @Test(arguments: 11...14, [false, true])
  func readCommandIsRepeatedOnce(_ number: Int, _ isDamaged: Bool) throws {
    var air = try Self.type2(TagReaderTests.message)
    if isDamaged {
      // What a damaged command does is up to the tag; a damaged answer is asked for again.
      guard number % 2 == 0 else { return }
      air.corrupted = { $0 == number }
    } else {
      air.dropped = { $0 == number }
    }
    air.run()
    #expect(try air.reader.result?.get().raw == TagReaderTests.message)
  }

  @Test func silentTagIsGivenUpAfterTheAttempts() throws {
    var air = try Self.type2(TagReaderTests.message)
    air.dropped = { $0 > Self.type2Activation }
    air.run()
    guard case .noAnswer(let limit, let waited, 2) = air.reader.result?.failure?.problem else {
      Issue.record("expected silence, found \(String(describing: air.reader.result))")
      return
    }
    #expect(limit.duration == .milliseconds(5))
    #expect(waited > .milliseconds(10))
    #expect(air.reader.result?.failure?.step == .readCapability)
  }

  @Test func blocksInFrontOfTheMessageArePassedOver() throws {
    var reading = Type2Reading(limit: .milliseconds(5))
    #expect(reading.begin().bytes == hex("30 03"))
    // Lock control and memory control fill the first READ to the last byte.
    let first = try reading.answered(hex("E1 10 12 00 01 03 A0 0C 34 02 03 A0 10 44 00 00"))
    #expect(
      first
        == .request(
          TagRequest(
            .readMessage, hex("30 07"), limit: TimeLimit(.responseTime, .milliseconds(5)))))
    let second = try reading.answered(hex("03 03 D0 00 00 FE 00 00 00 00 00 00 00 00 00 00"))
    #expect(second == .done(hex("D0 00 00")))
  }

  @Test func type2TagWithoutMessage() throws {
    var reading = Type2Reading(limit: .milliseconds(5))
    _ = reading.begin()
    // No magic number: not formatted for NDEF.
    #expect(try reading.answered([UInt8](repeating: 0, count: 16)) == .done(nil))
    reading = Type2Reading(limit: .milliseconds(5))
    _ = reading.begin()
    #expect(
      try reading.answered(hex("E1 10 12 00 FE 00 00 00 00 00 00 00 00 00 00 00")) == .done(nil))
    reading = Type2Reading(limit: .milliseconds(5))
    _ = reading.begin()
    #expect(throws: TagAccessError.self) { try reading.answered(hex("E1 10")) }
    // Reading is forbidden by the access byte.
    #expect(throws: TagAccessError.self) {
      try reading.answered(hex("E1 10 12 F0 03 03 D0 00 00 FE 00 00 00 00 00 00"))
    }
  }

  @Test func messageLongerThanTheDataAreaIsMalformed() throws {
    var reading = Type2Reading(limit: .milliseconds(5))
    _ = reading.begin()
    _ = try reading.answered(hex("E1 10 02 00 03 20 01 02 03 04 05 06 07 08 09 0A"))
    #expect(throws: TagAccessError.self) { try reading.answered([UInt8](repeating: 1, count: 16)) }
  }

  @Test func felicaCardWithoutTheNDEFSystemHoldsNoMessage() throws {
    let card = ScriptedCard(
      [("06 00 FF FF 01 00", "14 01 01 02 03 04 05 06 07 08 00 F1 00 00 00 01 43 00 00 03")], .f)
    var air = Air(TagReaderTests.reader([.f]), card)
    air.run()
    let result = try #require(try air.reader.result?.get())
    #expect(result.tag.systemCode == 0x0003)
    #expect(result.raw == nil)
    #expect(air.frames.last?.hasPrefix("> 06 00 12 FC 00 00") == true)
  }

  @Test func felicaLimitComesFromTheManufactureParameters() throws {
    var reading = Type3Reading(
      idm: try IDm(hex("01 02 03 04 05 06 07 08")),
      pmm: try PMm(hex("00 F1 00 00 00 43 00 00")), systemCode: 0x12FC)
    // 43: A 3, B 0, E 1: T · (1 · n + 4) · 4 for one block.
    #expect(
      reading.begin().limit == TimeLimit(.responseTime, .carrierCycles(4_096 * 5 * 4)))
    let wrongSum = hex(
      "1D 07 01 02 03 04 05 06 07 08 00 00 01 10 04 01 00 0D 00 00 00 00 00 01 00 00 10 00 00")
    #expect(throws: TagAccessError.self) { try reading.answered(wrongSum) }
  }

  @Test func type5TagWithTheLongContainer() throws {
    var reading = Type5Reading(uid: hex("E0 04 01 50 11 22 33 44"), limit: .milliseconds(1))
    #expect(reading.begin().bytes == hex("22 20 44 33 22 11 50 01 04 E0 00"))
    for answer in ["00 E1 40 00 01", "00 00 00 01 00", "00 03 03 D0 00"] {
      guard case .request = try reading.answered(hex(answer)) else {
        Issue.record("expected another request after \(answer)")
        return
      }
    }
    #expect(try reading.answered(hex("00 00 FE 00 00")) == .done(hex("D0 00 00")))
  }

  @Test func type5ErrorIsToldWithItsCode() throws {
    var reading = Type5Reading(uid: hex("E0 04 01 50 11 22 33 44"), limit: .milliseconds(1))
    _ = reading.begin()
    do {
      _ = try reading.answered(hex("01 10"))
      Issue.record("expected an error")
    } catch {
      #expect(error.problem == .refusedByTag(0x10))
    }
  }
}
