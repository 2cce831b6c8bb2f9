import NFCProtocols
import PN53x
import TagAccess
import Testing

/// An agenda and a host engine; the test plays the chip, in the notation of the scenarios.
final class AgendaDialogue<Agenda: SessionAgenda> {
  var agenda: Agenda
  private var engine: HostEngine
  private(set) var now = VirtualInstant.start
  /// What the agenda wanted last: a command body from the code on, `rest`, or `done`.
  private(set) var wants = ""
  private(set) var rest: VirtualInstant?
  private(set) var isDone = false

  init(_ agenda: Agenda, chip: Chip = .pn533) {
    self.agenda = agenda
    engine = HostEngine(HostEngineConfiguration(.usb, chip: chip))
    follow(self.agenda.begin(at: now))
  }

  /// Answers the command under way after some time: `ACK` is implied.
  func reply(_ text: String, after time: Nanoseconds = .milliseconds(10)) {
    feed(.received(HostFrame.ack.encoded()))
    now = now + time
    let body = [HostFrame.chipToHost] + (Hexadecimal.bytes(of: text) ?? [])
    feed(.received(HostFrame.information(body, body.count > 255 ? .extended : .normal).encoded()))
  }

  /// Checks the command under way and answers it.
  func expect(
    _ command: String, reply text: String, after time: Nanoseconds = .milliseconds(10),
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(wants == command, sourceLocation: location)
    reply(text, after: time)
  }

  /// Lets the pause pass that the agenda has asked for.
  func wake(_ location: SourceLocation = #_sourceLocation) {
    guard let rest else {
      Issue.record("the agenda does not rest: \(wants)", sourceLocation: location)
      return
    }
    now = max(now, rest)
    self.rest = nil
    follow(agenda.woken(at: now))
  }

  /// Runs the agenda again, as after an event or an answer of an application.
  func resume() {
    isDone = false
    follow(agenda.begin(at: now))
  }

  func cancel() { feed(.cancel) }

  private func feed(_ input: HostInput) {
    var outputs: [HostOutput] = []
    engine.step(input, at: now, into: &outputs)
    for output in outputs {
      switch output {
      case .send(let bytes):
        record(bytes)
        var ignored: [HostOutput] = []
        engine.step(.sent, at: now, into: &ignored)
      case .completed(let outcome): follow(agenda.completed(outcome, at: now))
      case .answered(let answer): follow(agenda.answered(answer, at: now))
      default: break
      }
    }
  }

  private func record(_ bytes: [UInt8]) {
    var decoder = HostFrameDecoder()
    var events: [HostFrameEvent] = []
    decoder.decode(bytes, into: &events)
    if case .frame(.information(let body, _))? = events.first {
      wants = Hexadecimal.pairs(Array(body.dropFirst()))
    }
  }

  private func follow(_ move: SessionMove) {
    switch move {
    case .inputs(let inputs): for input in inputs { feed(input) }
    case .rest(let instant):
      rest = instant
      wants = "rest"
    case .done:
      isDone = true
      wants = "done"
    }
  }
}
