import NFCProtocols

/// One record of a Proxmark3 trace as its bytes say it, before any reading of times or bits.
struct ProxmarkRecord: Equatable {
  /// Offset of the record in the file.
  var offset: Int
  /// The counter at the start bit.
  var start: UInt32
  /// The stored duration, or `nil` in records of version 1, which have none.
  var duration: UInt16?
  var direction: Direction
  var data: [UInt8]
  /// The stored parity bytes (version 2: most significant bit first).
  var parity: [UInt8]

  /// The two layouts; nothing in a file tells which one it has.
  enum Layout: Equatable {
    /// Until 2014-12: u32 time with bit 31 for the tag, u32 parity, u8 length, data.
    case version1
    /// Since 2014-12: u32 start, u16 duration, u16 direction and length, data, parity bytes.
    case version2
  }

  /// Bytes in front of the data of a version 2 record.
  static let headerLength = 8
  /// Bytes in front of the data of a version 1 record.
  static let version1HeaderLength = 9

  /// Parity bytes behind `count` data bytes: `(count - 1) / 8 + 1` as C computes it.
  static func parityLength(for count: Int) -> Int { count == 0 ? 1 : (count - 1) / 8 + 1 }

  /// Bytes that the record at the start of `bytes` takes, or `nil` if too few have arrived to tell.
  static func length(of bytes: ArraySlice<UInt8>, _ layout: Layout) -> Int? {
    let fields = RecordFields(bytes)
    switch layout {
    case .version1:
      guard bytes.count >= version1HeaderLength else { return nil }
      return version1HeaderLength + Int(fields.u8(8))
    case .version2:
      guard bytes.count >= headerLength else { return nil }
      let count = Int(fields.u16(6) & 0x7FFF)
      return headerLength + count + parityLength(for: count)
    }
  }

  /// Reads one record from exactly its bytes.
  init(whole bytes: ArraySlice<UInt8>, at offset: Int, _ layout: Layout) {
    let fields = RecordFields(bytes)
    self.offset = offset
    switch layout {
    case .version1:
      start = fields.u32(0) & 0x7FFF_FFFF
      duration = nil
      direction = fields.u32(0) & 0x8000_0000 == 0 ? .outbound : .inbound
      data = Array(bytes.dropFirst(Self.version1HeaderLength))
      parity = Array(bytes.dropFirst(4).prefix(4))
    case .version2:
      start = fields.u32(0)
      duration = fields.u16(4)
      direction = fields.u16(6) & 0x8000 == 0 ? .outbound : .inbound
      let count = Int(fields.u16(6) & 0x7FFF)
      data = Array(bytes.dropFirst(Self.headerLength).prefix(count))
      parity = Array(bytes.dropFirst(Self.headerLength + count))
    }
  }

  /// The parity bits of version 2, one a byte, most significant bit first.
  var parityBits: ParityBits {
    ParityBits(data.indices.map { parity[$0 / 8] & (0x80 >> UInt8($0 % 8)) != 0 })
  }

  /// Reads whole records from the start of `bytes` until something does not fit.
  ///
  /// - Returns: the records, and the number of bytes behind them that are no whole record.
  static func all(
    in bytes: ArraySlice<UInt8>, _ layout: Layout
  ) -> (records: [ProxmarkRecord], left: Int) {
    var records: [ProxmarkRecord] = []
    var rest = bytes
    while let length = length(of: rest, layout), length <= rest.count {
      let offset = rest.startIndex - bytes.startIndex
      records.append(ProxmarkRecord(whole: rest.prefix(length), at: offset, layout))
      rest = rest.dropFirst(length)
    }
    return (records, rest.count)
  }
}
