/// Finds entries of a tar archive (POSIX ustar) as it streams by, keeping only what is asked for.
struct TarReader {
  /// The unit of tar (POSIX.1-1988, ustar interchange format).
  static let blockLength = 512

  /// What is wrong with an archive.
  enum Failure: Error, Equatable {
    /// The header at this offset has a wrong check sum or an unreadable size.
    case badHeader(offset: Int)
    /// The entry is longer than the limit.
    case tooLong(name: String, limit: Int)
  }

  private let limit: Int
  private let wants: (String) -> Bool
  private var header: [UInt8] = []
  private var offset = 0
  private var remaining = 0
  private var padding = 0
  private var isWanted = false
  /// The content of the first wanted entry, so far.
  private(set) var content: [UInt8] = []
  /// True once the wanted entry is whole.
  private(set) var isFound = false
  /// The names of the entries seen, up to a few, for messages.
  private(set) var names: [String] = []

  /// Makes a reader of the first entry whose name `wants` likes, of at most `limit` bytes.
  init(limit: Int, wants: @escaping (String) -> Bool) {
    self.limit = limit
    self.wants = wants
  }

  /// Takes the next piece of the archive.
  mutating func read(_ piece: ArraySlice<UInt8>) throws(Failure) {
    var rest = piece
    while !rest.isEmpty, !isFound {
      if remaining > 0 {
        let part = rest.prefix(remaining)
        if isWanted { content.append(contentsOf: part) }
        advance(&rest, part.count)
        remaining -= part.count
        if remaining == 0, isWanted { isFound = true }
      } else if padding > 0 {
        let count = min(padding, rest.count)
        padding -= count
        advance(&rest, count)
      } else {
        let part = rest.prefix(Self.blockLength - header.count)
        header.append(contentsOf: part)
        advance(&rest, part.count)
        if header.count == Self.blockLength { try readHeader() }
      }
    }
  }

  private mutating func advance(_ rest: inout ArraySlice<UInt8>, _ count: Int) {
    rest = rest.dropFirst(count)
    offset += count
  }

  private mutating func readHeader() throws(Failure) {
    let block = header
    header.removeAll(keepingCapacity: true)
    // Two blocks of zeros end an archive.
    if block.allSatisfy({ $0 == 0 }) { return }
    let place = offset - Self.blockLength
    guard let size = Self.octal(block[124..<136]), let sum = Self.octal(block[148..<156]),
      sum == Self.checkSum(block)
    else { throw .badHeader(offset: place) }
    let name = String(decoding: block[0..<100].prefix { $0 != 0 }, as: UTF8.self)
    // '0', NUL and '7' are files; 'L', 'x', 'g' carry long names and attributes.
    let isFile = [0x30, 0x00, 0x37].contains(block[156])
    remaining = size
    padding = (Self.blockLength - size % Self.blockLength) % Self.blockLength
    if isFile, names.count < 8 { names.append(name) }
    isWanted = isFile && wants(name)
    guard isWanted else { return }
    guard size <= limit else { throw .tooLong(name: name, limit: limit) }
    if size == 0 { isFound = true }
  }

  /// An octal number with blanks or zeros around it; also the binary form of GNU tar for sizes.
  private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    if field.first == 0x80 {
      guard field.dropFirst().dropLast(7).allSatisfy({ $0 == 0 }) else { return nil }
      return field.suffix(7).reduce(0) { $0 << 8 | Int($1) }
    }
    var value = 0
    var hasDigit = false
    for byte in field.drop(while: { $0 == 0x20 }) {
      if byte == 0x20 || byte == 0x00 { break }
      guard (0x30...0x37).contains(byte) else { return nil }
      value = value << 3 | Int(byte - 0x30)
      hasDigit = true
    }
    return hasDigit ? value : nil
  }

  /// The sum of all bytes of the header, its own field taken as blanks.
  private static func checkSum(_ block: [UInt8]) -> Int {
    var sum = 0
    for (index, byte) in block.enumerated() {
      sum += (148..<156).contains(index) ? 0x20 : Int(byte)
    }
    return sum
  }
}
