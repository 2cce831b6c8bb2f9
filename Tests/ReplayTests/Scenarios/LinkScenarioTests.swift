import NFCProtocols
import PN53x
import Replay
import TagAccess
import Testing
import VirtualCards

/// S1 … S9: public reports about the link, played to our driver in front of the chip model.
///
/// What each report says is told in the firmware notes that the driver names.
@Suite("Scenarios of the link") struct LinkScenarioTests {
  /// Transfers that opening a PN533 takes, so that faults can be counted from there.
  static let openingOut = 8
  static let openingIn = 14

  static let endless = Command.rfConfiguration(
    .maximumRetries(atr: 0xFF, psl: 0x01, passiveActivation: 0xFF))

  private func polled(_ outcome: CommandOutcome?) -> [PassiveTarget]? {
    guard case .success(.passiveTargets(let targets))? = outcome?.result else { return nil }
    return targets
  }

  @Test("opening takes the transfers that the faults below are counted from") func counts() {
    let bench = DriverBench()
    #expect(bench.commands.count == Self.openingOut)
    let answers = bench.logLines.filter { $0.contains(" chip < ") }
    #expect(answers.count == Self.openingIn)
  }

  // MARK: S1

  @Test(
    "S1: a card comes just as the poll is given up; its answer goes to nobody",
    arguments: [
      0, 1, 10, 100,
    ])
  func abandonedPoll(milliseconds: Int64) throws {
    // The answer is the second transfer after those of the RFConfiguration.
    let late = ReaderFault(
      .late(.milliseconds(milliseconds)), .toHost, Self.openingIn + 4)
    let bench = DriverBench(faults: [late])
    _ = bench.session.perform(Self.endless)
    let start = bench.session.now
    bench.session.reader.insert(
      try SampleCards.type2(), at: start + .microseconds(295_000))
    let abandoned = bench.session.perform(
      .inListPassiveTarget(maximum: 1, .typeA106, initiatorData: []),
      .patience(.milliseconds(300)))
    guard case .failure(let failure)? = abandoned?.result else { return }
    #expect(failure.link == .notAnswered)
    bench.session.reader.removeCard(at: bench.session.now)
    let next = bench.session.perform(
      .inListPassiveTarget(maximum: 1, .typeB106, initiatorData: [0]),
      .patience(.milliseconds(300)))
    let targets = polled(next)
    #expect(targets == nil || targets == [], "the type A card is not given as a type B one")
    #expect(!bench.commands.contains("NACK"))
    #expect(bench.session.perform(.getFirmwareVersion) != nil, "the device is fine")
  }

