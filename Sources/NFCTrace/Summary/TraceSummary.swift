public import NFCProtocols

/// What a trace holds, counted event by event; nothing else of the trace is kept.
public struct TraceSummary: Sendable {
  /// Events.
  public private(set) var events = 0
  /// Frames by sender: `reader` and `card` on the air and as APDUs, `host` and `chip` on a link.
  public private(set) var readerFrames = 0
  /// Frames and response APDUs of cards.
  public private(set) var cardFrames = 0
  /// Whole messages from host to chip.
  public private(set) var hostFrames = 0
  /// Whole messages from chip to host.
  public private(set) var chipFrames = 0
  /// Times the field went on or off.
  public private(set) var fieldChanges = 0
  /// Frames on the air by technology, in the order of `Technology.allCases`.
  public private(set) var framesByTechnology = Array(
    repeating: 0, count: Technology.allCases.count)
  /// Frames on the air whose technology is not known.
  public private(set) var framesOfUnknownTechnology = 0
  /// Events whose time goes back.
  public private(set) var outOfOrder = 0
  /// Events without a time of their own.
  public private(set) var timeUnknown = 0
  /// Frames with a bad CRC.
  public private(set) var badCRCs = 0
  /// The longest stretch without any event.
  public private(set) var longestGap: Gap?

  private var earliest: Int64?
  private var latest: Int64?
  private var finder = FrameFinder()

  /// A stretch of time in which nothing was recorded.
  public struct Gap: Hashable, Sendable {
    /// The number of the event behind it, from 1.
    public var beforeEvent: Int
    /// When it begins.
    public var start: Nanoseconds
    /// How long it is.
    public var duration: Nanoseconds
  }

  /// Makes the summary of an empty trace.
  public init() {}

  /// The time from the earliest start to the latest end, zero if no event has a time.
  public var duration: Nanoseconds {
    guard let earliest, let latest else { return .zero }
    return Nanoseconds(latest.subtractingReportingOverflow(earliest).partialValue)
  }

  /// The technologies of the frames and field changes, in the order A, B, F, V.
  public var technologies: [Technology] {
    Technology.allCases.filter { fieldTechnologies[Int($0.rawValue)] || frames(of: $0) > 0 }
  }

  /// The number of frames on the air of one technology.
  public func frames(of technology: Technology) -> Int {
    framesByTechnology[Int(technology.rawValue)]
  }

  private var fieldTechnologies = Array(repeating: false, count: Technology.allCases.count)

  /// Counts one event.
  public mutating func count(_ event: TraceEvent) {
    events += 1
    if event.isOutOfOrder { outOfOrder += 1 }
    if event.isTimeUnknown { timeUnknown += 1 } else { countTime(of: event) }
    switch event.content {
    case .radio(let direction, let frame):
      if direction == .outbound { readerFrames += 1 } else { cardFrames += 1 }
      if let technology = frame.technology {
        framesByTechnology[Int(technology.rawValue)] += 1
      } else {
        framesOfUnknownTechnology += 1
      }
      if frame.crc == .bad { badCRCs += 1 }
    case .field(let change):
      fieldChanges += 1
      if let technology = change.technology {
        fieldTechnologies[Int(technology.rawValue)] = true
      }
    case .apdu, .link:
      finder.find(in: event) { sender, _ in
        switch sender {
        case .reader: readerFrames += 1
        case .card: cardFrames += 1
        case .host: hostFrames += 1
        case .chip: chipFrames += 1
        }
      }
    case .application:
      break
    }
  }

  private mutating func countTime(of event: TraceEvent) {
    let start = event.start.count
    let end = max(start, event.end?.count ?? start)
    if let latest, start > latest {
      let length = start.subtractingReportingOverflow(latest).partialValue
      if length > longestGap?.duration.count ?? 0 {
        longestGap = Gap(
          beforeEvent: events, start: Nanoseconds(latest), duration: Nanoseconds(length))
      }
    }
    earliest = min(earliest ?? start, start)
    latest = max(latest ?? end, end)
  }
}
