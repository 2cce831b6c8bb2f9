public import NFCTrace

/// Everything that a decoder made of an input.
public struct DecodedTrace: Hashable {
  /// The header.
  public var header: TraceHeader?
  /// The events in order.
  public var events: [TraceEvent] = []
  /// The warnings in order.
  public var warnings: [TraceWarning] = []
  /// How the trace ended.
  public var ending: TraceEnding?

  /// Makes an empty result.
  public init() {}

  /// Feeds `pieces` in order to a decoder and collects what it finds.
  public static func decode(
    _ pieces: [ArraySlice<UInt8>], with decoder: any TraceDecoder
  ) throws(TraceError) -> DecodedTrace {
    var decoder = decoder
    var batch = TraceBatch()
    var result = DecodedTrace()
    func collect() {
      result.events += batch.events
      result.warnings += batch.warnings
      batch.removeEvents()
    }
    for piece in pieces {
      try decoder.decode(piece, into: &batch)
      collect()
    }
    try decoder.finish(into: &batch)
    collect()
    result.header = batch.header
    result.ending = batch.ending
    return result
  }

  /// Feeds a whole input to a decoder.
  public static func decode(
    _ bytes: [UInt8], with decoder: any TraceDecoder
  ) throws(TraceError) -> DecodedTrace {
    try decode([bytes[...]], with: decoder)
  }
}
