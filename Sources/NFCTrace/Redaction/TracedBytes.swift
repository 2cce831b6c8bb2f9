/// A place in a trace: some bytes of one part of one event.
struct TracePlace: Hashable, Sendable {
  /// The event, from 0; header and ending have numbers of their own.
  var event: Int
  /// Which part of the event.
  var part: Part
  /// The first byte.
  var offset: Int
  /// How many bytes.
  var count: Int

  /// In place of an event: the header.
  static let header = -1
  /// In place of an event: the lines behind the last event.
  static let ending = -2

  /// The parts of an event that hold bytes.
  enum Part: Hashable, Sendable {
    /// The bytes of a frame, a transfer or an APDU.
    case bytes
    /// The words of an application event.
    case words
    /// The comment at the end of the line.
    case comment
    /// A comment line in front, from 0; a field of the header by its order.
    case line(Int)
  }
}

/// Bytes together with the places in a trace that they were taken from.
///
/// A byte may stand at several places: a block of memory that was read twice.
struct TracedBytes: Sendable {
  /// The bytes.
  private(set) var bytes: [UInt8]
  /// Where they stand.
  private(set) var runs: [Run]

  /// Some bytes that stand together in a trace.
  struct Run: Hashable, Sendable {
    /// The first of them, counted in the traced bytes.
    var start: Int
    /// Where they stand.
    var place: TracePlace

    var end: Int { start + place.count }

    /// The part of the run within `range`, counted from the start of the range.
    func within(_ range: Range<Int>) -> Run? {
      let low = max(start, range.lowerBound)
      let high = min(end, range.upperBound)
      guard low < high else { return nil }
      var place = place
      place.offset += low - start
      place.count = high - low
      return Run(start: low - range.lowerBound, place: place)
    }
  }

  /// Makes no bytes.
  init() {
    bytes = []
    runs = []
  }

  /// Takes all bytes of a part of an event.
  init(_ bytes: [UInt8], event: Int, part: TracePlace.Part = .bytes) {
    self.bytes = bytes
    runs = [
      Run(
        start: 0, place: TracePlace(event: event, part: part, offset: 0, count: bytes.count))
    ]
  }

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }

  /// The event that the first byte stands in, or that of the header if there are none.
  var event: Int { runs.first?.place.event ?? TracePlace.header }

  /// Some of the bytes with their places.
  subscript(range: Range<Int>) -> TracedBytes {
    var part = TracedBytes()
    part.bytes = Array(bytes[range])
    part.runs = runs.compactMap { $0.within(range) }
    return part
  }

  /// Appends bytes that stand elsewhere.
  mutating func append(_ more: TracedBytes) {
    let shift = bytes.count
    bytes += more.bytes
    runs += more.runs.map { Run(start: $0.start + shift, place: $0.place) }
  }

  /// Adds the places where a copy of the bytes from `start` on stands.
  mutating func addCopy(_ copy: TracedBytes, at start: Int) {
    runs += copy.runs.map { Run(start: $0.start + start, place: $0.place) }
  }

  /// Drops bytes from the front.
  mutating func removeFirst(_ dropped: Int) {
    guard dropped > 0 else { return }
    self = self[min(dropped, count)..<count]
  }

  /// Forgets everything.
  mutating func removeAll() {
    if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) }
    if !runs.isEmpty { runs.removeAll(keepingCapacity: true) }
  }

  /// Where `wanted` stands at or behind `start`, or `nil`.
  func firstRange(of wanted: [UInt8], from start: Int = 0) -> Range<Int>? {
    guard !wanted.isEmpty, count >= wanted.count + start else { return nil }
    var place = start
    while place + wanted.count <= count {
      if bytes[place] == wanted[0], bytes[place..<(place + wanted.count)].elementsEqual(wanted) {
        return place..<(place + wanted.count)
      }
      place += 1
    }
    return nil
  }
}
