import NFCProtocols
import NFCTrace

/// The `key: value` lines of a Flipper file, in their order.
struct FlipperFields {
  /// One line.
  struct Field {
    let key: String
    let value: String
    let line: DumpLine
  }

  let all: [Field]

  init(_ bytes: [UInt8]) throws(TraceError) {
    var fields: [Field] = []
    for line in DumpLine.split(bytes) {
      if line.text.isEmpty || line.text.hasPrefix("#") { continue }
      guard let colon = line.text.firstIndex(of: ":") else {
        throw line.fault(
          "\"\(line.text.prefix(40))\"", expected: "a key, a colon and a value",
          remedy: "remove or repair the line")
      }
      let key = String(line.text[..<colon])
      let value = line.text[line.text.index(after: colon)...].drop { $0 == " " }
      fields.append(Field(key: key, value: String(value), line: line))
    }
    all = fields
  }

  func find(_ key: String) -> Field? { all.first { $0.key == key } }

  /// The field, or an error at the end of the file.
  func require(_ key: String) throws(TraceError) -> Field {
    guard let field = find(key) else {
      throw .badInput(
        BadInput(
          at: .line(all.last?.line.number ?? 1), found: "no line \"\(key):\"",
          expected: "\"\(key):\" in a file of this device type",
          remedy: "the file is cut or of another type: save it anew"))
    }
    return field
  }

  /// The bytes of a field, or `nil` if there is no such field.
  func bytes(_ key: String, count: ClosedRange<Int>) throws(TraceError) -> [UInt8]? {
    guard let field = find(key) else { return nil }
    return try field.bytes(count: count)
  }

  /// The one byte of a field, or `nil` if there is no such field.
  func byte(_ key: String) throws(TraceError) -> UInt8? { try bytes(key, count: 1...1)?.first }

  /// The decimal number of a field, or `nil` if there is no such field.
  func number(_ key: String, in range: ClosedRange<Int>) throws(TraceError) -> Int? {
    guard let field = find(key) else { return nil }
    return try field.number(in: range)
  }

  /// Fields named by a word and a decimal number: `Page 7`.
  func numbered(_ word: String) -> [(number: Int, field: Field)] {
    all.compactMap { field in
      guard field.key.hasPrefix(word + " "),
        let number = Int(field.key.dropFirst(word.utf8.count + 1))
      else { return nil }
      return (number, field)
    }
  }
}

extension FlipperFields.Field {
  func bytes(count: ClosedRange<Int>) throws(TraceError) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(of: value), count.contains(bytes.count) else {
      throw fault(
        expected: count.lowerBound == count.upperBound
          ? "\(count.lowerBound) bytes as hexadecimal pairs"
          : "\(count.lowerBound) to \(count.upperBound) bytes as hexadecimal pairs")
    }
    return bytes
  }

  func number(in range: ClosedRange<Int>) throws(TraceError) -> Int {
    guard let number = Int(value), range.contains(number) else {
      throw fault(expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func fault(expected: String) -> TraceError {
    line.fault(
      "\(key): \(value.isEmpty ? "nothing" : String(value.prefix(40)))", expected: expected,
      remedy: "repair the line or save the file anew")
  }
}
