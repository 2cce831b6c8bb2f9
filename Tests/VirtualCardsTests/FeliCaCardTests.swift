import NFCProtocols
import ProtocolTesting
import Testing
import VirtualCards

@Suite("FeliCa card")
struct FeliCaCardTests {
  /// A made-up IDm.
  static let idm: [UInt8] = [0x01, 0xFE, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
  static let pmm: [UInt8] = [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00]
  /// A text record.
  static let message: [UInt8] = [0xD1, 0x01, 0x05, 0x54, 0x02, 0x65, 0x6E, 0x68, 0x69]

  func terminal() throws -> CardTerminal {
    let image = try CardImage.type3(idm: Self.idm, pmm: Self.pmm, ndefMessage: Self.message)
    var reader = CardTerminal(try FeliCaCard(image))
    reader.fieldOn()
    return reader
  }

  /// Sends a command with its LEN and gives the answer without.
  func ask(_ reader: inout CardTerminal, _ command: [UInt8]) -> [UInt8]? {
    let answer = reader.exchange([UInt8(command.count + 1)] + command, .f)
    guard let answer, answer.first.map(Int.init) == answer.count else { return nil }
    return Array(answer.dropFirst())
  }

  @Test("Polling for its system code, for any and with request data")
  func polling() throws {
    var reader = try terminal()
    let plain = [0x01] + Self.idm + Self.pmm
    #expect(ask(&reader, [0x00, 0x12, 0xFC, 0x00, 0x00]) == plain)
    #expect(reader.lastDelay == .carrierCycles(512 * 64))
    #expect(ask(&reader, [0x00, 0xFF, 0xFF, 0x00, 0x03]) == plain)
    #expect(ask(&reader, [0x00, 0x12, 0xFF, 0x01, 0x00]) == plain + [0x12, 0xFC])
    #expect(ask(&reader, [0x00, 0x12, 0xFC, 0x02, 0x00]) == plain + [0x00, 0x83])
    #expect(ask(&reader, [0x00, 0x88, 0xB4, 0x00, 0x00]) == nil)
  }

  @Test("The time slot is a decision")
  func slot() throws {
    let image = try CardImage.type3(idm: Self.idm, ndefMessage: [])
    var reader = CardTerminal(try FeliCaCard(image, decisions: GreatestDecisions()))
    reader.fieldOn()
    _ = ask(&reader, [0x00, 0xFF, 0xFF, 0x00, 0x03])
    #expect(reader.lastDelay == FeliCaCard.firstSlot + FeliCaCard.slotLength * 3)
  }

  @Test("Reading the attribute block and the message")
  func read() throws {
    var reader = try terminal()
    let command = [0x06] + Self.idm + [0x01, 0x0B, 0x00, 0x02, 0x80, 0x00, 0x80, 0x01]
    let answer = ask(&reader, command)
    let data = try #require(answer)
    #expect(Array(data[0..<12]) == [0x07] + Self.idm + [0x00, 0x00, 0x02])
    // Ver 1.0, Nbr 4, Nbw 1, Nmaxb 13, RW, Ln 9; the sum of it all: 10+04+01+0D+01+09 = 2C.
    #expect(
      data[12..<28] == [
        0x10, 0x04, 0x01, 0x00, 0x0D, 0, 0, 0, 0, 0x00, 0x01, 0x00, 0x00, 0x09, 0x00, 0x2C,
      ])
    #expect(data[28..<37] == Self.message[...])
  }

  @Test("Three-byte block list elements")
  func longElements() throws {
    var reader = try terminal()
    let command = [0x06] + Self.idm + [0x01, 0x09, 0x00, 0x01, 0x00, 0x01, 0x00]
    #expect(ask(&reader, command)?.dropFirst(12).prefix(9) == Self.message[...])
  }

  @Test("Status flags: no such service, too many blocks, no such block")
  func faults() throws {
    var reader = try terminal()
    let head = [0x06] + Self.idm
    let answer = [0x07] + Self.idm
    #expect(ask(&reader, head + [0x01, 0x4B, 0x00, 0x01, 0x80, 0x00]) == answer + [0xFF, 0xA6])
    #expect(ask(&reader, head + [0x01, 0x0B, 0x00, 0x00]) == answer + [0xFF, 0xA2])
    #expect(
      ask(&reader, head + [0x01, 0x0B, 0x00, 0x02, 0x80, 0x00, 0x80, 0x50]) == answer + [
        0x02, 0xA8,
      ]
    )
  }

  @Test("Writing through 0009, not through the read-only 000B")
  func write() throws {
    var reader = try terminal()
    let data = (0..<16).map { UInt8($0 * 3) }
    let head = [0x08] + Self.idm
    #expect(
      ask(&reader, head + [0x01, 0x09, 0x00, 0x01, 0x80, 0x02] + data)
        == [0x09] + Self.idm + [0, 0])
    let readBack = [0x06] + Self.idm + [0x01, 0x0B, 0x00, 0x01, 0x80, 0x02]
    #expect(ask(&reader, readBack)?.suffix(16) == data[...])
    #expect(
      ask(&reader, head + [0x01, 0x0B, 0x00, 0x01, 0x80, 0x02] + data)
        == [0x09] + Self.idm + [0x01, 0xA5])
  }

  @Test("Request response, service and system code")
  func requests() throws {
    var reader = try terminal()
    #expect(ask(&reader, [0x04] + Self.idm) == [0x05] + Self.idm + [0x00])
    #expect(
      ask(&reader, [0x02] + Self.idm + [0x02, 0x0B, 0x00, 0x4B, 0x00])
        == [0x03] + Self.idm + [0x02, 0x00, 0x00, 0xFF, 0xFF])
    #expect(ask(&reader, [0x0C] + Self.idm) == [0x0D] + Self.idm + [0x01, 0x12, 0xFC])
  }

  @Test("Another IDm, a wrong LEN, a wrong CRC and an unknown command are not answered")
  func silence() throws {
    var reader = try terminal()
    #expect(ask(&reader, [0x04, 1, 2, 3, 4, 5, 6, 7, 8]) == nil)
    #expect(reader.exchange([0x0B, 0x04] + Self.idm, .f) == nil)
    #expect(reader.send(RadioFrame([0x0A, 0x04] + Self.idm + [0, 0], technology: .f)) == nil)
    #expect(ask(&reader, [0xFF] + Self.idm) == nil)
  }
}
