import NFCProtocols
import PN53x
import Testing

/// Rules of the dialogue: UM0701-02 6.2.3 as quoted by libnfc and nfcpy, and logs of real readers.
@Suite("Host engine") struct HostEngineTests {
  let version = FirmwareVersion(integratedCircuit: 0x33, version: 2, revision: 7, support: 7)

  @Test("command, acknowledgement, answer") func plainExchange() throws {
    let host = HostDialogue()
    host.perform(.getFirmwareVersion)
    #expect(host.takeSent() == ["02"])
    host.wait(.microseconds(600))
    host.chip("ACK")
    #expect(host.takeOutcome() == nil)
    host.wait(.microseconds(630))
    host.chip("03 33 02 07 07")
    let outcome = try #require(host.takeOutcome())
    #expect(outcome.result == .success(.firmwareVersion(version)))
    #expect(outcome.stamps.sent == .start)
    #expect(outcome.stamps.acknowledged == .start + .microseconds(600))
    #expect(outcome.stamps.answered == .start + .microseconds(1_230))
    #expect(outcome.stamps.commandLength == 9)
    #expect(outcome.stamps.answerLength == 13)
    #expect(host.takeNotes().isEmpty)
    #expect(host.deadline == nil, "an idle engine keeps no timer")
  }

  @Test(
    "the chip that names itself is the chip from then on",
    arguments: [
      ("03 32 01 06 07", Chip.pn532), ("03 33 02 07 07", .pn533), ("03 33 01 30 07", .rcS956),
      ("03 03 04", .pn531),
    ])
  func chipNamesItself(answer: String, chip: Chip) {
    let host = HostDialogue()
    host.perform(.getFirmwareVersion)
    host.chip("ACK", answer)
    #expect(host.engine.chip == chip)
  }

  @Test("without acknowledgement 15 ms after the command has left it is sent again")
  func resend() {
    let host = HostDialogue()
    host.reportsSent = false
    host.perform(.getFirmwareVersion)
    host.wait(milliseconds: 40)
    #expect(host.takeSent() == ["02"], "the 15 ms run from the end of the transfer")
    host.input(.sent)
    host.wait(.microseconds(14_999))
    #expect(host.takeSent().isEmpty)
    host.wait(.microseconds(1))
    #expect(host.takeSent() == ["02"])
    host.input(.sent)
    host.chip("ACK", "03 33 02 07 07")
    #expect(host.takeResponse() == .firmwareVersion(version))
    #expect(host.takeNotes() == [.resent(.getFirmwareVersion, attempt: 2)])
  }

  @Test("what may have been answered twice is waited for before the next command")
  func twoAnswers() {
    let host = HostDialogue()
    host.perform(.readRegister([.txMode]))
    host.wait(milliseconds: 15)
    #expect(host.takeSent() == ["06 63 02", "06 63 02"])
    host.chip("ACK", "07 00 80")
    #expect(host.takeResponse() == .registerValues(.success, [0x80]))
    host.perform(.readRegister([.rxMode]))
    host.wait(milliseconds: 5)
    #expect(host.takeSent().isEmpty)
    host.chip("ACK", "07 00 80")
    host.wait(milliseconds: 19)
    #expect(host.takeSent().isEmpty)
    host.wait(milliseconds: 1)
    #expect(host.takeSent() == ["06 63 03"])
    host.chip("ACK", "07 00 08")
    #expect(host.takeResponse() == .registerValues(.success, [0x08]))
  }

