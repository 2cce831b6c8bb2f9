/// Whole numbers at fixed places of a record; the caller has checked that the record is that long.
struct RecordFields {
  let bytes: ArraySlice<UInt8>
  let isBigEndian: Bool

  init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = false) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  private func number(_ place: Int, _ length: Int) -> UInt64 {
    precondition(place >= 0 && place + length <= bytes.count, "the field lies in the record")
    let first = bytes.startIndex + place
    var value: UInt64 = 0
    for index in 0..<length {
      let byte = bytes[first + (isBigEndian ? index : length - 1 - index)]
      value = value << 8 | UInt64(byte)
    }
    return value
  }

  func u8(_ place: Int) -> UInt8 { UInt8(number(place, 1)) }
  func u16(_ place: Int) -> UInt16 { UInt16(number(place, 2)) }
  func u32(_ place: Int) -> UInt32 { UInt32(number(place, 4)) }
  func u64(_ place: Int) -> UInt64 { number(place, 8) }
  func i32(_ place: Int) -> Int32 { Int32(bitPattern: u32(place)) }
}

extension [UInt8] {
  mutating func append(number value: UInt64, bytes count: Int, isBigEndian: Bool) {
    for index in 0..<count {
      let shift = 8 * (isBigEndian ? count - 1 - index : index)
      append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  mutating func append(little16 value: UInt16) {
    append(number: UInt64(value), bytes: 2, isBigEndian: false)
  }

  mutating func append(little32 value: UInt32) {
    append(number: UInt64(value), bytes: 4, isBigEndian: false)
  }

  mutating func append(big16 value: UInt16) {
    append(number: UInt64(value), bytes: 2, isBigEndian: true)
  }

  mutating func append(big32 value: UInt32) {
    append(number: UInt64(value), bytes: 4, isBigEndian: true)
  }
}
