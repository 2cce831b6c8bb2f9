import NFCProtocols
import ProtocolTesting

/// One transfer of a recorded link between host and chip.
struct RecordedTransfer {
  enum Kind {
    /// The host begins to send.
    case submission
    /// The host's transfer has left.
    case completion
    /// A transfer of the chip has arrived.
    case arrival
  }

  var kind: Kind
  var at: Nanoseconds
  var bytes: [UInt8]
}

/// The bulk transfers of a usbmon capture (pcapng, link type 220) of one device.
enum RecordedUSB {
  static func transfers(_ path: String) throws -> [RecordedTransfer] {
    let bytes = try SharedFolder.bytes(path)
    var found: [RecordedTransfer] = []
    var first: Int64?
    var position = 0
    func word(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    while position + 12 <= bytes.count {
      let length = word(position + 4)
      guard length >= 12 else { break }
      if word(position) == 6 {
        // Time in microseconds, then the header of 64 bytes of usbmon.
        let time = Int64(word(position + 12)) << 32 | Int64(word(position + 16))
        let captured = word(position + 20)
        let packet = position + 28
        if first == nil { first = time }
        let endpoint = bytes[packet + 10]
        if bytes[packet + 9] == 3 {
          let isSubmission = bytes[packet + 8] == UInt8(ascii: "S")
          let content = Array(bytes[(packet + 64)..<(packet + captured)])
          let at = Nanoseconds.microseconds(time - (first ?? time))
          if endpoint == 0x04 {
            found.append(
              RecordedTransfer(
                kind: isSubmission ? .submission : .completion, at: at, bytes: content))
          } else if !isSubmission, !content.isEmpty {
            found.append(RecordedTransfer(kind: .arrival, at: at, bytes: content))
          }
        }
      }
      position += length
    }
    return found
  }
}

/// The lines of a dialogue that a simulator wrote: seconds, direction, bytes.
enum RecordedDialogue {
  struct Line {
    var at: Nanoseconds
    var isHost: Bool
    var bytes: [UInt8]
    /// The words of a line that tells of the card.
    var card: String?
  }

  static func lines(_ name: String) throws -> [Line] {
    let text = String(decoding: try SharedFolder.bytes("dialogues/\(name).log"), as: UTF8.self)
    var found: [Line] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      guard words.count >= 3, let seconds = Double(words[0]) else { continue }
      let at = Nanoseconds(Int64((seconds * 1e9).rounded()))
      if words[1] == "#" {
        if words[2] == "card" {
          found.append(Line(at: at, isHost: true, bytes: [], card: String(words[3])))
        }
        continue
      }
      // USB lines name the endpoint; control transfers are not the chip's.
      let isUSB = words[2].count == 2
      if isUSB, words[2] == "c0" || words[2] == "40" || words[2] == "00" { continue }
      let digits = isUSB ? (words.count > 3 ? String(words[3]) : "") : String(words[2])
      guard let bytes = Hexadecimal.bytes(of: digits) else { continue }
      found.append(Line(at: at, isHost: words[1] == ">", bytes: bytes))
    }
    return found
  }
}
