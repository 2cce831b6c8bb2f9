import NFCProtocols
import PN53x
import TagAccess
import Testing

/// A chip as a card; S16, S17 and S19 are the ids of public reports.
@Suite("Cards through target mode") struct TargetModeTests {
  static let message: [UInt8] = [0xD1, 0x01, 0x02, 0x54, 0x65, 0x6E]
  static let selectApplication = "00 A4 04 00 07 D2 76 00 00 85 01 01 00"

  // MARK: PICC mode of a PN532

  private func picc(_ card: NDEFCard = NDEFCard(bytes: message)) -> AgendaDialogue<
    PICCTarget<NDEFCard>
  > { AgendaDialogue(PICCTarget(card), chip: .pn532) }

  private let initAsTarget =
    "8C 04 04 00 11 22 33 20" + String(repeating: " 00", count: 18 + 10 + 2)

  @Test("S16: a session as logged: activation, SELECT, an unknown instruction") func session() {
    let chip = picc()
    chip.expect("12 34", reply: "13")
    chip.expect(initAsTarget, reply: "8D 08 E0 80")
    chip.expect("86", reply: "87 00 90 60 00 00 00")
    chip.expect("8E 6E 00", reply: "8F 00")
    chip.expect("86", reply: "87 00 " + Self.selectApplication)
    chip.expect("8E 90 00", reply: "8F 00")
    // SELECT of the same application may come twice.
    chip.expect("86", reply: "87 00 " + Self.selectApplication)
    chip.expect("8E 90 00", reply: "8F 00")
    #expect(chip.wants == "86")
  }

  @Test(
    "S16: 29, 13, 0A and 31 are no errors: the chip becomes a target again",
    arguments: [
      "29", "13", "0A", "31", "2F", "25",
    ])
  func restarted(status: String) {
    let chip = picc()
    chip.reply("13")
    chip.expect(initAsTarget, reply: "8D 08 E0 80")
    chip.expect("86", reply: "87 \(status)")
    chip.expect(initAsTarget, reply: "8D 08 E0 80")
    chip.expect("86", reply: "87 00 " + Self.selectApplication)
    #expect(chip.agenda.failure == nil)
    #expect(chip.agenda.sessions == 2)
  }

  @Test("S17: the answer of a lost session is dropped, and nothing is selected any more")
  func lateAnswer() {
    let chip = picc(NDEFCard(bytes: Self.message, processing: .milliseconds(90)))
    chip.reply("13")
    chip.reply("8D 08 E0 80")
    chip.expect("86", reply: "87 00 " + Self.selectApplication)
    chip.wake()
    chip.expect("8E 90 00", reply: "8F 00")
    chip.expect("86", reply: "87 00 00 B0 00 00 02")
    chip.wake()
    #expect(chip.wants.hasPrefix("8E"))
    chip.reply("8F 29")
    chip.expect(initAsTarget, reply: "8D 08 E0 80")
    chip.expect("86", reply: "87 00 00 B0 00 00 02")
    chip.wake()
    chip.expect("8E 69 85", reply: "8F 00")
    #expect(chip.agenda.droppedAnswers == 1)
  }

  @Test("S19: quick CRC errors end the session, and never spin") func peerGone() {
    let chip = picc()
    chip.reply("13")
    chip.reply("8D 08 E0 80")
    for _ in 0..<3 { chip.expect("86", reply: "87 02", after: .microseconds(1_360)) }
    chip.expect("8A", reply: "8B 00 00")
    #expect(chip.wants == initAsTarget)
  }

  @Test("a slow CRC error is a damaged frame: the next one is waited for") func damagedFrame() {
    let chip = picc()
    chip.reply("13")
    chip.reply("8D 08 E0 80")
    for _ in 0..<10 { chip.expect("86", reply: "87 02", after: .milliseconds(16)) }
    #expect(chip.wants == "86")
  }

  @Test("a reader that activates and says nothing, over and over, is met ever more slowly")
  func emptySessions() {
    let chip = picc()
    chip.reply("13")
    for _ in 0..<4 {
      chip.expect(initAsTarget, reply: "8D 08 E0 80")
      chip.expect("86", reply: "87 29")
    }
    #expect(chip.wants == "rest")
    #expect((chip.rest ?? .start) - chip.now == .milliseconds(50))
    chip.wake()
    #expect(chip.wants == initAsTarget)
  }

