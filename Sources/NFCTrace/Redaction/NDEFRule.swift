/// Finds personal data in the records of NDEF messages, wherever a message begins.
struct NDEFRule {
  private let view: TracedBytes
  private var found: [PersonalDatum] = []

  /// A record as it stands in a message; its payload may be cut off.
  private struct Record {
    var format: UInt8
    var type: Range<Int>
    var payload: Range<Int>
    var isLast: Bool
    var isWhole: Bool
  }

  /// Most records that are followed in one message.
  private static let mostRecords = 256

  /// The personal data that only the structure of records tells; text has a rule of its own.
  static func find(in view: TracedBytes) -> [PersonalDatum] {
    var rule = NDEFRule(view: view)
    var place = 0
    while place + 3 < view.count {
      place = rule.message(at: place) ?? place + 1
    }
    return rule.found
  }

  private init(view: TracedBytes) { self.view = view }

  /// Looks at the message that begins at `start`, and gives the place behind it.
  private mutating func message(at start: Int) -> Int? {
    let bytes = view.bytes
    // Message begin, and a type name format that has a type.
    guard bytes[start] & 0x80 != 0, (1...4).contains(bytes[start] & 0x07) else { return nil }
    var records: [Record] = []
    var place = start
    while records.count < Self.mostRecords {
      guard let record = record(at: place), (place == start) == (bytes[place] & 0x80 != 0) else {
        return nil
      }
      records.append(record)
      place = record.payload.upperBound
      if record.isLast || !record.isWhole { break }
    }
    for record in records { look(at: record) }
    return place
  }

  private func record(at start: Int) -> Record? {
    let bytes = view.bytes
    guard start + 2 < bytes.count else { return nil }
    let flags = bytes[start]
    var place = start + 2
    var length = Int(bytes[place])
    if flags & 0x10 == 0 {
      guard place + 3 < bytes.count else { return nil }
      length = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      place += 3
    }
    place += 1
    var identifierLength = 0
    if flags & 0x08 != 0 {
      guard place < bytes.count else { return nil }
      identifierLength = Int(bytes[place])
      place += 1
    }
    let type = place..<(place + Int(bytes[start + 1]))
    let payloadStart = type.upperBound + identifierLength
    guard payloadStart <= bytes.count, bytes[type].allSatisfy(Characters.isPrintable) else {
      return nil
    }
    let end = min(payloadStart + length, bytes.count)
    return Record(
      format: flags & 0x07, type: type, payload: payloadStart..<end, isLast: flags & 0x40 != 0,
      isWhole: payloadStart + length <= bytes.count)
  }

  private mutating func look(at record: Record) {
    let type = String(decoding: view.bytes[record.type], as: UTF8.self)
    switch (record.format, type) {
    case (1, "U"): uri(record.payload)
    case (1, "T"): text(record.payload)
    case (1, "Sp"):
      if !record.payload.isEmpty { _ = message(at: record.payload.lowerBound) }
    case (2, "application/vnd.bluetooth.ep.oob"):
      // Two bytes of length, six of address, then EIR data (Bluetooth Secure Simple Pairing).
      guard record.payload.count >= 8 else { return }
      add(.device, .binary, slice(record.payload, 2..<8), "Bluetooth record")
      eirNames(slice(record.payload, 8..<record.payload.count))
    case (2, "application/vnd.bluetooth.le.oob"): eirNames(record.payload)
    case (2, "application/vnd.wfa.wsc"): wireless(record.payload, depth: 0)
    default: break
    }
  }

  private func slice(_ range: Range<Int>, _ part: Range<Int>) -> Range<Int> {
    (range.lowerBound + part.lowerBound)..<(range.lowerBound + part.upperBound)
  }

  private mutating func add(
    _ kind: PersonalDataKind, _ form: ValueForm, _ range: Range<Int>, _ location: String
  ) {
    guard !range.isEmpty else { return }
    found.append(
      PersonalDatum(kind: kind, form: form, content: view[range], location: location))
  }

  /// A URI whose abbreviation says that a phone number follows (NFC Forum RTD URI, table 3).
  private mutating func uri(_ payload: Range<Int>) {
    guard payload.count > 1 else { return }
    let rest = (payload.lowerBound + 1)..<payload.upperBound
    guard view.bytes[payload.lowerBound] == 0x05,
      let end = TextRule.endOfPhone(view.bytes, from: rest.lowerBound, leastDigits: 3)
    else { return }
    add(.phone, .characters, rest.lowerBound..<min(end, rest.upperBound), "URI record")
  }

  private mutating func text(_ payload: Range<Int>) {
    guard let status = view.bytes[payload].first else { return }
    let start = payload.lowerBound + 1 + Int(status & 0x3F)
    guard start < payload.upperBound else { return }
    var content = view[start..<payload.upperBound]
    if status & 0x80 != 0 {
      // UTF-16: Latin letters have a zero in front of each.
      var narrow = TracedBytes()
      for index in stride(from: 0, to: content.count - 1, by: 2) where content.bytes[index] == 0 {
        narrow.append(content[(index + 1)..<(index + 2)])
      }
      content = narrow
    }
    for var datum in TextRule.find(in: content, .message) {
      datum.location = "text record"
      found.append(datum)
    }
  }

  /// Names (08, 09) and addresses (1B) in lists of length, type and data.
  private mutating func eirNames(_ range: Range<Int>) {
    var place = range.lowerBound
    while place + 1 < range.upperBound, view.bytes[place] > 0 {
      let end = min(place + 1 + Int(view.bytes[place]), range.upperBound)
      let data = min(place + 2, end)..<end
      switch view.bytes[place + 1] {
      case 0x08, 0x09: add(.device, .characters, data, "Bluetooth record")
      case 0x1B where data.count >= 6:
        add(.device, .binary, data.lowerBound..<(data.lowerBound + 6), "Bluetooth record")
      default: break
      }
      place = end
    }
  }

  /// Attributes of two bytes type and two bytes length (Wi-Fi Simple Configuration, 12).
  private mutating func wireless(_ range: Range<Int>, depth: Int) {
    let bytes = view.bytes
    var place = range.lowerBound
    while place + 4 <= range.upperBound {
      let type = Int(bytes[place]) << 8 | Int(bytes[place + 1])
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let value = (place + 4)..<min(place + 4 + length, range.upperBound)
      switch type {
      case 0x100E where depth == 0: wireless(value, depth: 1)
      case 0x1045, 0x1027: add(.network, .characters, value, "Wi-Fi record")
      case 0x1020: add(.network, .binary, value, "Wi-Fi record")
      default: break
      }
      place = value.upperBound
    }
  }
}