  @Test("S1: polls in an empty field with endless retries, each aborted and quiet before the next")
  func endlessPolls() {
    let bench = DriverBench()
    _ = bench.session.perform(Self.endless)
    let before = bench.commands.count
    for _ in 0..<5 {
      let outcome = bench.session.perform(
        .inListPassiveTarget(maximum: 1, .typeA106, initiatorData: []),
        .patience(.milliseconds(300)))
      #expect(outcome?.result == .failure(failure(outcome)))
    }
    bench.session.wait(.milliseconds(30))
    #expect(
      Array(bench.commands.dropFirst(before))
        == [String](repeating: "4A 01 00,ACK", count: 5).flatMap {
          $0.split(separator: ",").map(String.init)
        })
  }

  private func failure(_ outcome: CommandOutcome?) -> CommandFailure {
    CommandFailure(
      .inListPassiveTarget, in: .answering,
      waited: {
        if case .failure(let failure)? = outcome?.result { failure.waited } else { .zero }
      }(), .link(.notAnswered))
  }

  // MARK: S3, S4, S5, S6

  @Test(
    "S3: any of the first transfers from the chip is lost, and the reader is opened",
    arguments: 1...4)
  func firstTransfersLost(number: Int) {
    let bench = DriverBench(faults: [ReaderFault(.drop, .toHost, number)], isOpen: false)
    var opening = LinkPlan.opening(.usb)
    bench.finish(&opening)
    #expect(opening.failure == nil)
    #expect(opening.firmware?.chip == .pn533)
  }

  @Test("S3: every transfer from the chip is lost once, at any place", arguments: 1...14)
  func anyTransferLost(number: Int) {
    let bench = DriverBench(faults: [ReaderFault(.drop, .toHost, number)], isOpen: false)
    var opening = LinkPlan.opening(.usb)
    bench.finish(&opening)
    #expect(opening.failure == nil)
  }

  @Test(
    "S4: deaf after the abort, for less and for more than the driver's pause",
    arguments: [
      1, 10, 19, 30, 45,
    ])
  func deafAfterAbort(milliseconds: Int64) {
    var configuration = ChipModelConfiguration.pn532()
    configuration.deafAfterAbort = .milliseconds(milliseconds)
    let bench = DriverBench(configuration)
    _ = bench.session.perform(Self.endless)
    _ = bench.session.perform(
      .inListPassiveTarget(maximum: 1, .typeA106, initiatorData: []),
      .patience(.milliseconds(300)))
    let outcome = bench.session.perform(
      .rfConfiguration(.field(isOn: false, automaticCollisionAvoidance: false)))
    #expect(outcome?.result == .success(.done(.rfConfiguration)))
  }

  @Test("S5: after long frames the descriptors are repaired on closing, and nothing is reset")
  func descriptors() {
    let bench = DriverBench()
    _ = bench.session.perform(.diagnose(test: 0, parameters: [UInt8](repeating: 0, count: 262)))
    #expect(bench.session.engine.mayHaveSpoiltDescriptors)
    var closing = LinkPlan.closing(.usb, chip: .pn533, repair: .scl3711)
    bench.finish(&closing)
    #expect(bench.commands.last?.hasPrefix("02 00 00 00") == true)
    #expect(!bench.session.engine.mayHaveSpoiltDescriptors)
  }

  @Test("S6: the transfer is reported as sent after its answer; everything completes once")
  func sentLate() throws {
    let faults = (1...200).map { ReaderFault(.completesLate(.milliseconds(3)), .toChip, $0) }
    let bench = DriverBench(card: try SampleCards.type4(), faults: faults)
    let radio = bench.read()
    #expect((try? radio.endpoint.result?.get())?.raw == SampleCards.message)
    #expect(bench.session.notes.contains(.answeredBeforeSent(.inCommunicateThru)))
  }

  @Test(
    "S6: pulled out at any transfer: the reading ends, at once and for good",
    arguments: [
      ReaderFault.Place.toChip, .toHost,
    ])
  func unplugged(place: ReaderFault.Place) throws {
    for number in 1...70 {
      let bench = DriverBench(
        card: try SampleCards.type4(), faults: [ReaderFault(.unplug, place, number)],
        isOpen: false)
      var opening = LinkPlan.opening(.usb)
      bench.finish(&opening)
      guard opening.failure == nil else {
        #expect(opening.failure?.link == .ended)
        continue
      }
      let radio = bench.read()
      let isWhole = bench.session.reader.faults.unused.count == 1
      #expect(radio.failure?.link == (isWhole ? nil : .ended))
      let later = bench.session.perform(.getFirmwareVersion)
      guard !isWhole, case .failure(let failure)? = later?.result else { continue }
      #expect(failure.link == .ended)
    }
  }

  // MARK: S9

  @Test("S9: the card leaves between poll and select, retries endless: the select comes back")
  func cardLeaves() throws {
    let bench = DriverBench(card: try SampleCards.type2())
    _ = bench.session.perform(Self.endless)
    var first = TargetSelection(.typeA106, chip: .pn533, settings: bench.session.settings)
    first.patience = .milliseconds(300)
    bench.finish(&first)
    let target = try #require(first.result).get()
    bench.session.reader.removeCard(at: bench.session.now)
    let began = bench.session.now
    var again = TargetSelection(
      .typeA106, uid: target.tag.identifier, chip: .pn533, settings: bench.session.settings)
    again.patience = .milliseconds(300)
    bench.finish(&again)
    #expect(bench.session.now - began < .milliseconds(400))
    guard case .failure(let error)? = again.result else {
      Issue.record("a card that is not there was selected")
      return
    }
    #expect(error.problem == .noTag)
  }

  @Test("S9: another card comes meanwhile; it is not taken for the first") func otherCard() throws {
    let bench = DriverBench(card: try SampleCards.type2())
    bench.session.reader.removeCard(at: bench.session.now)
    bench.session.reader.insert(
      CardEmulator(NDEFCard(bytes: SampleCards.message)), at: bench.session.now)
    var select = TargetSelection(
      .typeA106, uid: SampleCards.uid, chip: .pn533, settings: bench.session.settings)
    bench.finish(&select)
    #expect((try? select.result?.get()) == nil)
  }

  @Test("S9: the user cancels: the select ends within the time of an abort") func cancelled() {
    let bench = DriverBench()
    _ = bench.session.perform(Self.endless)
    var select = TargetSelection(
      .typeA106, uid: [1, 2, 3, 4], chip: .pn533, settings: bench.session.settings)
    select.patience = .seconds(3_600)
    let began = bench.session.now
    bench.expectWork(&select, until: began + .milliseconds(400))
    bench.session.cancel(&select)
    #expect(select.result != nil)
    let outcome = bench.session.perform(.getFirmwareVersion)
    #expect((try? outcome?.result.get()) != nil)
    #expect(bench.session.now - began < .milliseconds(430))
  }
}