  @Test("long answers go in parts, long commands come in parts") func parts() {
    struct Echo: EmulatedCard {
      mutating func respond(to command: [UInt8]) -> EmulatedAnswer { EmulatedAnswer(command) }
    }
    let chip = AgendaDialogue(PICCTarget(Echo()), chip: .pn532)
    chip.reply("13")
    chip.reply("8D 08 E0 80")
    let part = [UInt8](repeating: 0x5A, count: 262)
    chip.expect("86", reply: "87 40 " + Hexadecimal.pairs(part))
    chip.expect("86", reply: "87 00 01")
    chip.expect("94 " + Hexadecimal.pairs(part), reply: "95 00")
    chip.expect("8E 01", reply: "8F 00")
    #expect(chip.wants == "86")
  }

  @Test("cancelled: the agenda ends, and says that it was cancelled") func cancelled() {
    let chip = picc()
    chip.reply("13")
    chip.cancel()
    #expect(chip.isDone)
    #expect(chip.agenda.failure?.link == .cancelled)
  }

  // MARK: Software ISO-DEP (PN533)

  private func software(
    _ card: CardEmulator = CardEmulator(NDEFCard(bytes: message)), limit: Int = .max
  ) -> AgendaDialogue<TargetRadio<CardEmulator>> {
    AgendaDialogue(TargetRadio(card, chip: .pn533, sessionLimit: limit))
  }

  private let initPassive =
    "8C 01 04 00 11 22 33 20" + String(repeating: " 00", count: 18 + 10 + 2)

  @Test("the card answers RATS, blocks and DESELECT; the chip did the rest") func softwareSession()
  {
    let chip = software(limit: 1)
    chip.expect("12 10", reply: "13")
    chip.expect(initPassive, reply: "8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 00")
    chip.expect("88", reply: "89 00 02 " + Self.selectApplication)
    chip.expect("90 02 90 00", reply: "91 00")
    chip.expect("88", reply: "89 00 03 00 A4 00 0C 02 E1 03")
    chip.expect("90 03 90 00", reply: "91 00")
    chip.expect("88", reply: "89 00 C2")
    chip.expect("90 C2", reply: "91 00")
    chip.expect("88", reply: "89 29")
    #expect(chip.isDone)
    #expect(chip.agenda.failure == nil)
  }

  @Test("a frame that the card does not answer is followed by the next one") func silence() {
    let chip = software()
    chip.reply("13")
    chip.expect(initPassive, reply: "8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 00")
    chip.expect("88", reply: "89 00 FF FF")
    #expect(chip.wants == "88")
  }

  @Test("a slow card asks for more time on the air, and gets it") func waitingTimeExtension() {
    var configuration = CardEmulatorConfiguration()
    configuration.waiting = .standard
    let card = CardEmulator(
      NDEFCard(bytes: Self.message, processing: .milliseconds(60)), configuration: configuration)
    let chip = software(card)
    chip.reply("13")
    chip.expect(initPassive, reply: "8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 00")
    chip.expect("88", reply: "89 00 02 " + Self.selectApplication)
    chip.wake()
    chip.expect("90 F2 01", reply: "91 00")
    chip.expect("88", reply: "89 00 F2 01")
    chip.wake()
    chip.expect("90 02 90 00", reply: "91 00")
  }

  @Test("S16: released before RATS was even answered") func releasedAtOnce() {
    let chip = software()
    chip.reply("13")
    chip.expect(initPassive, reply: "8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 29")
    #expect(chip.wants == initPassive)
  }

  @Test("S17: an application that answers after the link was lost is not heard")
  func lateApplication() {
    let chip = software(CardEmulator())
    chip.reply("13")
    chip.reply("8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 00")
    chip.expect("88", reply: "89 00 02 " + Self.selectApplication)
    #expect(chip.wants == "rest", "more time will be asked for")
    chip.wake()
    chip.expect("90 F2 01", reply: "91 31")
    chip.expect(initPassive, reply: "8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 00")
    chip.agenda.application([0x6A, 0x82], at: chip.now)
    chip.expect("88", reply: "89 00 02 " + Self.selectApplication)
    chip.agenda.application([0x90, 0x00], at: chip.now)
    chip.resume()
    #expect(chip.wants == "90 02 90 00")
    #expect(chip.agenda.card.droppedAnswers == 1)
  }

  @Test("S19: the peer is gone, 02 at once and for ever") func softwarePeerGone() {
    let chip = software()
    chip.reply("13")
    chip.reply("8D 00 E0 80")
    chip.expect("90 05 78 80 71 00", reply: "91 00")
    for _ in 0..<3 { chip.expect("88", reply: "89 02", after: .microseconds(1_360)) }
    chip.expect("8A", reply: "8B 01 00")
    #expect(chip.wants == initPassive)
  }
}
