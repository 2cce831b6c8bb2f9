import NFCProtocols
import PN53x
import Testing

/// Aborts, late answers and unplugging; S1 … S6 are the ids of public reports.
@Suite("Host engine: recovery") struct HostEngineRecoveryTests {
  @Test("S1: the late answer of an abandoned poll goes to nobody", arguments: [0, 1, 10])
  func abandonedPoll(late: Int64) {
    let host = HostDialogue()
    host.perform(.poll, .patience(.milliseconds(300)))
    host.chip("ACK")
    host.wait(milliseconds: 300)
    #expect(host.takeSent() == ["4A 01 00", "ACK"], "an abort, and no NACK")
    #expect(host.takeFailure()?.link == .notAnswered)
    let next = Command.inListPassiveTarget(maximum: 1, .typeB106, initiatorData: [0])
    host.perform(next, .patience(.milliseconds(300)))
    host.wait(milliseconds: late)
    host.chip("4B 01 01 00 04 08 04 DE AD BE EF")
    host.wait(milliseconds: 19)
    #expect(host.takeSent().isEmpty, "20 ms of silence come first")
    host.wait(milliseconds: 1)
    #expect(host.takeSent() == ["4A 01 03 00"])
    host.chip("ACK", "4B 00")
    #expect(host.takeResponse() == .passiveTargets([]))
    let late = HostNote.lateAnswer([0xD5] + hex("4B 01 01 00 04 08 04 DE AD BE EF"))
    #expect(host.takeNotes() == [.aborted(.inListPassiveTarget), late, .cleared(frames: 1)])
  }

  @Test(
    "S1: later than the silence, in one transfer with the next acknowledgement",
    arguments: [
      true, false,
    ])
  func veryLate(isMerged: Bool) {
    let host = HostDialogue()
    host.perform(.poll, .patience(.milliseconds(300)))
    host.chip("ACK")
    host.wait(milliseconds: 320)
    _ = host.takeOutcome()
    host.perform(.poll, .patience(.milliseconds(300)))
    let late = "4B 01 01 00 04 08 04 DE AD BE EF"
    if isMerged {
      host.chip(merged: late, "ACK")
    } else {
      host.chip(late, "ACK")
    }
    #expect(host.takeOutcome() == nil)
    host.chip("4B 00")
    #expect(host.takeResponse() == .passiveTargets([]))
  }

  @Test("S3: the acknowledgement of the first command is lost") func dataToggle() {
    let host = HostDialogue()
    host.input(.clearLink)
    #expect(host.takeSent() == ["ACK"])
    host.perform(.getFirmwareVersion)
    host.wait(milliseconds: 20)
    #expect(host.takeSent() == ["02"])
    host.chip("03 33 02 07 07")
    #expect(host.takeResponse() != nil)
    host.perform(.getFirmwareVersion)
    host.chip("ACK", "03 33 02 07 07")
    #expect(host.takeResponse() != nil)
  }

  @Test("S4: a command that comes too early after an abort is sent again") func deafAfterAbort() {
    let host = HostDialogue(.serial)
    let target = TargetModeParameters(
      mode: 5, sensRes: 0x0004, nfcid1: [0xB0, 0x0B, 0x20], selRes: 0x20,
      feliCa: [UInt8](repeating: 0, count: 18), nfcid3: [UInt8](repeating: 0, count: 10))
    host.perform(.tgInitAsTarget(target), .unlimited)
    host.chip("ACK")
    host.wait(milliseconds: 5_000)
    host.input(.cancel)
    #expect(host.takeFailure()?.link == .cancelled)
    #expect(host.takeSent().last == "ACK")
    host.perform(.inDeselect(TargetReference(0)))
    host.wait(milliseconds: 9)
    #expect(host.takeSent().isEmpty, "10 ms pass at least")
    host.wait(milliseconds: 11)
    #expect(host.takeSent() == ["wake 44 00"])
    host.wait(milliseconds: 40)
    #expect(host.takeSent() == ["44 00"])
    host.chip("ACK", "45 00")
    #expect(host.takeResponse() != nil)
  }

  @Test("S6: the answer comes before the end of the transfer that asked for it")
  func answerBeforeSent() {
    let host = HostDialogue()
    host.reportsSent = false
    host.perform(.getFirmwareVersion)
    host.chip("ACK", "03 33 02 07 07")
    #expect(host.takeResponse() != nil)
    #expect(host.takeNotes() == [.answeredBeforeSent(.getFirmwareVersion)])
    host.input(.sent)
    host.perform(.getGeneralStatus)
    host.wait(milliseconds: 20)
    #expect(host.takeSent() == ["02", "04"], "the end of 02 is not taken for that of 04")
    host.input(.sent)
    host.wait(milliseconds: 15)
    #expect(host.takeSent() == ["04"])
  }

  @Test("unplugged in any phase: each command ends once, later ones at once", arguments: 0...4)
  func unplugged(phase: Int) {
    let host = HostDialogue()
    host.reportsSent = phase > 0
    host.perform(.poll, .patience(.milliseconds(300)))
    if phase >= 2 { host.chip("ACK") }
    if phase >= 3 {
      host.wait(milliseconds: 300)
      _ = host.takeOutcome()
    }
    if phase == 4 { host.perform(.getFirmwareVersion) }
    host.input(.linkEnded)
    host.input(.linkEnded)
    host.input(.sent)
    host.input(.timer)
    #expect(host.takeFailure()?.link == (phase == 3 ? nil : .ended))
    host.perform(.getFirmwareVersion)
    #expect(host.takeFailure()?.link == .ended)
    #expect(host.engine.hasEnded)
  }

