/// Bytes of a file that have arrived and are not yet used, with their place in the file.
struct InputBuffer {
  /// Used bytes are thrown away once there are more of them than this many bytes.
  private static let slack = 65_536

  private var storage: [UInt8] = []
  private var head = 0
  /// Offset in the file of the first unused byte.
  private(set) var offset = 0

  /// The number of unused bytes.
  var count: Int { storage.count - head }
  var isEmpty: Bool { count == 0 }
  /// All unused bytes.
  var bytes: ArraySlice<UInt8> { storage[head...] }

  mutating func append(_ chunk: ArraySlice<UInt8>) {
    if head == storage.count {
      storage.removeAll(keepingCapacity: true)
      head = 0
    } else if head > Self.slack {
      storage.removeFirst(head)
      head = 0
    }
    storage.append(contentsOf: chunk)
  }

  /// The first `length` unused bytes, or `nil` if they have not all arrived.
  func peek(_ length: Int) -> ArraySlice<UInt8>? {
    precondition(length >= 0, "a length of bytes is not negative")
    return length <= count ? storage[head..<(head + length)] : nil
  }

  /// Lets `body` look at all unused bytes and pass as many from the front as it says.
  mutating func consume(_ body: (UnsafeRawBufferPointer) -> Int) {
    let used = storage.withUnsafeBytes { whole in
      body(UnsafeRawBufferPointer(rebasing: whole[head...]))
    }
    drop(used)
  }

  /// Passes bytes that have arrived.
  mutating func drop(_ length: Int) {
    precondition(length >= 0 && length <= count, "only bytes that have arrived can be passed")
    head += length
    offset += length
  }
}
