/// The fields whose bytes may differ from the recorded ones, by name.
public struct MaskSet: OptionSet, Hashable, Sendable {
  /// The masks as bits.
  public let rawValue: UInt16
  /// Makes a set of masks from their bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Every byte must be the recorded one.
  public static let none: MaskSet = []
  /// Random challenges: of Classic, Ultralight C, DESFire, and of GET CHALLENGE.
  public static let nonce = MaskSet(rawValue: 1)
  /// The block number in the PCB of ISO/IEC 14443-4.
  public static let blockNumber = MaskSet(rawValue: 2)
  /// The check bytes at the end of a frame.
  public static let crc = MaskSet(rawValue: 4)
  /// The UID, PUPI or IDm, wherever a frame carries it.
  public static let uid = MaskSet(rawValue: 8)
  /// The historical bytes of the ATS, which some cards draw anew.
  public static let atsRandom = MaskSet(rawValue: 16)
  /// NFCID3 of ATR_REQ and ATR_RES, which NFC-DEP devices draw anew.
  public static let dep = MaskSet(rawValue: 32)
  /// The unpredictable number of EMV in GET PROCESSING OPTIONS and GENERATE AC.
  public static let unpredictableNumber = MaskSet(rawValue: 64)

  /// All masks by name.
  public static let named: [(name: String, mask: MaskSet)] = [
    ("nonce", .nonce), ("block-number", .blockNumber), ("crc", .crc), ("uid", .uid),
    ("ats-random", .atsRandom), ("dep", .dep), ("unpredictable-number", .unpredictableNumber),
  ]

  /// Reads names with commas between them.
  public static func parse(_ text: String) throws(ReplayError) -> MaskSet {
    var masks = MaskSet.none
    var column = 1
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let known = named.first(where: { $0.name == part }) else {
        throw .badText(
          BadText(
            what: "mask", column: column, found: "'\(part)'",
            expected: named.map(\.name).joined(separator: ", "),
            remedy: "masks name fields; to see those of a frame run retap show"))
      }
      masks.formUnion(known.mask)
      column += part.utf8.count + 1
    }
    return masks
  }

  /// The names with commas between them.
  public var text: String {
    Self.named.filter { contains($0.mask) }.map(\.name).joined(separator: ",")
  }
}
