/// The dialogue of a program under `libumockdev-preload` with whoever plays its devices.
///
/// Messages are three native words of 64 bits; after WRITE_MEM follow bytes to the program, after
/// READ_MEM bytes from it.
enum PreloadMessage {
  /// The bytes of three words.
  static let size = 24

  /// From the program: an ioctl; the request and its argument.
  static let ioctl: UInt64 = 1
  /// From the program: a read; the buffer and the number of bytes.
  static let read: UInt64 = 7
  /// From the program: a write; the buffer and the number of bytes.
  static let write: UInt64 = 8
  /// To the program: the call returns; its result and errno.
  static let done: UInt64 = 3
  /// To the program: send this memory; address and number of bytes.
  static let readMemory: UInt64 = 5
  /// To the program: put what follows there; address and number of bytes.
  static let writeMemory: UInt64 = 6
}

extension [UInt8] {
  mutating func append(word: UInt64) {
    var rest = word.littleEndian
    Swift.withUnsafeBytes(of: &rest) { append(contentsOf: $0) }
  }

  mutating func append(word: UInt32) {
    var rest = word.littleEndian
    Swift.withUnsafeBytes(of: &rest) { append(contentsOf: $0) }
  }

  mutating func appendMessage(_ kind: UInt64, _ first: UInt64, _ second: UInt64) {
    append(word: kind)
    append(word: first)
    append(word: second)
  }
}

extension ArraySlice<UInt8> {
  /// The word of 64 bits at a distance from the start.
  func word64(at offset: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in (offset..<offset + 8).reversed() {
      value = value << 8 | UInt64(self[startIndex + index])
    }
    return value
  }

  /// The word of 32 bits at a distance from the start.
  func word32(at offset: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in (offset..<offset + 4).reversed() {
      value = value << 8 | UInt32(self[startIndex + index])
    }
    return value
  }
}
