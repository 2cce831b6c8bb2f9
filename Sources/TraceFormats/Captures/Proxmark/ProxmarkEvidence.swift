import NFCProtocols

/// What the records of a Proxmark3 trace tell of the protocol, which the format does not name.
struct ProxmarkEvidence: Equatable {
  /// Records that hold data.
  var frames = 0
  /// Records of whole bytes whose parity bits are odd parity and not all zero.
  var oddParity = 0
  /// Those of them with four bytes or more.
  var longOddParity = 0
  /// Records that fit type A by parity, CRC_A or the duration of a REQA or WUPA.
  var typeA = 0
  var crcA = 0
  /// Records that end in the CRC that type B and ISO/IEC 15693 share.
  var crcB = 0
  var typeBForms = 0
  var vicinityForms = 0
  /// Records that begin with the FeliCa sync code.
  var felicaSync = 0
  /// Records whose parity byte counts the bits of the last byte, as bit-stream protocols write it.
  var countedBits = 0
  /// Records with parity bytes that do not fit a bit-stream protocol.
  var otherParity = 0

  init(_ records: some Sequence<ProxmarkRecord>) {
    for record in records where !record.data.isEmpty { add(record) }
  }

  private mutating func add(_ record: ProxmarkRecord) {
    frames += 1
    let data = record.data
    let isOdd: Bool
    if record.duration == nil {
      isOdd = false
    } else {
      isOdd =
        record.parityBits == .odd(for: data) && record.parity.contains { $0 != 0 }
    }
    if isOdd { oddParity += 1 }
    if isOdd, data.count >= 4 { longOddParity += 1 }
    let hasCRCA = CRC16.a.check(data)
    if hasCRCA { crcA += 1 }
    // ISO/IEC 14443-3 table 3: REQA 26, WUPA 52, seven bits.
    let isShort =
      data.count == 1 && (data[0] == 0x26 || data[0] == 0x52) && record.direction == .outbound
      && ProxmarkDuration.bitsOfSingleByte(lasting: record.duration ?? 0) == 7
    if isOdd || hasCRCA || isShort { typeA += 1 }
    if CRC16.b.check(data) { addTypeB(record) }
    // JIS X 6319-4: preamble, then the sync code B2 4D.
    if data.starts(with: [0xB2, 0x4D]) { felicaSync += 1 }
    let isCounted = record.parity.dropFirst().allSatisfy { $0 == 0 } && record.parity[0] < 8
    if isCounted, record.parity[0] > 0 { countedBits += 1 }
    if !isCounted { otherParity += 1 }
  }

  private mutating func addTypeB(_ record: ProxmarkRecord) {
    crcB += 1
    let data = record.data
    switch record.direction {
    case .outbound:
      // ISO/IEC 14443-3 7.7: REQB and WUPB, APf 05 and 5 bytes; 7.10: ATTRIB, 1D and 11 or more.
      if data[0] == 0x05 && data.count == 5 || data[0] == 0x1D && data.count >= 11 {
        typeBForms += 1
      }
      // ISO/IEC 15693-3 10.3.1: Inventory, flags then 01; 7.3.1: addressed request with a UID E0.
      if data.count >= 5 && data[0] & 0x04 != 0 && data[1] == 0x01
        || data.count >= 12 && data[0] & 0x24 == 0x20 && data[9] == 0xE0
      {
        vicinityForms += 1
      }
    case .inbound:
      // ISO/IEC 14443-3 7.9: ATQB, 50 and 14 or 15 bytes. ISO/IEC 15693-3 10.3.1: answer with UID.
      if data[0] == 0x50 && (14...15).contains(data.count) { typeBForms += 1 }
      if data.count == 12 && data[0] & 0xFE == 0 && data[9] == 0xE0 { vicinityForms += 1 }
    }
  }

  /// True if the bytes can hardly have been divided into such frames by chance.
  var isStrong: Bool {
    crcA + crcB > 0 || felicaSync * 2 > frames || longOddParity >= 2 && oddParity * 2 >= frames
  }

  /// True if the records are those of a bit-stream protocol such as Hitag.
  var isBitStream: Bool {
    countedBits > 0 && otherParity == 0 && crcA == 0 && crcB == 0 && felicaSync == 0
      && oddParity == 0
  }

  /// The technology that the records speak for, and the reason in words.
  var technology: (Technology, reason: String)? {
    guard frames > 0 else { return nil }
    if felicaSync * 2 > frames {
      return (.f, "the sync code B2 4D in \(felicaSync) of \(frames) frames")
    }
    if typeA > 0, typeA > crcB {
      return (.a, "parity bits, CRC_A or short frames in \(typeA) of \(frames) frames")
    }
    if crcB > 0, crcB > typeA, typeBForms != vicinityForms {
      let isB = typeBForms > vicinityForms
      let names = isB ? "type B commands" : "ISO/IEC 15693 commands"
      return (isB ? .b : .v, "the CRC of \(crcB) of \(frames) frames and \(names)")
    }
    return nil
  }
}
