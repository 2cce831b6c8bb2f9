import NFCProtocols

/// The rules on the check bits of single frames.
enum FrameChecks {
  /// The CRC of a frame that must carry one.
  static func crc(_ seen: LintFrame) -> LintFinding? {
    let variant = CRC16(of: seen.technology)
    var bytes = seen.frame.bytes[...]
    // Some recorders keep the sync code of FeliCa, which the CRC does not cover.
    if seen.technology == .f, bytes.starts(with: FeliCaCommand.syncCode) {
      bytes = bytes.dropFirst(FeliCaCommand.syncCode.count)
    }
    guard bytes.count > CRC16.byteCount, !variant.check(bytes) else { return nil }
    let good = variant.appended(to: Array(bytes.dropLast(CRC16.byteCount)))
    return seen.finding(
      .crc,
      "\(side(seen)) frame ends with CRC \(Hexadecimal.pairs(Array(bytes.suffix(2)))), "
        + "\(Hexadecimal.pairs(Array(good.suffix(2)))) fits its bytes",
      clause(variant, seen.technology))
  }

  private static func clause(_ variant: CRC16, _ technology: Technology) -> String {
    switch (variant, technology) {
    case (.a, _): "14443-3, 6.2.4"
    case (.b, .v): "15693-3, annex C"
    case (.b, _): "14443-3, 7.2"
    case (.felica, _): "JIS X 6319-4"
    }
  }

  /// The check byte of five bytes of a UID part.
  static func bcc(_ part: ArraySlice<UInt8>, _ seen: LintFrame) -> LintFinding? {
    guard part.count == 5, let found = part.last else { return nil }
    let expected = CascadeLevel.Part.checkByte(of: part.dropLast())
    guard found != expected else { return nil }
    return seen.finding(
      .bcc,
      "\(side(seen)) sent BCC \(Hexadecimal.pairs([found])), "
        + "\(Hexadecimal.pairs([expected])) fits the UID",
      "14443-3, 6.5.3")
  }

  /// The parity bits of a plain type A frame.
  static func parity(_ seen: LintFrame) -> LintFinding? {
    let frame = seen.frame
    guard seen.technology == .a, let bits = frame.parity?.bits, bits.count == frame.bytes.count
    else { return nil }
    let odd = ParityBits.odd(for: frame.bytes).bits
    var checked = frame.lastByteBits == 8 ? bits.count : bits.count - 1
    // Above 106 kbit/s the card ends its frame with an inverted parity bit (14443-3 6.2.3.2).
    if seen.direction == .inbound, (frame.kilobitsPerSecond ?? 106) > 106 { checked -= 1 }
    guard checked > 0, let wrong = (0..<checked).first(where: { bits[$0] != odd[$0] }) else {
      return nil
    }
    let count = (0..<checked).count { bits[$0] != odd[$0] }
    let more = count > 1 ? " and \(count - 1) more" : ""
    return seen.finding(
      .parity,
      "\(side(seen)) frame has a wrong parity bit at byte \(wrong)\(more)", "14443-3, 6.2.3.2")
  }

  static func side(_ seen: LintFrame) -> String {
    seen.direction == .outbound ? "reader" : "card"
  }
}

extension Range<Int> {
  fileprivate func count(where isCounted: (Int) -> Bool) -> Int {
    var count = 0
    for element in self where isCounted(element) { count += 1 }
    return count
  }
}
