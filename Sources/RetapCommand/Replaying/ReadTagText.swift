import NFCProtocols
import TagAccess

/// What `--read` has read, in words.
enum ReadTagText {
  /// One line for the tag, one for its ATS, and one for each record of its message.
  static func lines(_ result: TagReadResult) -> String {
    var text = "  tag   \(kind(result.tag)), \(identifier(result.tag))\n"
    if let ats = result.tag.ats { text += "  ATS   \(Hexadecimal.pairs(ats.bytes))\n" }
    guard let message = result.ndef, !message.records.isEmpty else {
      return text + "  NDEF  \(result.raw == nil ? "none" : "empty")\n"
    }
    for record in message.records {
      var words = TextBuffer(capacity: 120)
      NDEFSummary.write(NDEFMessage([record]).bytes, to: &words)
      text += "  NDEF  " + words.string.dropFirst("NDEF ".count) + "\n"
    }
    return text
  }

  private static func kind(_ tag: TagIdentity) -> String {
    let letter = String(decoding: [tag.technology.letter], as: UTF8.self)
    guard let type = tag.tagType else { return "no NFC Forum type (\(letter))" }
    return "Type \(type.rawValue) (\(letter))"
  }

  /// The identifier under the name that its technology has for it.
  private static func identifier(_ tag: TagIdentity) -> String {
    let name =
      switch tag.technology {
      case .a, .v: "UID"
      case .b: "PUPI"
      case .f: "IDm"
      }
    let random = tag.technology == .a && tag.hasRandomIdentifier ? " (random)" : ""
    return "\(name) \(Hexadecimal.pairs(tag.identifier))\(random)"
  }
}
