import NFCProtocols
import PN53x
import Replay
import TagAccess
import Testing
import VirtualCards

/// A chip that is a card or a DEP target.
@Suite struct TargetModeTests {
  /// 8C with these modes and SEL_RES; SENS_RES 0004, NFCID1 08 12 34 56.
  private static func initialisation(mode: UInt8, selRes: UInt8) -> [UInt8] {
    let feliCa: [UInt8] = [0x01, 0xFE] + [UInt8](repeating: 0x11, count: 6)
    return [0x8C, mode, 0x04, 0x00, 0x12, 0x34, 0x56, selRes] + feliCa
      + [UInt8](repeating: 0x22, count: 8) + [0xFF, 0xFF] + [UInt8](repeating: 0x33, count: 10)
      + [0x00, 0x00]
  }

  private func readerResult(_ host: ReaderDialogue) -> TagReadResult? {
    guard case .success(let result)? = (host.reader.inField as? TagReader)?.result else {
      return nil
    }
    return result
  }

  // MARK: PICC mode

  // firmware-notes/pn53x/picc-mode.md
  @Test func pn532IsAType4TagForAReader() throws {
    var host = ReaderDialogue(
      .pn532(), terminal: TagReader(TagReaderConfiguration([.a])))
    #expect(host.send("12 34") == "13")
    #expect(host.send(Self.initialisation(mode: 0x05, selRes: 0x20)) == [0x8D, 0x08, 0xE0, 0x80])
    var tag = Type4Application(ndefMessage: SampleCards.message)
    var rounds = 0
    while true {
      let data = host.send([0x86])
      guard data.starts(with: [0x87, 0x00]) else {
        // The reader takes leave by S(DESELECT).
        #expect(data == [0x87, 0x29])
        break
      }
      rounds += 1
      #expect(host.send([0x8E] + tag.respond(to: Array(data.dropFirst(2))).bytes) == [0x8F, 0x00])
    }
    #expect(rounds == 6)
    let result = try #require(readerResult(host))
    #expect(result.raw == SampleCards.message)
    #expect(result.tag.identifier == [0x08, 0x12, 0x34, 0x56])
    // ATS of PICC mode: 75 33 92 03.
    let text = String(decoding: host.reader.log.text, as: UTF8.self)
    #expect(text.contains("air < 0575339203"))
  }

  @Test func slowHostIsCoveredByWaitingTimeExtensions() throws {
    var host = ReaderDialogue(
      .pn532(latency: .zero), terminal: TagReader(TagReaderConfiguration([.a])))
    _ = host.send("12 34")
    _ = host.send(Self.initialisation(mode: 0x04, selRes: 0x20))
    #expect(host.send("86").hasPrefix("87 00 00 A4 04 00 07 D2"))
    host.reader.advance(to: host.reader.now + .seconds(2))
    #expect(host.send("8E 90 00") == "8F 00")
    #expect(host.send("86").hasPrefix("87 00 00 A4"))
    let text = String(decoding: host.reader.log.text, as: UTF8.self)
    #expect(text.contains("air < f201"))
  }

