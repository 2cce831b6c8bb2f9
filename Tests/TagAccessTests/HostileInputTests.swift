import NFCProtocols
import Testing

@testable import TagAccess

/// Whatever the other side and the driver do, the machines neither trap nor speak out of turn.
@Suite struct HostileInputTests {
  /// A small generator with a fixed start, so that a failure can be repeated.
  struct Generator {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[next(below: list.count)] }

    /// A frame like those of the list, often damaged in one of several ways.
    mutating func frame(_ contents: [String]) -> RadioFrame {
      var frame = RadioFrame.protected(hex(pick(contents)), .a)
      switch next(below: 10) {
      case 0: frame.bytes[next(below: frame.bytes.count)] ^= 1 << UInt8(next(below: 8))
      case 1: frame.bytes.removeLast()
      case 2: frame.bytes = []
      case 3: frame = RadioFrame(frame.bytes, lastByteBits: UInt8(1 + next(below: 8)))
      case 4: frame.isCollision = true
      case 5: frame.crc = pick([.good, .bad, .notCaptured, .absent, nil])
      case 6: frame.technology = pick([.a, .b, .f, .v, nil])
      case 7: frame = RadioFrame(hex(pick(contents)), technology: .a, crc: .absent)
      default: break
      }
      return frame
    }
  }

  static let answers = [
    "04 00", "44 00", "08 11 22 33 08", "88 04 11 22 BF", "20", "04", "00", "05 78 80 71 00",
    "06 75 77 81 02 80", "02 90 00", "03 90 00", "12 90", "13 00", "A2", "A3", "B2", "F2 01",
    "F2 00", "F2 3F", "C2", "D0", "02 00 0F 20 00 3A 00 34 04 06 E1 04 04 00 00 00 90 00",
    "03 00 0F 20 00 3A 00 34 04 06 E1 04 04 00 00 00 90 00", "02 00 02 90 00", "03 D0 00 90 00",
    "50 11 22 33 44 00 00 00 00 00 81 71",
    "12 01 01 02 03 04 05 06 07 08 00 F1 00 00 00 01 43 00",
    "00 00 44 33 22 11 50 01 04 E0", "E1 10 12 00 03 03 D0 00 00 FE 00 00 00 00 00 00",
    "00 E1 40 0D 01", "01 10", "0A",
  ]

  static let commands = [
    "26", "52", "93 20", "93 70 08 11 22 33 08", "95 20", "E0 80", "E0 0F", "D0 11 00", "50 00",
    "02 00 A4 04 00", "03 00 B0 00 00 02", "12 00", "13 01", "A2", "A3", "B2", "B3", "F2 01",
    "C2", "0A 01 00", "06 00 00", "30 03",
  ]

  @Test(arguments: 0..<60 as Range<UInt64>)
  func readersSurviveAnything(_ seed: UInt64) {
    var generator = Generator(state: seed)
    for technologies in [[.a], [.b], [.f], [.v], Technology.allCases] {
      var configuration = TagReaderConfiguration(technologies)
      configuration.sessionAttempts = 1 + generator.next(below: 3)
      configuration.readAttempts = 1 + generator.next(below: 3)
      configuration.ending = generator.pick([.deselect, .fieldOff, .nothing])
      play(TagReader(configuration), &generator, Self.answers)
      play(APDUSession(configuration), &generator, Self.answers)
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func cardsSurviveAnything(_ seed: UInt64) {
    var generator = Generator(state: seed)
    play(CardEmulator(NDEFCard(bytes: hex("D0 00 00"))), &generator, Self.commands)
    play(CardEmulator(), &generator, Self.commands)
    play(
      CardEmulator(configuration: CardEmulatorConfiguration(waiting: .off)), &generator,
      Self.commands)
  }

  private func play(
    _ endpoint: some RadioEndpoint, _ generator: inout Generator, _ contents: [String]
  ) {
    var endpoint = endpoint
    var now = VirtualInstant.start
    var outputs: [RadioOutput] = []
    endpoint.step(.start, at: now, into: &outputs)
    for _ in 0..<300 {
      now = now + .microseconds(Int64(generator.next(below: 10_000)))
      let input: RadioInput
      switch generator.next(below: 12) {
      case 0...4: input = .received(generator.frame(contents))
      case 5, 6: input = .sent
      case 7: input = .receiving
      case 8, 9: input = .timer(RadioTimer(UInt8(generator.next(below: 4))))
      case 10: input = .fieldChanged(isOn: generator.next(below: 3) > 0)
      default: input = .application(hex("00 A4 04 00"))
      }
      outputs = []
      endpoint.step(input, at: now, into: &outputs)
      for output in outputs {
        if case .send(let frame, let delay) = output {
          #expect(!frame.bytes.isEmpty && delay >= .zero)
        }
        if case .setTimer(_, let instant) = output { #expect(instant >= now) }
      }
    }
    endpoint.step(.applicationEnded, at: now, into: &outputs)
  }

  @Test func waitingCommandsAreBounded() {
    for count in [APDUSession.maximumWaitingCommands, APDUSession.maximumWaitingCommands + 1] {
      var session = APDUSession()
      var outputs: [RadioOutput] = []
      session.step(.start, at: .start, into: &outputs)
      for _ in 0..<count { session.step(.application([0]), at: .start, into: &outputs) }
      #expect((session.result != nil) == (count > APDUSession.maximumWaitingCommands))
    }
  }
}
