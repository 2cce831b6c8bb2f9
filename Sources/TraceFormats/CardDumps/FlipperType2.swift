import NFCTrace
import VirtualCards

extension FlipperDump {
  /// Names of products: as device type in versions 2 and 3, as type of `NTAG/Ultralight` in 4.
  static let products: [(name: String, product: Type2Product)] = [
    ("Mifare Ultralight", .ultralight), ("Mifare Ultralight C", .ultralightC),
    ("Mifare Ultralight 11", .ultralightEV1Small), ("Mifare Ultralight 21", .ultralightEV1Large),
    ("Mifare Ultralight AES", .ultralightAES),
    ("NTAG203", .ntag203), ("NTAG210", .ntag210), ("NTAG212", .ntag212),
    ("NTAG213", .ntag213), ("NTAG215", .ntag215), ("NTAG216", .ntag216),
    ("NTAG I2C 1K", .ntagI2C1K), ("NTAG I2C 2K", .ntagI2C2K),
    ("NTAG I2C Plus 1K", .ntagI2CPlus1K), ("NTAG I2C Plus 2K", .ntagI2CPlus2K),
    ("Unknown", .other), ("Origin", .ultralight),
  ]

  func type2() throws(TraceError) -> CardImage {
    let product = try type2Product()
    let pages = fields.numbered("Page")
    let total = try fields.number("Pages total", in: 4...Type2Dump.greatestPageCount)
    let read = try fields.number("Pages read", in: 0...Type2Dump.greatestPageCount)
    let highest = pages.map(\.number).max() ?? 0
    _ = try fields.require("Page 0")
    let count = max(total ?? highest + 1, 4)
    var memory = CardMemory(unitSize: 4, unitCount: count)
    for (number, field) in pages {
      guard number >= 0, number < count else {
        throw field.fault(expected: "a page from 0 to \(count - 1)")
      }
      guard let content = PartlyKnownBytes(field.value), content.bytes.count == 4 else {
        throw field.fault(expected: "4 bytes as hexadecimal pairs")
      }
      // Pages that were not read stand in the file as zeros.
      if let read, read < count, number >= read { continue }
      memory.set(number, to: content.bytes, knownBits: content.knownBits)
    }
    if let total, pages.count < total, read == nil || pages.count < (read ?? 0) {
      throw try fields.require("Pages total").fault(
        expected: "as many Page lines as it tells, but there are \(pages.count)")
    }
    var image = try typeA(.type2(product))
    image.memory = memory
    let version = try fields.bytes("Mifare version", count: 8...8)
    image.version = version.flatMap { $0.contains { $0 != 0 } ? $0 : nil }
    if image.version != nil {
      image.signature = try fields.bytes("Signature", count: 32...32)
    }
    image.counters = try counters()
    return image
  }

  private func type2Product() throws(TraceError) -> Type2Product {
    guard type.value == "NTAG/Ultralight", let field = fields.find("NTAG/Ultralight type") else {
      return Self.products.first { $0.name == type.value }?.product ?? .other
    }
    guard let entry = Self.products.first(where: { $0.name == field.value }) else {
      throw field.fault(expected: "a product such as NTAG213 or Mifare Ultralight 11")
    }
    return entry.product
  }

  private func counters() throws(TraceError) -> [CardCounter] {
    var counters: [CardCounter] = []
    for index in 0..<3 {
      let range = 0...Int(CardCounter.greatestValue)
      guard let value = try fields.number("Counter \(index)", in: range) else { break }
      let flag = try fields.byte("Tearing \(index)") ?? 0xBD
      counters.append(CardCounter(value: UInt32(value), tearingFlag: flag))
    }
    return counters
  }
}
