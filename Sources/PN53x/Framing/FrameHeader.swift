/// What the bytes from a start code `00 FF` on say before the body.
enum FrameHeader: Equatable {
  /// Not enough bytes to tell.
  case needsMore
  /// `00 FF`.
  case ack
  /// `FF 00`.
  case nack
  /// No frame; the fault is within `length` bytes from the start code.
  case corrupt(CorruptionReason, length: Int)
  /// A body of `bodyLength` bytes begins `headerLength` bytes after the start code's first byte.
  case information(headerLength: Int, bodyLength: Int, InformationForm)

  /// Reads the header whose start code is at `start`.
  init(_ bytes: [UInt8], at start: Int) {
    let available = bytes.count - start
    guard available >= 4 else {
      self = .needsMore
      return
    }
    switch (bytes[start + 2], bytes[start + 3]) {
    case (0x00, 0xFF): self = .ack
    case (0x00, 0x00): self = .corrupt(.emptyFrame, length: 4)
    case (0xFF, 0x00): self = .nack
    case (0xFF, 0xFF): self = FrameHeader.extended(bytes, at: start)
    case (let length, let checksum):
      self =
        length &+ checksum == 0
        ? .information(headerLength: 4, bodyLength: Int(length), .normal)
        : .corrupt(.lengthChecksum, length: 4)
    }
  }

  private static func extended(_ bytes: [UInt8], at start: Int) -> FrameHeader {
    guard bytes.count - start >= 7 else { return .needsMore }
    let first = bytes[start + 4]
    let second = bytes[start + 5]
    guard first &+ second &+ bytes[start + 6] == 0 else {
      return .corrupt(.lengthChecksum, length: 7)
    }
    guard first != 0 || second != 0 else { return .corrupt(.emptyFrame, length: 7) }
    // The checksum is the same for both byte orders, so only the TFI tells them apart.
    guard bytes.count - start >= 8 else { return .needsMore }
    let identifier = bytes[start + 7]
    let isRCS380 = identifier == HostFrame.hostToRCS380 || identifier == HostFrame.rcS380ToHost
    let bodyLength =
      isRCS380 ? Int(second) << 8 | Int(first) : Int(first) << 8 | Int(second)
    let maximum =
      isRCS380 ? Chip.rcS380MaximumBodyLength : FrameHeader.maximumExtendedBodyLength
    guard bodyLength <= maximum else { return .corrupt(.tooLong, length: 7) }
    return .information(
      headerLength: 7, bodyLength: bodyLength, isRCS380 ? .extendedLittleEndian : .extended)
  }

  /// The longest body in bytes of an extended frame of a PN53x, which is a limit of the chips.
  static let maximumExtendedBodyLength = 265

  /// Where to look for the next frame after a faulty one that seemed to end at `end`.
  ///
  /// When bytes were lost, the next frame begins inside the faulty one: a start code counts if its
  /// frame reaches to the end of the stretch or past it. One that ends earlier is data.
  static func resumption(in bytes: [UInt8], from start: Int, to end: Int) -> Int {
    var candidate = start
    while candidate < end {
      defer { candidate += 1 }
      guard bytes[candidate] == 0x00 else { continue }
      if candidate + 1 == end { return candidate }
      guard bytes[candidate + 1] == 0xFF else { continue }
      let header = FrameHeader(Array(bytes[candidate..<end]), at: 0)
      let length: Int
      switch header {
      case .needsMore: return candidate
      case .ack, .nack: length = 4
      case .corrupt: continue
      case .information(let headerLength, let bodyLength, _):
        length = headerLength + bodyLength + 1
      }
      // A postamble may follow within the stretch.
      if candidate + length >= end - 1 { return candidate }
    }
    return end
  }
}
