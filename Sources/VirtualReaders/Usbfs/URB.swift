/// One transfer that a program has submitted: `struct usbdevfs_urb` on 64-bit Linux.
struct URB: Sendable {
  /// Where the structure lies in the program's memory; names the URB from then on.
  var address: UInt64
  var type: UInt8
  var endpoint: UInt8
  var flags: UInt32
  var buffer: UInt64
  var bufferLength: Int32
  /// What an OUT transfer carries, or what an IN transfer has brought.
  var data: [UInt8] = []
  /// How it ended: 0 or a negative error number.
  var status: Int32 = 0
  var actualLength: Int32 = 0
  /// True if the bytes of an OUT transfer have reached the device.
  var isAccepted = false

  /// The bytes of the structure without isochronous frames.
  static let size = 56
  /// Type of a control transfer.
  static let controlType: UInt8 = 2
  /// Type of an isochronous transfer; no reader has one.
  static let isochronousType: UInt8 = 0
  /// The longest buffer that is taken: 1 MiB, far above any frame of a reader; the kernel's own
  /// bound is 16 MiB for all URBs together (usbcore.usbfs_memory_mb).
  static let maximumBufferLength: Int32 = 1_048_576

  /// The first byte that a completion writes and the number of bytes: status to actual_length.
  private static let resultOffset: UInt64 = 4
  private static let resultSize: UInt64 = 28

  init(_ bytes: ArraySlice<UInt8>, address: UInt64) {
    self.address = address
    type = bytes[bytes.startIndex]
    endpoint = bytes[bytes.startIndex + 1]
    flags = bytes.word32(at: 8)
    buffer = bytes.word64(at: 16)
    bufferLength = Int32(bitPattern: bytes.word32(at: 24))
  }

  var isControl: Bool { type == URB.controlType }
  var isInbound: Bool { endpoint & 0x80 != 0 }

  /// Writes the results into the program's memory, and the URB's address where reaping asked.
  func appendResults(to output: inout [UInt8], reapedAt place: UInt64) {
    if !data.isEmpty {
      let start = isControl ? buffer &+ UInt64(ControlEndpoint.Setup.size) : buffer
      output.appendMessage(PreloadMessage.writeMemory, start, UInt64(data.count))
      output += data
    }
    output.appendMessage(
      PreloadMessage.writeMemory, address &+ URB.resultOffset, URB.resultSize)
    output.append(word: UInt32(bitPattern: status))
    output.append(word: flags)
    output.append(word: UInt32(0))
    output.append(word: buffer)
    output.append(word: UInt32(bitPattern: bufferLength))
    output.append(word: UInt32(bitPattern: actualLength))
    output.appendMessage(PreloadMessage.writeMemory, place, 8)
    output.append(word: address)
    output.appendMessage(PreloadMessage.done, 0, 0)
  }
}
