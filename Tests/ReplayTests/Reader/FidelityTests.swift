import NFCProtocols
import PN53x
import ProtocolTesting
import Replay
import Testing

/// The host side of a real SCL3711 capture, played into the model of an SCL3711.
@Suite(.enabled(if: SharedFolder.isExpected, "needs the folder 'shared' beside the checkout"))
struct FidelityTests {
  /// One command of the capture or of the model.
  struct Exchange {
    var body: [UInt8]
    var outLength: Int
    /// Submission to completion of the OUT transfer, from there to the ACK, from there to the
    /// last piece of the response.
    var sending: Nanoseconds
    var acknowledgement: Nanoseconds?
    var response: Nanoseconds?
    var answer: [UInt8] = []
    var opening = 0
  }

  private static let path = "corpus/usb/scl3711_part1_usbmon220.pcapng"

  private static func body(_ frames: [HostFrameEvent]) -> [UInt8]? {
    for case .frame(.information(let body, _)) in frames { return body }
    return nil
  }

  /// The exchanges of a list of transfers, in order; ACK frames of the host begin an opening.
  static func exchanges(_ transfers: [RecordedTransfer]) -> [Exchange] {
    var found: [Exchange] = []
    var opening = 0
    var submission = Nanoseconds.zero
    var completion = Nanoseconds.zero
    var acknowledged = Nanoseconds.zero
    var decoder = HostFrameDecoder()
    for transfer in transfers {
      switch transfer.kind {
      case .submission:
        submission = transfer.at
        var events: [HostFrameEvent] = []
        var fresh = HostFrameDecoder()
        fresh.decode(transfer.bytes, into: &events)
        if events == [.frame(.ack)] { opening += 1 }
        guard let body = body(events) else { continue }
        found.append(
          Exchange(
            body: body, outLength: transfer.bytes.count, sending: .zero, opening: opening))
      case .completion:
        completion = transfer.at
        if !found.isEmpty { found[found.count - 1].sending = transfer.at - submission }
      case .arrival:
        var events: [HostFrameEvent] = []
        decoder.decode(transfer.bytes, into: &events)
        guard !found.isEmpty else { continue }
        for case .frame(let frame) in events {
          if frame == .ack {
            acknowledged = transfer.at
            found[found.count - 1].acknowledgement = transfer.at - completion
          } else {
            found[found.count - 1].answer = frame.body
            found[found.count - 1].response = transfer.at - acknowledged
          }
        }
      }
    }
    return found
  }

  /// What the phone of the capture said, at its pace: the frames in the answers 8D and 89.
  private static func phone(_ recorded: [Exchange]) -> ScriptedInitiator {
    let start = recorded.first { $0.body[1] == 0x8C }
    let identifier = start.map { Array($0.body[5..<8]) } ?? [0, 0, 0]
    var lines = ScriptedInitiator.activation([0x08] + identifier)
    var isFast = false
    for exchange in recorded {
      switch exchange.answer.dropFirst().first {
      case 0x8D:
        let content = [0xF0] + exchange.answer.dropFirst(3)
        lines.append(
          ScriptedInitiator.Line(frame: .protected(content, .a), pause: .milliseconds(2)))
      case 0x89 where exchange.answer.count > 3:
        let content = Array(exchange.answer.dropFirst(3))
        lines.append(
          ScriptedInitiator.Line(
            frame: isFast
              ? .protected(content, .f, kilobitsPerSecond: 424) : .protected([0xF0] + content, .a),
            pause: .milliseconds(4)))
        // PSL_REQ: both sides go on at 424 kbit/s.
        if content.starts(with: [0x06, 0xD4, 0x04]) { isFast = true }
      default: break
      }
    }
    return ScriptedInitiator(lines, leaves: true)
  }

  /// Plays the host's transfers with the host's pauses; what the model's link carried.
  private static func play(
    _ recorded: [RecordedTransfer], _ phone: ScriptedInitiator
  ) -> [RecordedTransfer] {
    var reader = SimulatedReader(
      chip: ChipModel(.scl3711(serial: "12345678A00001")), terminal: phone, link: .usbFullSpeed)
    var played: [RecordedTransfer] = []
    var expected = 0
    func note(_ reader: inout SimulatedReader) {
      for delivery in reader.takeDeliveries() {
        played.append(
          RecordedTransfer(kind: .arrival, at: delivery.at.sinceStart, bytes: delivery.bytes))
        expected -= 1
      }
    }
    var last = Nanoseconds.zero
    for (index, transfer) in recorded.enumerated() {
      switch transfer.kind {
      case .arrival where transfer.bytes.starts(with: [0x00, 0x00, 0xFF]): expected += 1
      case .arrival, .completion: break
      case .submission:
        let deadline = reader.now + .seconds(2)
        while expected > 0, let next = reader.nextInstant, next <= deadline {
          reader.advance(to: next)
          note(&reader)
        }
        expected = 0
        let gap = transfer.at - last
        let at = max(reader.now + gap, reader.now)
        reader.advance(to: at)
        note(&reader)
        played.append(
          RecordedTransfer(kind: .submission, at: at.sinceStart, bytes: transfer.bytes))
        let sent = reader.host(transfer.bytes, at: at)
        reader.advance(to: sent)
        played.append(RecordedTransfer(kind: .completion, at: sent.sinceStart, bytes: []))
        note(&reader)
      }
      // Pauses count from what the host saw last.
      if transfer.kind != .submission || index == 0 { last = transfer.at }
      if transfer.kind == .submission { last = transfer.at }
    }
    let deadline = reader.now + .seconds(2)
    while let next = reader.nextInstant, next <= deadline {
      reader.advance(to: next)
      note(&reader)
    }
    return played
  }

