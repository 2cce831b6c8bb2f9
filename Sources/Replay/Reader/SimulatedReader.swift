public import Exploration
public import NFCProtocols
public import PN53x

/// A reader in software on a virtual clock: a chip, what lies in its field, and the link to a host.
///
/// Whoever drives it owns time. It hands over what the host sends with `host(_:at:)`, asks for
/// `nextInstant`, lets time pass with `advance(to:)` and fetches what reaches the host with
/// `takeDeliveries()`. Equal calls give byte-equal logs. Time jumps from event to event.
///
/// ```swift
/// var reader = SimulatedReader(chip: ChipModel(.pn533()), card: card)
/// reader.host(command, at: .start)
/// while let next = reader.nextInstant { reader.advance(to: next) }
/// let answers = reader.takeDeliveries()
/// ```
public struct SimulatedReader {
  /// The chip.
  public internal(set) var chip: any ChipEndpoint
  /// The log so far; participants are `host`, `chip`, `card`, `terminal` and `fault`.
  public internal(set) var log: RunLog
  /// The virtual time.
  public internal(set) var now = VirtualInstant.start
  /// The number of events handled so far.
  public internal(set) var stepCount = 0
  /// The bound that was reached, after which nothing happens any more.
  public internal(set) var exhausted: RunBudget.Bound?
  /// The faults and what they have done.
  public internal(set) var faults: ReaderFaultPlan
  /// True once the reader was pulled out.
  public internal(set) var isUnplugged = false
  /// True while the chip waits for the field of a terminal.
  public internal(set) var isListening = false
  /// True while the chip has its own field on.
  public internal(set) var chipFieldIsOn = false
  /// The times of the host link.
  public let link: HostLinkTiming
  /// The bounds of the run.
  public let budget: RunBudget

  var decisions: (any Decisions)?
  var queue = EventQueue<ReaderEvent>()
  var peer: FieldPeer?
  var arrivals = SlotStore<FieldPeer>()
  /// Transfers to the chip on their way.
  var outbound = TransferLine<[UInt8]>()
  /// Transfers to the host on their way.
  var inbound = TransferLine<HostDelivery>()
  var heldBack: [UInt8] = []
  var deliveries: [HostDelivery] = []
  var flights = SlotStore<AirFlight>()
  var messages = SlotStore<[UInt8]>()
  var applicationMessages: [[UInt8]] = []
  var timerGenerations = [UInt32](repeating: 0, count: 2 << 8)
  var onAir: [UInt32?] = [nil, nil]
  var peerFieldIsOn = false
  var fieldEpoch: UInt32 = 0
  var chipOutputs: [ChipOutput] = []
  var peerOutputs: [RadioOutput] = []

  /// Deliveries that wait to be fetched; one more stops the run: nobody listens.
  public static let maximumWaitingDeliveries = 1 << 16

  /// Makes a reader that has just got power.
  ///
  /// - Parameters:
  ///   - chip: A modelled or recorded chip.
  ///   - card: The card in the field, if one is there from the start.
  ///   - terminal: The reader in front of which the chip may be a card; it starts its work when
  ///     the chip begins to listen.
  ///   - decisions: Picks what goes first of several events of one instant; the oldest if `nil`.
  public init(
    chip: any ChipEndpoint, card: (any RadioEndpoint)? = nil,
    terminal: (any RadioEndpoint)? = nil, link: HostLinkTiming = .instant,
    faults: ReaderFaultPlan = .none, budget: RunBudget = .standard,
    decisions: (any Decisions)? = nil, keepsLogText: Bool = true
  ) {
    precondition(card == nil || terminal == nil, "one thing at a time lies in the field")
    self.chip = chip
    self.link = link
    self.faults = faults
    self.budget = budget
    self.decisions = decisions
    log = RunLog(keepsText: keepsLogText)
    stepChip(.start)
    if let card { put(FieldPeer(endpoint: card, role: .card)) }
    if let terminal { put(FieldPeer(endpoint: terminal, role: .terminal)) }
  }

  /// When the next event happens, or `nil` if nothing is going to happen by itself.
  public var nextInstant: VirtualInstant? { exhausted == nil ? queue.nextInstant : nil }

  /// Takes one OUT transfer, which the host begins to send at `instant`.
  ///
  /// - Returns: When the transfer completes for the host.
  @discardableResult
  public mutating func host(_ transfer: [UInt8], at instant: VirtualInstant) -> VirtualInstant {
    let begin = max(instant, now)
    var completion = begin + link.duration(ofTransfer: transfer.count)
    guard !isUnplugged else { return completion }
    if let (number, effect) = faults.next(.toChip) {
      strike(effect, number, .toChip)
      sendFaulty(transfer, effect, at: &completion)
    } else {
      arrive(transfer, at: completion)
    }
    return completion
  }