  @Test("cancelled in any phase: one abort, and the next command after 20 ms", arguments: 0...2)
  func cancelled(phase: Int) {
    let host = HostDialogue()
    host.reportsSent = phase > 0
    host.perform(.tgGetInitiatorCommand, .unlimited)
    if phase == 2 { host.chip("ACK") }
    host.wait(milliseconds: 10)
    host.input(.cancel)
    #expect(host.takeFailure()?.link == .cancelled)
    host.input(.cancel)
    #expect(host.takeOutcome() == nil)
    host.reportsSent = true
    if phase == 0 {
      host.input(.sent)
      host.input(.sent)
    }
    host.perform(.getGeneralStatus)
    host.wait(milliseconds: 20)
    #expect(host.takeSent() == ["88", "ACK", "04"])
  }

  @Test("cancelled while it waits for a quiet link, a command is never sent") func cancelledEarly()
  {
    let host = HostDialogue()
    host.input(.clearLink)
    host.perform(.getFirmwareVersion)
    host.input(.cancel)
    #expect(host.takeFailure()?.step == .preparing)
    host.wait(milliseconds: 50)
    #expect(host.takeSent() == ["ACK"])
    host.perform(.getGeneralStatus)
    #expect(host.takeSent() == ["04"])
  }

  @Test("a device that never falls silent is given up after a second") func neverQuiet() {
    let host = HostDialogue()
    host.input(.clearLink)
    host.perform(.getFirmwareVersion)
    for _ in 0..<110 {
      host.wait(milliseconds: 10)
      host.chip("03 33 02 07 07")
    }
    #expect(host.takeFailure()?.link == .neverQuiet)
    #expect(host.takeSent() == ["ACK"])
    #expect(host.takeNotes().count <= 32)
  }

  @Test("commands that may wait for ever keep no timer") func unlimited() {
    let host = HostDialogue()
    host.perform(.tgGetInitiatorCommand, .unlimited)
    host.chip("ACK")
    #expect(host.deadline == nil)
    host.wait(.seconds(100_000))
    #expect(host.takeSent() == ["88"])
    host.chip("89 00 02 00 A4")
    #expect(host.takeResponse() == .data(.tgGetInitiatorCommand, .success, hex("02 00 A4")))
  }
}

/// A blind repetition may run an APDU twice, so these commands ask for the last answer first.
@Suite("Host engine: commands that must not run twice") struct OnlyOnceTests {
  @Test("the acknowledgement was lost: NACK brings the answer") func acknowledgementLost() {
    let host = HostDialogue()
    host.perform(.exchange([0x80, 0x10]))
    host.wait(milliseconds: 15)
    #expect(host.takeSent() == ["40 01 80 10", "NACK"])
    host.chip("41 00 90 00")
    #expect(host.takeResponse() == .data(.inDataExchange, .success, [0x90, 0x00]))
  }

  @Test("NACK brings the answer before: the chip may be at work, so nothing is sent again")
  func answerBefore() {
    let host = HostDialogue()
    host.perform(.rfConfiguration(.field(isOn: true, automaticCollisionAvoidance: false)))
    host.chip("ACK", "33")
    _ = host.takeOutcome()
    _ = host.takeSent()
    host.perform(.exchange([0x80, 0x10]))
    host.wait(milliseconds: 15)
    host.chip("33")
    host.wait(milliseconds: 400)
    #expect(host.takeSent() == ["40 01 80 10", "NACK"])
    host.chip("41 00 90 00")
    #expect(host.takeResponse() == .data(.inDataExchange, .success, [0x90, 0x00]))
  }

  @Test("two equal answers in a row cannot be told apart: an error, and no second run")
  func uncertain() {
    let host = HostDialogue()
    host.perform(.exchange([0x80, 0x10]))
    host.chip("ACK", "41 00 90 00")
    _ = host.takeOutcome()
    host.perform(.exchange([0x80, 0x12]))
    host.wait(milliseconds: 15)
    host.chip("41 00 90 00")
    #expect(host.takeFailure()?.link == .uncertain)
    #expect(host.takeSent() == ["40 01 80 10", "40 01 80 12", "NACK", "ACK"])
  }

  @Test("a different answer to the same command is the right one") func differentAnswer() {
    let host = HostDialogue()
    host.perform(.exchange([0x80, 0x10]))
    host.chip("ACK", "41 00 90 00")
    _ = host.takeOutcome()
    host.perform(.exchange([0x80, 0x12]))
    host.wait(milliseconds: 15)
    host.chip("41 00 6A 82")
    #expect(host.takeResponse() == .data(.inDataExchange, .success, [0x6A, 0x82]))
  }

  @Test("nothing comes back: it is waited for as if acknowledged, then aborted, never repeated")
  func silence() {
    let host = HostDialogue()
    host.perform(.exchange([0x80, 0x10]), .within(.milliseconds(700)))
    host.wait(milliseconds: 15 + 50)
    #expect(host.takeSent() == ["40 01 80 10", "NACK"])
    host.wait(milliseconds: 699)
    #expect(host.takeSent().isEmpty)
    host.wait(milliseconds: 1)
    #expect(host.takeSent() == ["ACK"])
    #expect(host.takeFailure()?.link == .notAcknowledged)
  }

  @Test("asking for the initiator's next command twice is harmless once NACK brought nothing")
  func targetGet() {
    let host = HostDialogue()
    host.perform(.tgGetInitiatorCommand, .unlimited)
    host.wait(milliseconds: 15 + 50)
    #expect(host.takeSent() == ["88", "NACK", "88"])
  }
}
