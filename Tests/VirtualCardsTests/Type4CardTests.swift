import NFCProtocols
import ProtocolTesting
import Testing
import VirtualCards

@Suite("Type 4 card: ISO-DEP, NDEF application")
struct Type4CardTests {
  static let uid: [UInt8] = [0x04, 0x5A, 0x11, 0x22, 0x33, 0x44, 0x55]
  static let message: [UInt8] = [0xD1, 0x01, 0x05, 0x54, 0x02, 0x65, 0x6E, 0x68, 0x69]
  static let ats: [UInt8] = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]

  func activated() throws -> CardTerminal {
    let image = CardImage.type4(uid: Self.uid, ndefMessage: Self.message, ats: Self.ats)
    var reader = CardTerminal(try image.makeCard())
    reader.fieldOn()
    let found = reader.activateA()
    try #require(found?.uid == Self.uid)
    try #require(found?.sak == 0x20)
    let answer = reader.exchange([0xE0, 0x80])
    try #require(answer == Self.ats)
    return reader
  }

  /// Sends an APDU in one I-block and gives the response without its prologue.
  func ask(_ reader: inout CardTerminal, _ apdu: [UInt8], block: UInt8) -> [UInt8]? {
    guard let answer = reader.exchange([0x02 | block] + apdu), answer.first == 0x02 | block else {
      return nil
    }
    return Array(answer.dropFirst())
  }

  @Test("SELECT, capability container, NDEF file")
  func readNDEF() throws {
    var reader = try activated()
    let select: [UInt8] = [
      0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
    ]
    #expect(ask(&reader, select, block: 0) == [0x90, 0x00])
    #expect(ask(&reader, [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03], block: 1) == [0x90, 0x00])
    // CCLEN 15, mapping 2.0, MLe FF, MLc FF, NDEF file E104 of 2048 bytes, free.
    #expect(
      ask(&reader, [0x00, 0xB0, 0x00, 0x00, 0x0F], block: 0) == [
        0x00, 0x0F, 0x20, 0x00, 0xFF, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x08, 0x00, 0x00, 0x00,
        0x90, 0x00,
      ])
    #expect(ask(&reader, [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04], block: 1) == [0x90, 0x00])
    #expect(ask(&reader, [0x00, 0xB0, 0x00, 0x00, 0x02], block: 0) == [0, 9, 0x90, 0x00])
    #expect(
      ask(&reader, [0x00, 0xB0, 0x00, 0x02, 0x09], block: 1) == Self.message + [0x90, 0x00])
  }

  @Test("Before RATS the card takes nothing else; DESELECT leads to HALT")
  func deselect() throws {
    var reader = try activated()
    #expect(reader.exchange([0xC2]) == [0xC2])
    #expect(reader.short(0x26) == nil)
    #expect(reader.activateA(wakeUp: 0x52) != nil)
    #expect(reader.exchange([0x02, 0x00, 0xA4, 0x04, 0x00]) == nil)
    #expect(reader.exchange([0xE0, 0x80]) == nil, "the card has gone back to HALT")
    #expect(reader.activateA(wakeUp: 0x52) != nil)
    #expect(reader.exchange([0xE0, 0x80]) == Self.ats)
  }

  @Test("PPS is answered directly after the ATS, and only there")
  func negotiation() throws {
    var reader = try activated()
    #expect(reader.exchange([0xD0, 0x11, 0x00]) == [0xD0])
    #expect(reader.exchange([0x02, 0x00, 0xCA, 0x00, 0x00]) == [0x02, 0x6D, 0x00])
    #expect(reader.exchange([0xD0, 0x11, 0x00]) == nil)
  }

  @Test("Field off ends the session")
  func fieldOff() throws {
    var reader = try activated()
    reader.fieldOff()
    reader.fieldOn()
    #expect(reader.exchange([0x02, 0x00, 0xCA, 0x00, 0x00]) == nil)
    #expect(reader.short(0x26) == [0x44, 0x00])
  }

  @Test("A user's application is asked with its declared time; a long one asks for more")
  func application() throws {
    struct SlowCard: CardApplication {
      let name = "slow card"
      mutating func respond(to command: [UInt8]) -> CardAnswer {
        CardAnswer(command + [0x90, 0x00], processing: .milliseconds(Int64(command[3])))
      }
    }
    let uid = try UID([0x04, 0x5A, 0x11, 0x22, 0x33, 0x44, 0x55])
    // FWI 4: 4.83 ms.
    let ats = ATS(interfaceB: 0x40)
    let identity = TypeAIdentity(uid: uid, sak: SAK(rawValue: 0x20))
    var reader = CardTerminal(ApplicationCard(SlowCard(), typeA: identity, ats: ats))
    reader.fieldOn()
    _ = reader.activateA()
    _ = reader.exchange([0xE0, 0x80])
    #expect(reader.exchange([0x02, 0, 1, 0, 2]) == [0x02, 0, 1, 0, 2, 0x90, 0x00])
    let quick = try #require(reader.lastDelay)
    #expect(quick >= .milliseconds(2) && quick < .microseconds(2_100))
    // 10 ms: S(WTX) after three quarters of 4.83 ms, again after as much; then the answer.
    #expect(reader.exchange([0x03, 0, 1, 0, 10]) == [0xF2, 0x01])
    #expect(reader.exchange([0xF2, 0x01]) == [0xF2, 0x01])
    #expect(reader.exchange([0xF2, 0x01]) == [0x03, 0, 1, 0, 10, 0x90, 0x00])
  }

  @Test("Type B: REQB, ATTRIB, blocks, HLTB")
  func typeB() throws {
    let atqb = ATQB(pupi: [0x11, 0x22, 0x33, 0x44], frameSizeIndex: 8, frameWaitingTimeInteger: 8)
    var image = CardImage(kind: .isoDepB, uid: atqb.pupi)
    image.atqb = atqb.bytes
    image.ndefFile = Self.message
    var reader = CardTerminal(try image.makeCard())
    reader.fieldOn()
    #expect(reader.exchange([0x05, 0x00, 0x00], .b) == atqb.bytes)
    #expect(reader.lastDelay == .carrierCycles(144 * 16))
    let attrib: [UInt8] = [0x1D, 0x11, 0x22, 0x33, 0x44, 0x00, 0x08, 0x01, 0x00]
    #expect(reader.exchange(attrib, .b) == [0x00])
    #expect(reader.exchange([0x02, 0x00, 0xCA, 0x00, 0x00], .b) == [0x02, 0x6D, 0x00])
    #expect(reader.exchange([0xC2], .b) == [0xC2])
    #expect(reader.exchange([0x05, 0x00, 0x00], .b) == nil, "halted")
    #expect(reader.exchange([0x05, 0x00, 0x08], .b) == atqb.bytes)
    #expect(reader.exchange([0x50, 0x11, 0x22, 0x33, 0x44], .b) == [0x00])
    #expect(reader.exchange(attrib, .b) == nil)
  }

  @Test("Type B slots: the marker of the slot that was chosen is answered")
  func typeBSlots() throws {
    var image = CardImage(kind: .isoDepB, uid: [0x11, 0x22, 0x33, 0x44])
    image.ndefFile = []
    var reader = CardTerminal(try image.makeCard(decisions: GreatestDecisions()))
    reader.fieldOn()
    #expect(reader.exchange([0x05, 0x00, 0x02], .b) == nil)
    #expect(reader.exchange([0x15], .b) == nil, "slot 2")
    #expect(reader.exchange([0x35], .b)?.count == 12, "slot 4")
  }
}

