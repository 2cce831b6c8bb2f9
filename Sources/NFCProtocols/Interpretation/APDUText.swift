/// Puts command and response APDUs into words.
///
/// The words are those of ISO/IEC 7816-4, of EMV and of the wrapped DESFire commands; what is not
/// known keeps its codes.
public enum APDUText {
  /// Appends a command APDU in a few words, for example `SELECT D2760000850101`.
  public static func writeCommand(_ apdu: ArraySlice<UInt8>, to text: inout TextBuffer) {
    let start = apdu.startIndex
    guard apdu.count >= 4, isInterindustry(apdu[start]) else {
      writeNativeCommand(apdu, to: &text)
      return
    }
    let header = (apdu[start], apdu[start + 1], apdu[start + 2], apdu[start + 3])
    if header.0 == 0x90 {
      writeWrapped(header.1, data(of: apdu), to: &text)
      return
    }
    switch header.1 {
    case 0xA4: writeSelect(header.2, data(of: apdu), to: &text)
    case 0xB0, 0xD6:
      text.append(header.1 == 0xB0 ? "READ BINARY" : "UPDATE BINARY")
      if header.2 & 0x80 != 0 {
        text.append(" SFI ")
        text.append(decimal: Int64(header.2 & 0x1F))
        text.append(" at ")
        text.append(decimal: Int64(header.3))
      } else {
        text.append(" at ")
        text.append(decimal: Int64(header.2) << 8 | Int64(header.3))
      }
      writeLength(apdu, to: &text)
    case 0xB2, 0xDC:
      text.append(header.1 == 0xB2 ? "READ RECORD " : "UPDATE RECORD ")
      text.append(decimal: Int64(header.2))
      text.append(" SFI ")
      text.append(decimal: Int64(header.3 >> 3))
    case 0xCA, 0xCB:
      text.append("GET DATA ")
      text.append(hex: header.2)
      text.append(hex: header.3)
    case 0x20:
      text.append("VERIFY ")
      text.append(hex: header.3)
    default:
      if let name = instructionName(class: header.0, header.1) {
        text.append(name)
      } else {
        text.append("APDU ")
        text.append(solidHex: apdu[start..<(start + 4)])
      }
    }
  }

  /// Appends a response APDU in a few words, for example `90 00 ok, 15 bytes`.
  public static func writeResponse(_ apdu: ArraySlice<UInt8>, to text: inout TextBuffer) {
    guard apdu.count >= 2 else {
      text.append(apdu.isEmpty ? "no status word" : "one byte")
      return
    }
    let status1 = apdu[apdu.endIndex - 2]
    let status2 = apdu[apdu.endIndex - 1]
    text.append(hex: status1)
    text.append(ascii: 0x20)
    text.append(hex: status2)
    text.append(StatusWordText.name(status1, status2))
    let count = apdu.count - 2
    if count > 0 {
      text.append(", ")
      text.append(decimal: Int64(count))
      text.append(count == 1 ? " byte" : " bytes")
    }
  }

  /// True if a command is no APDU but a native one of DESFire or MIFARE Plus.
  ///
  /// Their answers begin with a status byte and have no status word.
  public static func isNative(_ command: ArraySlice<UInt8>) -> Bool {
    command.count < 4 || !isInterindustry(command[command.startIndex])
  }

  /// Appends the answer to a native command, for example `90 ok, 15 bytes`.
  public static func writeNativeResponse(
    _ response: ArraySlice<UInt8>, to text: inout TextBuffer
  ) {
    guard let status = response.first else {
      text.append("empty")
      return
    }
    text.append(hex: status)
    // MIFARE Plus says 90 where DESFire says 00.
    text.append(status == 0x90 ? " ok" : StatusWordText.name(0x91, status))
    let count = response.count - 1
    if count > 0 {
      text.append(", ")
      text.append(decimal: Int64(count))
      text.append(count == 1 ? " byte" : " bytes")
    }
  }

  /// True if the status word of a response tells of an error (ISO/IEC 7816-4 table 5).
  public static func isError(_ response: ArraySlice<UInt8>) -> Bool {
    guard response.count >= 2 else { return false }
    let status1 = response[response.endIndex - 2]
    let status2 = response[response.endIndex - 1]
    if status1 == 0x91 { return status2 != 0x00 && status2 != 0xAF }
    return status1 >= 0x64 && status1 <= 0x6F
  }

  /// True for the class bytes that APDUs begin with in practice; else it is a native command.
  static func isInterindustry(_ classByte: UInt8) -> Bool {
    switch classByte {
    case 0x00...0x0F, 0x10...0x1F, 0x80...0x8F, 0x90, 0x94, 0xA0, 0xB0, 0xFF: classByte != 0x0A
    default: false
    }
  }

  /// The data field of a short or extended command; empty where the lengths do not fit.
  static func data(of apdu: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = apdu.startIndex
    guard apdu.count > 5 else { return apdu[apdu.endIndex...] }
    let length = Int(apdu[start + 4])
    if length > 0, apdu.count >= 5 + length { return apdu[(start + 5)..<(start + 5 + length)] }
    guard length == 0, apdu.count > 7 else { return apdu[apdu.endIndex...] }
    let extended = Int(apdu[start + 5]) << 8 | Int(apdu[start + 6])
    guard apdu.count >= 7 + extended else { return apdu[apdu.endIndex...] }
    return apdu[(start + 7)..<(start + 7 + extended)]
  }

  private static func writeLength(_ apdu: ArraySlice<UInt8>, to text: inout TextBuffer) {
    let start = apdu.startIndex
    var length = 0
    switch apdu.count {
    case 5: length = apdu[start + 4] == 0 ? 256 : Int(apdu[start + 4])
    case 7 where apdu[start + 4] == 0:
      length = Int(apdu[start + 5]) << 8 | Int(apdu[start + 6])
      if length == 0 { length = 65_536 }
    default: length = data(of: apdu).count
    }
    guard length > 0 else { return }
    text.append(", ")
    text.append(decimal: Int64(length))
    text.append(length == 1 ? " byte" : " bytes")
  }

  private static func writeSelect(
    _ how: UInt8, _ name: ArraySlice<UInt8>, to text: inout TextBuffer
  ) {
    text.append(how & 0x04 != 0 ? "SELECT " : "SELECT file ")
    if name.isEmpty { text.append("(no name)") }
    text.append(solidHex: name.prefix(16))
    if how & 0x04 != 0, let known = ApplicationName.of(name) {
      text.append(" (")
      text.append(known)
      text.append(")")
    } else if how & 0x04 == 0, name.count == 2 {
      switch (name[name.startIndex], name[name.startIndex + 1]) {
      case (0xE1, 0x03): text.append(" (capability container)")
      case (0x3F, 0x00): text.append(" (master file)")
      default: break
      }
    }
  }
}

/// Names of applications that are public knowledge.
enum ApplicationName {
  private static let known: [(prefix: [UInt8], name: StaticString)] = [
    ([0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01], "NDEF Type 4"),
    ([0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00], "DESFire"),
    (Array("2PAY.SYS.DDF01".utf8), "PPSE"),
    (Array("1PAY.SYS.DDF01".utf8), "PSE"),
    ([0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01], "eMRTD"),
    ([0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01], "FIDO"),
    ([0xA0, 0x00, 0x00, 0x03, 0x08], "PIV"),
    ([0xA0, 0x00, 0x00, 0x01, 0x51], "GlobalPlatform"),
  ]

  static func of(_ name: ArraySlice<UInt8>) -> StaticString? {
    known.first { name.starts(with: $0.prefix) }?.name
  }
}
