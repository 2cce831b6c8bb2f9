import NFCProtocols
import PN53x
import ProtocolTesting
import Replay
import Testing

/// Any bytes from a host, at any time, in any pieces: the chip never traps and says little.
@Suite struct HostileHostTests {
  private static let chips: [ChipModelConfiguration] = [
    .pn531(), .pn532(latency: .zero), .scl3711(), .rcS956(latency: .zero),
  ]

  /// A body whose frame is sound: a known code more often than not, parameters of any kind.
  private func body(_ generator: inout TestGenerator) -> [UInt8] {
    let codes: [UInt8] = [
      0x00, 0x02, 0x04, 0x06, 0x08, 0x0C, 0x0E, 0x10, 0x12, 0x14, 0x16, 0x18, 0x1C, 0x32, 0x38,
      0x40, 0x42, 0x44, 0x46, 0x48, 0x4A, 0x4E, 0x50, 0x52, 0x54, 0x56, 0x58, 0x60, 0x86, 0x88,
      0x8A, 0x8C, 0x8E, 0x90, 0x92, 0x94, 0x96, 0x98, 0xA0,
    ]
    let code =
      generator.below(10) == 0
      ? UInt8(generator.below(256)) : codes[generator.below(codes.count)]
    let length = generator.below(4) == 0 ? generator.below(264) : generator.below(14)
    var parameters = generator.bytes(min(length, 263))
    // Small numbers are what most parameters are.
    for index in parameters.indices.prefix(3) where generator.below(3) > 0 {
      parameters[index] = UInt8(generator.below(6))
    }
    return [0xD4, code] + parameters
  }

  private func transfer(_ generator: inout TestGenerator) -> [UInt8] {
    switch generator.below(10) {
    case 0: return generator.bytes(generator.below(70))
    case 1: return HostFrame.ack.encoded()
    case 2: return HostFrame.nack.encoded()
    default:
      let content = body(&generator)
      var bytes = HostFrame.information(content, content.count > 255 ? .extended : .normal)
        .encoded()
      if generator.below(8) == 0 { bytes[generator.below(bytes.count)] ^= 0x20 }
      if generator.below(8) == 0 { bytes = Array(bytes.prefix(generator.below(bytes.count))) }
      return bytes
    }
  }

  private func card(_ number: Int) throws -> (any RadioEndpoint)? {
    switch number {
    case 0: try SampleCards.type4()
    case 1: try SampleCards.type2()
    case 2: try SampleCards.classic()
    case 3: try SampleCards.feliCa()
    case 4: try SampleCards.echo(typeB: true)
    default: nil
    }
  }

  @Test(arguments: 0..<48)
  func anyBytesAreSurvived(seed: Int) throws {
    var generator = TestGenerator(seed: UInt64(seed) &* 7_919 &+ 1)
    let configuration = Self.chips[seed % Self.chips.count]
    var reader = SimulatedReader(
      chip: ChipModel(configuration), card: try card(seed % 6),
      budget: RunBudget(steps: 400_000, virtualTime: .seconds(10_000), logLines: 400_000),
      keepsLogText: false)
    var sent = 0
    var received = 0
    for round in 0..<300 {
      let bytes = transfer(&generator)
      sent += bytes.count
      if generator.below(4) == 0, bytes.count > 1 {
        let cut = generator.below(bytes.count)
        reader.host(Array(bytes[..<cut]), at: reader.now)
        reader.host(Array(bytes[cut...]), at: reader.now)
      } else {
        reader.host(bytes, at: reader.now)
      }
      reader.advance(to: reader.now + .microseconds(Int64(generator.below(40_000))))
      for delivery in reader.takeDeliveries() {
        received += 1
        #expect(delivery.bytes.count <= 275)
      }
      if round % 37 == 0 { reader.insert(try #require(try card(round % 5)), at: reader.now) }
      if round % 53 == 0 { reader.removeCard(at: reader.now) }
    }
    #expect(reader.exhausted == nil)
    // An ACK, a response and repetitions for each transfer at most.
    #expect(received <= 300 * 6)
    #expect(sent > 1_000)
    // Whatever it was, an abort and a fresh command work.
    var host = ReaderDialogue(reader)
    host.raw([UInt8](repeating: 0, count: 600))
    host.raw(HostFrame.ack.encoded())
    host.reader.advance(to: host.reader.now + .seconds(1))
    _ = host.reader.takeDeliveries()
    #expect(host.send([0x02]).first == 0x03)
  }

  @Test(arguments: 0..<24)
  func anyFramesOnTheAirAreSurvived(seed: Int) throws {
    var generator = TestGenerator(seed: UInt64(seed) &* 104_729 &+ 5)
    var host = ReaderDialogue(
      Self.chips[seed % Self.chips.count], card: HostileCard(seed: UInt64(seed)))
    host.patience = .milliseconds(400)
    _ = host.send("32 05 01 01 02")
    for _ in 0..<60 {
      let commands: [[UInt8]] = [
        [0x4A, 0x01, 0x00], [0x4A, 0x01, 0x03, 0x00], [0x4A, 0x01, 0x01, 0, 0xFF, 0xFF, 1, 0],
        [0x40, 0x01, 0x00, 0xB0, 0x00, 0x00, 0x02], [0x42, 0x30, 0x00], [0x44, 0x00],
        [0x54, 0x01], [0x00, 0x06], [0x40, 0x01, 0xA0, 4] + [UInt8](repeating: 1, count: 16),
      ]
      let answer = host.send(commands[generator.below(commands.count)])
      #expect(answer.count <= 264)
    }
  }
}

/// A card that answers anything with anything, some of it sound up to the point of trouble.
private struct HostileCard: RadioEndpoint {
  private var generator: TestGenerator

  init(seed: UInt64) { generator = TestGenerator(seed: seed &+ 99) }

  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard case .received(let frame) = input, generator.below(8) > 0 else { return }
    outputs.append(.send(answer(to: frame), after: .microseconds(90)))
  }

  private mutating func answer(to frame: RadioFrame) -> RadioFrame {
    let technology = frame.technology ?? .a
    if generator.below(3) > 0 {
      switch frame.bytes.first {
      case 0x26, 0x52: return RadioFrame([0x44, 0x03], technology: .a, crc: .absent)
      case 0x93 where frame.bytes.count == 2, 0x95 where frame.bytes.count == 2:
        return RadioFrame([1, 2, 3, 4, 4], technology: .a, crc: .absent)
      case 0x93, 0x95: return .protected([UInt8(generator.below(2)) << 5], .a)
      case 0xE0:
        let length = UInt8(1 + generator.below(254))
        return .protected([length, 0x78] + generator.bytes(max(Int(length) - 2, 0)), .a)
      case 0x05: return .protected([0x50] + generator.bytes(11), .b)
      default: break
      }
    }
    let content = generator.bytes(1 + generator.below(280))
    if generator.below(2) == 0 { return .protected(content, technology) }
    return RadioFrame(
      content, lastByteBits: UInt8(1 + generator.below(8)), technology: technology,
      isCollision: generator.below(6) == 0)
  }
}
