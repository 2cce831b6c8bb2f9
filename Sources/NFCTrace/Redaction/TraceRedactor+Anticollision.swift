import NFCProtocols

extension TraceRedactor {
  /// Writes the bits of made-up UIDs into a frame that holds a part of a UID, cut at a bit.
  static func patch(
    _ step: AnticollisionStep, _ found: [Replacement], _ patches: inout TracePatches
  ) {
    guard step.bits > 0, step.bits <= step.content.count * 8, step.bitsBefore >= 0,
      step.bitsBefore + step.bits <= 40
    else { return }
    let sent = bits(of: step.content.bytes)[..<step.bits]
    for item in found where item.datum.kind == .uid {
      let olds = cascade(item.datum.content.bytes)
      let news = cascade(item.made)
      for (old, new) in zip(olds, news) {
        let range = step.bitsBefore..<(step.bitsBefore + step.bits)
        guard bits(of: old)[range].elementsEqual(sent) else { continue }
        var bytes = step.content.bytes
        for (index, bit) in bits(of: new)[range].enumerated() {
          let mask = UInt8(1) << UInt8(index % 8)
          if bit { bytes[index / 8] |= mask } else { bytes[index / 8] &= ~mask }
        }
        return patches.add(step.content, bytes)
      }
    }
  }

  /// The parts of a UID as anticollision sends them, each with its check byte.
  private static func cascade(_ uid: [UInt8]) -> [[UInt8]] {
    guard uid.count == 4 || uid.count == 7 || uid.count == 10 else { return [] }
    var parts: [[UInt8]] = []
    var rest = uid[...]
    while rest.count > 4 {
      parts.append([UID.cascadeTag] + rest.prefix(3))
      rest = rest.dropFirst(3)
    }
    return (parts + [Array(rest)]).map { $0 + [$0.reduce(0, ^)] }
  }

  /// Bits in the order in which they are sent.
  private static func bits(of bytes: [UInt8]) -> [Bool] {
    bytes.flatMap { byte in (0..<8).map { byte >> UInt8($0) & 1 == 1 } }
  }
}
