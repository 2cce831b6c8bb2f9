import Glibc

/// Short texts that the system shows as files and links, as in `/proc` and `/sys`.
public enum SmallFile {
  /// The most bytes of a file that are read: a page, as sysfs gives at most.
  public static let maximumLength = 4_096

  /// The text of a file without blanks at its end; `nil` if it cannot be read.
  public static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: maximumLength)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { return nil }
    var text = bytes[..<count]
    while let last = text.last, last == 0x0A || last == 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// Where a symbolic link leads to, as it is written in it; `nil` if it is none.
  public static func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
