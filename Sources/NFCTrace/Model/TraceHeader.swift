public import NFCProtocols

/// What a trace says of itself before its first event.
public struct TraceHeader: Hashable, Sendable {
  /// The version of the trace format that it was written in.
  public var version: FormatVersion
  /// The reader, as far as it is known.
  public var reader: ReaderIdentity?
  /// Where the recorder stood.
  public var role: TraceRole?
  /// The technology of all radio frames that do not name their own.
  public var technology: Technology?
  /// The clock of the source.
  public var clock: TraceClock
  /// What made the trace, in words: program, version, command, or the file it was imported from.
  public var madeBy: String?
  /// What was replaced to keep personal data out, in words.
  public var redaction: String?
  /// Further lines whose key begins with `x-`, in their order.
  public var extensions: [HeaderExtension]
  /// Comment lines and blank lines in front of the first event, and after the header's fields.
  public var trailingLines: [String]

  /// Makes a header.
  public init(
    version: FormatVersion = .current, reader: ReaderIdentity? = nil, role: TraceRole? = nil,
    technology: Technology? = nil, clock: TraceClock = TraceClock(), madeBy: String? = nil,
    redaction: String? = nil, extensions: [HeaderExtension] = [], trailingLines: [String] = []
  ) {
    self.version = version
    self.reader = reader
    self.role = role
    self.technology = technology
    self.clock = clock
    self.madeBy = madeBy
    self.redaction = redaction
    self.extensions = extensions
    self.trailingLines = trailingLines
  }

  /// True for traces of low frequency (125 kHz), whose frames are of none of the technologies here.
  ///
  /// Proxmark3 counts bits of 8 us there, one period of the carrier, and starts anew for each
  /// exchange.
  public var isLowFrequency: Bool {
    technology == nil && clock.tickUnit == TraceClock.lowFrequencyTickUnit
  }
}

/// The version of the trace format, a whole number apart from the versions of the program.
public struct FormatVersion: Hashable, Comparable, Sendable {
  /// The number.
  public var number: Int
  /// Makes a version.
  public init(_ number: Int) { self.number = number }
  /// The version that this program writes.
  public static let current = FormatVersion(1)
  /// Older versions come first.
  public static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    left.number < right.number
  }
}

/// Where the recorder stood.
public enum TraceRole: String, Hashable, Sendable, CaseIterable {
  /// It was the reader.
  case reader
  /// It listened to others.
  case sniff
  /// It was the card.
  case card
}

/// A reader: its address, its names and its chip.
public struct ReaderIdentity: Hashable, Sendable {
  /// Where it was found, for example `usb:04e6:5591` or `serial:/dev/ttyUSB0`.
  public var address: String?
  /// Its name and chip in words, for example `SCL3711, PN533 2.7`.
  public var name: String?

  /// Makes an identity.
  public init(address: String? = nil, name: String? = nil) {
    self.address = address
    self.name = name
  }
}

/// The clock of a source.
public struct TraceClock: Hashable, Sendable {
  /// The unit of `SourceTicks` in words (`1/13.56 MHz`, `us`, `ns`), `nil` if there are no ticks.
  public var tickUnit: String?
  /// What time zero is, in words (`monotonic`, `first event`, `1970-01-01T00:00:00Z`, `none`).
  public var origin: String?

  /// The unit of low frequency traces: one period of a carrier of 125 kHz.
  public static let lowFrequencyTickUnit = "8 us"

  /// Makes a clock description.
  public init(tickUnit: String? = nil, origin: String? = nil) {
    self.tickUnit = tickUnit
    self.origin = origin
  }
}

/// One header line whose key begins with `x-`.
public struct HeaderExtension: Hashable, Sendable {
  /// The key, with its `x-`.
  public var key: String
  /// The value.
  public var value: String
  /// Makes a line.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}
