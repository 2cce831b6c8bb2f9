/// Puts the protocol data units of NFC-DEP, and of LLCP inside, into words.
///
/// Sources: ISO/IEC 18092 12.6 (PFB), NFC Forum LLCP 1.3 table 4 (PTYPE).
enum DEPText {
  /// Appends what a DEP_REQ or DEP_RES says, from its PFB on.
  static func write(_ unit: ArraySlice<UInt8>, to text: inout TextBuffer) {
    guard let control = unit.first else { return }
    switch control >> 5 {
    case 0b000:
      text.append("  I(")
      text.append(decimal: Int64(control & 3))
      text.append(")")
      if control & 0x10 != 0 { text.append("+") }
      // A DID and a NAD may stand in front of the data.
      let skip = 1 + (control & 0x04 != 0 ? 1 : 0) + (control & 0x08 != 0 ? 1 : 0)
      writeLLCP(unit.dropFirst(skip), to: &text)
    case 0b010:
      text.append(control & 0x10 == 0 ? "  ACK(" : "  NACK(")
      text.append(decimal: Int64(control & 3))
      text.append(")")
    case 0b100:
      if control & 0x10 == 0 {
        text.append("  attention")
      } else {
        text.append("  timeout extension")
        if let multiplier = unit.dropFirst().first {
          text.append(" ×")
          text.append(decimal: Int64(multiplier & 0x3F))
        }
      }
    default: break
    }
  }

  private static func writeLLCP(_ unit: ArraySlice<UInt8>, to text: inout TextBuffer) {
    guard unit.count >= 2 else { return }
    let first = unit[unit.startIndex]
    let second = unit[unit.startIndex + 1]
    text.append("  LLCP ")
    text.append(name((first & 0x03) << 2 | second >> 6))
    if first == 0, second == 0 { return }
    text.append(" ")
    text.append(decimal: Int64(second & 0x3F))
    text.append("→")
    text.append(decimal: Int64(first >> 2))
  }

  private static func name(_ type: UInt8) -> StaticString {
    switch type {
    case 0: "SYMM"
    case 1: "PAX"
    case 2: "AGF"
    case 3: "UI"
    case 4: "CONNECT"
    case 5: "DISC"
    case 6: "CC"
    case 7: "DM"
    case 8: "FRMR"
    case 9: "SNL"
    case 10: "DPS"
    case 12: "I"
    case 13: "RR"
    case 14: "RNR"
    default: "PDU"
    }
  }
}
