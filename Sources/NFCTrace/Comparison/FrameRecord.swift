public import NFCProtocols

/// One frame of a trace, as far as traces of different formats can be compared.
public struct FrameRecord: Hashable, Sendable {
  /// Who sent it.
  public var sender: FrameSender
  /// The bytes, or nothing if it is a frame without any (`mark` then names it).
  public var bytes: [UInt8]
  /// `ack`, `nack` or `wake` for such frames between host and chip.
  public var mark: String?
  /// When it began, or `nil` if the source has no time.
  public var start: Nanoseconds?
  /// When it ended, if the source tells.
  public var end: Nanoseconds?

  /// Makes a record.
  public init(
    _ sender: FrameSender, _ bytes: [UInt8], mark: String? = nil, start: Nanoseconds? = nil,
    end: Nanoseconds? = nil
  ) {
    self.sender = sender
    self.bytes = bytes
    self.mark = mark
    self.start = start
    self.end = end
  }

  /// True if sender and bytes are the same; times do not count.
  func says(_ other: FrameRecord) -> Bool {
    sender == other.sender && bytes == other.bytes && mark == other.mark
  }
}

/// Collects the frames of a trace event by event.
public struct FrameCollector: Sendable {
  /// The frames so far, in the order in which they were complete.
  public private(set) var frames: [FrameRecord] = []
  private var finder = FrameFinder()

  /// Makes a collector without frames.
  public init() {}

  /// Takes the next event.
  public mutating func append(_ event: TraceEvent) {
    let start = event.isTimeUnknown ? nil : event.start
    // The end of a transfer is the end of its frame only on the air and at the APDU layer.
    let end: Nanoseconds? =
      if case .link = event.content { nil } else { event.isTimeUnknown ? nil : event.end }
    finder.find(in: event) { sender, content in
      switch content {
      case .bytes(let bytes):
        frames.append(FrameRecord(sender, bytes, start: start, end: end))
      case .ack: frames.append(FrameRecord(sender, [], mark: "ack", start: start))
      case .nack: frames.append(FrameRecord(sender, [], mark: "nack", start: start))
      case .wakeUp: frames.append(FrameRecord(sender, [], mark: "wake", start: start))
      }
    }
  }
}
