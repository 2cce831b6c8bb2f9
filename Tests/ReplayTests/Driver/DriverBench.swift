import NFCProtocols
import PN53x
import Replay
import TagAccess
import Testing
import VirtualCards

/// Our driver in front of a simulated reader, opened as real ones are.
final class DriverBench {
  var session: SimulatedSession

  /// - Parameter isOpen: False to begin before the reader was opened.
  init(
    _ configuration: ChipModelConfiguration = .pn533(), card: (any RadioEndpoint)? = nil,
    terminal: (any RadioEndpoint)? = nil, faults: [ReaderFault] = [], isOpen: Bool = true,
    options: LinkPlan.Options = LinkPlan.Options()
  ) {
    let reader = SimulatedReader(
      chip: ChipModel(configuration), card: card, terminal: terminal, link: .usbFullSpeed,
      faults: ReaderFaultPlan(faults))
    session = SimulatedSession(
      HostEngine(HostEngineConfiguration(.usb, chip: configuration.chip)), reader)
    guard isOpen else { return }
    var opening = LinkPlan.opening(.usb, options: options)
    let isDone = session.run(&opening)
    #expect(
      isDone && opening.failure == nil, "the reader is opened: \(opening.failure?.message ?? "")")
  }

  /// Runs an agenda to its end.
  func finish<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, _ location: SourceLocation = #_sourceLocation
  ) {
    let isDone = session.run(&agenda)
    #expect(isDone, "the agenda comes to an end", sourceLocation: location)
  }

  /// Runs an agenda that is still at work when an instant comes.
  func expectWork<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, until limit: VirtualInstant,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let isDone = session.run(&agenda, until: limit)
    #expect(!isDone, "the agenda is still at work", sourceLocation: location)
  }

  /// Reads the tag frame by frame.
  func read(
    _ configuration: TagReaderConfiguration = TagReaderConfiguration([.a]),
    options: ChipRadioOptions = ChipRadioOptions()
  ) -> ChipRadio<TagReader> {
    var radio = ChipRadio(
      TagReader(configuration), chip: session.engine.chip, settings: session.settings,
      options: options)
    let isDone = session.run(&radio)
    #expect(isDone, "the reader comes to an end")
    return radio
  }

  /// The log of the simulated reader, line by line.
  var logLines: [String] {
    String(decoding: session.reader.log.text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The commands that have gone to the chip, from the code on, resends and all.
  var commands: [String] {
    logLines.compactMap { line in
      guard let mark = line.firstRange(of: " host > ") else {
        return nil
      }
      return Self.body(String(line[mark.upperBound...]))
    }
  }

  private static func body(_ text: String) -> String? {
    guard let bytes = Hexadecimal.bytes(of: text.split(separator: " ").first.map(String.init) ?? "")
    else { return nil }
    var decoder = HostFrameDecoder()
    var found: [HostFrameEvent] = []
    decoder.decode(bytes, into: &found)
    guard case .frame(let frame)? = found.first else { return nil }
    switch frame {
    case .ack: return "ACK"
    case .nack: return "NACK"
    case .error: return "ERR"
    case .information(let body, _): return Hexadecimal.pairs(Array(body.dropFirst()))
    }
  }
}

/// What the same reader reads from the same card with nothing but air between them.
func readDirectly(
  _ card: any RadioEndpoint, _ configuration: TagReaderConfiguration = TagReaderConfiguration([.a])
) -> Result<TagReadResult, TagAccessError>? {
  var air = DirectAir(reader: TagReader(configuration), card: card)
  air.run()
  return air.reader.result
}

/// Two endpoints and the air, on a virtual clock.
struct DirectAir {
  var reader: TagReader
  var card: any RadioEndpoint
  private var now = VirtualInstant.start
  private var readerTimers: [(RadioTimer, VirtualInstant)] = []

  init(reader: TagReader, card: any RadioEndpoint) {
    self.reader = reader
    self.card = card
  }

  mutating func run() {
    var ignored: [RadioOutput] = []
    card.step(.start, at: now, into: &ignored)
    step(.start)
    while reader.result == nil, !readerTimers.isEmpty {
      readerTimers.sort { $0.1 < $1.1 }
      let (timer, instant) = readerTimers.removeFirst()
      now = max(now, instant)
      step(.timer(timer))
    }
  }

  private mutating func step(_ input: RadioInput) {
    var inputs = [input]
    while !inputs.isEmpty {
      var outputs: [RadioOutput] = []
      reader.step(inputs.removeFirst(), at: now, into: &outputs)
      for output in outputs {
        switch output {
        case .field(let isOn):
          var ignored: [RadioOutput] = []
          card.step(.fieldChanged(isOn: isOn), at: now, into: &ignored)
        case .setTimer(let timer, let instant):
          readerTimers.removeAll { $0.0 == timer }
          readerTimers.append((timer, instant))
        case .cancelTimer(let timer): readerTimers.removeAll { $0.0 == timer }
        case .send(let frame, let delay):
          now = now + delay + AirTime.duration(of: frame, .outbound)
          inputs.append(.sent)
          var answers: [RadioOutput] = []
          card.step(.received(frame), at: now, into: &answers)
          for case .send(let answer, let delay) in answers {
            inputs.append(.received(answer))
            _ = delay
          }
        default: break
        }
      }
    }
  }
}
