import NFCProtocols
import PN53x

/// A frame as InCommunicateThru carries it: its bytes, and the registers that give it its form.
struct ChipFrame: Hashable, Sendable {
  /// What goes into InCommunicateThru.
  var data: [UInt8]
  var technology: Technology
  var kilobitsPerSecond: UInt16
  /// True if the chip adds and checks the CRC, false if it is part of the data.
  var chipChecks: Bool
  /// True if the frame ends with a CRC; then the answer is expected to do so, too.
  var hasCRC: Bool
  /// True if the parity bits are part of the data.
  var carriesParity: Bool
  /// The bits of the last byte, 0 for all.
  var lastBits: UInt8

  /// Reads a frame; `nil` if no PN53x can send it (ISO/IEC 15693).
  ///
  /// The CRC of type A is left to the host: so its activation needs no change of registers, a
  /// four-bit answer is seen as what it is, and a wrong CRC goes out as it was meant.
  init?(_ frame: RadioFrame, hostChecksTypeA: Bool) {
    technology = frame.technology ?? .a
    guard technology != .v else { return nil }
    kilobitsPerSecond = frame.kilobitsPerSecond ?? (technology == .f ? 212 : 106)
    let isWhole = frame.lastByteBits == 8
    switch frame.crc {
    case .good, .bad: hasCRC = true
    case .notCaptured: hasCRC = true
    case .absent: hasCRC = false
    case nil: hasCRC = isWhole && CRC16(of: technology).check(frame.bytes)
    }
    lastBits = frame.lastByteBits % 8
    carriesParity = false
    let isFaulty = frame.crc == .bad
    chipChecks = hasCRC && !isFaulty && !(technology == .a && hostChecksTypeA)
    data = frame.bytes
    if frame.crc == .notCaptured {
      if !chipChecks { data = CRC16(of: technology).appended(to: frame.bytes) }
    } else if chipChecks {
      data.removeLast(CRC16.byteCount)
    }
    if technology == .a, let parity = frame.parity, parity.bits.count == data.count, isWhole,
      parity != .odd(for: data)
    {
      data = ParityPacking.pack(data, parity.bits)
      lastBits = UInt8(parity.bits.count * 9 % 8)
      chipChecks = false
      carriesParity = true
    }
  }

  // MARK: Registers (names and bits: libnfc, nfcpy)

  private var mode: UInt8 {
    let speed: UInt8 =
      switch kilobitsPerSecond {
      case 212: 1
      case 424: 2
      case 848: 3
      default: 0
      }
    let framing: UInt8 =
      switch technology {
      case .a, .v: 0
      case .f: 2
      case .b: 3
      }
    return (chipChecks ? 0x80 : 0x00) | speed << 4 | framing
  }

  /// Every register that matters to the frame and its answer.
  var registers: [RegisterWrite] {
    [
      RegisterWrite(.txMode, mode),
      RegisterWrite(.rxMode, mode),
      // Type A is modulated by 100 %.
      RegisterWrite(.txAuto, technology == .a ? 0x40 : 0x00),
      RegisterWrite(.manualRCV, carriesParity ? 0x10 : 0x00),
      RegisterWrite(.bitFraming, lastBits),
    ]
  }

  // MARK: Answers

  /// True if it must be asked how many bits of the last byte came in.
  func needsBitCount(of answer: [UInt8]) -> Bool {
    carriesParity || (technology == .a && !chipChecks && answer.count == 1)
  }

  /// The frame on the air that the chip reported as these bytes.
  func answer(_ bytes: [UInt8], lastBits: UInt8) -> RadioFrame {
    let speed = kilobitsPerSecond
    if chipChecks { return .protected(bytes, technology, kilobitsPerSecond: speed) }
    if carriesParity {
      let bitCount = bytes.count * 8 - (lastBits == 0 ? 0 : 8 - Int(lastBits))
      guard let (content, parity) = ParityPacking.unpack(bytes, bitCount: bitCount) else {
        return RadioFrame(
          bytes, lastByteBits: lastBits == 0 ? 8 : lastBits, technology: technology,
          kilobitsPerSecond: speed, crc: .absent)
      }
      return RadioFrame(
        content, technology: technology, kilobitsPerSecond: speed, parity: ParityBits(parity),
        crc: checksum(of: content))
    }
    return RadioFrame(
      bytes, lastByteBits: lastBits == 0 ? 8 : lastBits, technology: technology,
      kilobitsPerSecond: speed, crc: lastBits == 0 ? checksum(of: bytes) : .absent)
  }

  private func checksum(of bytes: [UInt8]) -> CRCState {
    guard hasCRC, bytes.count > 1 else { return .absent }
    return CRC16(of: technology).check(bytes) ? .good : .bad
  }
}

/// Bytes and parity bits in the order on the air, packed least significant bit first.
enum ParityPacking {
  static func pack(_ bytes: [UInt8], _ parity: [Bool]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: (bytes.count * 9 + 7) / 8)
    var place = 0
    for (byte, bit) in zip(bytes, parity) {
      let group = UInt16(byte) | (bit ? 0x100 : 0)
      for index in 0..<9 {
        if group >> UInt16(index) & 1 != 0 { output[place / 8] |= 1 << UInt8(place % 8) }
        place += 1
      }
    }
    return output
  }

  /// - Returns: `nil` if the bits are no whole number of bytes with parity.
  static func unpack(_ bytes: [UInt8], bitCount: Int) -> (bytes: [UInt8], parity: [Bool])? {
    guard bitCount > 0, bitCount % 9 == 0, bitCount <= bytes.count * 8 else { return nil }
    func bit(_ place: Int) -> Bool { bytes[place / 8] >> UInt8(place % 8) & 1 != 0 }
    var content: [UInt8] = []
    var parity: [Bool] = []
    for start in stride(from: 0, to: bitCount, by: 9) {
      var byte: UInt8 = 0
      for index in 0..<8 where bit(start + index) { byte |= 1 << UInt8(index) }
      content.append(byte)
      parity.append(bit(start + 8))
    }
    return (content, parity)
  }
}
