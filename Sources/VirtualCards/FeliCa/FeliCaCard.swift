public import Exploration
public import NFCProtocols

/// A FeliCa card (NFC Forum Type 3): polling, and reading and writing without encryption.
///
/// Frames begin with LEN; preamble and sync code are not part of them. Not modelled: mutual
/// authentication, MAC, purse and cyclic access, and the memory configuration of FeliCa Lite
/// apart from its blocks from 80 on being read-only. A card with several systems has one IDm and
/// one set of blocks here.
public struct FeliCaCard: CardModel {
  /// The blocks as they are now, in the order of the image.
  public private(set) var memory: CardMemory
  /// True while there is power.
  public private(set) var hasPower = false
  /// Declared processing times.
  public var processing: Processing

  let image: CardImage
  let idm: [UInt8]
  let pmm: [UInt8]
  let services: [UInt16]
  private var decisions: any Decisions

  /// System codes with a meaning here.
  public enum SystemCode {
    /// NFC Forum Type 3 Tag.
    public static let ndef: UInt16 = 0x12FC
    /// FeliCa Lite and Lite-S.
    public static let lite: UInt16 = 0x88B4
  }

  /// The delay of the first time slot of a polling: 512·64/fc (JIS X 6319-4 7.3).
  public static let firstSlot = Nanoseconds.carrierCycles(512 * 64)
  /// The length of a time slot: 256·64/fc.
  public static let slotLength = Nanoseconds.carrierCycles(256 * 64)

  /// Declared processing times.
  public struct Processing: Hashable, Sendable {
    /// Everything but polling and writing.
    public var read: Nanoseconds
    /// Writing.
    public var write: Nanoseconds
    /// Makes times; by default the guard time of 42·64/fc, and 3 ms for writing [M].
    public init(
      read: Nanoseconds = .carrierCycles(42 * 64), write: Nanoseconds = .milliseconds(3)
    ) {
      self.read = read
      self.write = write
    }
  }

  /// Makes a card from an image.
  ///
  /// - Throws: `CardImageError` if the image is of another kind or lacks its IDm.
  public init(
    _ image: CardImage, decisions: any Decisions = CalmDecisions(),
    processing: Processing = Processing()
  ) throws(CardImageError) {
    guard image.kind == .feliCa else { throw .notModelled(kind: image.kindName) }
    guard image.uid.count == 8 else {
      throw .missing(what: "IDm of 8 bytes", remedy: "give a dump that holds the IDm")
    }
    guard image.memory.unitSize == 16, image.memory.unitCount == image.feliCaBlocks.count else {
      throw .missing(what: "an address for each block", remedy: "give service and block numbers")
    }
    self.image = image
    self.decisions = decisions
    self.processing = processing
    idm = image.uid
    pmm = image.pmm ?? [UInt8](repeating: 0xFF, count: 8)
    memory = image.memory
    services = Self.services(of: image)
  }

  /// The service codes of the blocks; in NDEF and Lite systems the read-only twin as well.
  private static func services(of image: CardImage) -> [UInt16] {
    var found: [UInt16] = []
    let hasTwins =
      image.systemCodes.contains(SystemCode.ndef) || image.systemCodes.contains(SystemCode.lite)
    for address in image.feliCaBlocks {
      if !found.contains(address.service) { found.append(address.service) }
      let twin = address.service | 0x0002
      if hasTwins, !found.contains(twin) { found.append(twin) }
    }
    return found
  }

  /// What it is.
  public var name: String { image.kindName }
  /// One line: IDm, blocks, NDEF.
  public var summary: String { image.summary }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .fieldChanged(let isOn):
      hasPower = isOn
    case .received(let frame):
      guard hasPower, let content = content(of: frame) else { return }
      guard let answer = respond(to: content) else { return }
      // LEN counts itself, but not the CRC.
      let bytes = [UInt8(truncatingIfNeeded: answer.bytes.count + 1)] + answer.bytes
      let rate = frame.kilobitsPerSecond ?? 212
      outputs.append(
        .send(.protected(bytes, .f, kilobitsPerSecond: rate), after: answer.delay))
    case .start, .receiving, .sent, .timer, .application, .applicationEnded:
      break
    }
  }

  /// The command code and what follows, if the frame is whole.
  private func content(of frame: RadioFrame) -> [UInt8]? {
    if frame.isCollision || frame.isTruncated || frame.crc == .bad { return nil }
    if let technology = frame.technology, technology != .f { return nil }
    var bytes = frame.bytes
    if frame.crc != .notCaptured {
      guard CRC16.felica.check(bytes) else { return nil }
      bytes.removeLast(CRC16.byteCount)
    }
    guard bytes.count >= 2, Int(bytes[0]) == bytes.count else { return nil }
    return Array(bytes.dropFirst())
  }

  mutating func store(_ index: Int, _ content: [UInt8]) { memory.set(index, to: content) }

  mutating func drawSlot(of count: Int) -> Int { decisions.choose("card.slot", count: count) }
}