  /// Lets everything happen that is due up to `instant`, which becomes the present.
  public mutating func advance(to instant: VirtualInstant) {
    while exhausted == nil, let next = queue.nextInstant, next <= instant {
      guard isWithinBudget(next) else { return }
      guard let event = takeNext() else { break }
      now = event.instant
      stepCount += 1
      handle(event.event)
      dropOvertakenTimers()
    }
    now = max(now, instant)
  }

  /// What has reached the host since the last call, oldest first.
  public mutating func takeDeliveries() -> [HostDelivery] {
    guard !deliveries.isEmpty else { return [] }
    let taken = deliveries
    deliveries = []
    return taken
  }

  /// True if something waits to be fetched.
  public var hasDeliveries: Bool { !deliveries.isEmpty }

  /// Puts a card into the field at `instant`; what lies there then is taken away.
  public mutating func insert(_ card: any RadioEndpoint, at instant: VirtualInstant) {
    insert(FieldPeer(endpoint: card, role: .card), at: instant)
  }

  /// Brings a terminal near at `instant`; it starts when the chip listens.
  public mutating func insert(terminal: any RadioEndpoint, at instant: VirtualInstant) {
    insert(FieldPeer(endpoint: terminal, role: .terminal), at: instant)
  }

  /// Takes away at `instant` whatever lies in the field then.
  public mutating func removeCard(at instant: VirtualInstant) {
    queue.add(ReaderEvent(.removal), at: max(instant, now))
  }

  /// Pulls the reader out at `instant`.
  public mutating func unplug(at instant: VirtualInstant) {
    queue.add(ReaderEvent(.unplugging), at: max(instant, now))
  }

  /// The card or the terminal in front of the antenna.
  public var inField: (any RadioEndpoint)? { peer?.endpoint }

  /// What the card or terminal has handed to the application behind it since the last call.
  public mutating func takeApplicationMessages() -> [[UInt8]] {
    let taken = applicationMessages
    applicationMessages = []
    return taken
  }

  /// Gives the card or terminal the answer or next command of the application behind it.
  public mutating func application(_ bytes: [UInt8], at instant: VirtualInstant) {
    let slot = messages.store(bytes)
    queue.add(ReaderEvent(.application, .peer, number: slot), at: max(instant, now))
  }

  /// Tells the card or terminal that the application behind it has nothing more to say.
  public mutating func endApplication(at instant: VirtualInstant) {
    queue.add(ReaderEvent(.applicationEnded, .peer), at: max(instant, now))
  }

  // MARK: The queue

  private mutating func insert(_ newcomer: FieldPeer, at instant: VirtualInstant) {
    let slot = arrivals.store(newcomer)
    queue.add(ReaderEvent(.insertion, number: slot), at: max(instant, now))
  }

  private mutating func isWithinBudget(_ next: VirtualInstant) -> Bool {
    if stepCount >= budget.steps {
      exhausted = .steps
    } else if log.lineCount >= budget.logLines {
      exhausted = .logLines
    } else if next.sinceStart > budget.virtualTime {
      exhausted = .virtualTime
    } else if deliveries.count >= Self.maximumWaitingDeliveries {
      exhausted = .steps
    }
    return exhausted == nil
  }

  /// Keeps `nextInstant` true: a timer that was set anew or cancelled is no event.
  private mutating func dropOvertakenTimers() {
    while let first = queue.first, isOvertaken(first) { _ = queue.takeOldest() }
  }

  private func isOvertaken(_ event: ReaderEvent) -> Bool {
    event.kind == .timer
      && timerGenerations[event.side.timerSlot(event.number)] != event.generation
  }

  private mutating func takeNext() -> (instant: VirtualInstant, event: ReaderEvent)? {
    guard decisions == nil else { return takeChosen() }
    while let next = queue.takeOldest() {
      if !isOvertaken(next.payload) { return (next.instant, next.payload) }
    }
    return nil
  }

  private mutating func takeChosen() -> (instant: VirtualInstant, event: ReaderEvent)? {
    guard var choices = decisions else { return nil }
    let generations = timerGenerations
    let next = queue.takeNext(
      decisions: &choices,
      where: { event in
        event.kind != .timer
          || generations[event.side.timerSlot(event.number)] == event.generation
      })
    decisions = choices
    guard let next else { return nil }
    if next.chosen > 0 {
      log.write(at: next.instant, "choice") {
        $0.append("next ")
        $0.append(decimal: Int64(next.chosen))
        $0.append(ascii: 0x2F)
        $0.append(decimal: Int64(next.choices))
      }
    }
    return (next.instant, next.payload)
  }
}
