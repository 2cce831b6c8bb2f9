import NFCProtocols
import NFCTrace

/// One line of usbmon text.
struct USBMonTextLine {
  var record: USBRecord
  var microseconds: Int64

  enum Result {
    case record(USBMonTextLine)
    /// Isochronous transfers.
    case ignored
    /// What was found that does not fit.
    case bad(String)
  }

  /// True if a line begins like usbmon text: `TAG TIME S|C|E Xy:bus:device:endpoint`.
  static func isLikely(_ line: ArraySlice<UInt8>) -> Bool {
    let words = words(of: line)
    guard words.count >= 4, hex(words[0]) != nil, decimal(words[1]) != nil,
      words[2].count == 1, [0x53, 0x43, 0x45].contains(words[2][words[2].startIndex])
    else { return false }
    return address(words[3]) != nil
  }

  static func parse(_ line: ArraySlice<UInt8>) -> Result {
    let words = words(of: line)
    guard words.count >= 5, let tag = hex(words[0]), let time = decimal(words[1]) else {
      return .bad("a line of another form")
    }
    guard let (kind, isInbound, device, endpoint) = address(words[3]) else {
      return .bad("the address `\(CaptureText.line(words[3]))`")
    }
    let phase: USBRecord.Phase
    switch CaptureText.line(words[2]) {
    case "S": phase = .submit
    case "C": phase = .complete
    case "E": phase = .refused
    default: return .bad("the event `\(CaptureText.line(words[2]))`")
    }
    if kind == .isochronous { return .ignored }
    var record = USBRecord(
      phase: phase, kind: kind, identifier: tag, device: device,
      endpoint: UInt8(truncatingIfNeeded: endpoint) & 0x0F | (isInbound ? 0x80 : 0),
      time: SourceTime())
    guard let problem = readRest(words.dropFirst(4), into: &record) else {
      return .record(USBMonTextLine(record: record, microseconds: time))
    }
    return .bad(problem)
  }

  /// Status or setup, length, data; returns what is wrong with them.
  private static func readRest(
    _ words: ArraySlice<ArraySlice<UInt8>>, into record: inout USBRecord
  ) -> String? {
    var rest = words
    guard let first = rest.popFirst() else { return "no status" }
    if first.elementsEqual([0x73]) {
      guard let setup = setup(rest.prefix(5)) else { return "a setup of another form" }
      record.setup = setup
      rest = rest.dropFirst(5)
    } else {
      // Interrupt transfers have their interval behind the status.
      let number = first.prefix { $0 != 0x3A }
      guard let status = signed(number) else {
        return "the status `\(CaptureText.line(first))`"
      }
      record.outcome = USBStatus.linux(status)
    }
    guard let lengthWord = rest.popFirst(), let length = decimal(lengthWord),
      length <= Int64(Int32.max)
    else { return "no length" }
    record.length = Int(length)
    guard let mark = rest.popFirst() else { return nil }
    guard mark.elementsEqual([0x3D]) else { return nil }
    var data: [UInt8] = []
    for word in rest {
      guard let bytes = Hexadecimal.bytes(of: word) else {
        return "the data word `\(CaptureText.line(word))`"
      }
      data += bytes
    }
    guard data.count <= Int(length) else {
      return "\(data.count) bytes of data where the length is \(length)"
    }
    record.data = data[...]
    return nil
  }

  private static func setup(_ words: ArraySlice<ArraySlice<UInt8>>) -> [UInt8]? {
    let values = words.compactMap { hex($0) }
    guard values.count == 5, values[0] < 0x100, values[1] < 0x100,
      values[2...].allSatisfy({ $0 < 0x1_0000 })
    else { return nil }
    var bytes = [UInt8(values[0]), UInt8(values[1])]
    for value in values[2...] { bytes.append(little16: UInt16(value)) }
    return bytes
  }

  private static func words(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
  }

  private typealias Address = (USBRecord.Kind, Bool, USBDeviceAddress, Int64)

  /// Kind, direction, device and endpoint of `Bi:2:026:4`.
  private static func address(_ word: ArraySlice<UInt8>) -> Address? {
    let parts = word.split(separator: 0x3A, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].count == 2, let type = parts[0].first,
      let way = parts[0].last, let bus = decimal(parts[1]), let device = decimal(parts[2]),
      let endpoint = decimal(parts[3]), bus < 0x1_0000, device < 0x80, endpoint < 16
    else { return nil }
    let kinds: [UInt8: USBRecord.Kind] = [
      0x43: .control, 0x5A: .isochronous, 0x49: .interrupt, 0x42: .bulk,
    ]
    guard let kind = kinds[type], way == 0x69 || way == 0x6F else { return nil }
    let place = USBDeviceAddress(bus: UInt16(bus), address: UInt16(device))
    return (kind, way == 0x69, place, endpoint)
  }

  private static func hex(_ word: ArraySlice<UInt8>) -> UInt64? {
    guard (1...16).contains(word.count) else { return nil }
    var value: UInt64 = 0
    for digit in word {
      guard let nibble = Hexadecimal.value(of: digit) else { return nil }
      value = value << 4 | UInt64(nibble)
    }
    return value
  }

  private static func decimal(_ word: ArraySlice<UInt8>) -> Int64? {
    guard (1...18).contains(word.count) else { return nil }
    var value: Int64 = 0
    for digit in word {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - 0x30)
    }
    return value
  }

  private static func signed(_ word: ArraySlice<UInt8>) -> Int32? {
    let isNegative = word.first == 0x2D
    guard let value = decimal(isNegative ? word.dropFirst() : word) else { return nil }
    return Int32(exactly: isNegative ? -value : value)
  }
}
