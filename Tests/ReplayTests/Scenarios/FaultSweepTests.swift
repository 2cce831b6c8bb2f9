import NFCProtocols
import PN53x
import Replay
import TagAccess
import Testing
import VirtualCards

/// Every fault at every place of a whole reading: the right message or a typed error, never
/// another message, and a driver that works on.
@Suite("Sweeps of link faults") struct LinkFaultSweepTests {
  private static let effects: [ReaderFault.Effect] = [
    .drop, .duplicate, .late(.milliseconds(5)), .late(.milliseconds(40)), .corrupt(bit: 42),
    .corrupt(bit: 58), .truncate(count: 4), .split(at: 3), .merge, .emptyTransferAfter,
    .insert([0x00, 0x00, 0xFF, 0x00, 0x00, 0xD5, 0x00]), .stall,
    .replace([0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]),
  ]

  /// The place counts transfers of the opening, too: 8 out and 14 in.
  private static let first: [ReaderFault.Place: Int] = [.toChip: 9, .toHost: 15]

  private func isGood(_ result: Result<TagReadResult, TagAccessError>?) -> Bool {
    (try? result?.get())?.raw == SampleCards.message
  }

  /// A third of the places for each fault, so that together they cover all.
  @Test("frame by frame", arguments: effects.enumerated().map { ($0.offset % 3, $0.element) })
  func frames(offset: Int, effect: ReaderFault.Effect) throws {
    for (place, count) in [(ReaderFault.Place.toChip, 21), (.toHost, 42)] {
      for number in stride(from: offset, to: count, by: 3) {
        let fault = ReaderFault(effect, place, (Self.first[place] ?? 1) + number)
        let bench = DriverBench(card: try SampleCards.type4(), faults: [fault])
        let radio = bench.read()
        let wasRead = isGood(radio.endpoint.result)
        let hasError = radio.failure != nil || (try? radio.endpoint.result?.get()) == nil
        #expect(wasRead || hasError, "\(fault): another message was read")
        #expect(bench.session.now.sinceStart < .seconds(20), "\(fault)")
        guard bench.session.reader.faults.unused.isEmpty else { continue }
        // Whatever happened, the next reading works.
        let again = bench.read()
        #expect(
          isGood(again.endpoint.result),
          "\(place) \(number): \(radio.failure?.message ?? "read") then \(again.failure?.message ?? "")"
        )
      }
    }
  }

  @Test("APDU by APDU", arguments: effects)
  func exchanges(effect: ReaderFault.Effect) throws {
    func read(_ bench: DriverBench) -> Result<TagReadResult, TagAccessError>? {
      var reader = ChipTagReader(
        TagReaderConfiguration([.a]),
        on: ChipReader(chip: .pn533, settings: bench.session.settings))
      let isDone = bench.session.run(&reader)
      #expect(isDone)
      return reader.result
    }
    for (place, count) in [(ReaderFault.Place.toChip, 10), (.toHost, 20)] {
      for number in 0..<count {
        let fault = ReaderFault(effect, place, (Self.first[place] ?? 1) + number)
        let bench = DriverBench(card: try SampleCards.type4(), faults: [fault])
        let result = read(bench)
        #expect(isGood(result) || (try? result?.get()) == nil, "\(fault)")
        #expect(bench.session.now.sinceStart < .seconds(90), "\(fault)")
        #expect(isGood(read(bench)), "\(fault)")
      }
    }
  }

  /// A counter that must never be run twice for one command.
  private struct Counter: EmulatedCard {
    var count: UInt8 = 0
    mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
      count += 1
      return EmulatedAnswer([count, 0x90, 0x00], processing: .milliseconds(20))
    }
  }

  @Test("no APDU runs twice, whatever is lost on the link", arguments: effects)
  func onlyOnce(effect: ReaderFault.Effect) throws {
    for (place, count) in [(ReaderFault.Place.toChip, 8), (.toHost, 16)] {
      for number in 0..<count {
        let fault = ReaderFault(effect, place, (Self.first[place] ?? 1) + number)
        if case .duplicate = effect, place == .toChip { continue }
        let bench = DriverBench(card: CardEmulator(Counter()), faults: [fault])
        var select = TargetSelection(.typeA106, chip: .pn533, settings: bench.session.settings)
        bench.session.run(&select)
        guard let target = try? select.result?.get() else { continue }
        let reader = ChipReader(chip: .pn533, settings: bench.session.settings)
        for expected in UInt8(1)...5 {
          var exchange = TargetExchange.apdu([0x80, 0x10, 0, 0], to: target, on: reader)
          bench.session.run(&exchange)
          guard let answer = try? exchange.result?.get() else { break }
          #expect(answer == [expected, 0x90, 0x00], "\(fault)")
        }
      }
    }
  }
}
