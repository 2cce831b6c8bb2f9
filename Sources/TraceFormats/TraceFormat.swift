public import NFCProtocols
public import NFCTrace

/// A file format of traces: how to recognise, read and write it.
public struct TraceFormat: Sendable {
  /// The name used on the command line and in `retap info`, for example `pm3-trace`.
  public var name: String
  /// One line for people.
  public var summary: String
  /// File name endings that suggest it, without the dot.
  public var suffixes: [String]
  /// How well the beginning of a file (and its name) fits this format.
  public var recognise: @Sendable (FileSample) -> Recognition
  /// Makes a reader, or `nil` if the format is only written.
  public var makeDecoder: (@Sendable (ImportOptions) -> any TraceDecoder)?
  /// Makes a writer, or `nil` if the format is only read.
  public var makeEncoder: (@Sendable (ExportOptions) -> any TraceEncoder)?

  /// Makes a format description.
  public init(
    name: String, summary: String, suffixes: [String],
    recognise: @escaping @Sendable (FileSample) -> Recognition,
    makeDecoder: (@Sendable (ImportOptions) -> any TraceDecoder)? = nil,
    makeEncoder: (@Sendable (ExportOptions) -> any TraceEncoder)? = nil
  ) {
    self.name = name
    self.summary = summary
    self.suffixes = suffixes
    self.recognise = recognise
    self.makeDecoder = makeDecoder
    self.makeEncoder = makeEncoder
  }
}

/// What recognition goes by.
public struct FileSample: Sendable {
  /// The first bytes of the file, up to `TraceFormat.sampleLength`.
  public var bytes: [UInt8]
  /// True if `bytes` is the whole file.
  public var isWhole: Bool
  /// The file's name without its folder, or an empty string.
  public var name: String
  /// The size of the file in bytes, if it is known.
  public var fileSize: Int?

  /// Makes a sample.
  public init(bytes: [UInt8], isWhole: Bool, name: String = "", fileSize: Int? = nil) {
    self.bytes = bytes
    self.isWhole = isWhole
    self.name = name
    self.fileSize = fileSize
  }
}

/// How well a file fits a format; higher wins.
public enum Recognition: Int, Comparable, Sendable {
  /// It is not this format.
  case no
  /// Only the name or a weak sign speaks for it.
  case possible
  /// The structure fits, but the format has no mark of its own.
  case likely
  /// It bears the format's own mark.
  case certain

  /// Weaker recognitions come first.
  public static func < (left: Recognition, right: Recognition) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What a user may tell an importer that the file does not.
public struct ImportOptions: Sendable {
  /// The technology, where the format does not hold it.
  public var technology: Technology?
  /// Where the recorder stood.
  public var role: TraceRole?
  /// A named reading of the times (`pm3-x` for text2pcap files of `trace list -x`).
  public var timeScale: String?

  /// Makes options.
  public init(technology: Technology? = nil, role: TraceRole? = nil, timeScale: String? = nil) {
    self.technology = technology
    self.role = role
    self.timeScale = timeScale
  }
}

/// What a user may tell an exporter.
public struct ExportOptions: Sendable {
  /// Makes options.
  public init() {}
}

extension TraceFormat {
  /// How many bytes of a file recognition sees.
  public static let sampleLength = 65_536

  /// All formats, our own first.
  ///
  /// Each group is defined beside its decoders.
  public static var all: [TraceFormat] {
    ownFormats + captureFormats + logFormats
  }
}
