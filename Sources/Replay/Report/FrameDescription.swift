/// What a frame means, for a report.
public struct FrameDescription: Hashable, Sendable {
  /// The frame in a few words.
  public var title: String
  /// The named parts of the frame.
  public var fields: [Field]

  /// Makes a description.
  public init(title: String, fields: [Field] = []) {
    self.title = title
    self.fields = fields
  }

  /// A named part of a frame.
  public struct Field: Hashable, Sendable {
    /// The name in the words of the standard.
    public var name: String
    /// The bytes that hold it.
    public var range: Range<Int>
    /// What its value means, or an empty text.
    public var meaning: String

    /// Makes a field.
    public init(_ name: String, _ range: Range<Int>, meaning: String = "") {
      self.name = name
      self.range = range
      self.meaning = meaning
    }
  }

  /// The part that holds a byte.
  public func field(of index: Int) -> Field? { fields.first { $0.range.contains(index) } }
}
