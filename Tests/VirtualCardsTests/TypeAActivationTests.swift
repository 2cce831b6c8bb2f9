import Exploration
import NFCProtocols
import ProtocolTesting
import Testing
import VirtualCards

@Suite("Type A activation, ISO/IEC 14443-3 6.4")
struct TypeAActivationTests {
  /// A made-up double size UID; BCC1 = 88^04^A1^B2, BCC2 = C3^D4^E5^F6.
  static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  func terminal(_ uid: [UInt8] = uid) throws -> CardTerminal {
    var image = CardImage(kind: .type2(.ultralight), uid: uid)
    image.memory = CardMemory(unitSize: 4, bytes: [UInt8](repeating: 0, count: 64))
    var terminal = CardTerminal(try Type2Card(image))
    terminal.fieldOn()
    return terminal
  }

  @Test("Two cascade levels: 93 shows the cascade tag, 95 ends with the SAK")
  func doubleSizeUID() throws {
    var reader = try terminal()
    #expect(reader.short(0x26) == [0x44, 0x00])
    #expect(reader.raw([0x93, 0x20]) == [0x88, 0x04, 0xA1, 0xB2, 0x9F])
    #expect(reader.exchange([0x93, 0x70, 0x88, 0x04, 0xA1, 0xB2, 0x9F]) == [0x04])
    #expect(reader.raw([0x95, 0x20]) == [0xC3, 0xD4, 0xE5, 0xF6, 0x04])
    #expect(reader.exchange([0x95, 0x70, 0xC3, 0xD4, 0xE5, 0xF6, 0x04]) == [0x00])
  }

  @Test("UIDs of every size are found", arguments: [4, 7, 10])
  func sizes(_ count: Int) throws {
    let uid = [UInt8](Self.uid + [0x11, 0x22, 0x33]).prefix(count)
    var reader = try terminal(Array(uid))
    #expect(reader.activateA()?.uid == Array(uid))
  }

  @Test("Bit-oriented anticollision gives the rest from every split", arguments: 0..<40)
  func split(_ given: Int) throws {
    var reader = try terminal([0x9A, 0x5C, 0x33, 0xE1])
    let whole: [UInt8] = [0x9A, 0x5C, 0x33, 0xE1, 0x9A ^ 0x5C ^ 0x33 ^ 0xE1]
    let bits = (0..<40).map { whole[$0 / 8] >> UInt8($0 % 8) & 1 }
    _ = reader.short(0x26)
    let nvb = UInt8(((16 + given) / 8) << 4 | given % 8)
    let sent = [0x93, nvb] + pack(Array(bits[..<given]))
    let last = given % 8 == 0 ? 8 : UInt8(given % 8)
    let frame = RadioFrame(sent, lastByteBits: last, technology: .a, crc: .absent)
    let sentBack = reader.send(frame)
    let answer = try #require(sentBack)
    // The first byte keeps its bits in place, the named ones are 0.
    #expect(
      answer.bytes == pack(bits.indices.map { $0 < given ? 0 : bits[$0] }).suffix(5 - given / 8))
    #expect(reader.exchange([0x93, 0x70] + whole) == [0x00])
  }

  @Test("A wrong bit, a wrong level, a wrong CRC and REQA each send a ready card to IDLE")
  func errorsInReady() throws {
    let wrong: [RadioFrame] = [
      RadioFrame([0x93, 0x21, 0x01], lastByteBits: 1, crc: .absent),
      RadioFrame([0x95, 0x20], crc: .absent),
      RadioFrame([0x93, 0x70, 0x88, 0x04, 0xA1, 0xB2, 0x9F, 0x00, 0x00]),
      RadioFrame([0x26], lastByteBits: 7, crc: .absent),
      RadioFrame([0x93, 0x28], crc: .absent),
    ]
    for frame in wrong {
      var reader = try terminal()
      _ = reader.short(0x26)
      #expect(reader.send(frame) == nil)
      #expect(reader.raw([0x93, 0x20]) == nil, "the card has left READY")
      #expect(reader.short(0x26) == [0x44, 0x00], "and waits in IDLE")
    }
  }

  @Test("HALT answers WUPA only, and an error after it leads back to HALT")
  func halt() throws {
    var reader = try terminal()
    _ = reader.activateA()
    #expect(reader.exchange([0x50, 0x00]) == nil)
    #expect(reader.short(0x26) == nil)
    #expect(reader.short(0x52) == [0x44, 0x00])
    #expect(reader.raw([0x95, 0x20]) == nil)
    #expect(reader.short(0x26) == nil, "READY* goes back to HALT")
    #expect(reader.activateA(wakeUp: 0x52)?.uid == Self.uid)
  }

  @Test("Without field nothing answers, and the field coming back ends HALT")
  func field() throws {
    var reader = try terminal()
    _ = reader.activateA()
    _ = reader.exchange([0x50, 0x00])
    reader.fieldOff()
    #expect(reader.short(0x52) == nil)
    reader.fieldOn()
    #expect(reader.short(0x26) == [0x44, 0x00])
  }

  @Test("Parity errors are not taken")
  func parity() throws {
    var reader = try terminal()
    _ = reader.short(0x26)
    var parity = ParityBits.odd(for: [0x93, 0x20])
    parity.bits[1].toggle()
    #expect(reader.send(RadioFrame([0x93, 0x20], parity: parity, crc: .absent)) == nil)
  }

  @Test("Answers leave 1236 or 1172 carrier cycles after the last bit, n at least 9")
  func frameDelay() {
    // REQA 26 ends with bit 6 = 0, WUPA 52 with 1; 93 20 with the parity bit of 20 = 0.
    let reqa = RadioFrame([0x26], lastByteBits: 7)
    let wupa = RadioFrame([0x52], lastByteBits: 7)
    #expect(TypeAFrameDelay.afterCommand(reqa) == .carrierCycles(1172))
    #expect(TypeAFrameDelay.afterCommand(wupa) == .carrierCycles(1236))
    #expect(TypeAFrameDelay.afterCommand(RadioFrame([0x93, 0x20])) == .carrierCycles(1172))
    let onGrid = Nanoseconds.carrierCycles(10 * 128 + 20)
    #expect(
      TypeAFrameDelay.afterCommand(reqa, processing: .carrierCycles(1173)) == onGrid)
  }

  @Test("A random UID is drawn at each power-up, begins with 08 and is a decision")
  func randomUID() {
    var decisions: any Decisions = CalmDecisions()
    var card = TypeAActivation(
      TypeAIdentity(uid: .random, atqa: ATQA(rawValue: 0x0004), sak: SAK(rawValue: 0x20)))
    card.fieldChanged(isOn: true, decisions: &decisions)
    #expect(card.uid == [0x08, 0x00, 0x00, 0x00])
    card.fieldChanged(isOn: false, decisions: &decisions)
    var others: any Decisions = GreatestDecisions()
    card.fieldChanged(isOn: true, decisions: &others)
    #expect(card.uid == [0x08, 0xFF, 0xFF, 0xFF])
  }

  private func pack(_ bits: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() { bytes[index / 8] |= bit << UInt8(index % 8) }
    return bytes
  }
}

/// Always the last possibility.
struct GreatestDecisions: Decisions {
  mutating func choose(_ label: StaticString, count: Int) -> Int { count - 1 }
}
