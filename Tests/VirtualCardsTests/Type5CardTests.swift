import NFCProtocols
import ProtocolTesting
import Testing
import VirtualCards

@Suite("ISO/IEC 15693 card")
struct Type5CardTests {
  /// A made-up UID, E0 first.
  static let uid: [UInt8] = [0xE0, 0x16, 0x24, 0x11, 0x22, 0x33, 0x44, 0x5A]
  static let sent: [UInt8] = uid.reversed()

  func terminal() throws -> CardTerminal {
    var image = CardImage(kind: .vicinity, uid: Self.uid)
    image.memory = CardMemory(unitSize: 4, bytes: (0..<32).map { UInt8($0) })
    image.vicinity = VicinityInformation(dsfid: 0x07, afi: 0x31, icReference: 0x02)
    image.vicinity?.lockedBlocks = [false, true]
    var reader = CardTerminal(try Type5Card(image))
    reader.fieldOn()
    return reader
  }

  @Test("Inventory with one slot: flags, DSFID, UID with E0 last, after t1")
  func inventory() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x26, 0x01, 0x00], .v) == [0x00, 0x07] + Self.sent)
    #expect(reader.lastDelay == .carrierCycles(4352))
  }

  @Test("A mask that fits is answered, another is not")
  func mask() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x26, 0x01, 0x0C, 0x5A, 0x04], .v)?.count == 10)
    #expect(reader.exchange([0x26, 0x01, 0x0C, 0x5A, 0x05], .v) == nil)
    #expect(reader.exchange([0x26, 0x01, 0x08, 0x5A, 0x04], .v) == nil, "a mask byte too many")
  }

  @Test("With 16 slots the card answers in the slot of the four bits behind the mask")
  func slots() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x06, 0x01, 0x00], .v) == nil)
    for _ in 1..<10 { #expect(reader.send(RadioFrame([], technology: .v)) == nil) }
    let answer = reader.send(RadioFrame([], technology: .v))
    #expect(answer?.bytes.prefix(3) == [0x00, 0x07, 0x5A], "slot 10 = A")
    #expect(reader.send(RadioFrame([], technology: .v)) == nil)
  }

  @Test("An AFI that is not its own is not answered; a family is")
  func afi() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x36, 0x01, 0x30, 0x00], .v)?.count == 10)
    #expect(reader.exchange([0x36, 0x01, 0x31, 0x00], .v)?.count == 10)
    #expect(reader.exchange([0x36, 0x01, 0x40, 0x00], .v) == nil)
    #expect(reader.exchange([0x36, 0x01, 0x00, 0x00], .v)?.count == 10)
  }

  @Test("READ SINGLE and MULTIPLE, with and without security status")
  func read() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x02, 0x20, 0x01], .v) == [0, 4, 5, 6, 7])
    #expect(reader.exchange([0x42, 0x20, 0x01], .v) == [0, 1, 4, 5, 6, 7])
    #expect(
      reader.exchange([0x22, 0x23] + Self.sent + [0x06, 0x01], .v)
        == [0, 24, 25, 26, 27, 28, 29, 30, 31])
    #expect(reader.exchange([0x02, 0x20, 0x08], .v) == [0x01, 0x10])
    #expect(reader.exchange([0x02, 0x23, 0x07, 0x01], .v) == [0x01, 0x10])
    #expect(reader.exchange([0x02, 0x2C, 0x00, 0x02], .v) == [0, 0, 1, 0])
  }

  @Test("WRITE SINGLE changes a block after the declared time; a locked block refuses")
  func write() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x02, 0x21, 0x00, 9, 8, 7, 6], .v) == [0])
    let delay = try #require(reader.lastDelay)
    #expect(delay >= .milliseconds(5) && delay <= .milliseconds(20))
    #expect(reader.exchange([0x02, 0x20, 0x00], .v) == [0, 9, 8, 7, 6])
    #expect(reader.exchange([0x02, 0x21, 0x01, 9, 8, 7, 6], .v) == [0x01, 0x12])
    #expect(reader.exchange([0x02, 0x22, 0x01], .v) == [0x01, 0x11])
  }

  @Test("With the option flag the answer to a write waits for the end-of-frame pulse")
  func option() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x42, 0x21, 0x00, 9, 8, 7, 6], .v) == nil)
    #expect(reader.send(RadioFrame([], technology: .v))?.bytes.first == 0)
  }

  @Test("GET SYSTEM INFORMATION")
  func systemInformation() throws {
    var reader = try terminal()
    #expect(
      reader.exchange([0x02, 0x2B], .v)
        == [0, 0x0F] + Self.sent + [0x07, 0x31, 0x07, 0x03, 0x02])
  }

  @Test("STAY QUIET, SELECT and RESET TO READY")
  func states() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x22, 0x02] + Self.sent, .v) == nil)
    #expect(reader.exchange([0x26, 0x01, 0x00], .v) == nil)
    #expect(reader.exchange([0x02, 0x20, 0x00], .v) == nil)
    #expect(reader.exchange([0x22, 0x20] + Self.sent + [0x00], .v) == [0, 0, 1, 2, 3])
    #expect(reader.exchange([0x12, 0x20, 0x00], .v) == nil, "not selected")
    #expect(reader.exchange([0x22, 0x25] + Self.sent, .v) == [0])
    #expect(reader.exchange([0x12, 0x20, 0x00], .v) == [0, 0, 1, 2, 3])
    let other: [UInt8] = [0, 0, 0, 0, 0, 0, 4, 0xE0]
    #expect(reader.exchange([0x22, 0x25] + other, .v) == nil)
    #expect(reader.exchange([0x12, 0x20, 0x00], .v) == nil, "another card was selected")
    #expect(reader.exchange([0x02, 0x26], .v) == [0])
  }

  @Test("Unknown commands, wrong lengths, other cards' addresses and bad CRCs")
  func faults() throws {
    var reader = try terminal()
    #expect(reader.exchange([0x02, 0xA5, 0x01], .v) == [0x01, 0x01])
    #expect(reader.exchange([0x02, 0x20], .v) == [0x01, 0x02])
    #expect(reader.exchange([0x22, 0x20, 1, 2, 3, 4, 5, 6, 7, 0xE0, 0], .v) == nil)
    #expect(reader.send(RadioFrame([0x02, 0x20, 0x00, 0x00, 0x00], technology: .v)) == nil)
    reader.fieldOff()
    #expect(reader.exchange([0x26, 0x01, 0x00], .v) == nil)
  }
}
