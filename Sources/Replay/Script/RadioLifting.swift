public import NFCProtocols
public import NFCTrace

/// Takes exchanges on the air out of the events of a trace.
public struct RadioLifting: Sendable {
  private let header: TraceHeader
  private var entries: [ScriptEntry] = []
  private var activation = ActivationFinder()
  private var limits = RadioLimits()
  private var lastEnd: Nanoseconds?
  private var fieldOffAt: Nanoseconds?
  private var fieldReset: FieldReset?
  private var orphanCount = 0
  private var clampedCount = 0
  private var unknownTimeCount = 0
  private var firstTechnology: Technology?

  /// The pause from field on to the first command where the recording does not tell: the 5.1 ms
  /// guard time of NFC Forum Digital.
  public static let fieldGuard = Nanoseconds.microseconds(5_100)
  /// The pause before a command whose time is unknown: more than the least pause of
  /// ISO/IEC 14443-3 (1172/fc) and the request guard time of 7000/fc.
  public static let unknownGap = Nanoseconds.microseconds(600)
  /// The delay of an answer whose time is unknown: 1236/fc, the frame delay of ISO/IEC 14443-3.
  public static let unknownDelay = Nanoseconds.carrierCycles(1_236)

  /// Makes a lifting for a trace with this header.
  public init(header: TraceHeader) { self.header = header }

  /// Takes the next event of the trace.
  public mutating func add(_ event: TraceEvent, index: Int) {
    switch event.content {
    case .field(let change): fieldChanges(change, event)
    case .radio(let direction, let frame): frameComes(direction, frame, event, index)
    case .link, .apdu, .application: break
    }
  }

  /// The script of all events so far.
  public func finish() -> ReplayScript {
    var remarks: [String] = []
    if orphanCount > 0 {
      remarks.append("\(orphanCount) card frames before the first command were left out")
    }
    if clampedCount > 0 {
      remarks.append("\(clampedCount) frames began before the one in front of them had ended")
    }
    if unknownTimeCount > 0 {
      remarks.append("\(unknownTimeCount) frames have no time; the shortest legal one is used")
    }
    return ReplayScript(
      layer: .radio, entries: entries, activation: activation.found,
      technology: firstTechnology ?? .a, remarks: remarks)
  }

  private mutating func fieldChanges(_ change: FieldChange, _ event: TraceEvent) {
    if change.isOn {
      if let off = fieldOffAt {
        let offAfter = lastEnd.map { max(.zero, off - $0) } ?? .zero
        fieldReset = FieldReset(offAfter: offAfter, duration: max(.zero, event.start - off))
      }
      fieldOffAt = nil
      lastEnd = event.start
    } else {
      fieldOffAt = event.start
    }
  }

  private mutating func frameComes(
    _ direction: Direction, _ recorded: RadioFrame, _ event: TraceEvent, _ index: Int
  ) {
    let technology = recorded.technology ?? header.technology ?? firstTechnology ?? .a
    // An empty frame is an end of frame of its own in ISO/IEC 15693 and nothing elsewhere.
    guard !recorded.bytes.isEmpty || technology == .v else { return }
    firstTechnology = firstTechnology ?? technology
    let frame = Self.completed(recorded, technology)
    let wait = pause(before: event, direction)
    activation.see(frame, direction)
    switch direction {
    case .outbound:
      let limit = limits.limit(after: frame)
      entries.append(
        ScriptEntry(
          command: frame, gap: wait, answers: [], limit: limit, fieldReset: fieldReset,
          eventIndex: index))
      fieldReset = nil
    case .inbound:
      limits.see(answer: frame)
      guard let last = entries.indices.last else {
        orphanCount += 1
        break
      }
      if entries[last].answers.isEmpty, wait > entries[last].limit.duration {
        // The recorded reader took it, so its limit was not smaller.
        entries[last].limit.duration = wait
      }
      entries[last].answers.append(ScriptAnswer(frame, delay: wait))
    }
    let air = AirTime.duration(of: frame, direction)
    lastEnd = event.end ?? event.start + air
  }

  private mutating func pause(before event: TraceEvent, _ direction: Direction) -> Nanoseconds {
    if event.isTimeUnknown {
      unknownTimeCount += 1
      return direction == .outbound ? Self.unknownGap : Self.unknownDelay
    }
    guard let lastEnd else { return Self.fieldGuard }
    let wait = event.start - lastEnd
    if wait < .zero {
      clampedCount += 1
      return direction == .outbound ? .zero : Self.unknownDelay
    }
    return wait
  }

  /// The frame as it was on the air: where the source left the CRC out, it is put back.
  static func completed(_ frame: RadioFrame, _ technology: Technology) -> RadioFrame {
    var whole = frame
    whole.technology = technology
    if frame.crc == .notCaptured, !frame.isTruncated, !frame.isEncrypted, frame.lastByteBits == 8,
      !frame.bytes.isEmpty
    {
      CRC16(of: technology).append(to: &whole.bytes)
      whole.crc = .good
      whole.parity = nil
    }
    return whole
  }
}
