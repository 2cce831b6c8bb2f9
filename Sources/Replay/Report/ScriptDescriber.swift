public import NFCProtocols
import PN53x

/// Tells what the frames of a script mean, in the light of what came before them.
public struct ScriptDescriber: Sendable {
  private let script: ReplayScript

  /// Makes a describer of a script's frames.
  public init(_ script: ReplayScript) { self.script = script }

  /// What a frame at an exchange (by its index) means, be it the recorded one or another.
  public func describe(
    _ frame: RadioFrame, _ direction: Direction, at index: Int
  ) -> FrameDescription? {
    switch script.layer {
    case .radio: radio(frame, direction, at: index)
    case .apdu: apdu(frame, direction, at: index)
    case .chip: chip(frame, direction)
    }
  }

  private func radio(
    _ frame: RadioFrame, _ direction: Direction, at index: Int
  ) -> FrameDescription {
    var interpreter = interpreter(before: index)
    if direction == .inbound, script.entries.indices.contains(index) {
      _ = interpreter.interpret(.outbound, script.entries[index].command)
    }
    let meaning = interpreter.interpret(direction, frame)
    var text = TextBuffer(capacity: 80)
    meaning.write(frame, to: &text)
    let fields = meaning.fields(of: frame).map { field in
      FrameDescription.Field(field.name, field.range, meaning: field.meaning)
    }
    return FrameDescription(title: text.string, fields: fields)
  }

  /// The state that the recorded frames in front of an exchange lead to.
  private func interpreter(before index: Int) -> RadioInterpreter {
    var interpreter = RadioInterpreter(defaultTechnology: script.technology)
    for entry in script.entries.prefix(max(0, index)) {
      if entry.fieldReset != nil { interpreter.fieldChanged() }
      _ = interpreter.interpret(.outbound, entry.command)
      for answer in entry.answers { _ = interpreter.interpret(.inbound, answer.frame) }
    }
    return interpreter
  }

  private func apdu(
    _ frame: RadioFrame, _ direction: Direction, at index: Int
  ) -> FrameDescription? {
    let bytes = frame.bytes
    guard bytes.count >= 2 else { return nil }
    if direction == .inbound {
      let start = bytes.count - 2
      return FrameDescription(
        title: "status \(Hexadecimal.pairs(Array(bytes.suffix(2)))), \(start) bytes of data",
        fields: [.init("data", 0..<start), .init("status word", start..<bytes.count)])
    }
    let name = InstructionName.name(cla: bytes[0], ins: bytes[1])
    var fields: [FrameDescription.Field] = [
      .init("CLA", 0..<1), .init("INS", 1..<2, meaning: name ?? ""),
    ]
    let parts: [(String, Range<Int>)] = [("P1", 2..<3), ("P2", 3..<4), ("Lc or Le", 4..<5)]
    for (part, range) in parts where range.upperBound <= bytes.count {
      fields.append(.init(part, range))
    }
    if bytes.count > 5 { fields.append(.init("data", 5..<bytes.count)) }
    return FrameDescription(title: name ?? "unknown instruction", fields: fields)
  }

  private func chip(_ frame: RadioFrame, _ direction: Direction) -> FrameDescription? {
    let bytes = frame.bytes
    if bytes == [HostFrame.errorIdentifier] { return FrameDescription(title: "error frame") }
    guard bytes.count >= 2, bytes[0] == HostFrame.hostToChip || bytes[0] == HostFrame.chipToHost
    else { return bytes.isEmpty ? FrameDescription(title: "ACK") : nil }
    let code = CommandCode(rawValue: direction == .outbound ? bytes[1] : bytes[1] &- 1)
    let name = code.name.map { "\($0)" } ?? "unknown command"
    return FrameDescription(
      title: direction == .outbound ? name : "answer to \(name)",
      fields: [
        .init("TFI", 0..<1), .init("command code", 1..<2, meaning: name),
        .init("parameters", 2..<bytes.count),
      ])
  }
}
