import NFCProtocols
import PN53x
import Testing

/// What is said to a reader when it is opened and closed (pn53x notes; libnfc and nfcpy).
@Suite("Opening and closing a reader") struct LinkPlanTests {
  /// Plays a plan against a chip that answers each body by `answer`; gives all that was sent.
  private func play(
    _ plan: inout LinkPlan, on host: HostDialogue, answer: (String) -> String?
  ) -> (sent: [String], last: LinkPlan.Move) {
    var sent: [String] = []
    var move = plan.begin()
    while case .inputs(let inputs) = move {
      for input in inputs { host.input(input) }
      for _ in 0..<40 where host.outcomes.isEmpty {
        for text in host.takeSent() {
          sent.append(text)
          if let reply = answer(text.replacing("wake ", with: "")) { host.chip("ACK", reply) }
        }
        if host.outcomes.isEmpty { host.wait(milliseconds: 25) }
      }
      sent += host.takeSent()
      guard let outcome = host.takeOutcome() else {
        Issue.record("no outcome")
        return (sent, move)
      }
      move = plan.completed(outcome)
    }
    return (sent, move)
  }

  private func chip(_ version: String) -> (String) -> String? {
    { text in
      switch text.prefix(2) {
      case "02": "03 " + version
      case "04": "05 00 00 00"
      case "52": "53 00"
      case "AC": nil
      default: Hexadecimal.pairs([(Hexadecimal.bytes(of: String(text.prefix(2)))?[0] ?? 0) + 1])
      }
    }
  }

  @Test("PN533: cleared, a throw-away version, a known state") func pn533() {
    var plan = LinkPlan.opening(.usb)
    let (sent, last) = play(&plan, on: HostDialogue(), answer: chip("33 02 07 07"))
    #expect(last == .done)
    #expect(
      sent == [
        "ACK", "02", "02", "12 14", "32 01 00", "32 02 00 0B 0A", "32 04 00", "32 05 00 01 02",
      ])
    #expect(plan.firmware?.chip == .pn533)
    #expect(plan.settings.timing(of: .poll) != .unlimited, "retries are finite now")
  }

  @Test("PN532 on a serial line: woken, then taken out of its low-power state") func pn532() {
    var plan = LinkPlan.opening(.serial(baud: 115_200))
    let (sent, last) = play(&plan, on: HostDialogue(.serial), answer: chip("32 01 06 07"))
    #expect(last == .done)
    #expect(sent.prefix(5) == ["ACK", "wake 02", "02", "14 01 00 00", "12 14"])
  }

  @Test("PN531: a version of two bytes") func pn531() {
    var plan = LinkPlan.opening(.usb)
    let (sent, last) = play(&plan, on: HostDialogue(), answer: chip("04 02"))
    #expect(last == .done)
    #expect(sent.contains("14 01 00"))
    #expect(plan.firmware?.chip == .pn531)
  }

  @Test("RC-S956: ResetMode, acknowledged, before anything else") func rcS956() {
    var plan = LinkPlan.opening(.usb)
    let (sent, last) = play(&plan, on: HostDialogue(), answer: chip("33 01 30 07"))
    #expect(last == .done)
    #expect(sent.prefix(6) == ["ACK", "02", "02", "18 01", "ACK", "12 14"])
  }

  @Test("S3: the throw-away command may fail, the second may not") func firstAnswerLost() {
    var plan = LinkPlan.opening(.usb)
    var commands = 0
    let answers = chip("33 02 07 07")
    let (_, last) = play(&plan, on: HostDialogue()) { text in
      if text == "02" { commands += 1 }
      return commands <= 3 && text == "02" ? nil : answers(text)
    }
    #expect(last == .done)
    var silent = LinkPlan.opening(.usb)
    let (_, end) = play(&silent, on: HostDialogue()) { _ in nil }
    guard case .failed(let failure) = end else {
      Issue.record("a silent reader was opened")
      return
    }
    #expect(failure.link == .notAcknowledged)
  }

  @Test("closing: released, field off, descriptors repaired") func closing() {
    var plan = LinkPlan.closing(.usb, chip: .pn533, repair: .scl3711)
    let (sent, last) = play(&plan, on: HostDialogue(), answer: chip("33 02 07 07"))
    #expect(last == .done)
    #expect(sent.dropLast() == ["ACK", "52 00", "32 01 00"])
    let repair = hex(sent.last ?? "")
    #expect(repair.count == 19 + 61)
    #expect(Array(repair.prefix(19)) == [0x02] + [UInt8](repeating: 0, count: 18))
    #expect(repair.dropFirst(19).prefix(9) == hex("09 02 20 00 01 01 00 80 32")[...])
  }

  @Test(
    "S5: descriptors are 61 bytes as the readers have them",
    arguments: [
      (DescriptorImage.scl3711, "07 05 84 02 40 00 04 1E 03 53 00 43 00", "52 00 57"),
      (.pn533, "07 05 84 02 40 00 04 0C 03 50 00 4E 00", "50 00 00 00 00 00 00"),
      (.logo, "07 05 84 02 40 00 04 0A 03 4C 00 6F 00", "00 00 00 00 00 00 00"),
    ])
  func images(image: DescriptorImage, middle: String, end: String) {
    #expect(image.bytes.count == 61)
    #expect(Hexadecimal.pairs(image.bytes).contains(middle))
    #expect(Hexadecimal.pairs(image.bytes).hasSuffix(end))
  }

  @Test("S5: 17 bytes out and 16 bytes in do no harm, one more does") func spoilt() {
    for (count, isSpoilt) in [(17, false), (18, true)] {
      let host = HostDialogue()
      host.perform(.inCommunicateThru([UInt8](repeating: 0, count: count - 1)))
      host.chip("ACK", "43 00")
      #expect(host.engine.mayHaveSpoiltDescriptors == isSpoilt)
    }
    for (count, isSpoilt) in [(16, false), (17, true)] {
      let host = HostDialogue()
      host.perform(.inCommunicateThru([0x30, 0x00]))
      host.chip("ACK", "43 00" + String(repeating: " 5A", count: count - 1))
      #expect(host.engine.mayHaveSpoiltDescriptors == isSpoilt)
      host.perform(DescriptorImage.scl3711.repair)
      host.chip("ACK", "03 33 02 07 07")
      #expect(!host.engine.mayHaveSpoiltDescriptors)
    }
  }

  @Test("closing an RC-S956: only what it holds is released", arguments: [true, false])
  func closingSony(holdsTarget: Bool) {
    var plan = LinkPlan.closing(.usb, chip: .rcS956)
    let answers = chip("33 01 30 07")
    let host = HostDialogue(HostEngineConfiguration(.usb, chip: .rcS956))
    let (sent, last) = play(&plan, on: host) { text in
      switch text {
      case "04": holdsTarget ? "05 00 00 01 01 00 00 00" : "05 00 00 00"
      case "44 01 01": "45 01 00"
      case "52 01 01": "53 01 00"
      default: answers(text)
      }
    }
    #expect(last == .done)
    #expect(
      sent == ["ACK", "04"] + (holdsTarget ? ["44 01 01", "52 01 01"] : []) + ["32 01 00"])
  }
}

