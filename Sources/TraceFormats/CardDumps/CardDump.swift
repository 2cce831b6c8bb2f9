public import NFCTrace
public import VirtualCards

/// Files that hold the state of a card and no traffic.
public enum CardDump {
  /// The largest file that is read: the largest card as text takes well under a megabyte.
  public static let greatestByteCount = 1_048_576

  /// The form of a file and how sure that is, or `nil` if it is no card dump.
  ///
  /// Sizes of binary images count, so a sample that is not the whole file needs `fileSize`.
  public static func recognise(_ sample: FileSample) -> CardDumpMatch? {
    let size = sample.isWhole ? sample.bytes.count : sample.fileSize ?? sample.bytes.count
    guard size <= greatestByteCount else { return nil }
    if let match = TextDumps.recognise(sample.bytes) { return match }
    guard sample.isWhole else { return nil }
    return BinaryDumps.recognise(sample.bytes, name: sample.name)
  }

  /// Reads a dump of any form that is known here.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: Its name without folder, which helps where the size alone does not decide.
  public static func read(_ bytes: [UInt8], name: String = "") throws(TraceError) -> CardImage {
    guard bytes.count <= greatestByteCount else {
      throw .badInput(
        BadInput(
          at: .byte(greatestByteCount), found: "a file of \(bytes.count) bytes",
          expected: "a card dump of at most \(greatestByteCount) bytes",
          remedy: "check that this is a card dump"))
    }
    let sample = FileSample(bytes: bytes, isWhole: true, name: name)
    guard let match = recognise(sample) else {
      let head = Array(bytes.prefix(8)).map { hexPair($0) }.joined(separator: " ")
      throw .badInput(
        BadInput(
          at: .byte(0), found: bytes.isEmpty ? "an empty file" : "\(bytes.count) bytes, \(head) …",
          expected: "a card dump: "
            + CardDumpFormat.allCases.map(\.rawValue).joined(separator: ", "),
          remedy: "see docs/cards.md for the forms and sizes that are known"))
    }
    switch match.format {
    case .flipper: return try FlipperDump(bytes).image()
    case .proxmarkJSON: return try ProxmarkJSON(bytes).image()
    case .blockText: return try BlockText(bytes).image()
    case .classicToolText: return try ClassicToolText(bytes).image()
    case .proxmarkType2, .type2Image: return try Type2Dump(bytes).image()
    case .classicImage: return ClassicDump.image(blocks: CardMemory(unitSize: 16, bytes: bytes))
    case .classicKeys: return ClassicDump.image(keyFile: bytes)
    case .em4233: return EM4233Dump.image(bytes)
    }
  }
}

/// The forms of card dumps.
public enum CardDumpFormat: String, Hashable, Sendable, CaseIterable {
  /// Text of Flipper Zero, versions 2 to 4.
  case flipper = "flipper-nfc"
  /// JSON of the Proxmark3 client.
  case proxmarkJSON = "pm3-json"
  /// Binary of the Proxmark3 client for Ultralight and NTAG: 56 or 48 bytes, then pages.
  case proxmarkType2 = "pm3-mfu-bin"
  /// One block of hexadecimal digits a line.
  case blockText = "eml"
  /// Text of MIFARE Classic Tool.
  case classicToolText = "mct"
  /// The pages of an Ultralight or NTAG, nothing else.
  case type2Image = "type2-bin"
  /// The blocks of a MIFARE Classic, nothing else.
  case classicImage = "mfc-bin"
  /// The keys of a MIFARE Classic: all A, then all B.
  case classicKeys = "mfc-keys"
  /// Memory of an EM4233 as ChameleonMini keeps it.
  case em4233 = "em4233-dmp"

  /// One line for people.
  public var summary: String {
    switch self {
    case .flipper: "Flipper Zero NFC file, versions 2 to 4"
    case .proxmarkJSON: "Proxmark3 card dump as JSON"
    case .proxmarkType2: "Proxmark3 Ultralight and NTAG dump with prefix"
    case .blockText: "hexadecimal text, one block a line"
    case .classicToolText: "MIFARE Classic Tool text"
    case .type2Image: "plain Ultralight or NTAG memory"
    case .classicImage: "plain MIFARE Classic memory"
    case .classicKeys: "MIFARE Classic keys, all A then all B"
    case .em4233: "EM4233 memory (ISO 15693)"
    }
  }
}

/// A form and how sure it is.
public struct CardDumpMatch: Hashable, Sendable {
  /// The form.
  public var format: CardDumpFormat
  /// How well the file fits it.
  public var recognition: Recognition
  /// Makes a match.
  public init(_ format: CardDumpFormat, _ recognition: Recognition) {
    self.format = format
    self.recognition = recognition
  }
}
