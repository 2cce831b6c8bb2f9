import NFCProtocols

/// A reader on the air that says what a test wants: one frame after the other, each a while after
/// the answer to the one before, or after the one before if that has none.
struct ScriptedInitiator: RadioEndpoint {
  struct Line {
    var frame: RadioFrame
    var pause: Nanoseconds
    var hasAnswer = true
  }

  var lines: [Line]
  /// Switch the field off when all is said.
  var leaves = false
  private(set) var answers: [RadioFrame] = []
  private var position = 0
  private static let timer = RadioTimer(1)

  init(_ lines: [Line], leaves: Bool = false) {
    self.lines = lines
    self.leaves = leaves
  }

  /// WUPA, anticollision and SELECT of a UID of four bytes.
  static func activation(_ uid: [UInt8]) -> [Line] {
    let part = uid + [uid.reduce(0, ^)]
    let frames = [
      RadioFrame([0x52], lastByteBits: 7, technology: .a, crc: .absent),
      RadioFrame([0x93, 0x20], technology: .a, crc: .absent),
      .protected([0x93, 0x70] + part, .a),
    ]
    return frames.map { Line(frame: $0, pause: .milliseconds(1)) }
  }

  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .start:
      outputs.append(.field(isOn: true))
      outputs.append(.setTimer(Self.timer, at: now + .milliseconds(6)))
    case .timer: next(into: &outputs)
    case .sent:
      if position > 0, !lines[position - 1].hasAnswer { schedule(at: now, into: &outputs) }
    case .received(let frame):
      answers.append(frame)
      schedule(at: now, into: &outputs)
    default: break
    }
  }

  private func schedule(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    let pause = position < lines.count ? lines[position].pause : .milliseconds(1)
    outputs.append(.setTimer(Self.timer, at: now + pause))
  }

  private mutating func next(into outputs: inout [RadioOutput]) {
    guard position < lines.count else {
      if leaves { outputs.append(.field(isOn: false)) }
      leaves = false
      return
    }
    position += 1
    outputs.append(.send(lines[position - 1].frame, after: .zero))
  }
}
