public import NFCProtocols

/// What events say, as entries of a timeline: of one event, or of many in their order.
///
/// It is reused from event to event, or from batch to batch.
public struct Interpretation: Sendable {
  /// The entries of all events, each event's own first, then what was lifted out of it.
  public internal(set) var entries: [Entry] = []
  /// Where the entries of each event end.
  private var ends: [Int] = []
  /// The words of all entries, one behind the other.
  var words = TextBuffer(capacity: 256)
  /// Bytes of entries that do not stand in the event as they are.
  var lifted: [[UInt8]] = []

  /// Makes an empty interpretation.
  public init() {}

  /// One line of a timeline.
  public struct Entry: Hashable, Sendable {
    /// The layer that the entry is about.
    public var layer: Layer
    /// Which way it goes, where it goes anywhere.
    public var direction: Direction?
    /// True if the entry was lifted out of a lower layer.
    public var isLifted: Bool
    /// True if the entry in front of it already says all of this.
    public var isRepetition: Bool
    /// True if the entry tells of a fault: a wrong check value, an error status, a torn frame.
    public var isFault: Bool
    /// The new state of the field, in entries that are about it.
    public var fieldIsOn: Bool?
    /// Where its words stand.
    var words: Range<Int>
    /// Where its bytes are.
    var source: Source
  }

  /// Where the bytes of an entry are.
  enum Source: Hashable, Sendable {
    /// There are none.
    case none
    /// All bytes of the event.
    case event
    /// Some bytes of the event.
    case part(Range<Int>)
    /// Bytes put together from several events.
    case lifted(Int)
  }

  /// The words of an entry.
  public func words(of entry: Entry) -> ArraySlice<UInt8> { words.bytes[entry.words] }

  /// The words of an entry as a string.
  public func text(of entry: Entry) -> String {
    String(decoding: words.bytes[entry.words], as: UTF8.self)
  }

  /// The bytes of an entry of this event.
  public func bytes(of entry: Entry, in event: TraceEvent) -> ArraySlice<UInt8> {
    switch entry.source {
    case .none: []
    case .event: event.content.bytes[...]
    case .part(let range): event.content.bytes[range]
    case .lifted(let index): lifted[index][...]
    }
  }

  /// Which of the entries belong to an event, counted from 0 since `removeAll`.
  public func entries(ofEvent index: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }

  /// Forgets everything and keeps the room.
  public mutating func removeAll() {
    // One event has an entry or two: taking them off is cheaper than clearing arrays.
    if ends.count == 1 {
      while entries.popLast() != nil {}
      _ = ends.popLast()
    } else {
      entries.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
    }
    words.removeAll()
    if !lifted.isEmpty { lifted.removeAll(keepingCapacity: true) }
  }

  /// Notes that all entries of an event have been added.
  mutating func endEvent() { ends.append(entries.count) }

  mutating func add(
    _ layer: Layer, _ direction: Direction?, _ source: Source, wordsFrom start: Int,
    isLifted: Bool = false, isRepetition: Bool = false, isFault: Bool = false,
    fieldIsOn: Bool? = nil
  ) {
    entries.append(
      Entry(
        layer: layer, direction: direction, isLifted: isLifted, isRepetition: isRepetition,
        isFault: isFault, fieldIsOn: fieldIsOn, words: start..<words.bytes.count, source: source))
  }
}

/// The layers of a timeline.
public struct Layer: OptionSet, Hashable, Sendable {
  /// The layers as bits.
  public let rawValue: UInt8
  /// Makes a set of layers from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Host frames, CCID messages, NCI packets.
  public static let link = Layer(rawValue: 1)
  /// Frames on the air and the field.
  public static let radio = Layer(rawValue: 2)
  /// Command and response APDUs.
  public static let apdu = Layer(rawValue: 4)
  /// NDEF messages.
  public static let ndef = Layer(rawValue: 8)
  /// What applications did.
  public static let application = Layer(rawValue: 16)
  /// All layers.
  public static let all: Layer = [.link, .radio, .apdu, .ndef, .application]

  /// The names of single layers, for options and for JSON.
  public static let named: [(name: String, layer: Layer)] = [
    ("link", .link), ("radio", .radio), ("apdu", .apdu), ("ndef", .ndef),
    ("application", .application),
  ]

  /// The name of a single layer.
  public var name: String { Layer.named.first { $0.layer == self }?.name ?? "all" }
}

extension TraceEvent.Content {
  /// The bytes of the event, empty where it has none.
  public var bytes: [UInt8] {
    switch self {
    case .radio(_, let frame): frame.bytes
    case .link(let transfer): transfer.bytes
    case .apdu(_, let bytes): bytes
    case .field, .application: []
    }
  }
}
