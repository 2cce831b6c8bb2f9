import NFCProtocols
import ProtocolTesting
import Testing
import VirtualCards

/// A made-up NTAG213 with a password from page 8 on, if asked for.
func ntag213(protectedFrom first: UInt8 = 0xFF, access: UInt8 = 0x00) -> CardImage {
  let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]
  var image = CardImage(kind: .type2(.ntag213), uid: uid)
  var memory = CardMemory(unitSize: 4, bytes: [UInt8](repeating: 0, count: 180))
  memory.set(0, to: [0x04, 0xA1, 0xB2, 0x9F])
  memory.set(1, to: [0xC3, 0xD4, 0xE5, 0xF6])
  memory.set(2, to: [0x04, 0x48, 0x00, 0x00])
  memory.set(3, to: [0xE1, 0x10, 0x12, 0x00])
  for page in 4..<40 { memory.set(page, to: [UInt8(page), 0x11, 0x22, 0x33]) }
  memory.set(40, to: [0x00, 0x00, 0x00, 0xBD])
  memory.set(41, to: [0x04, 0x00, 0x00, first])
  memory.set(42, to: [access, 0x05, 0x00, 0x00])
  memory.set(43, to: [0x71, 0x72, 0x73, 0x74])
  memory.set(44, to: [0xAB, 0xCD, 0x00, 0x00])
  image.memory = memory
  return image
}

@Suite("Type 2 card: NTAG213 and Ultralight EV1 data sheets")
struct Type2CardTests {
  func selected(_ image: CardImage) throws -> CardTerminal {
    var reader = CardTerminal(try Type2Card(image))
    reader.fieldOn()
    let found = reader.activateA()
    try #require(found != nil)
    return reader
  }

