import NFCProtocols
import NFCTrace
import TraceFormats

/// The page that `retap info` shows of one trace.
struct InfoPage {
  var path: String
  var format: TraceFormat
  var byteCount: Int
  var header: TraceHeader?
  var ending: TraceEnding?
  var summary: TraceSummary

  var text: String {
    var rows: [(String, String)] = [("format", "\(format.name): \(format.summary)")]
    rows += headerRows
    rows.append(("complete", completeness))
    rows.append(("events", events))
    if let frames { rows.append(("frames", frames)) }
    if !technologies.isEmpty { rows.append(("technology", technologies)) }
    rows += timeRows
    if summary.badCRCs > 0 { rows.append(("bad CRC", "\(summary.badCRCs) frames")) }
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return "\(path)\n"
      + rows.map { name, value in
        "  \(name)\(String(repeating: " ", count: width - name.count))\(value)\n"
      }.joined()
  }

  private var headerRows: [(String, String)] {
    guard let header else { return [] }
    var rows: [(String, String)] = []
    let reader = [header.reader?.address, header.reader?.name].compactMap { $0 }
    if !reader.isEmpty { rows.append(("reader", reader.joined(separator: " "))) }
    if let role = header.role { rows.append(("recorder", role.rawValue)) }
    if let madeBy = header.madeBy { rows.append(("made by", madeBy)) }
    let clock = [header.clock.tickUnit, header.clock.origin].compactMap { $0 }
    if !clock.isEmpty { rows.append(("clock", clock.joined(separator: ", from "))) }
    if let redaction = header.redaction { rows.append(("redacted", redaction)) }
    return rows
  }

  private var completeness: String {
    switch ending?.isComplete {
    case true?: "yes"
    case false?: "no, the recording was cut"
    case nil: "not known (the format has no end mark)"
    }
  }

  private var events: String {
    var text = "\(summary.events)"
    if summary.outOfOrder > 0 { text += ", \(summary.outOfOrder) out of order" }
    if summary.timeUnknown > 0 { text += ", \(summary.timeUnknown) without a time" }
    if summary.fieldChanges > 0 { text += ", \(summary.fieldChanges) field changes" }
    return text
  }

  private var frames: String? {
    let counts = [
      (summary.readerFrames, "from reader"), (summary.cardFrames, "from card"),
      (summary.hostFrames, "from host"), (summary.chipFrames, "from chip"),
    ].filter { $0.0 > 0 }
    return counts.isEmpty ? nil : counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  private var technologies: String {
    summary.technologies.map { technology in
      let count = summary.frames(of: technology)
      let letter = String(UnicodeScalar(technology.letter))
      return count > 0 ? "\(letter) (\(count) frames)" : letter
    }.joined(separator: ", ")
  }

  private var timeRows: [(String, String)] {
    guard summary.duration > .zero else { return [] }
    var rows = [("duration", Self.time(summary.duration))]
    if let gap = summary.longestGap {
      rows.append(
        (
          "longest gap",
          "\(Self.time(gap.duration)) before event \(gap.beforeEvent), at \(Self.time(gap.start))"
        ))
    }
    return rows
  }

  /// A time with the unit that suits it, rounded down to three decimals.
  static func time(_ time: Nanoseconds) -> String {
    let units: [(size: UInt64, name: String)] = [
      (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"),
    ]
    let magnitude = time.count.magnitude
    let sign = time.count < 0 ? "-" : ""
    guard let unit = units.first(where: { magnitude >= $0.size }) else {
      return "\(sign)\(magnitude) ns"
    }
    let thousandths = magnitude / (unit.size / 1_000)
    let fraction = String(thousandths % 1_000 + 1_000).dropFirst()
    return "\(sign)\(thousandths / 1_000).\(fraction) \(unit.name)"
  }
}
