import Glibc
import HostIO
import NFCProtocols
import Replay

/// The line protocol of `--exec`, described in docs/exec-protocol.md.
struct ChildLines: ~Copyable {
  private var child: ChildProcess
  private let command: String
  private var hasWritten = false
  private var hasBeenAsked = false
  private let patience: Nanoseconds
  private let isRealTime: Bool
  /// What one line is, in words.
  private let unit: String
  /// The real time at which virtual time began.
  private var origin = MonotonicClock.now()

  /// True if `listen 15ms` may stand in front of a line.
  var takesListening = false
  /// How long the child said it listens after its last message, if it did.
  private(set) var listening: Nanoseconds?

  /// What a child says next.
  enum Line: Hashable {
    /// A message, and the work that was declared in front of it.
    case message([UInt8], cost: Nanoseconds)
    /// The child has closed its output.
    case ended
    /// Something that breaks the protocol; the reason in one line.
    case fault(String)
  }

  /// How long a child may take to end after it was told that all is over.
  static let endPatience = Nanoseconds.seconds(2)
  /// The same after it broke the protocol; it may well hang.
  static let faultPatience = Nanoseconds.milliseconds(100)
  /// How much of a wrong line is shown.
  static let shownLength = 60

  init(
    _ command: String, _ request: borrowing ReplayRequest, unit: String = "an APDU"
  ) throws(CommandError) {
    self.unit = unit
    self.command = command
    do { child = try ChildProcess(shell: command) } catch { throw .host(error) }
    patience = request.patience
    isRealTime = request.isRealTime
  }

  /// Sends bytes as a line of hexadecimal digits.
  mutating func send(_ bytes: [UInt8]) {
    hasBeenAsked = true
    var line = TextBuffer(capacity: bytes.count * 2 + 1)
    line.append(compactHex: bytes)
    line.append(ascii: 0x0A)
    _ = child.write(line.bytes)
  }

  /// Sends an event line.
  mutating func tell(_ event: String) { _ = child.write(Array("# \(event)\n".utf8)) }

  /// In real time: waits until the child has started, so that its start-up counts as no work, and
  /// lets virtual time run along from here.
  ///
  /// It has started when it has read all that was sent to it, or has written, or has ended.
  mutating func start(at now: VirtualInstant, hasBeenTold: Bool = true) {
    guard isRealTime else { return }
    child.waitUntilActive(timeout: patience, countsReading: hasBeenTold)
    origin = MonotonicClock.now() - now.sinceStart
  }

  /// In real time: waits until as much real time has passed as virtual time.
  func keepPace(_ now: VirtualInstant) {
    guard isRealTime else { return }
    let ahead = now.sinceStart - (MonotonicClock.now() - origin)
    guard ahead > .zero else { return }
    var pause = timespec(
      tv_sec: Int(ahead.count / 1_000_000_000), tv_nsec: Int(ahead.count % 1_000_000_000))
    nanosleep(&pause, nil)
  }

  /// Takes the next message of the child; comments are passed over, costs added up.
  mutating func next() -> Line {
    let asked = MonotonicClock.now()
    var cost = Nanoseconds.zero
    listening = nil
    while true {
      switch child.readLine(timeout: patience) {
      case .line(let bytes):
        hasWritten = true
        let text = Self.trimmed(bytes)
        if text.isEmpty || text.hasPrefix("#") { continue }
        if text.hasPrefix("cost") {
          guard let declared = Self.time(after: "cost", text) else {
            return .fault(
              "the child wrote '\(Self.shown(text))' where a time as 'cost 31ms' was due")
          }
          cost += declared
          continue
        }
        if takesListening, text.hasPrefix("listen") {
          guard let declared = Self.time(after: "listen", text) else {
            return .fault(
              "the child wrote '\(Self.shown(text))' where a time as 'listen 15ms' was due")
          }
          listening = declared
          continue
        }
        guard let message = Hexadecimal.bytes(of: text), !message.isEmpty else {
          return .fault("the child wrote '\(Self.shown(text))' where \(unit) in hex was due")
        }
        if isRealTime { cost = max(cost, MonotonicClock.now() - asked) }
        return .message(message, cost: cost)
      case .timedOut where !hasBeenAsked && !hasWritten && !takesListening:
        return .fault(
          "the child gave no line within \(DurationText.exact(patience)) of real time, and no "
            + "command was sent to it; is it a card program? use --role terminal (a reader "
            + "program has to speak first, and to flush after each line)")
      case .timedOut:
        return .fault(
          "the child gave no line within \(DurationText.exact(patience)) of real time; the usual "
            + "cause is output buffering: flush after each line (python3 -u, stdbuf -oL, setvbuf)")
      case .closed: return .ended
      case .tooLong:
        return .fault("the child wrote a line of more than \(ChildProcess.maximumLineLength) bytes")
      }
    }
  }

  /// Tells the child that all is over and waits for its end.
  ///
  /// - Returns: What to tell if it did not end well.
  /// - Throws: `CommandError.missingProgram` if the shell found nothing to run.
  consuming func finish(afterFault: Bool) throws(CommandError) -> String? {
    tell("end")
    let patience = afterFault ? Self.faultPatience : Self.endPatience
    let (command, hasWritten) = (command, hasWritten)
    switch child.wait(timeout: patience) {
    case .exited(0): return nil
    case .exited(let code) where !hasWritten && (code == 126 || code == 127):
      // The shell's own codes for "not found" and "not executable" (POSIX sh, 2.8.2).
      let program = command.split(separator: " ").first.map(String.init) ?? command
      throw .missingProgram(
        name: program, remedy: "check the path in --exec '\(command)'; it is run by sh -c")
    case .exited(let code): return "the child ended with exit code \(code)"
    case .signalled(let signal): return "the child was ended by signal \(signal)"
    case .killedAfterTimeout:
      return "the child did not end within \(DurationText.exact(patience)) and was killed"
    }
  }

  /// The time in a line such as `cost 31ms`; at most an hour, like the delay of a fault.
  private static func time(after word: String, _ text: String) -> Nanoseconds? {
    DurationText.parse(text.dropFirst(word.count).drop { $0 == " " })
      .flatMap { $0 <= FaultText.maximumDelay ? $0 : nil }
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    var part = bytes.drop(while: blank)
    while let last = part.last, blank(last) { part = part.dropLast() }
    return String(decoding: part, as: UTF8.self)
  }

  private static func shown(_ text: String) -> String {
    let safe = text.unicodeScalars.prefix(shownLength).map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F ? "." : String(scalar)
    }
    return safe.joined() + (text.unicodeScalars.count > shownLength ? "…" : "")
  }
}
