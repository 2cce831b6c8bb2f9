import NFCTrace

/// Reads nfc-laboratory's `.trz`: a gzipped tar whose entry `frame.json` holds the frames; the
/// signal entries are passed over.
struct LaboratoryArchiveDecoder: TraceDecoder {
  /// What the archive may inflate to; signals of hours stay below it.
  static let maximumInflatedLength = 4 << 30

  private var inflater: InflaterBox
  private var tar = TarReader(limit: LaboratoryDecoder.maximumLength) { isFrameEntry($0) }
  private var json: LaboratoryDecoder
  private var offset = 0
  private var piece: [UInt8] = []
  private var plain: [UInt8] = []

  /// Bytes of the archive that are inflated at a time.
  private static let pieceLength = 4_096

  init(_ options: ImportOptions) {
    json = LaboratoryDecoder(options)
    inflater = InflaterBox(limit: Self.maximumInflatedLength)
  }

  /// A copyable holder of the inflater, which is none itself; a decoder is used from one place.
  private final class InflaterBox {
    var inflater: Inflater
    init(limit: Int) { inflater = Inflater(.gzip, limit: limit) }
  }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    // Pieces of one size make errors the same however the input is cut, and keep memory small: a
    // piece can inflate a thousandfold.
    var rest = chunk
    while !rest.isEmpty, !tar.isFound {
      let part = rest.prefix(Self.pieceLength - piece.count)
      rest = rest.dropFirst(part.count)
      piece.append(contentsOf: part)
      if piece.count == Self.pieceLength { try takePiece() }
    }
  }

  private mutating func takePiece() throws(TraceError) {
    try take(piece[...])
    offset += piece.count
    piece.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ piece: ArraySlice<UInt8>) throws(TraceError) {
    plain.removeAll(keepingCapacity: true)
    do throws(Inflater.Failure) {
      try inflater.inflater.inflate(piece, into: &plain)
    } catch {
      switch error {
      case .damaged:
        throw fault(found: "data that gzip cannot have written", expected: "a gzip file (RFC 1952)")
      case .tooLong(let limit):
        throw fault(found: "more than \(limit) bytes inside", expected: "a recording")
      }
    }
    do throws(TarReader.Failure) {
      try tar.read(plain[...])
    } catch {
      switch error {
      case .badHeader(let place):
        throw fault(found: "no tar header at byte \(place) inside", expected: "a tar archive")
      case .tooLong(let name, let limit):
        throw fault(found: "\(name) of more than \(limit) bytes", expected: "at most that many")
      }
    }
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    if !tar.isFound { try takePiece() }
    guard tar.isFound else {
      let names = tar.names.isEmpty ? "none" : tar.names.joined(separator: ", ")
      throw fault(
        found: "no whole frame.json in the archive (entries: \(names))", expected: "frame.json")
    }
    try json.decode(tar.content[...], into: &batch)
    do throws(TraceError) {
      try json.finish(into: &batch)
    } catch {
      guard case .badInput(var input) = error else { throw error }
      input.found = "in frame.json: \(input.found)"
      throw .badInput(input)
    }
  }

  private func fault(found: String, expected: String) -> TraceError {
    .badInput(
      BadInput(
        at: .byte(offset), found: found, expected: expected,
        remedy: "save the recording again in nfc-laboratory"))
  }

  /// True for `frame.json`, whatever folder it is in.
  private static func isFrameEntry(_ name: String) -> Bool {
    let base = name.split(separator: "/").last ?? ""
    return base.hasPrefix("frame") && base.hasSuffix(".json")
  }

  /// True if the beginning of a file is a gzipped tar whose first entry bears the name.
  static func recognise(_ sample: FileSample) -> Recognition {
    guard sample.bytes.starts(with: [0x1F, 0x8B, 0x08]) else { return .no }
    var inflater = Inflater(.gzip, limit: 1 << 26)
    var plain: [UInt8] = []
    var tar = TarReader(limit: LaboratoryDecoder.maximumLength) { isFrameEntry($0) }
    var rest = sample.bytes[...]
    do {
      while !rest.isEmpty, tar.names.isEmpty {
        let piece = rest.prefix(512)
        rest = rest.dropFirst(piece.count)
        plain.removeAll(keepingCapacity: true)
        try inflater.inflate(piece, into: &plain)
        try tar.read(plain[...])
      }
    } catch {
      return LogRecognition.hasSuffix(sample, ["trz"]) ? .possible : .no
    }
    if tar.names.contains(where: isFrameEntry) { return .certain }
    return LogRecognition.hasSuffix(sample, ["trz"]) ? .likely : .no
  }
}
