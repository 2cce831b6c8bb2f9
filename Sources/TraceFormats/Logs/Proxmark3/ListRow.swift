import NFCProtocols

/// One row of a Proxmark3 `trace list` table, taken apart at its bars.
///
/// ` start | end | Rdr or Tag | data | crc | annotation`; long frames go on in rows whose first
/// three columns are blank (layout: RfidResearchGroup Proxmark3 client, `trace list`).
struct ListRow {
  /// The text of the first column without blanks, and so on.
  var start: ArraySlice<UInt8>
  var end: ArraySlice<UInt8>
  var source: ArraySlice<UInt8>
  var data: ArraySlice<UInt8>
  var crc: ArraySlice<UInt8>
  var annotation: ArraySlice<UInt8>

  /// Takes a line apart, or gives `nil` if it is no row of a table.
  init?(_ line: ArraySlice<UInt8>) {
    var columns: [ArraySlice<UInt8>] = []
    var rest = line
    while columns.count < 5, let bar = rest.firstIndex(of: 0x7C) {
      columns.append(LogText.trimmed(rest[rest.startIndex..<bar]))
      rest = rest[(bar + 1)...]
    }
    guard columns.count >= 3 else { return nil }
    columns.append(LogText.trimmed(rest))
    while columns.count < 6 { columns.append([]) }
    start = columns[0]
    end = columns[1]
    source = columns[2]
    data = columns[3]
    crc = columns[4]
    annotation = columns[5]
  }

  /// What the row is.
  var kind: Kind {
    if source.elementsEqual("Rdr".utf8) { return .frame(.outbound) }
    if source.elementsEqual("Tag".utf8) { return .frame(.inbound) }
    if source.elementsEqual("*".utf8) { return .decrypted }
    if source.elementsEqual("Src".utf8) {
      return .heading(isRelative: start.elementsEqual("Gap".utf8))
    }
    if source.isEmpty {
      if start.isEmpty, end.isEmpty { return .continuation }
      if LogText.index(of: "Frame Delay", in: data) != nil { return .frameDelay }
    }
    return .other
  }

  /// Kinds of row.
  enum Kind: Equatable {
    /// The heading; relative tables (`-r`) have gap and duration instead of start and end.
    case heading(isRelative: Bool)
    /// The first row of a frame.
    case frame(Direction)
    /// A further row of a frame or of decrypted data.
    case continuation
    /// Decrypted MIFARE Classic data of the frame above.
    case decrypted
    /// The delay between the frame above and the one below (`--frame`).
    case frameDelay
    /// None of these.
    case other
  }

  /// What the CRC column says: ` ok `, ` !! ` (`!crc` in older clients) or nothing.
  var crcState: CRCState? {
    if crc.contains(0x21) { return .bad }
    if LogText.index(of: "ok", in: crc) != nil { return .good }
    return nil
  }

  /// A number of the first two columns in steps of a tick, or of a tenth of a microsecond (`-u`).
  static func time(_ text: ArraySlice<UInt8>) -> (count: Int64, isMicroseconds: Bool)? {
    var rest = text
    let isNegative = LogText.take("-", from: &rest)
    // The device counts in 32 bits; longer numbers are no times of a list.
    guard let whole = LogText.takeDecimal(from: &rest), whole < 1 << 32 else { return nil }
    let sign: Int64 = isNegative ? -1 : 1
    if rest.isEmpty { return (sign * whole, false) }
    guard LogText.take(".", from: &rest), let tenth = LogText.takeDigits(1, from: &rest),
      rest.isEmpty
    else { return nil }
    return (sign * (whole * 10 + tenth), true)
  }
}

/// The bytes of a data column: `hh  hh! 26(7) [hh  hh]`, or a note in angle brackets.
struct ListData: Equatable {
  var bytes: [UInt8] = []
  /// For each byte, whether it is marked with `!`.
  var parityErrors: [Bool] = []
  /// Bits of the last byte.
  var lastByteBits: UInt8 = 8
  /// The note of an empty record: `<SOF>`, `<EOF>`, `<empty trace - possible error>`.
  var note: String?

  init() {}

  /// Adds the data of one row; false if the text is nothing of the kind.
  mutating func append(_ text: ArraySlice<UInt8>) -> Bool {
    if text.first == 0x3C, text.last == 0x3E {
      note = LogText.string(text)
      return true
    }
    var rest = text
    while let character = rest.first {
      if LogText.isBlank(character) || character == 0x5B || character == 0x5D {
        rest = rest.dropFirst()
        continue
      }
      if character == 0x28 {
        guard takeBitCount(from: &rest) else { return false }
        continue
      }
      if character == 0x21 {
        guard !parityErrors.isEmpty else { return false }
        parityErrors[parityErrors.count - 1] = true
        rest = rest.dropFirst()
        continue
      }
      guard let high = Hexadecimal.value(of: character),
        let low = rest.dropFirst().first.flatMap({ Hexadecimal.value(of: $0) }), lastByteBits == 8
      else { return false }
      bytes.append(high << 4 | low)
      parityErrors.append(false)
      rest = rest.dropFirst(2)
    }
    return true
  }

  private mutating func takeBitCount(from text: inout ArraySlice<UInt8>) -> Bool {
    var rest = text.dropFirst()
    guard !bytes.isEmpty, let bits = LogText.takeDecimal(from: &rest), (1...8).contains(bits),
      LogText.take(")", from: &rest)
    else { return false }
    lastByteBits = UInt8(bits)
    text = rest
    return true
  }

  /// Parity bits as far as the list tells: with an error marked, all the others were right.
  var parity: ParityBits? {
    guard parityErrors.contains(true) else { return nil }
    let odd = ParityBits.odd(for: bytes).bits
    return ParityBits(zip(odd, parityErrors).map { $0 != $1 })
  }
}
