import NFCProtocols

extension TraceFormat {
  /// The log of a ChameleonMini RevG.
  static var chameleonMini: TraceFormat {
    TraceFormat(
      name: "chameleon-mini", summary: "ChameleonMini RevG log (LOGDOWNLOAD or live)",
      suffixes: ["bin", "log"], recognise: recogniseMini,
      makeDecoder: { ChameleonMiniDecoder($0) })
  }

  /// The sniffer buffer of a ChameleonUltra.
  static var chameleonUltra: TraceFormat {
    TraceFormat(
      name: "chameleon-ultra", summary: "ChameleonUltra 14a sniff", suffixes: ["bin"],
      recognise: recogniseUltra, makeDecoder: { ChameleonUltraDecoder($0) })
  }

  /// Known entry types from the first byte to the end mark, zeros behind it.
  private static func recogniseMini(_ sample: FileSample) -> Recognition {
    var rest = sample.bytes[...]
    var entries = 0
    var frames = 0
    while let type = rest.first, type != ChameleonMiniEntry.end {
      guard ChameleonMiniEntry.name(of: type) != nil else { return .no }
      guard rest.count >= ChameleonMiniEntry.headerLength else { break }
      let length = ChameleonMiniEntry.headerLength + Int(rest[rest.startIndex + 1])
      guard length <= rest.count else { break }
      entries += 1
      if (0x40...0x47).contains(type) { frames += 1 }
      rest = rest.dropFirst(length)
    }
    let isEnded = rest.allSatisfy { $0 == 0 }
    if !isEnded, sample.isWhole { return entries >= 3 ? .possible : .no }
    if entries >= 2, frames > 0 || sample.bytes.first == 0xFF { return .likely }
    return entries > 0 ? .possible : .no
  }

  /// Frames that fill the file exactly, with odd parity in most frames of whole bytes.
  private static func recogniseUltra(_ sample: FileSample) -> Recognition {
    var rest = sample.bytes[...]
    var checked = 0
    var odd = 0
    var frames = 0
    while let length = ChameleonUltraDecoder.length(of: rest), length <= rest.count {
      guard length > 2 else { return .no }
      let frame = ChameleonUltraDecoder.frame(rest.prefix(length)).1
      frames += 1
      if let parity = frame.parity {
        checked += 1
        if parity == .odd(for: frame.bytes) { odd += 1 }
      }
      rest = rest.dropFirst(length)
    }
    guard rest.isEmpty || !sample.isWhole, frames > 0 else { return .no }
    guard checked > 0, odd * 2 > checked else { return .no }
    return frames > 1 ? .likely : .possible
  }
}
