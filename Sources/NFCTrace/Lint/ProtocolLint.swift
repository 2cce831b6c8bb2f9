import NFCProtocols

/// Compares a trace with the standards, event by event.
///
/// It says only what the bytes and times of the trace show: frames whose CRC was not captured,
/// encrypted traffic and times that are not exact enough are passed over. Systematic offsets of a
/// recorder, which all answers at a fixed instant share, are taken off.
public struct ProtocolLint {
  private var eventCount = 0
  private var lastStart: Nanoseconds?
  private var clock: LintClock
  private var technology: Technology?
  private let declared: Technology?
  private let isLowFrequency: Bool
  private var radio = RadioLint()
  private var link = LinkLint()
  private var apdus = APDULint()

  /// Makes a lint for a trace with this header.
  public init(header: TraceHeader) {
    clock = LintClock(tickUnit: header.clock.tickUnit)
    declared = header.technology
    isLowFrequency = header.isLowFrequency
  }

  /// Looks at the next event and appends what is wrong with it to `findings`.
  ///
  /// A finding may be of an earlier event, where only a later one showed it to be wrong.
  public mutating func check(_ event: TraceEvent, into findings: inout [LintFinding]) {
    eventCount += 1
    // Frames of low frequency follow none of the standards, and their clock starts anew.
    if isLowFrequency { return }
    clock.observe(event)
    if let fault = timeOrder(event) {
      findings.append(finding(event, fault.rule, fault.message, fault.source))
    }
    switch event.content {
    case .field(let change):
      radio.fieldChanged()
      if !change.isOn { apdus.reset() }
    case .radio(let direction, let frame):
      guard let technology = technology(of: frame, direction) else { return }
      let seen = LintFrame(
        eventCount, event, direction, frame, technology, resolution: clock.resolution)
      radio.check(seen, into: &findings)
    case .link(let transfer):
      for fault in link.check(transfer) {
        findings.append(finding(event, fault.rule, fault.message, fault.source))
      }
    case .apdu(let direction, let bytes):
      if let fault = apdus.check(direction, bytes[...]) {
        findings.append(finding(event, .apduLength, fault.message, fault.source))
      }
    case .application:
      break
    }
  }

  /// Tells that the trace has ended, and appends what only its end makes certain.
  public mutating func finish(into findings: inout [LintFinding]) {
    radio.finish(into: &findings)
  }

  private mutating func timeOrder(_ event: TraceEvent) -> LintFault? {
    guard !event.isTimeUnknown else { return nil }
    defer { lastStart = event.start }
    guard let lastStart, event.start < lastStart else { return nil }
    let (back, overflow) = lastStart.count.subtractingReportingOverflow(event.start.count)
    let amount = overflow ? "centuries" : LintText.duration(back)
    return LintFault(
      .timeOrder, "begins \(amount) before the event in front of it", "time of the trace")
  }

  private func finding(
    _ event: TraceEvent, _ rule: LintRule, _ message: String, _ source: String
  ) -> LintFinding {
    LintFinding(
      eventNumber: eventCount, time: event.isTimeUnknown ? nil : event.start, rule: rule,
      message: message, source: source)
  }

  /// The technology of a frame: its own, the trace's, or what the last request showed.
  private mutating func technology(of frame: RadioFrame, _ direction: Direction) -> Technology? {
    if let own = frame.technology ?? declared {
      technology = own
      return own
    }
    guard direction == .outbound, let first = frame.bytes.first else { return technology }
    if frame.bitCount == 7, first == TypeACommand.requestByte || first == TypeACommand.wakeUpByte {
      technology = .a
    } else if first == RequestB.prefix, frame.bytes.count == 5, CRC16.b.check(frame.bytes) {
      technology = .b
    }
    return technology
  }
}

/// A fault that a rule found, without its place.
struct LintFault {
  var rule: LintRule
  var message: String
  var source: String

  init(_ rule: LintRule, _ message: String, _ source: String) {
    self.rule = rule
    self.message = message
    self.source = source
  }
}
