import NFCProtocols

/// Compares a frame with a recorded one under masks.
struct FrameComparison: Sendable {
  let layer: ReplayLayer
  let masks: MaskSet

  /// True if `actual` is what was recorded, masked fields aside.
  @inline(__always)
  func fits(_ expected: RadioFrame, _ actual: RadioFrame, _ direction: Direction) -> Bool {
    if expected.bytes == actual.bytes, expected.lastByteBits == actual.lastByteBits { return true }
    return masks.isEmpty ? false : fitsMasked(expected, actual, direction)
  }

  private func fitsMasked(
    _ expected: RadioFrame, _ actual: RadioFrame, _ direction: Direction
  ) -> Bool {
    guard expected.bytes.count == actual.bytes.count,
      expected.lastByteBits == actual.lastByteBits
    else { return false }
    let fields = MaskedBytes(expected, actual, direction, layer: layer, masks: masks)
    return expected.bytes.indices.allSatisfy { index in
      (expected.bytes[index] ^ actual.bytes[index]) & ~fields.freeBits[index] == 0
    }
  }
}

/// For each byte of a frame the bits that masks leave free.
struct MaskedBytes {
  private(set) var freeBits: [UInt8]

  init(
    _ expected: RadioFrame, _ actual: RadioFrame, _ direction: Direction, layer: ReplayLayer,
    masks: MaskSet
  ) {
    freeBits = [UInt8](repeating: 0, count: expected.bytes.count)
    for field in MaskableField.fields(of: expected, direction, layer: layer)
    where masks.contains(field.mask) {
      for index in field.range where freeBits.indices.contains(index) {
        freeBits[index] |= field.bits
      }
    }
    // The CRC follows from the bytes in front of it: where they may differ, so may it.
    guard layer == .radio, let technology = expected.technology else { return }
    let crc = CRC16(of: technology)
    guard crc.check(expected.bytes), masks.contains(.crc) || crc.check(actual.bytes) else { return }
    for index in freeBits.indices.suffix(CRC16.byteCount) { freeBits[index] = 0xFF }
  }
}
