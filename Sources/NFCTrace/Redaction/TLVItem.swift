/// One data object of BER-TLV (ISO/IEC 7816-4, 5.2.2), as far as its bytes are there.
struct TLVItem {
  /// The tag, up to three bytes.
  var tag: UInt32
  /// True if the value is made of data objects.
  var isConstructed: Bool
  /// Where the value stands.
  var value: Range<Int>

  /// Reads the object at `start`; `nil` if it does not end by `end`.
  ///
  /// - Parameter allowsCut: Take an object whose value was cut off by `end`.
  init?(_ bytes: [UInt8], at start: Int, end: Int, allowsCut: Bool = false) {
    guard start < end else { return nil }
    var place = start
    tag = UInt32(bytes[place])
    isConstructed = bytes[place] & 0x20 != 0
    if bytes[place] & 0x1F == 0x1F {
      repeat {
        place += 1
        guard place < end, place - start <= 2 else { return nil }
        tag = tag << 8 | UInt32(bytes[place])
      } while bytes[place] & 0x80 != 0
    }
    place += 1
    guard place < end else { return nil }
    var length = Int(bytes[place])
    if length >= 0x80 {
      let count = length & 0x7F
      guard (1...3).contains(count), place + count < end else { return nil }
      length = bytes[(place + 1)...(place + count)].reduce(0) { $0 << 8 | Int($1) }
      place += count
    }
    place += 1
    guard place + length <= end || allowsCut else { return nil }
    value = place..<min(place + length, end)
  }

  /// The objects that fill `range`, one behind the other; `nil` if they do not fill it.
  ///
  /// Bytes 00 and FF between and behind objects are padding (ISO/IEC 7816-4, 5.2.2.1).
  static func list(
    _ bytes: [UInt8], in range: Range<Int>, allowsCut: Bool = false
  ) -> [TLVItem]? {
    var items: [TLVItem] = []
    var place = range.lowerBound
    while place < range.upperBound {
      if bytes[place] == 0x00 || bytes[place] == 0xFF {
        place += 1
        continue
      }
      guard
        let item = TLVItem(bytes, at: place, end: range.upperBound, allowsCut: allowsCut)
      else { return nil }
      items.append(item)
      place = item.value.upperBound
    }
    return items
  }
}
