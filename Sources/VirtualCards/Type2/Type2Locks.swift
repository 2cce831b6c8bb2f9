/// Lock bits of Type 2 cards: which pages are read-only, and which lock bits can still change.
struct Type2Locks {
  let product: Type2Product
  let pageCount: Int

  /// The page of the dynamic lock bytes, where there are such.
  var dynamicPage: Int? {
    switch product {
    case .ntag213, .ntag215, .ntag216, .ultralightEV1Large, .ntag212:
      product.configurationPage.map { $0 - 1 }
    case .ultralightC, .ntag203: 40
    default: nil
    }
  }

  /// True if the lock bits make a page read-only.
  func isLocked(_ page: Int, in memory: CardMemory) -> Bool {
    if page < 16 {
      guard page >= 3 else { return false }
      let bits = memory[2]
      let low = bits[bits.startIndex + 2]
      let high = bits[bits.startIndex + 3]
      return page < 8 ? low >> UInt8(page) & 1 == 1 : high >> UInt8(page - 8) & 1 == 1
    }
    guard let dynamicPage, dynamicPage < pageCount, let bit = dynamicBit(of: page) else {
      return false
    }
    let bits = memory[dynamicPage]
    return bits[bits.startIndex + bit / 8] >> UInt8(bit % 8) & 1 == 1
  }

  /// The new lock bytes of page 2 after a write: bits are only ever set, blocked ones not at all.
  ///
  /// Bits 0 to 2 of the first byte block the bits of page 3, pages 4–9 and pages 10–15
  /// (MF0ICU1 7.5.2).
  func staticBytes(_ old: [UInt8], written: [UInt8]) -> [UInt8] {
    var allowed: [UInt8] = [0xFF, 0xFF]
    if old[0] & 0x01 != 0 { allowed[0] &= ~0x08 }
    if old[0] & 0x02 != 0 {
      allowed[0] &= ~0xF0
      allowed[1] &= ~0x03
    }
    if old[0] & 0x04 != 0 { allowed[1] &= ~0xFC }
    return [old[0] | written[0] & allowed[0], old[1] | written[1] & allowed[1]]
  }

  /// The new content of the dynamic lock page; the last byte is not writable.
  ///
  /// Block-locking bits of the third byte each hold two lock bits of NTAG21x and EV1; those of
  /// Ultralight C and NTAG203 stand between the lock bits.
  func dynamicBytes(_ old: [UInt8], written: [UInt8]) -> [UInt8] {
    var allowed: [UInt8] = [0xFF, 0xFF, 0xFF]
    switch product {
    case .ultralightC, .ntag203:
      if old[0] & 0x01 != 0 { allowed[0] &= ~0x0E }
      if old[0] & 0x10 != 0 { allowed[0] &= ~0xE0 }
      if old[1] & 0x0F != 0 { allowed[1] &= ~(old[1] & 0x0F) << 4 | 0x0F }
      allowed[2] = 0
    default:
      for bit in 0..<8 where old[2] >> UInt8(bit) & 1 == 1 {
        let pair = UInt8(0b11) << UInt8(bit % 4 * 2)
        allowed[bit / 4] &= ~pair
      }
    }
    var result = old
    for index in 0..<3 { result[index] |= written[index] & allowed[index] }
    return result
  }

  /// The bit of the dynamic lock bytes that holds a page from 16 on.
  private func dynamicBit(of page: Int) -> Int? {
    guard let dynamicPage else { return nil }
    switch product {
    case .ntag215, .ntag216:
      return page < dynamicPage ? (page - 16) / 16 : nil
    case .ultralightC, .ntag203:
      switch page {
      case 16..<28: return 1 + (page - 16) / 4
      case 28..<40: return 5 + (page - 28) / 4
      case 41: return 12
      case 42: return 13
      case 43: return 14
      case 44...47: return 15
      default: return nil
      }
    default:
      return page < dynamicPage ? (page - 16) / 2 : nil
    }
  }
}
