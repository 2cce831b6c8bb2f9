import NFCProtocols

/// The canonical log of a run: one line an event, and a hash that rolls over all of them.
///
/// Equal runs have byte-equal logs. A line is `<ns> <participant> <what> …`; a decoded summary may
/// follow after ` ; ` and is not part of the hash, so that better decoding voids no stored hash.
/// The hash is FNV-1a (64 bits) over each line without its summary, with its line feed.
public struct RunLog: Sendable {
  /// The hash over all lines so far.
  public private(set) var hash: UInt64 = RunLog.hashSeed
  /// The number of lines so far.
  public private(set) var lineCount = 0
  /// The hash after every `checkpointInterval` lines, to locate a difference and not only see it.
  public private(set) var checkpoints: [UInt64] = []
  /// False if only the hash is wanted: `text` then stays empty.
  public let keepsText: Bool
  private var content: TextBuffer
  private var line = TextBuffer(capacity: 600)

  /// Lines between two checkpoints; small enough to look through by eye.
  public static let checkpointInterval = 64
  /// Offset basis of FNV-1a, 64 bits.
  static let hashSeed: UInt64 = 0xCBF2_9CE4_8422_2325
  /// Prime of FNV-1a, 64 bits.
  static let hashPrime: UInt64 = 0x0000_0100_0000_01B3

  /// Makes an empty log.
  public init(keepsText: Bool = true) {
    self.keepsText = keepsText
    content = TextBuffer(capacity: keepsText ? 4_096 : 0)
  }

  /// The lines so far as UTF-8.
  public var text: [UInt8] { content.bytes }

  /// The hash as 16 hexadecimal digits, the way it stands in reports.
  public var hashText: String { RunLog.text(of: hash) }

  /// A hash as 16 lower-case hexadecimal digits.
  public static func text(of hash: UInt64) -> String {
    var buffer = TextBuffer(capacity: 16)
    for shift in stride(from: 56, through: 0, by: -8) {
      buffer.append(hex: UInt8(truncatingIfNeeded: hash >> UInt64(shift)), lowercase: true)
    }
    return buffer.string
  }

  /// The lines (from 1) between which two runs begin to differ, or `nil` if they are equal.
  public func firstDifference(from other: RunLog) -> Range<Int>? {
    for (index, pair) in zip(checkpoints, other.checkpoints).enumerated() where pair.0 != pair.1 {
      return index * Self.checkpointInterval + 1..<(index + 1) * Self.checkpointInterval + 1
    }
    if lineCount == other.lineCount, hash == other.hash { return nil }
    let shared = min(checkpoints.count, other.checkpoints.count) * Self.checkpointInterval
    return shared + 1..<max(lineCount, other.lineCount) + 2
  }

  /// Writes one line; `summary` follows outside the hash.
  @inline(__always)
  mutating func write(
    at instant: VirtualInstant, _ participant: StaticString, summary: String? = nil,
    _ fill: (inout TextBuffer) -> Void
  ) {
    line.removeAll()
    line.append(decimal: instant.sinceStart.count)
    line.append(ascii: 0x20)
    line.append(participant)
    line.append(ascii: 0x20)
    fill(&line)
    closeLine(summary: summary)
  }

  private mutating func closeLine(summary: String?) {
    var value = hash
    for byte in line.bytes { value = (value ^ UInt64(byte)) &* Self.hashPrime }
    hash = (value ^ 0x0A) &* Self.hashPrime
    lineCount += 1
    if lineCount % Self.checkpointInterval == 0 { checkpoints.append(hash) }
    guard keepsText else { return }
    content.bytes.append(contentsOf: line.bytes)
    if let summary, !summary.isEmpty {
      content.append(" ; ")
      content.append(summary)
    }
    content.append(ascii: 0x0A)
  }
}
