import CLibUSB

/// One transfer of libusb and the memory that it reads from or writes to.
///
/// Both live until the object goes, which its owner must not allow while the transfer is under way.
final class USBTransfer {
  /// Room for the longest frame (275 bytes), and a multiple of the packet size of 64: a read of
  /// another size could end inside a packet (USB 2.0, 5.8.3).
  static let bufferLength = 512

  let pointer: UnsafeMutablePointer<libusb_transfer>
  private let buffer: UnsafeMutablePointer<UInt8>
  /// From submission to the callback.
  var isUnderWay = false
  /// When it was submitted.
  var submittedAt: Int64 = 0
  /// True for the empty transfer that tells the reader that a transfer of full packets is over.
  var isTerminator = false

  init?() {
    guard let pointer = libusb_alloc_transfer(0) else { return nil }
    self.pointer = pointer
    buffer = .allocate(capacity: Self.bufferLength)
    buffer.initialize(repeating: 0, count: Self.bufferLength)
  }

  /// What came in, or what went out.
  var bytes: [UInt8] {
    Array(UnsafeBufferPointer(start: buffer, count: count))
  }

  /// How many bytes were carried; never more than there is room for.
  var count: Int { min(max(0, Int(pointer.pointee.actual_length)), Self.bufferLength) }

  var status: libusb_transfer_status { pointer.pointee.status }

  /// Prepares a transfer without a time limit of libusb's own: limits are kept by our deadlines,
  /// which saves the calls that set a timer of the system for each transfer.
  func prepare(
    _ handle: OpaquePointer, endpoint: UInt8, length: Int, owner: UnsafeMutableRawPointer,
    _ callback: libusb_transfer_cb_fn
  ) {
    precondition(!isUnderWay, "a transfer that is under way belongs to libusb")
    libusb_fill_bulk_transfer(
      pointer, handle, endpoint, buffer, Int32(length), callback, owner, 0)
  }

  /// Fills the buffer with what is to go out.
  func fill(_ bytes: [UInt8]) {
    precondition(!isUnderWay, "the buffer belongs to libusb until the transfer is over")
    precondition(bytes.count <= Self.bufferLength, "what is sent must fit in the buffer")
    bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      buffer.update(from: start, count: source.count)
    }
  }

  deinit {
    precondition(!isUnderWay, "a transfer must be over before its memory goes")
    libusb_free_transfer(pointer)
    buffer.deinitialize(count: Self.bufferLength)
    buffer.deallocate()
  }
}