  @Test("a chip that acknowledges nothing is given up after three sendings, and left alone")
  func neverAcknowledged() {
    let host = HostDialogue()
    host.perform(.getFirmwareVersion)
    host.wait(milliseconds: 45)
    #expect(host.takeSent() == ["02", "02", "02", "ACK"])
    let failure = host.takeFailure()
    #expect(
      failure
        == CommandFailure(
          .getFirmwareVersion, in: .acknowledging, waited: .milliseconds(45),
          .link(.notAcknowledged)))
    host.perform(.getGeneralStatus)
    host.wait(milliseconds: 20)
    #expect(host.takeSent() == ["04"])
  }

  @Test("an answer with the right code counts as acknowledgement and answer")
  func answerWithoutAcknowledgement() {
    let host = HostDialogue()
    host.perform(.getFirmwareVersion)
    host.chip("03 33 02 07 07")
    #expect(host.takeResponse() == .firmwareVersion(version))
    #expect(host.takeNotes() == [.acknowledgementMissing(.getFirmwareVersion)])
    host.perform(.getGeneralStatus)
    #expect(host.takeSent() == ["02", "04"])
  }

  @Test(
    "the error frame is a typed error, with and without acknowledgement", arguments: [true, false])
  func errorFrame(isAcknowledged: Bool) {
    let host = HostDialogue()
    host.perform(.diagnose(test: 9, parameters: []))
    if isAcknowledged { host.chip("ACK") }
    host.chip("ERR")
    #expect(host.takeFailure()?.link == .syntaxError)
    #expect(host.takeSent() == ["00 09"])
  }

  @Test("what reads like an acknowledgement but is none is not taken for one")
  func brokenAcknowledgement() {
    let host = HostDialogue()
    let poll = Command.inListPassiveTarget(
      maximum: 1, .feliCa212, initiatorData: [0xFF, 0xFF, 0x00, 0x00])
    host.perform(poll, .unlimited)
    // NXP community 545458
    host.chip("raw 00 00 FF 00 00 D5 00")
    host.wait(milliseconds: 15)
    #expect(host.takeSent().count == 2, "no acknowledgement, so it is sent again")
    #expect(host.takeNotes().first == .corrupt(.emptyFrame, byteCount: 3))
  }

  @Test("a NACK of the chip brings the command again") func chipRefusesFrame() {
    let host = HostDialogue()
    host.perform(.exchange([0x30, 0x04]))
    host.chip("NACK")
    #expect(host.takeSent() == ["40 01 30 04", "40 01 30 04"])
    host.chip("ACK", "41 00 90 00")
    #expect(host.takeResponse() == .data(.inDataExchange, .success, [0x90, 0x00]))
  }

  @Test("a lost answer is asked for once") func lostAnswer() {
    let host = HostDialogue()
    host.perform(.exchange([0x00, 0xB0]), .within(.milliseconds(500)))
    host.chip("ACK")
    host.wait(milliseconds: 500)
    #expect(host.takeSent() == ["40 01 00 B0", "NACK"])
    host.chip("41 00 90 00")
    #expect(host.takeResponse() == .data(.inDataExchange, .success, [0x90, 0x00]))
  }

  @Test("a damaged answer is asked for at once, and only once") func damagedAnswer() {
    let host = HostDialogue()
    host.perform(.exchange([0x00, 0xB0]), .within(.milliseconds(500)))
    host.chip("ACK", "raw 00 00 FF 05 FB D5 41 00 90 01 5A 00")
    #expect(host.takeSent() == ["40 01 00 B0", "NACK"])
    host.chip("raw 00 00 FF 05 FB D5 41 00 90 01 5A 00")
    #expect(host.takeSent().isEmpty)
    host.wait(milliseconds: 500)
    #expect(host.takeSent() == ["ACK"])
    #expect(host.takeFailure()?.link == .damagedAnswer(.dataChecksum))
  }

  @Test("a Sony RC-S956 is never sent a NACK") func sonyHasNoNACK() {
    let host = HostDialogue(HostEngineConfiguration(.usb, chip: .rcS956))
    host.perform(.exchange([0x00, 0xB0]), .within(.milliseconds(500)))
    host.wait(milliseconds: 600)
    #expect(host.takeSent() == ["40 01 00 B0", "ACK"])
    #expect(host.takeFailure()?.link == .notAcknowledged)
  }

  @Test("an extended frame goes out exactly when it must", arguments: [252, 253, 254, 262])
  func extendedFrames(count: Int) {
    let host = HostDialogue()
    let data = [UInt8](repeating: 0x5A, count: count - 1)
    var outputs: [HostOutput] = []
    var engine = host.engine
    engine.step(
      .perform(.exchange(data), .unlimited), at: .start, into: &outputs)
    guard case .send(let bytes)? = outputs.first else {
      Issue.record("nothing was sent")
      return
    }
    #expect((bytes[3] == 0xFF && bytes[4] == 0xFF) == (count > 253))
  }

  @Test(
    "what is too long for the chip is refused before it goes out",
    arguments: [
      (Chip.pn531, 254), (.pn532, 265), (.pn533, 265), (.rcS956, 265),
    ])
  func tooLong(chip: Chip, maximum: Int) {
    for (length, isGood) in [(maximum, true), (maximum + 1, false)] {
      let host = HostDialogue(HostEngineConfiguration(.usb, chip: chip))
      host.perform(.inCommunicateThru([UInt8](repeating: 0, count: length - 2)))
      #expect(host.takeSent().isEmpty != isGood)
      let link = host.takeFailure()?.link
      #expect(
        link == (isGood ? nil : .notEncodable(.bodyTooLong(length: length, maximum: maximum))))
    }
  }

  @Test("commands that the chip does not have are refused") func unknownToTheChip() {
    let host = HostDialogue()
    host.perform(.samConfiguration(mode: 1, timeout: nil, interrupt: nil))
    #expect(host.takeFailure()?.link == .notSupported(.pn533))
    host.perform(.inListPassiveTarget(maximum: 1, .barcode106, initiatorData: []))
    #expect(host.takeFailure()?.link == .notSupported(.pn533))
    #expect(host.takeSent().isEmpty)
  }

  @Test(
    "statuses by what they are about",
    arguments: [
      ("41 01", CommandFailure.Problem.radio(.silence)),
      ("41 02", .radio(.damaged(.crcError))),
      ("41 14", .radio(.authentication)),
      ("41 29", .radio(.released(.releasedByInitiator))),
      ("41 27", .chip(.notAcceptable)),
      ("41 3F", .radio(.unknown(ChipStatus(rawValue: 0x3F)))),
      ("41 C1", .radio(.silence)),
    ])
  func statuses(answer: String, problem: CommandFailure.Problem) {
    let host = HostDialogue()
    host.perform(.exchange([0x30, 0x00]))
    host.chip("ACK", answer)
    let failure = host.takeFailure()
    #expect(failure?.problem == problem)
    #expect(failure?.step == .reading)
  }

  @Test("an unreadable answer is malformed, and the next command goes out") func malformed() {
    let host = HostDialogue()
    host.perform(.poll)
    host.chip("ACK", "4B 02 01 00")
    guard case .malformed? = host.takeFailure()?.link else {
      Issue.record("expected malformed")
      return
    }
    host.perform(.getGeneralStatus)
    #expect(host.takeSent() == ["4A 01 00", "04"])
  }

  @Test("answers that want it are acknowledged, and completed after a pause") func confirmation() {
    let host = HostDialogue(HostEngineConfiguration(.usb, chip: .rcS956))
    host.perform(.alparOrResetMode([0x01]))
    host.chip("ACK", "19")
    #expect(host.takeSent() == ["18 01", "ACK"])
    #expect(host.takeOutcome() == nil)
    host.wait(milliseconds: 10)
    #expect(host.takeResponse() == .done(.alparCommandForTDA))
  }

  @Test("a transfer that never leaves is reported as such") func neverSent() {
    let host = HostDialogue()
    host.reportsSent = false
    host.perform(.getFirmwareVersion)
    host.wait(milliseconds: 1_000)
    let failure = host.takeFailure()
    #expect(failure?.link == .notSent)
    #expect(failure?.step == .sending)
    #expect(failure?.waited == .seconds(1))
  }

  @Test("a refused transfer is tried again, three times in all") func stalled() {
    let host = HostDialogue()
    host.reportsSent = false
    host.perform(.getFirmwareVersion)
    host.input(.stalled)
    host.input(.stalled)
    #expect(host.takeSent() == ["02", "02", "02"])
    host.input(.stalled)
    #expect(host.takeFailure()?.link == .stalled)
  }
}