  /// S16, S17: the phone leaves at some step.
  @Test func fieldLossIsTold() throws {
    for step in 0..<3 {
      var host = ReaderDialogue(
        .pn532(latency: .zero), terminal: TagReader(TagReaderConfiguration([.a])))
      _ = host.send("12 34")
      _ = host.send(Self.initialisation(mode: 0x05, selRes: 0x20))
      if step == 0 { host.reader.removeCard(at: host.reader.now) }
      if step > 0 { #expect(host.send("86").hasPrefix("87 00")) }
      if step == 1 { host.reader.removeCard(at: host.reader.now) }
      if step > 0 { #expect(host.send("8E 90 00") == (step == 1 ? "8F 29" : "8F 00")) }
      if step == 2 { host.reader.removeCard(at: host.reader.now) }
      #expect(host.send("86") == "87 29", "step \(step)")
      #expect(host.send("8A") == "8B 00 00")
      // The next session begins anew.
      host.reader.insert(
        terminal: TagReader(TagReaderConfiguration([.a])), at: host.reader.now)
      #expect(host.send(Self.initialisation(mode: 0x05, selRes: 0x20)).first == 0x8D)
      #expect(host.send("86").hasPrefix("87 00 00 A4 04 00 07"))
    }
  }

  @Test func statusTellsTheState() throws {
    var host = ReaderDialogue(
      .pn532(latency: .zero), terminal: TagReader(TagReaderConfiguration([.a])))
    #expect(host.send("8A") == "8B 00 00")
    _ = host.send("12 34")
    _ = host.send(Self.initialisation(mode: 0x05, selRes: 0x20))
    #expect(host.send("8A") == "8B 81 00")
    #expect(host.send("04") == "05 00 01 00 00")
    #expect(host.send("88") == "89 27")
    #expect(host.send("90 00") == "91 27")
    #expect(host.send("96 00") == "7F")
    // Without a command there is nothing to answer.
    #expect(host.send("86").hasPrefix("87 00"))
    #expect(host.send("8E 6D 00") == "8F 00")
    #expect(host.send("8E 6D 00") == "8F 25")
  }

  @Test func dataOfManyPartsIsJoined() throws {
    let command = [UInt8](repeating: 0x5A, count: 300)
    var lines = ScriptedInitiator.activation([0x08, 0x12, 0x34, 0x56])
    func say(_ content: [UInt8]) {
      lines.append(
        ScriptedInitiator.Line(frame: .protected(content, .a), pause: .milliseconds(1)))
    }
    say([0xE0, 0x80])
    for start in stride(from: 0, to: 300, by: 60) {
      let isLast = start + 60 >= 300
      let number = UInt8(start / 60 % 2)
      // CID 0 stands in every block: the ATS says that the chip takes it, and RATS gave it.
      say([(isLast ? 0x02 : 0x12) | number] + command[start..<(start + 60)])
    }
    var host = ReaderDialogue(.pn532(latency: .zero), terminal: ScriptedInitiator(lines))
    _ = host.send("12 34")
    #expect(host.send(Self.initialisation(mode: 0x05, selRes: 0x20)) == [0x8D, 0x08, 0xE0, 0x80])
    let first = host.send([0x86])
    #expect(first == [0x87, 0x40] + command.prefix(262))
    #expect(host.send([0x86]) == [0x87, 0x00] + command.dropFirst(262))
    #expect(host.send([0x94] + [UInt8](repeating: 1, count: 100)) == [0x95, 0x00])
    #expect(host.send([0x8E] + [UInt8](repeating: 2, count: 100)) == [0x8F, 0x00])
    let initiator = try #require(host.reader.inField as? ScriptedInitiator)
    #expect(initiator.answers.last?.bytes.count == 1 + 200 + 2)
  }

  // MARK: Frames

  /// firmware-notes/pn53x/no-picc-mode-on-pn533.md: the host answers RATS and blocks itself.
  @Test func pn533IsAType4TagByItsHost() throws {
    var host = ReaderDialogue(
      .pn533(latency: .zero), terminal: TagReader(TagReaderConfiguration([.a])))
    #expect(host.send(Self.initialisation(mode: 0x05, selRes: 0x20)) == [0x7F])
    #expect(host.send(Self.initialisation(mode: 0x01, selRes: 0x20)) == [0x8D, 0x00, 0xE0, 0x80])
    #expect(host.send("90 05 78 80 70 02") == "91 00")
    var tag = Type4Application(ndefMessage: SampleCards.message)
    var number: UInt8 = 0
    while true {
      let answer = host.send([0x88])
      guard answer.starts(with: [0x89, 0x00]), answer.count > 2 else {
        Issue.record("no block: \(answer)")
        break
      }
      let block = Array(answer.dropFirst(2))
      if block == [0xC2] {
        #expect(host.send("90 C2") == "91 00")
        break
      }
      #expect(block[0] == 0x02 | number)
      let response = tag.respond(to: Array(block.dropFirst())).bytes
      #expect(host.send([0x90, 0x02 | number] + response) == [0x91, 0x00])
      number ^= 1
    }
    #expect(try #require(readerResult(host)).raw == SampleCards.message)
  }

  // S19, firmware-notes/pn53x/endless-crc-errors-after-field-loss.md
  @Test func peerGoneAnswers02AtOnceForEver() throws {
    var host = ReaderDialogue(.pn533(), terminal: TagReader(TagReaderConfiguration([.a])))
    _ = host.send(Self.initialisation(mode: 0x01, selRes: 0x20))
    host.reader.removeCard(at: host.reader.now)
    for _ in 0..<50 {
      let start = host.reader.now
      #expect(host.send("88") == "89 02")
      #expect(host.reader.now - start < .milliseconds(2))
    }
    // The way out: 8A or the field register.
    #expect(host.send("8A") == "8B 00 00")
    #expect(host.send("90 C2") == "91 02")
    #expect(host.send("32 01 02") == "33")
    #expect(host.send("88") == "89 27")
  }

  @Test func implicitAbortOfAWaitingTarget() throws {
    var host = ReaderDialogue(.pn533(latency: .zero))
    #expect(host.send(Self.initialisation(mode: 0x01, selRes: 0x20)) == [])
    #expect(host.reader.isListening)
    #expect(host.send("32 01 02") == "33")
    #expect(!host.reader.isListening)
    #expect(host.send("88") == "89 27")
  }

  @Test func readerThatPollsAnewIsToldAsRelease() throws {
    var lines = ScriptedInitiator.activation([0x08, 0x12, 0x34, 0x56])
    lines.append(
      ScriptedInitiator.Line(
        frame: .protected([0x30, 0x00], .a), pause: .milliseconds(1), hasAnswer: false))
    lines.append(
      ScriptedInitiator.Line(
        frame: .protected([0x50, 0x00], .a), pause: .milliseconds(20), hasAnswer: false))
    var host = ReaderDialogue(.pn533(latency: .zero), terminal: ScriptedInitiator(lines))
    #expect(
      host.send(Self.initialisation(mode: 0x00, selRes: 0x00)) == [0x8D, 0x00, 0x30, 0x00])
    #expect(host.send("88") == "89 29")
    #expect(host.send("90 00") == "91 29")
    #expect(host.send("8A") == "8B 02 00")
  }

  @Test func damagedFrameIsACRCError() throws {
    var lines = ScriptedInitiator.activation([0x08, 0x12, 0x34, 0x56])
    lines.append(
      ScriptedInitiator.Line(
        frame: .protected([0x30, 0x00], .a), pause: .milliseconds(1), hasAnswer: false))
    let broken = RadioFrame([0x30, 0x04, 0x00, 0x00], technology: .a, crc: .bad)
    lines.append(
      ScriptedInitiator.Line(frame: broken, pause: .milliseconds(20), hasAnswer: false))
    var host = ReaderDialogue(.pn533(latency: .zero), terminal: ScriptedInitiator(lines))
    _ = host.send(Self.initialisation(mode: 0x00, selRes: 0x00))
    #expect(host.send("88") == "89 02")
  }

  // MARK: DEP

  @Test func attributeRequestIsAnsweredByTheChipIfToldSo() throws {
    let request: [UInt8] = [0xD4, 0x00] + [UInt8](repeating: 0x44, count: 10) + [0, 0, 0, 0x30]
    let framed = [0xF0, UInt8(request.count + 1)] + request
    var lines = ScriptedInitiator.activation([0x08, 0x12, 0x34, 0x56])
    lines.append(
      ScriptedInitiator.Line(frame: .protected(framed, .a), pause: .milliseconds(1)))
    var host = ReaderDialogue(.pn532(latency: .zero), terminal: ScriptedInitiator(lines))
    _ = host.send("12 04")
    let answer = host.send(Self.initialisation(mode: 0x02, selRes: 0x40))
    #expect(answer == [0x8D, 0x04] + framed.dropFirst())
    host.reader.advance(to: host.reader.now + .milliseconds(10))
    let initiator = try #require(host.reader.inField as? ScriptedInitiator)
    let response = try #require(initiator.answers.last).content()
    #expect(Array(response.prefix(4)) == [0xF0, 0x12, 0xD5, 0x01])
    #expect(response.dropFirst(4).prefix(10).allSatisfy { $0 == 0x33 })
    // DEP itself is the host's: TgGetData is not for it.
    #expect(host.send("86") == "87 25")
  }

  @Test func feliCaInitiatorIsAnsweredAndActivates() throws {
    let poll: [UInt8] = [0x06, 0x00, 0xFF, 0xFF, 0x01, 0x00]
    let command: [UInt8] = [0x0A, 0x04] + [UInt8](repeating: 0x11, count: 8)
    let lines = [
      ScriptedInitiator.Line(
        frame: .protected(poll, .f, kilobitsPerSecond: 424), pause: .milliseconds(1)),
      ScriptedInitiator.Line(
        frame: .protected(command, .f, kilobitsPerSecond: 424), pause: .milliseconds(1)),
    ]
    var host = ReaderDialogue(.pn533(latency: .zero), terminal: ScriptedInitiator(lines))
    let answer = host.send(Self.initialisation(mode: 0x00, selRes: 0x40))
    #expect(answer == [0x8D, 0x22] + command)
    #expect(host.send("8A") == "8B 01 22")
    #expect(host.send("90 0B 05 11 11 11 11 11 11 11 11 00") == "91 00")
    let initiator = try #require(host.reader.inField as? ScriptedInitiator)
    #expect(
      initiator.answers.first?.content(assuming: .f)
        == [
          0x14, 0x01, 0x01, 0xFE, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22,
          0x22, 0x22, 0x22, 0x22, 0xFF, 0xFF,
        ])
    #expect(initiator.answers.count == 2)
  }

  @Test func limitsOfTgInitAsTarget() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    let whole = Self.initialisation(mode: 0x00, selRes: 0x20)
    #expect(host.send(Array(whole.dropLast())) == [0x7F])
    var general = whole
    general[whole.count - 2] = 47
    general.insert(contentsOf: [UInt8](repeating: 1, count: 47), at: whole.count - 1)
    #expect(host.send(general) == [])
    #expect(host.send("92 01 02") == "93 27")
    var tooMany = whole
    tooMany[whole.count - 2] = 48
    tooMany.insert(contentsOf: [UInt8](repeating: 1, count: 48), at: whole.count - 1)
    #expect(host.send(tooMany) == [0x7F])
    var unknownMode = whole
    unknownMode[1] = 0x08
    #expect(host.send(unknownMode) == [0x7F])
  }
}
