public import NFCProtocols

/// One event of a trace, as its source recorded it.
///
/// Events stand in the order of the source. Times may go back: `isOutOfOrder` marks such an event,
/// and nothing re-orders, merges or rounds it.
public struct TraceEvent: Hashable, Sendable {
  /// When it began, counted from the origin of the trace's clock; may be negative.
  public var start: Nanoseconds
  /// When it ended, if the source tells.
  public var end: Nanoseconds?
  /// What happened.
  public var content: Content
  /// The times in the units of the source, kept as they were.
  public var sourceTicks: SourceTicks?
  /// How far off `start` may be, if the recorder states it.
  public var uncertainty: Nanoseconds?
  /// True if the source has no time for this event; `start` then only keeps the order.
  public var isTimeUnknown: Bool
  /// True if the event starts before the one in front of it.
  public var isOutOfOrder: Bool
  /// The words around the event; most events have none, and are copied cheaply for it.
  @usableFromInline var remarks: Remarks?

  /// The free comment at the end of the line.
  public var comment: String? {
    get { remarks?.comment }
    set {
      guard newValue != nil || remarks != nil else { return }
      setRemarks(Remarks(comment: newValue, leadingLines: leadingLines))
    }
  }

  /// Comment lines and blank lines (as empty strings) that stand in front of the event.
  public var leadingLines: [String] {
    get { remarks?.leadingLines ?? [] }
    set {
      guard !newValue.isEmpty || remarks != nil else { return }
      setRemarks(Remarks(comment: comment, leadingLines: newValue))
    }
  }

  private mutating func setRemarks(_ new: Remarks) {
    remarks = new.comment == nil && new.leadingLines.isEmpty ? nil : new
  }

  /// Makes an event.
  ///
  /// Inlinable, so that decoders build events in place: they make hundreds of thousands.
  @inlinable
  public init(
    start: Nanoseconds, end: Nanoseconds? = nil, _ content: Content,
    sourceTicks: SourceTicks? = nil, uncertainty: Nanoseconds? = nil, isTimeUnknown: Bool = false,
    isOutOfOrder: Bool = false, comment: String? = nil, leadingLines: [String] = []
  ) {
    self.start = start
    self.end = end
    self.content = content
    self.sourceTicks = sourceTicks
    self.uncertainty = uncertainty
    self.isTimeUnknown = isTimeUnknown
    self.isOutOfOrder = isOutOfOrder
    if comment != nil || !leadingLines.isEmpty {
      remarks = Remarks(comment: comment, leadingLines: leadingLines)
    }
  }

  /// The kinds of event, one a layer.
  public enum Content: Hashable, Sendable {
    /// The field of the reader went on or off.
    case field(FieldChange)
    /// A frame on the air.
    case radio(Direction, RadioFrame)
    /// A transfer between host and chip; behind a reference, since it is large.
    indirect case link(LinkTransfer)
    /// A command APDU (`outbound`) or a response APDU (`inbound`).
    case apdu(Direction, [UInt8])
    /// Something the application or the system did, in words; the direction where it has one.
    case application(Direction?, String)
  }
}

/// The words around an event, shared by its copies.
@usableFromInline
final class Remarks: Hashable, Sendable {
  let comment: String?
  let leadingLines: [String]

  @usableFromInline
  init(comment: String?, leadingLines: [String]) {
    self.comment = comment
    self.leadingLines = leadingLines
  }

  @usableFromInline
  static func == (left: Remarks, right: Remarks) -> Bool {
    left === right || left.comment == right.comment && left.leadingLines == right.leadingLines
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(comment)
    hasher.combine(leadingLines)
  }
}

/// The field of a reader going on or off.
public struct FieldChange: Hashable, Sendable {
  /// True if it went on.
  public var isOn: Bool
  /// The technology it went on for, if the source tells.
  public var technology: Technology?

  /// Makes a change.
  public init(isOn: Bool, technology: Technology? = nil) {
    self.isOn = isOn
    self.technology = technology
  }
}

/// Times as the source counted them, before any conversion.
public struct SourceTicks: Hashable, Sendable {
  /// The start in source units.
  public var start: Int64
  /// The length in source units, if the source tells.
  public var length: Int64?

  /// Makes source times.
  public init(start: Int64, length: Int64? = nil) {
    self.start = start
    self.length = length
  }
}