  private static func both() throws -> (recorded: [Exchange], played: [Exchange]) {
    let transfers = try RecordedUSB.transfers(path)
    let recorded = exchanges(transfers)
    return (recorded, exchanges(play(transfers, phone(recorded))))
  }

  /// Answers that carry what the peer said.
  private static let suppliedByPeer: Set<UInt8> = [0x87, 0x89, 0x8D]

  @Test func everyAnswerThatStateDeterminesIsTheSame() throws {
    let (recorded, played) = try Self.both()
    #expect(recorded.count == 711)
    #expect(played.map(\.body) == recorded.map(\.body))
    var compared = 0
    var same = 0
    for (index, pair) in zip(recorded, played).enumerated() {
      let (theirs, ours) = pair
      if theirs.answer == ours.answer { same += 1 }
      guard theirs.answer.count > 1, !Self.suppliedByPeer.contains(theirs.answer[1]) else {
        #expect(
          ours.answer.prefix(2) == theirs.answer.prefix(2), "command \(index + 1) of the capture")
        continue
      }
      compared += 1
      #expect(
        ours.answer == theirs.answer,
        "command \(index + 1), \(Hexadecimal.pairs(Array(theirs.body.prefix(12))))")
    }
    #expect(compared == 88)
    // The phone is played here as well, so that its answers come out the same, too.
    #expect(same == 711)
  }

  // MARK: Latency

  private func median(_ values: [Nanoseconds?]) -> Double? {
    let sorted = values.compactMap { $0.map { Double($0.count) } }.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Commands that are alike in what the chip does, by code and size.
  private func kind(_ exchange: Exchange) -> String {
    let code = exchange.body[1]
    switch code {
    case 0x32:
      guard let item = exchange.body.dropFirst(2).first else { return "32" }
      return item == 1 ? "32 field" : item < 0x0A ? "32 short" : "32 analogue"
    case 0x06: return exchange.outLength > 64 ? "06 long" : "06 short"
    default: return Hexadecimal.pairs([code])
    }
  }

  private func compare(
    _ recorded: [Exchange], _ played: [Exchange], _ part: KeyPath<Exchange, Nanoseconds?>,
    _ name: String
  ) {
    guard let theirs = median(recorded.map { $0[keyPath: part] }),
      let ours = median(played.map { $0[keyPath: part] })
    else { return }
    #expect(
      abs(ours - theirs) <= theirs * 0.1, "\(name): model \(ours / 1e6) ms, reader \(theirs / 1e6)")
  }

  /// Fitted on openings 1 and 2, checked on opening 3: the first 17 commands of each.
  @Test func latenciesOfTheThirdOpeningAreTheModels() throws {
    let (recorded, played) = try Self.both()
    func opening(_ exchanges: [Exchange]) -> [Exchange] {
      Array(exchanges.filter { $0.opening == 3 }.prefix(17))
    }
    let theirs = opening(recorded)
    let ours = opening(played)
    #expect(theirs.count == 17)
    let kinds = theirs.map(kind)
    for (index, name) in kinds.enumerated() where kinds.firstIndex(of: name) == index {
      let mine = ours.filter { kind($0) == name }
      let real = theirs.filter { kind($0) == name }
      compare(real, mine, \.response, "\(name) response")
      compare(real, mine, \.acknowledgement, "\(name) ACK")
    }
    compare(theirs, ours, \.acknowledgement, "all ACKs")
  }

  /// The session in target mode is in the third opening only: the second half checks the first.
  @Test func latenciesOfTargetModeAreTheModels() throws {
    let (recorded, played) = try Self.both()
    let firstIndex = try #require(recorded.firstIndex { $0.body[1] == 0x8C })
    let second = (firstIndex + recorded.count) / 2
    for (name, test) in [
      ("88 with the peer gone", { (e: Exchange) in e.body[1] == 0x88 && e.answer.count == 3 })
    ] {
      compare(
        recorded[second...].filter(test), played[second...].filter(test), \.response, name)
      compare(
        recorded[second...].filter(test), played[second...].filter(test), \.acknowledgement, name)
    }
    // Answers of three lengths, each followed by its time on the air.
    for length in [13, 32, 59] {
      let theirs = recorded.filter { $0.body[1] == 0x90 && $0.outLength == length }
      let ours = played.filter { $0.body[1] == 0x90 && $0.outLength == length }
      compare(
        Array(theirs.suffix(theirs.count / 2 + 1)), ours, \.response, "90 of \(length) bytes")
      compare(
        Array(theirs.suffix(theirs.count / 2 + 1)), ours, \.acknowledgement, "90 of \(length)")
    }
  }
}
