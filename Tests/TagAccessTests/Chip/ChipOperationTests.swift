import NFCProtocols
import PN53x
import TagAccess
import Testing

/// Polling and exchanges with the chip's own protocols; replies are those of public logs.
@Suite("Targets through a chip") struct ChipOperationTests {
  private let finite: ChipSettings = {
    var settings = ChipSettings()
    settings.done(.rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: 2)))
    return settings
  }()

  private func reader(_ chip: Chip = .pn533) -> ChipReader {
    ChipReader(chip: chip, settings: finite)
  }

  private func select(
    _ modulation: PassiveModulation, uid: [UInt8]? = nil
  ) -> AgendaDialogue<TargetSelection> {
    AgendaDialogue(TargetSelection(modulation, uid: uid, chip: .pn533, settings: finite))
  }

  private func target(_ reply: String) throws -> SelectedTarget {
    let chip = select(.typeA106)
    chip.expect("52 00", reply: "53 00")
    chip.expect("4A 01 00", reply: reply)
    return try #require(chip.agenda.result).get()
  }

  private let phone = "4B 01 01 00 04 20 04 08 33 44 03 05 78 80 71 00"
  private let withoutATS = "4B 01 01 00 04 28 04 22 33 44 E1"

  @Test("what targets say of themselves") func identities() throws {
    let ntag = try target("4B 01 01 00 44 00 07 04 11 22 33 44 A6 80")
    #expect(ntag.tag.identifier == [0x04, 0x11, 0x22, 0x33, 0x44, 0xA6, 0x80])
    #expect(ntag.tag.atqa == ATQA(rawValue: 0x0044))
    #expect(ntag.tag.tagType == .type2)
    #expect(!ntag.hasISODEP)
    let phone = try target(phone)
    #expect(phone.tag.tagType == .type4)
    // FWI 7.
    #expect(phone.waitingTime == FrameWaitingTime(integer: 7).duration)
    #expect(phone.tag.hasRandomIdentifier, "S11: a UID that begins with 08 is no identity")
  }

  @Test("S11: the SAK decides, and not the length of the UID") func typeBySAK() throws {
    let phone = try target("4B 01 01 00 04 20 04 08 55 66 E6 05 78 80 70 02")
    #expect(phone.tag.tagType == .type4)
    #expect(phone.tag.sak?.supportsMifareClassic == false)
  }

  @Test("S10: what the chip holds is released before each poll") func releaseBeforePoll() {
    let chip = select(.feliCa212)
    chip.expect("52 00", reply: "53 27")
    chip.expect("4A 01 01 00 FF FF 01 00", reply: "4B 00")
    #expect(
      chip.agenda.result
        == .failure(TagAccessError(.poll(.f), command: [], .noTag)))
  }

  @Test("S9: retries are made finite before a card is selected") func finiteRetries() {
    let chip = AgendaDialogue(
      TargetSelection(
        .typeA106, uid: [0x11, 0x22, 0x33, 0x44], chip: .pn533, settings: ChipSettings()))
    chip.expect("52 00", reply: "53 00")
    chip.expect("32 05 00 01 02", reply: "33")
    chip.expect("4A 01 00 11 22 33 44", reply: "4B 00")
    #expect((try? chip.agenda.result?.get()) == nil)
  }

  @Test("S9: another card is never reported as the one that was asked for") func otherCard() {
    let chip = select(.typeA106, uid: [0x11, 0x22, 0x33, 0x44])
    chip.reply("53 00")
    chip.reply("4B 01 01 00 04 08 04 DE AD BE EF")
    #expect(
      chip.agenda.result
        == .failure(
          TagAccessError(
            .poll(.a), command: [0x11, 0x22, 0x33, 0x44], .otherTag([0xDE, 0xAD, 0xBE, 0xEF]))))
  }

  @Test(
    "a UID is given with its cascade tags",
    arguments: [
      ("04112233445566", "4A 01 00 88 04 11 22 33 44 55 66"),
      ("04112233445566778899", "4A 01 00 88 04 11 22 88 33 44 55 66 77 88 99"),
    ])
  func longUID(uid: String, command: String) {
    let chip = select(.typeA106, uid: Hexadecimal.bytes(of: uid))
    chip.reply("53 00")
    #expect(chip.wants == command)
  }

  // MARK: APDUs

  @Test("S7: an APDU to a target without ATS is refused before it goes out") func noATS() throws {
    let target = try target(withoutATS)
    let chip = AgendaDialogue(
      TargetExchange.apdu([0x00, 0xA4, 0x04, 0x00], to: target, on: reader()))
    #expect(chip.isDone)
    guard case .failure(let error)? = chip.agenda.result, case .unsupported = error.problem else {
      Issue.record("it was not refused")
      return
    }
  }

  @Test(
    "S14: lengths at every limit are joined byte for byte",
    arguments: [
      0, 1, 55, 119, 183, 247, 252, 253, 254, 255, 256, 261, 262, 263, 524, 525, 65_538,
    ])
  func chaining(length: Int) throws {
    let target = try target(phone)
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let chip = AgendaDialogue(TargetExchange.apdu(data, to: target, on: reader()))
    // The command, in parts of 262 bytes, MI on all but the last.
    var sent: [UInt8] = []
    while true {
      let bytes = try #require(Hexadecimal.bytes(of: chip.wants))
      sent += bytes[2...]
      #expect(bytes.count <= 264)
      guard bytes[1] == 0x41 else { break }
      chip.reply("41 00")
    }
    #expect(sent == data)
    // The response, the same way back.
    var rest = data[...]
    while rest.count > 262 {
      chip.reply("41 40 " + Hexadecimal.pairs(Array(rest.prefix(262))))
      #expect(chip.wants == "40 01")
      rest = rest.dropFirst(262)
    }
    chip.reply("41 00 " + Hexadecimal.pairs(Array(rest)))
    #expect(chip.agenda.result == .success(data))
  }

  @Test("a target that sends parts without end is given up") func endlessParts() throws {
    let chip = AgendaDialogue(
      TargetExchange.apdu([0x00, 0xB0], to: try target(phone), on: reader()))
    for _ in 0..<20 where !chip.isDone { chip.reply("41 40") }
    #expect(chip.isDone)
    let full = AgendaDialogue(
      TargetExchange.apdu([0x00, 0xB0], to: try target(phone), on: reader()))
    let part = "41 40" + String(repeating: " 5A", count: 262)
    for _ in 0..<300 where !full.isDone { full.reply(part) }
    #expect(full.isDone)
  }

  @Test("an ACR122U takes 251 bytes at a time") func acr122Parts() throws {
    let reader = ChipReader(chip: .pn532, settings: finite, isACR122: true)
    let data = [UInt8](repeating: 0x11, count: 252)
    let chip = AgendaDialogue(
      TargetExchange.apdu(data, to: try target(phone), on: reader))
    #expect(chip.wants == "40 41" + String(repeating: " 11", count: 251))
    chip.reply("41 00")
    #expect(chip.wants == "40 01 11")
  }

  @Test(
    "S12, S15: a card that keeps the chip waiting is waited for",
    arguments: [
      600, 1_000, 2_100, 4_900, 30_000,
    ])
  func slowCard(milliseconds: Int64) throws {
    let chip = AgendaDialogue(
      TargetExchange.apdu([0x80, 0x10], to: try target(phone), on: reader()))
    chip.reply("41 00 90 00", after: .milliseconds(milliseconds))
    #expect(chip.agenda.result == .success([0x90, 0x00]))
  }

  // MARK: MIFARE Classic (as libnfc's mfclassic and nfcpy send it)

  @Test("authenticate, read, write, value") func classic() throws {
    let target = try target("4B 01 01 00 04 08 04 11 22 33 DE")
    let key: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    let login = AgendaDialogue(
      TargetExchange.authenticate(.a, key, block: 4, to: target, on: reader()))
    login.expect("40 01 60 04 FF FF FF FF FF FF 11 22 33 DE", reply: "41 00")
    #expect(login.agenda.result == .success([]))
    let read = AgendaDialogue(TargetExchange.read(block: 4, of: target, on: reader()))
    read.expect("40 01 30 04", reply: "41 00" + String(repeating: " 11", count: 16))
    #expect(read.agenda.result == .success([UInt8](repeating: 0x11, count: 16)))
    let block = [UInt8](repeating: 0x22, count: 16)
    let write = AgendaDialogue(
      TargetExchange.write(block, toBlock: 5, of: target, on: reader()))
    write.expect("40 01 A0 05" + String(repeating: " 22", count: 16), reply: "41 00")
    let change = AgendaDialogue(
      TargetExchange.change(.increment(block: 6), by: 258, of: target, on: reader()))
    change.expect("40 01 C1 06 02 01 00 00", reply: "41 00")
    let transfer = AgendaDialogue(
      TargetExchange.transfer(toBlock: 6, of: target, on: reader()))
    transfer.expect("40 01 B0 06", reply: "41 00")
    #expect(transfer.agenda.result == .success([]))
  }

  @Test("a wrong key is a refusal of the card") func wrongKey() throws {
    let target = try target("4B 01 01 00 04 08 04 11 22 33 DE")
    let login = AgendaDialogue(
      TargetExchange.authenticate(
        .b, [UInt8](repeating: 0, count: 6), block: 4, to: target, on: reader()))
    login.reply("41 14")
    guard case .failure(let error)? = login.agenda.result, case .chip(let failure) = error.problem
    else {
      Issue.record("no failure")
      return
    }
    #expect(failure.radio == .authentication)
    #expect(error.step == .authenticate)
  }

  // MARK: Watching

  @Test("S10: a card that answers every second poll is there all the time") func resting() {
    let chip = AgendaDialogue(TargetWatch([.typeA106], on: reader()))
    let card = "4B 01 01 00 44 00 07 04 11 22 33 44 A6 80"
    chip.reply("53 00")
    chip.reply(card)
    guard case .arrived? = chip.agenda.event else {
      Issue.record("it did not arrive")
      return
    }
    chip.resume()
    for round in 0..<6 {
      chip.wake()
      chip.expect("52 00", reply: "53 00")
      chip.expect("4A 01 00", reply: round % 2 == 0 ? "4B 00" : card)
      #expect(!chip.isDone)
    }
    for _ in 0..<2 {
      chip.wake()
      chip.reply("53 00")
      chip.reply("4B 00")
    }
    guard case .left(let tag)? = chip.agenda.event else {
      Issue.record("it did not leave")
      return
    }
    #expect(tag.tag.identifier.count == 7)
  }

  @Test("another card in its place: one leaves, one comes") func replaced() {
    let chip = AgendaDialogue(TargetWatch([.typeA106], on: reader()))
    chip.reply("53 00")
    chip.reply("4B 01 01 00 04 08 04 11 22 33 44")
    chip.resume()
    chip.wake()
    chip.reply("53 00")
    chip.reply("4B 01 01 00 04 08 04 DE AD BE EF")
    guard case .left(let old)? = chip.agenda.event else {
      Issue.record("the old card is still there")
      return
    }
    #expect(old.tag.identifier == [0x11, 0x22, 0x33, 0x44])
    chip.resume()
    guard case .arrived(let new)? = chip.agenda.event else {
      Issue.record("the new card is not there")
      return
    }
    #expect(new.tag.identifier == [0xDE, 0xAD, 0xBE, 0xEF])
  }
}
