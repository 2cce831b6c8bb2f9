public import NFCProtocols

extension Nanoseconds {
  /// The length of a text with its unit, such as `100us`, `6.2ms` or `1s`; `nil` for other texts.
  public init?(durationText text: String) {
    guard let count = TimeText.nanoseconds(Array(text.utf8)[...]) else { return nil }
    self.init(count)
  }
}
