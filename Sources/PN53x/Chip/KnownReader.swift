/// A USB reader with a chip of the PN53x family that the public drivers list.
///
/// Numbers, endpoints and quirks are those of libnfc, nfcpy and Linux. Endpoints are stated here
/// and not read from the device, since a PN533 may lie about its descriptors.
public struct KnownReader: Hashable, Sendable {
  /// The vendor number (idVendor).
  public var vendor: UInt16
  /// The product number (idProduct).
  public var product: UInt16
  /// The name as it is sold.
  public var name: String
  /// The chip in it.
  public var chip: Chip
  /// What its bulk transfers carry.
  public var framing: Framing
  /// What it does otherwise than the manuals say.
  public var quirks: ReaderQuirks

  /// Makes an entry.
  public init(
    vendor: UInt16, product: UInt16, name: String, chip: Chip, framing: Framing = .hostFrames,
    quirks: ReaderQuirks = []
  ) {
    self.vendor = vendor
    self.product = product
    self.name = name
    self.chip = chip
    self.framing = framing
    self.quirks = quirks
  }

  /// What the bulk transfers of a reader carry.
  public enum Framing: UInt8, Hashable, Sendable {
    /// PN53x host frames.
    case hostFrames
    /// CCID messages with the pseudo-APDUs of an ACR122U.
    case ccid
  }

  /// The bulk endpoint to the reader.
  public var outEndpoint: UInt8 { framing == .ccid ? 0x02 : 0x04 }
  /// The bulk endpoint from the reader.
  public var inEndpoint: UInt8 { framing == .ccid ? 0x82 : 0x84 }

  /// Name and chip, for example `SCL3711, PN533`.
  public var title: String { name.hasSuffix("\(chip.name)") ? name : "\(name), \(chip.name)" }

  /// The reader with these numbers.
  public static func named(vendor: UInt16, product: UInt16) -> KnownReader? {
    all.first { $0.vendor == vendor && $0.product == product }
  }

  /// A reader that no list has, taken for a PN533 on the usual endpoints until its chip is asked.
  public static func unlisted(vendor: UInt16, product: UInt16) -> KnownReader {
    KnownReader(vendor: vendor, product: product, name: "unlisted reader", chip: .pn533)
  }

  /// All readers, PN53x first.
  public static let all: [KnownReader] = [
    KnownReader(vendor: 0x04CC, product: 0x0531, name: "Philips PN531", chip: .pn531),
    KnownReader(vendor: 0x054C, product: 0x0193, name: "Sony PN531", chip: .pn531),
    KnownReader(
      vendor: 0x04CC, product: 0x2533, name: "NXP PN533", chip: .pn533, quirks: .pn533),
    KnownReader(
      vendor: 0x04E6, product: 0x5591, name: "SCL3711", chip: .pn533,
      quirks: [.pn533, .lightOnPort3]),
    KnownReader(
      vendor: 0x04E6, product: 0x5593, name: "SCL3712", chip: .pn533,
      quirks: [.pn533, .lightOnPort3]),
    KnownReader(
      vendor: 0x04E6, product: 0x5594, name: "SCL3712", chip: .pn533,
      quirks: [.pn533, .lightOnPort3]),
    KnownReader(
      vendor: 0x1FD3, product: 0x0608, name: "ASK LoGO", chip: .pn533,
      quirks: [.pn533, .boardRegisters]),
    KnownReader(
      vendor: 0x054C, product: 0x02E1, name: "RC-S330", chip: .rcS956, quirks: .rcS956),
    KnownReader(vendor: 0x054C, product: 0x06C1, name: "RC-S380", chip: .rcS380),
    KnownReader(vendor: 0x054C, product: 0x06C3, name: "RC-S380", chip: .rcS380),
    KnownReader(
      vendor: 0x072F, product: 0x2200, name: "ACR122U", chip: .pn532, framing: .ccid),
    KnownReader(
      vendor: 0x072F, product: 0x90CC, name: "Touchatag", chip: .pn532, framing: .ccid),
    KnownReader(
      vendor: 0x072F, product: 0x2214, name: "ACR1222", chip: .pn532, framing: .ccid),
  ]
}

/// What readers do otherwise than the manuals say; see `firmware-notes/`.
public struct ReaderQuirks: OptionSet, Hashable, Sendable {
  /// One bit a quirk.
  public var rawValue: UInt8
  /// Makes a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Long commands and responses overwrite the USB descriptors in the chip's memory (PN533).
  public static let overwritesDescriptors = ReaderQuirks(rawValue: 0x01)
  /// The first transfer after opening may be lost or doubled: the chip keeps its data toggle.
  public static let keepsDataToggle = ReaderQuirks(rawValue: 0x02)
  /// NACK is not understood (RC-S956).
  public static let ignoresNACK = ReaderQuirks(rawValue: 0x04)
  /// ResetMode must be sent before and between commands of another mode (RC-S956).
  public static let needsModeReset = ReaderQuirks(rawValue: 0x08)
  /// The light hangs on bit 2 of port 3, 0 is on (SCL3711, SCL3712).
  public static let lightOnPort3 = ReaderQuirks(rawValue: 0x10)
  /// Registers of the board must be set at the start (ASK LoGO).
  public static let boardRegisters = ReaderQuirks(rawValue: 0x20)

  /// What every PN533 does.
  public static let pn533: ReaderQuirks = [.overwritesDescriptors, .keepsDataToggle]
  /// What every RC-S956 does.
  public static let rcS956: ReaderQuirks = [.ignoresNACK, .needsModeReset]
}
