import NFCTrace
import VirtualCards

/// Pages of an Ultralight or NTAG, with or without the prefix of the Proxmark3 client.
struct Type2Dump {
  let bytes: [UInt8]
  let prefix: Prefix

  /// What stands in front of the pages.
  enum Prefix: Int {
    /// version[8] tbo[2] tbo1[1] pages[1] signature[32] 3 × (counter[3] tearing[1]).
    case current = 56
    /// version[8] tbo[2] tearing[3] pack[2] tbo1[1] signature[32].
    case old = 48
    /// Nothing.
    case none = 0
  }

  /// Sizes of plain images that are taken without fitting check bytes: all pages of a product,
  /// and the usual shortened dumps of NTAG215 (532) and NTAG216 (888).
  static let plainSizes = [64, 80, 164, 168, 176, 180, 240, 532, 540, 888, 924]
  /// The most pages of a file: 485 of NTAG I2C 2K, rounded up.
  static let greatestPageCount = 512
  /// READ_SIG gives 32 bytes; some dumps carry them behind the pages.
  static let signatureLength = 32

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    prefix = Self.prefix(of: bytes) ?? .none
  }

  /// The first of the three forms whose UID check bytes fit, the longer prefix first, as the
  /// client itself decides.
  static func prefix(of bytes: [UInt8]) -> Prefix? {
    [Prefix.current, .old, .none].first { checkBytesFit(bytes, at: $0.rawValue) }
  }

  /// BCC0 = 88 ^ UID0…2 in page 0, BCC1 = UID3…6 in page 2 (ISO/IEC 14443-3 6.5.4).
  static func checkBytesFit(_ bytes: [UInt8], at start: Int) -> Bool {
    let room = bytes.count - start
    guard room >= 16, room % 4 == 0, room / 4 <= greatestPageCount else { return false }
    let head = Array(bytes[start..<(start + 9)])
    return head[0..<3].reduce(0x88, ^) == head[3] && head[4..<8].reduce(0, ^) == head[8]
  }

  func image() throws(TraceError) -> CardImage {
    var pages = Array(bytes.dropFirst(prefix.rawValue))
    var signature: [UInt8]?
    if prefix == .none, !Self.plainSizes.contains(pages.count),
      Self.plainSizes.contains(pages.count - Self.signatureLength)
    {
      signature = Array(pages.suffix(Self.signatureLength))
      pages.removeLast(Self.signatureLength)
    }
    guard pages.count % 4 == 0, pages.count >= 16 else {
      throw .badInput(
        BadInput(
          at: .byte(bytes.count), found: "\(pages.count) bytes of pages",
          expected: "whole pages of 4 bytes, at least 4 of them", remedy: "the file is cut"))
    }
    var version: [UInt8]?
    var counters: [CardCounter] = []
    if prefix != .none {
      if bytes[0..<8].contains(where: { $0 != 0 }) { version = Array(bytes[0..<8]) }
      let start = prefix == .current ? 12 : 16
      if version != nil { signature = Array(bytes[start..<(start + Self.signatureLength)]) }
    }
    if prefix == .current {
      try checkPageCount(pages.count / 4)
      counters = (0..<3).map { Self.counter(bytes[(44 + $0 * 4)..<(48 + $0 * 4)]) }
    }
    var image = Self.image(pages: CardMemory(unitSize: 4, bytes: pages), version: version)
    image.signature = signature
    image.counters = counters
    return image
  }

  /// Byte 11 is the number of the last page.
  private func checkPageCount(_ count: Int) throws(TraceError) {
    let told = Int(bytes[11]) + 1
    guard count >= told else {
      throw .badInput(
        BadInput(
          at: .byte(bytes.count), found: "\(count) pages",
          expected: "\(told) pages as byte 11 tells",
          remedy: "the file is cut: take the dump anew"))
    }
  }

  /// A 24-bit number, low byte first, and its tearing flag.
  private static func counter(_ bytes: ArraySlice<UInt8>) -> CardCounter {
    let all = Array(bytes)
    let value = UInt32(all[0]) | UInt32(all[1]) << 8 | UInt32(all[2]) << 16
    return CardCounter(value: value, tearingFlag: all[3])
  }

  /// An image of pages; the product comes from the version, else from the number of pages.
  static func image(
    pages: CardMemory, version: [UInt8]?, product given: Type2Product? = nil
  ) -> CardImage {
    let product =
      given ?? version.flatMap { Type2Product(version: $0) } ?? self.product(of: pages.unitCount)
    let uid = Array(pages.bytes[0..<3] + pages.bytes[4..<8])
    var image = CardImage(kind: .type2(product), uid: uid, memory: pages)
    if let count = product.pageCount { image.memory.grow(to: count) }
    image.version = version
    return image
  }

  /// The usual product of that many pages.
  ///
  /// 20 and 41 pages are also those of NTAG210 and NTAG212, 231 those of NTAG I2C 1K: without
  /// the answer to GET_VERSION the more common product is meant.
  private static func product(of pageCount: Int) -> Type2Product {
    switch pageCount {
    case 16: .ultralight
    case 20: .ultralightEV1Small
    case 41: .ultralightEV1Large
    case 42: .ntag203
    case 44, 48: .ultralightC
    case 45: .ntag213
    case 60: .ultralightAES
    case 133, 135: .ntag215
    case 222, 231: .ntag216
    default: .other
    }
  }
}
