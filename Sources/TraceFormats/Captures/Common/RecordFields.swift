/// Whole numbers at fixed places of a record; the caller has checked that the record is that long.
struct RecordFields {
  let bytes: ArraySlice<UInt8>
  let isBigEndian: Bool

  init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = false) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  func u8(_ place: Int) -> UInt8 {
    precondition(place >= 0 && place < bytes.count, "the field lies in the record")
    return bytes[bytes.startIndex + place]
  }

  func u16(_ place: Int) -> UInt16 { number(place) }
  func u32(_ place: Int) -> UInt32 { number(place) }
  func u64(_ place: Int) -> UInt64 { number(place) }

  /// One unaligned load: records are read field by field in the hot path of large captures.
  private func number<Number: FixedWidthInteger>(_ place: Int) -> Number {
    precondition(
      place >= 0 && place <= bytes.count - MemoryLayout<Number>.size, "the field lies in the record"
    )
    let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
    return isBigEndian ? Number(bigEndian: value) : Number(littleEndian: value)
  }

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
