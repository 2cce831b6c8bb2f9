import NFCTrace
import VirtualCards

/// A Flipper Zero `.nfc` file, versions 2 to 4.
///
/// Version 2 writes the ATQA as it is sent (`44 00`), later ones swapped (`00 44`).
struct FlipperDump {
  let fields: FlipperFields
  let version: Int
  let type: FlipperFields.Field

  /// Versions that are read.
  static let versions = 2...4

  init(_ bytes: [UInt8]) throws(TraceError) {
    fields = try FlipperFields(bytes)
    let field = try fields.require("Version")
    guard let number = Int(field.value) else { throw field.fault(expected: "a version number") }
    guard number <= Self.versions.upperBound else {
      throw .newerVersion(found: number, newestKnown: Self.versions.upperBound)
    }
    guard number >= Self.versions.lowerBound else {
      throw field.fault(expected: "version 2 to 4; older files are not read")
    }
    version = number
    type = try fields.require("Device type")
  }

  func image() throws(TraceError) -> CardImage {
    let name = type.value
    if Self.products.contains(where: { $0.name == name }) || name == "NTAG/Ultralight" {
      return try type2()
    }
    switch name {
    case "UID", "ISO14443-3A": return try typeA(.typeA)
    case "Mifare Classic": return try classic()
    case "ISO14443-4A", "Mifare DESFire", "Mifare Plus", "Bank card", "EMV", "NTAG4xx",
      "Type 4 Tag":
      var image = try typeA(.isoDepA)
      image.ats = try ats()
      image.version = try fields.bytes("PICC Version", count: 28...30)
      return image
    case "ISO14443-3B": return try typeB(.typeB)
    case "ISO14443-4B": return try typeB(.isoDepB)
    case "ISO15693-3", "SLIX": return try vicinity()
    case "FeliCa": return try feliCa()
    default:
      throw type.line.fault(
        "device type \(name)",
        expected: "one of UID, ISO14443-3A, -3B, -4A, -4B, ISO15693-3, SLIX, FeliCa, "
          + "NTAG/Ultralight, Mifare Classic, Mifare DESFire, Mifare Plus, EMV",
        remedy: "cards of this type are not supported")
    }
  }

  // MARK: Types A and B

  func typeA(_ kind: CardKind) throws(TraceError) -> CardImage {
    let uid = try fields.require("UID").bytes(count: 4...10)
    guard [4, 7, 10].contains(uid.count) else {
      throw try fields.require("UID").fault(expected: "a UID of 4, 7 or 10 bytes")
    }
    var image = CardImage(kind: kind, uid: uid)
    if let atqa = try fields.bytes("ATQA", count: 2...2) {
      image.atqa = version == 2 ? atqa : atqa.reversed()
    }
    image.sak = try fields.byte("SAK")
    return image
  }

  /// The ATS as one line, or in its parts since 2023.
  private func ats() throws(TraceError) -> [UInt8]? {
    if let whole = try fields.bytes("ATS", count: 1...254) {
      // Some files leave the length byte out.
      return whole.first.map(Int.init) == whole.count
        ? whole : [UInt8(truncatingIfNeeded: whole.count + 1)] + whole
    }
    guard let format = try fields.byte("T0") else { return nil }
    var content = [format]
    for (bit, key) in [(UInt8(0x10), "TA(1)"), (0x20, "TB(1)"), (0x40, "TC(1)")]
    where format & bit != 0 {
      content.append(try fields.byte(key) ?? 0)
    }
    content += try fields.bytes("T1...Tk", count: 0...249) ?? []
    return [UInt8(truncatingIfNeeded: content.count + 1)] + content
  }

  private func typeB(_ kind: CardKind) throws(TraceError) -> CardImage {
    let pupi = try fields.require("UID").bytes(count: 4...4)
    var image = CardImage(kind: kind, uid: pupi)
    if let data = try fields.bytes("Application data", count: 4...4),
      let info = try fields.bytes("Protocol info", count: 3...4)
    {
      image.atqb = [0x50] + pupi + data + info
    }
    return image
  }

  // MARK: MIFARE Classic

  private func classic() throws(TraceError) -> CardImage {
    let kindField = try fields.require("Mifare Classic type")
    let size: ClassicSize
    switch kindField.value {
    case "MINI": size = .mini
    case "1K": size = .oneK
    case "4K": size = .fourK
    default: throw kindField.fault(expected: "MINI, 1K or 4K")
    }
    var memory = CardMemory(unitSize: 16, unitCount: size.blockCount)
    for (number, field) in fields.numbered("Block") {
      guard number >= 0, number < size.blockCount else {
        throw field.fault(expected: "a block from 0 to \(size.blockCount - 1)")
      }
      guard let content = PartlyKnownBytes(field.value), content.bytes.count == 16 else {
        throw field.fault(expected: "16 bytes as hexadecimal pairs, ?? where unknown")
      }
      memory.set(number, to: content.bytes, knownBits: content.knownBits)
    }
    try hideUnknownKeys(&memory, size)
    let parts = try typeA(.classic(size))
    var image = ClassicDump.image(blocks: memory, uid: parts.uid)
    image.atqa = parts.atqa ?? image.atqa
    image.sak = parts.sak ?? image.sak
    return image
  }

  /// Data format 1 has a bit mask of known keys in place of `??`.
  private func hideUnknownKeys(
    _ memory: inout CardMemory, _ size: ClassicSize
  ) throws(TraceError) {
    for (key, range) in [("Key A map", 0..<6), ("Key B map", 10..<16)] {
      guard let map = try fields.bytes(key, count: 8...8) else { continue }
      let bits = map.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      for sector in 0..<size.sectorCount where bits >> UInt64(sector) & 1 == 0 {
        let trailer = ClassicSize.trailer(ofSector: sector)
        let start = trailer * 16
        var known = Array(memory.knownBits[start..<(start + 16)])
        for index in range { known[index] = 0 }
        memory.set(trailer, to: Array(memory[trailer]), knownBits: known)
      }
    }
  }

  // MARK: ISO 15693

  private func vicinity() throws(TraceError) -> CardImage {
    let uid = try fields.require("UID").bytes(count: 8...8)
    var information = VicinityInformation(
      dsfid: try fields.byte("DSFID") ?? 0, afi: try fields.byte("AFI") ?? 0,
      icReference: try fields.byte("IC Reference"))
    information.isDSFIDLocked = fields.find("Lock DSFID")?.value == "true"
    information.isAFILocked = fields.find("Lock AFI")?.value == "true"
    let count = try fields.number("Block Count", in: 1...256) ?? 0
    let size = Int(try fields.byte("Block Size") ?? 4)
    guard (1...32).contains(size) else {
      throw try fields.require("Block Size").fault(expected: "01 to 20, hexadecimal")
    }
    var memory = CardMemory(unitSize: size, unitCount: count)
    if let field = fields.find("Data Content") {
      let content = try field.bytes(count: (count * size)...(count * size))
      memory = CardMemory(unitSize: size, bytes: content)
    }
    if let status = try fields.bytes("Security Status", count: count...count) {
      information.lockedBlocks = status.map { $0 & 0x01 != 0 }
    }
    var image = CardImage(kind: .vicinity, uid: uid, memory: memory)
    image.vicinity = information
    image.signature = try fields.bytes("Signature", count: 32...32)
    return image
  }
}
