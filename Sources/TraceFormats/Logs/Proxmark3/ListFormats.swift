extension TraceFormat {
  /// The two text forms of Proxmark3's `trace list`.
  static var proxmark3Lists: [TraceFormat] {
    [
      .log(
        name: "pm3-list", summary: "Proxmark3 trace list (also with -u, -r)", suffixes: ["txt"],
        recognise: recogniseProxmark3List
      ) { ListParser($0) },
      .log(
        name: "pm3-list-x", summary: "Proxmark3 trace list -x (for text2pcap)", suffixes: ["txt"],
        recognise: recogniseProxmark3HexList
      ) { HexListParser($0) },
    ]
  }

  private static func recogniseProxmark3List(_ sample: FileSample) -> Recognition {
    LogRecognition.best(of: sample) { line in
      var text = line
      if text.first == 0x5B, text.count > 4 { text = text.dropFirst(4) }
      guard let row = ListRow(text) else { return .no }
      switch row.kind {
      case .heading: return .certain
      case .frame:
        return ListRow.time(row.start) != nil && ListRow.time(row.end) != nil ? .certain : .no
      default: return .no
      }
    }
  }

  private static func recogniseProxmark3HexList(_ sample: FileSample) -> Recognition {
    var hasTime = false
    return LogRecognition.best(of: sample) { line in
      let text = LogText.trimmed(line)
      if HexListParser.time(text) != nil {
        hasTime = true
        return .no
      }
      defer { hasTime = false }
      return hasTime && LogText.rest(afterPrefix: "000000 00 f", in: text) != nil ? .certain : .no
    }
  }
}