  @Test("READ gives four pages and goes on with page 0 after the last")
  func readWraps() throws {
    var reader = try selected(ntag213())
    #expect(
      reader.exchange([0x30, 0x04]) == [
        4, 0x11, 0x22, 0x33, 5, 0x11, 0x22, 0x33, 6, 0x11, 0x22, 0x33, 7, 0x11, 0x22, 0x33,
      ])
    // Password and PACK read as 0.
    #expect(
      reader.exchange([0x30, 0x2B]) == [
        0, 0, 0, 0, 0, 0, 0, 0, 0x04, 0xA1, 0xB2, 0x9F, 0xC3, 0xD4, 0xE5, 0xF6,
      ])
  }

  @Test("A page beyond the last gives NAK 0, and the card leaves ACTIVE")
  func readBeyond() throws {
    var reader = try selected(ntag213())
    #expect(reader.send(.protected([0x30, 0x2D], .a))?.lastByteBits == 4)
    #expect(reader.exchange([0x30, 0x00]) == nil)
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0x30, 0x2D]) == [0x00])
  }

  @Test("A wrong CRC gives NAK 1")
  func badCRC() throws {
    var reader = try selected(ntag213())
    #expect(reader.send(RadioFrame([0x30, 0x00, 0xFF, 0xFF]))?.bytes == [0x01])
  }

  @Test("GET_VERSION, READ_SIG and FAST_READ")
  func extended() throws {
    var image = ntag213()
    image.signature = (0..<32).map { UInt8($0) }
    var reader = try selected(image)
    #expect(reader.exchange([0x60]) == [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03])
    #expect(reader.exchange([0x3C, 0x00]) == image.signature)
    #expect(reader.exchange([0x3A, 0x00, 0x2C])?.count == 45 * 4)
    #expect(reader.exchange([0x3A, 0x05, 0x04]) == [0x00])
  }

  @Test("WRITE changes a page; UID pages refuse")
  func write() throws {
    var reader = try selected(ntag213())
    #expect(reader.exchange([0xA2, 0x04, 0xDE, 0xAD, 0xBE, 0xEF]) == [0x0A])
    #expect(reader.exchange([0x30, 0x04])?.prefix(4) == [0xDE, 0xAD, 0xBE, 0xEF])
    #expect(reader.exchange([0xA2, 0x01, 0, 0, 0, 0]) == [0x00])
  }

  @Test("Writing takes the declared time, on the bit grid")
  func writeTakesTime() throws {
    var reader = try selected(ntag213())
    _ = reader.exchange([0xA2, 0x04, 0xDE, 0xAD, 0xBE, 0xEF])
    let delay = try #require(reader.lastDelay)
    #expect(delay >= .microseconds(4_100))
    #expect(delay < .microseconds(4_100) + .carrierCycles(129))
  }

  @Test("COMPATIBILITY_WRITE takes the first four of sixteen bytes")
  func compatibilityWrite() throws {
    var reader = try selected(ntag213())
    #expect(reader.exchange([0xA0, 0x05]) == [0x0A])
    let data = [0x01, 0x02, 0x03, 0x04] + [UInt8](repeating: 0xEE, count: 12)
    #expect(reader.exchange(data) == [0x0A])
    #expect(reader.exchange([0x30, 0x05])?.prefix(8) == [1, 2, 3, 4, 6, 0x11, 0x22, 0x33])
  }

  @Test("Page 3 and lock bits are only ever set")
  func oneTimeProgrammable() throws {
    var reader = try selected(ntag213())
    #expect(reader.exchange([0xA2, 0x03, 0x00, 0x00, 0x00, 0x0F]) == [0x0A])
    #expect(reader.exchange([0xA2, 0x02, 0xFF, 0xFF, 0x10, 0x80]) == [0x0A])
    let answer = reader.exchange([0x30, 0x02])
    let head = try #require(answer)
    #expect(head.prefix(8) == [0x04, 0x48, 0x10, 0x80, 0xE1, 0x10, 0x12, 0x0F])
    #expect(reader.exchange([0xA2, 0x05, 1, 1, 1, 1]) == [0x0A], "page 5 is free")
    #expect(reader.exchange([0xA2, 0x04, 1, 1, 1, 1]) == [0x00], "page 4 is locked")
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0xA2, 0x0F, 1, 1, 1, 1]) == [0x00], "page 15 is locked")
  }

  @Test("Block-locking bits freeze the lock bits")
  func blockLocking() throws {
    var reader = try selected(ntag213())
    #expect(reader.exchange([0xA2, 0x02, 0, 0, 0x02, 0x00]) == [0x0A])
    #expect(reader.exchange([0xA2, 0x02, 0, 0, 0xF8, 0xFF]) == [0x0A])
    #expect(reader.exchange([0x30, 0x02])?.dropFirst(2).prefix(2) == [0x0A, 0xFC])
  }

  @Test("Dynamic lock bits hold two pages each")
  func dynamicLocks() throws {
    var reader = try selected(ntag213())
    #expect(reader.exchange([0xA2, 0x28, 0x02, 0x00, 0x00, 0x00]) == [0x0A])
    #expect(reader.exchange([0xA2, 0x14, 1, 1, 1, 1]) == [0x0A])
    #expect(reader.exchange([0xA2, 0x12, 1, 1, 1, 1]) == [0x00])
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0xA2, 0x13, 1, 1, 1, 1]) == [0x00])
  }

  @Test("The password opens protected pages; reading stops in front of them without it")
  func password() throws {
    var reader = try selected(ntag213(protectedFrom: 8, access: 0x80))
    #expect(
      reader.exchange([0x30, 0x07])?.prefix(8) == [7, 0x11, 0x22, 0x33, 4, 0xA1, 0xB2, 0x9F])
    #expect(reader.exchange([0x30, 0x08]) == [0x00])
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0xA2, 0x08, 1, 2, 3, 4]) == [0x00])
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0x1B, 0x71, 0x72, 0x73, 0x74]) == [0xAB, 0xCD])
    #expect(reader.exchange([0xA2, 0x08, 1, 2, 3, 4]) == [0x0A])
    #expect(reader.exchange([0x30, 0x08])?.prefix(4) == [1, 2, 3, 4])
    #expect(reader.exchange([0x50, 0x00]) == nil)
    #expect(reader.activateA(wakeUp: 0x52) != nil)
    #expect(reader.exchange([0x30, 0x08]) == [0x00], "HALT ends the authentication")
  }

  @Test("AUTHLIM wrong passwords shut the card, NAK 4 from then on")
  func attemptLimit() throws {
    var reader = try selected(ntag213(protectedFrom: 8, access: 0x02))
    for _ in 0..<2 {
      #expect(reader.exchange([0x1B, 0, 0, 0, 0]) == [0x00])
      #expect(reader.activateA() != nil)
    }
    #expect(reader.exchange([0x1B, 0x71, 0x72, 0x73, 0x74]) == [0x04])
  }

  @Test("The NFC counter counts once a power-up, if it is on")
  func counter() throws {
    var reader = try selected(ntag213(access: 0x10))
    #expect(reader.exchange([0x39, 0x02]) == [0, 0, 0])
    _ = reader.exchange([0x30, 0x00])
    _ = reader.exchange([0x30, 0x00])
    #expect(reader.exchange([0x39, 0x02]) == [1, 0, 0])
    var other = try selected(ntag213())
    #expect(other.exchange([0x39, 0x02]) == [0x00])
  }

  @Test("EV1 counters add and refuse to overflow")
  func evCounters() throws {
    let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
    var image = CardImage(kind: .type2(.ultralightEV1Small), uid: uid)
    image.memory = CardMemory(unitSize: 4, unitCount: 20)
    image.counters = [CardCounter(value: 0xFFFFF0), CardCounter(), CardCounter()]
    var reader = try selected(image)
    #expect(reader.exchange([0xA5, 0x00, 0x0F, 0, 0, 0]) == [0x0A])
    #expect(reader.exchange([0x39, 0x00]) == [0xFF, 0xFF, 0xFF])
    #expect(reader.exchange([0x3E, 0x00]) == [0xBD])
    #expect(reader.exchange([0xA5, 0x00, 0x01, 0, 0, 0]) == [0x04])
  }

  /// libnfc takes any answer for that of an EV1.
  @Test("An Ultralight does not answer GET_VERSION")
  func plainUltralight() throws {
    var image = CardImage(kind: .type2(.ultralight), uid: [0x04, 1, 2, 3, 4, 5, 6])
    image.memory = CardMemory(unitSize: 4, unitCount: 16)
    var reader = try selected(image)
    #expect(reader.exchange([0x60]) == nil)
  }

  @Test("An image of another kind, without UID or without pages is refused")
  func refusals() {
    let other = CardImage(kind: .feliCa, uid: [])
    #expect(throws: CardImageError.self) { try Type2Card(other) }
    var noUID = ntag213()
    noUID.uid = []
    #expect(throws: CardImageError.self) { try Type2Card(noUID) }
    var short = ntag213()
    short.memory = CardMemory(unitSize: 4, unitCount: 3)
    #expect(throws: CardImageError.self) { try Type2Card(short) }
  }
}
