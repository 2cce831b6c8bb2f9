/// The prologue of a block: PCB, CID and NAD (ISO/IEC 14443-4 7.1), read in place.
///
/// The block protocol machines handle every frame twice (both halves run in one process), so they
/// look at prologues where they stand and do not make a `Block` with a copied information field.
struct BlockPrologue: Hashable, Sendable {
  var type: BlockType
  var number: BlockNumber
  var isChaining: Bool
  var cid: UInt8?
  var nad: UInt8?

  init(
    _ type: BlockType, _ number: BlockNumber = .zero, isChaining: Bool = false,
    cid: UInt8? = nil, nad: UInt8? = nil
  ) {
    self.type = type
    self.number = number
    self.isChaining = isChaining
    self.cid = cid
    self.nad = nad
  }

  /// Reads the prologue at the start of `frame`; `end` is where its information field ends.
  ///
  /// - Returns: `nil` if the PCB is reserved or the frame ends within the prologue.
  init?(of frame: [UInt8], end: Int) {
    guard end > 0, let pcb = frame.first, let type = BlockType(pcb: pcb) else { return nil }
    self.type = type
    number = BlockNumber(pcb: pcb)
    isChaining = type == .information && pcb & BlockType.chaining != 0
    var position = 1
    if pcb & BlockType.cidFollows != 0 {
      guard position < end else { return nil }
      cid = frame[position] & 0x0F
      position += 1
    }
    if type == .information, pcb & BlockType.nadFollows != 0 {
      guard position < end else { return nil }
      nad = frame[position]
    }
  }

  /// The bytes in front of the information field.
  var byteCount: Int { 1 + (cid == nil ? 0 : 1) + (nad == nil ? 0 : 1) }

  var pcb: UInt8 {
    let base: UInt8
    switch type {
    case .information: base = 0x02 | number.rawValue | (isChaining ? BlockType.chaining : 0)
    case .acknowledge: base = 0xA2 | number.rawValue
    case .negativeAcknowledge: base = 0xB2 | number.rawValue
    case .waitingTimeExtension: base = 0xF2
    case .deselect: base = 0xC2
    case .parameters: base = 0xF0
    }
    return base | (cid == nil ? 0 : BlockType.cidFollows)
      | (nad == nil ? 0 : BlockType.nadFollows)
  }

  /// The whole frame with `information` behind the prologue and the CRC at its end.
  func frame(_ information: ArraySlice<UInt8>, _ parameters: IsoDepParameters) -> RadioFrame {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + information.count + CRC16.byteCount)
    bytes.append(pcb)
    if let cid { bytes.append(cid) }
    if let nad { bytes.append(nad) }
    bytes.append(contentsOf: information)
    CRC16(of: parameters.technology).append(to: &bytes)
    return RadioFrame(
      bytes, technology: parameters.technology, kilobitsPerSecond: parameters.kilobitsPerSecond,
      crc: .good)
  }
}

extension RadioFrame {
  /// Where the information field of a block ends in `bytes`, or `nil` if the frame is damaged.
  ///
  /// A CRC that is there is always computed: what a source claims of it may be out of date.
  func blockEnd(_ technology: Technology) -> Int? {
    guard lastByteBits == 8, !isCollision, !isTruncated, !bytes.isEmpty else { return nil }
    switch crc {
    case .notCaptured: return bytes.count
    case .absent, .bad: return nil
    case .good, nil:
      guard CRC16(of: technology).check(bytes) else { return nil }
      return bytes.count - CRC16.byteCount
    }
  }
}