@Suite("Time limits of commands") struct ChipSettingsTests {
  @Test("after power-on the chip polls for ever, after RFConfiguration it does not") func polling()
  {
    var settings = ChipSettings()
    #expect(settings.timing(of: .poll) == .unlimited)
    settings.done(.rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: 2)))
    #expect(settings.timing(of: .poll) == .within(.milliseconds(1_150)))
    settings.done(.rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: 0xFE)))
    #expect(settings.timing(of: .poll).limit != nil)
    settings.done(.rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: 0xFF)))
    #expect(settings.timing(of: .poll) == .unlimited)
  }

  @Test("a raw exchange takes as long as the chip was told, and no limit means none")
  func rawExchange() {
    var settings = ChipSettings()
    let raw = Command.inCommunicateThru([0x30, 0x04])
    #expect(settings.timing(of: raw) == .within(.microseconds(51_200 + 200_000)))
    settings.done(
      .rfConfiguration(.timings(0, atrResponse: .init(rawValue: 0x0B), retry: .maximum)))
    #expect(settings.timing(of: raw) == .within(.microseconds(3_276_800 + 200_000)))
    settings.done(
      .rfConfiguration(
        .timings(0, atrResponse: .init(rawValue: 0x0B), retry: .init(rawValue: 0))))
    #expect(settings.timing(of: raw) == .unlimited)
  }

  @Test("S15: an APDU may take all extensions that a card asks for") func isoDep() {
    let timing = ChipSettings().timing(
      of: .exchange([0x80, 0x10]), waitingTime: .milliseconds(309))
    guard case .within(let limit) = timing else {
      Issue.record("expected a limit")
      return
    }
    #expect(limit > .milliseconds(59 * 309), "one extension by 59")
  }

  @Test("target mode waits for ever") func targetMode() {
    #expect(ChipSettings().timing(of: .tgGetData) == .unlimited)
    #expect(ChipSettings().timing(of: .tgGetInitiatorCommand) == .unlimited)
    #expect(ChipSettings().timing(of: .tgResponseToInitiator([])).limit == .seconds(1))
  }
}