@Suite("NDEF application of Type 4, its status words")
struct Type4ApplicationTests {
  static let application: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]

  func opened(_ file: UInt16, isWritable: Bool = true) -> Type4Application {
    var card = Type4Application(
      ndefMessage: [1, 2, 3], capacity: 600, isWritable: isWritable)
    _ = card.respond(to: CommandAPDU.select(application: Self.application).bytes)
    _ = card.respond(to: CommandAPDU.select(file: file).bytes)
    return card
  }

  @Test(
    "Refusals",
    arguments: [
      ([0x00, 0xA4, 0x04, 0x00, 0x05, 1, 2, 3, 4, 5], 0x6A82),
      ([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x09], 0x6A82),
      ([0x00, 0xA4, 0x02, 0x00, 0x02, 0xE1, 0x04], 0x6A86),
      ([0x00, 0xB0, 0x00, 0x00], 0x6700),
      ([0x00, 0xB0, 0x02, 0x58, 0x01], 0x6B00),
      ([0x00, 0xB0, 0x84, 0x00, 0x01], 0x6B00),
      ([0x00, 0xD6, 0x02, 0x57, 0x02, 1, 2], 0x6A84),
      ([0x00, 0xD6, 0x02, 0x58, 0x01, 1], 0x6B00),
      ([0x00, 0xCA, 0x00, 0x00], 0x6D00),
      ([0x80, 0xB0, 0x00, 0x00, 0x01], 0x6E00),
      ([0x00, 0xB0, 0x00], 0x6700),
    ] as [([UInt8], UInt16)])
  func refusals(_ command: [UInt8], _ status: UInt16) {
    var card = opened(0xE104)
    #expect(
      card.respond(to: command).bytes == [UInt8(status >> 8), UInt8(status & 0xFF)])
  }

  @Test("The last byte of the file can be read and written, one more cannot")
  func lastByte() {
    var card = opened(0xE104)
    #expect(card.respond(to: [0x00, 0xD6, 0x02, 0x57, 0x01, 0xAB]).bytes == [0x90, 0x00])
    #expect(card.respond(to: [0x00, 0xB0, 0x02, 0x57, 0x01]).bytes == [0xAB, 0x90, 0x00])
    #expect(card.respond(to: [0x00, 0xB0, 0x02, 0x57, 0x02]).bytes == [0xAB, 0x62, 0x82])
    #expect(card.respond(to: [0x00, 0xB0, 0x02, 0x57, 0x00]).bytes == [0xAB, 0x90, 0x00])
  }

  @Test("Extended lengths read and write more than 255 bytes")
  func extended() {
    var card = opened(0xE104)
    let data = (0..<300).map { UInt8($0 & 0xFF) }
    let write = [0x00, 0xD6, 0x00, 0x00, 0x00, 0x01, 0x2C] + data
    #expect(card.respond(to: write).bytes == [0x90, 0x00])
    #expect(
      card.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x00, 0x01, 0x2C]).bytes == data + [0x90, 0x00])
  }

  @Test("A read-only tag and the capability container cannot be written")
  func readOnly() {
    var card = opened(0xE104, isWritable: false)
    #expect(card.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x01, 0x00]).bytes == [0x69, 0x82])
    var container = opened(0xE103)
    #expect(container.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x01, 0x00]).bytes == [0x69, 0x82])
  }

  @Test("Without a selected file there is nothing to read; activation forgets the selection")
  func nothingSelected() {
    var card = opened(0xE104)
    card.activated()
    #expect(card.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x01]).bytes == [0x69, 0x86])
    #expect(card.respond(to: CommandAPDU.select(file: 0xE104).bytes).bytes == [0x6A, 0x82])
  }
}
