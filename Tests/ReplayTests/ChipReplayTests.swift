import Exploration
import NFCProtocols
import NFCTrace
import PN53x
import Replay
import Testing

/// A host that sends given transfers at given times and keeps what comes back.
struct ScriptedHost: ReplayEndpoint {
  var sends: [(at: Int64, bytes: [UInt8])]
  var received: [(at: Int64, bytes: [UInt8])] = []

  func exchangeNumber(of direction: Direction) -> Int { 0 }

  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .start:
      for (index, send) in sends.enumerated() {
        outputs.append(
          .setTimer(RadioTimer(UInt8(index)), at: VirtualInstant(.milliseconds(send.at))))
      }
    case .timer(let timer):
      outputs.append(.send(RadioFrame(sends[Int(timer.rawValue)].bytes), after: .zero))
    case .received(let frame):
      received.append((now.sinceStart.count / 1_000_000, frame.bytes))
    default: break
    }
  }
}

private func frame(_ body: [UInt8]) -> [UInt8] { HostFrame.information(body, .normal).encoded() }
private let ack: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
private let nack: [UInt8] = [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]

@Suite struct ChipReplayTests {
  /// GetFirmwareVersion (ACK after 1 ms, answer after 1 more), InListPassiveTarget that is never
  /// answered, InListPassiveTarget answered with no target.
  private func script() -> ReplayScript {
    var lifting = ChipLifting()
    let transfers: [(Int64, Direction, [UInt8])] = [
      (0, .outbound, frame([0xD4, 0x02])),
      (1, .inbound, ack),
      (2, .inbound, frame([0xD5, 0x03, 0x33, 0x02, 0x07, 0x07])),
      (10, .outbound, frame([0xD4, 0x4A, 0x01, 0x00])),
      (11, .inbound, ack),
      (300, .outbound, frame([0xD4, 0x4A, 0x01, 0x00])),
      (301, .inbound, ack),
      (310, .inbound, frame([0xD5, 0x4B, 0x00])),
    ]
    for (index, transfer) in transfers.enumerated() {
      lifting.add(
        TraceEvent(
          start: .milliseconds(transfer.0), .link(LinkTransfer(transfer.1, transfer.2))),
        index: index)
    }
    return lifting.finish()
  }

  private func run(
    _ sends: [(at: Int64, bytes: [UInt8])], faults: String = ""
  ) throws -> RadioRun<ScriptedHost, ReplayedChip, CalmDecisions> {
    var run = RadioRun(
      reader: ScriptedHost(sends: sends), card: ReplayedChip(script()),
      decisions: CalmDecisions(), medium: .link, faults: FaultPlan(try FaultText.parse(faults)))
    while true {
      switch run.run() {
      case .idle, .budgetExhausted: return run
      case .finished, .application: continue
      }
    }
  }

  @Test func aLinkTracePlayedAgainstItselfAgrees() throws {
    var run = RadioRun(
      reader: ReplayedHost(script()), card: ReplayedChip(script()), decisions: CalmDecisions(),
      medium: .link)
    while case .application = run.run() {}
    #expect(run.reader.isComplete)
    #expect(run.reader.matcher.agreed == [0, 1, 2])
    let lines = String(decoding: run.log.text, as: UTF8.self).split(separator: "\n")
    // The first command has no pause of its own in the recording: the stated 1 ms.
    #expect(lines.first == "1000000 host > 0000ff02fed4022a00")
    #expect(lines.dropFirst().first == "2000000 chip < 0000ff00ff00")
    #expect(lines.dropFirst(2).first == "3000000 chip < 0000ff06fad50333020707e500")
  }

  @Test func aDriverGetsAcknowledgeAndResponse() throws {
    let run = try run([(5, frame([0xD4, 0x02]))])
    #expect(run.reader.received.map(\.at) == [6, 7])
    #expect(run.reader.received.map(\.bytes) == [ack, frame([0xD5, 3, 0x33, 2, 7, 7])])
  }

  @Test func aNackBringsTheLastResponseAgain() throws {
    let run = try run([(5, frame([0xD4, 0x02])), (20, nack)])
    #expect(run.reader.received.last?.bytes == frame([0xD5, 3, 0x33, 2, 7, 7]))
    #expect(run.reader.received.count == 3)
    #expect(run.card.matcher.divergence == nil)
  }

  @Test func aNackBeforeAnyResponseBringsNothing() throws {
    #expect(try run([(5, nack)]).reader.received.isEmpty)
  }

  @Test func anAbortWhileTheChipWorksTakesTheResponseAway() throws {
    let run = try run([(5, frame([0xD4, 0x02])), (6, ack)])
    #expect(run.reader.received.map(\.bytes) == [ack])
    #expect(run.card.matcher.divergence == nil)
  }

  @Test func aCommandSentAgainAfterALostAcknowledgeIsAnsweredAgain() throws {
    let run = try run(
      [(5, frame([0xD4, 0x02])), (6, frame([0xD4, 0x02]))], faults: "drop(1)")
    #expect(run.reader.received.map(\.bytes) == [ack, frame([0xD5, 3, 0x33, 2, 7, 7])])
    #expect(run.card.matcher.divergence == nil)
  }

  @Test func anotherCommandIsADifference() throws {
    let run = try run([(5, frame([0xD4, 0x04]))])
    let divergence = try #require(run.card.matcher.divergence)
    #expect(divergence.kind == .different)
    #expect(divergence.expected?.bytes == [0xD4, 0x02])
    #expect(divergence.actual?.bytes == [0xD4, 0x04])
    #expect(divergence.firstDifference == 1)
  }

  @Test func aNewCommandEndsTheOneThatRuns() throws {
    let run = try run([
      (5, frame([0xD4, 0x02])), (10, frame([0xD4, 0x4A, 0x01, 0x00])),
      (20, frame([0xD4, 0x4A, 0x01, 0x00])),
    ])
    #expect(
      run.reader.received.map(\.bytes) == [
        ack, frame([0xD5, 3, 0x33, 2, 7, 7]), ack, ack, frame([0xD5, 0x4B, 0x00]),
      ])
    #expect(run.card.matcher.agreed == [0, 1, 2])
  }

  @Test func brokenBytesGetNoAnswer() throws {
    var broken = frame([0xD4, 0x02])
    broken[6] ^= 1
    #expect(try run([(5, broken)]).reader.received.isEmpty)
  }

  @Test func aCommandInPiecesIsOneCommand() throws {
    let whole = frame([0xD4, 0x02])
    let run = try run([(5, Array(whole[..<4])), (6, Array(whole[4...]))])
    #expect(run.reader.received.map(\.at) == [7, 8])
  }
}
