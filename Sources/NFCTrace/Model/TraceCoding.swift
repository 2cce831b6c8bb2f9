/// A reader of one trace format, fed with pieces of a file in order.
///
/// A decoder gives the same events whole, byte by byte and split anywhere; it keeps no more than
/// one unfinished record, so memory does not grow with the file (formats that must be read whole
/// state their limit).
public protocol TraceDecoder {
  /// Takes the next piece of the input and appends what is complete to `batch`.
  ///
  /// The header is set in `batch` not later than the first event.
  /// - Throws: `TraceError` with the place of the fault. The decoder must not be used afterwards.
  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch) throws(TraceError)

  /// Tells that the input has ended, and appends what is left.
  mutating func finish(into batch: inout TraceBatch) throws(TraceError)
}

/// What a decoder has found since it was last asked.
public struct TraceBatch: Sendable {
  /// The header, once it is known.
  public var header: TraceHeader?
  /// The events, in the order of the source.
  public var events: [TraceEvent] = []
  /// Things worth telling that do not make the input bad.
  public var warnings: [TraceWarning] = []
  /// How the trace ended, set by `finish`.
  public var ending: TraceEnding?

  /// Makes an empty batch.
  public init() {}

  /// Forgets events and warnings, keeps header and room.
  public mutating func removeEvents() {
    events.removeAll(keepingCapacity: true)
    warnings.removeAll(keepingCapacity: true)
  }
}

/// Something worth telling that does not make the input bad.
public struct TraceWarning: Hashable, Sendable {
  /// Where.
  public var place: BadInput.Place
  /// What, as one sentence without a full stop.
  public var message: String
  /// Makes a warning.
  public init(at place: BadInput.Place, _ message: String) {
    self.place = place
    self.message = message
  }
}

/// How a trace ended.
public struct TraceEnding: Hashable, Sendable {
  /// True if the format marks a complete file and the mark is there; `nil` if it has no such mark.
  public var isComplete: Bool?
  /// Comment lines after the last event.
  public var trailingLines: [String]
  /// Makes an ending.
  public init(isComplete: Bool?, trailingLines: [String] = []) {
    self.isComplete = isComplete
    self.trailingLines = trailingLines
  }
}

/// A writer of one trace format.
///
/// Bytes are appended to a buffer that the caller empties.
public protocol TraceEncoder {
  /// Writes what stands before the first event.
  mutating func begin(_ header: TraceHeader, into output: inout [UInt8]) throws(TraceError)
  /// Writes one event.
  mutating func encode(_ event: TraceEvent, into output: inout [UInt8]) throws(TraceError)
  /// Writes what stands after the last event.
  mutating func finish(_ ending: TraceEnding, into output: inout [UInt8]) throws(TraceError)
  /// What was left out or added so far, each as a sentence without a full stop.
  var remarks: [String] { get }
}

extension TraceEncoder {
  /// Most formats hold everything.
  public var remarks: [String] { [] }
}
