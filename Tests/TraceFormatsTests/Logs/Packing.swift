/// Packers for tests, written from the RFCs and without compression, so that what the importers
/// read was not made by the library that they use.
enum Packing {
  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 3.2.4).
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return [0x78, 0x01] + stored(bytes) + bigEndian(high << 16 | low)
  }

  /// A gzip member of stored blocks (RFC 1952).
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF] + stored(bytes)
      + bigEndian(~crc).reversed() + bigEndian(UInt32(bytes.count)).reversed()
  }

  /// A tar entry with its padding (POSIX ustar).
  static func tarEntry(_ name: String, _ content: [UInt8], type: UInt8 = 0x30) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    func octal(_ value: Int, width: Int) -> String {
      let digits = String(value, radix: 8)
      return String(repeating: "0", count: width - digits.count) + digits
    }
    put(name, at: 0)
    put(octal(0o644, width: 7), at: 100)
    put(octal(content.count, width: 11), at: 124)
    put("        ", at: 148)
    header[156] = type
    put("ustar", at: 257)
    put(octal(header.reduce(0) { $0 + Int($1) }, width: 6) + "\0 ", at: 148)
    let padding = (512 - content.count % 512) % 512
    return header + content + [UInt8](repeating: 0, count: padding)
  }

  /// Base64 (RFC 4648) in lines of 128 characters.
  static func base64Lines(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = Array(bytes[start..<min(start + 3, bytes.count)])
      let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[$1]) : 0) }
      for index in 0..<4 {
        text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : "=")
      }
    }
    var lines = ""
    while !text.isEmpty {
      lines += text.prefix(128) + "\n"
      text = String(text.dropFirst(128))
    }
    return lines
  }

  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let part = rest.prefix(65_535)
      rest = rest.dropFirst(part.count)
      let length = UInt16(part.count)
      result.append(rest.isEmpty ? 1 : 0)
      for word in [length, ~length] {
        result += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
      }
      result += part
    } while !rest.isEmpty
    return result
  }

  private static func bigEndian(_ word: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
  }
}
