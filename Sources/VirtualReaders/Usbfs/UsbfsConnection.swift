/// One open device node of a program: what it has sent, what it is to get, its transfers.
struct UsbfsConnection: Sendable {
  /// Bytes for the program that have not left yet.
  var outgoing: [UInt8] = []
  /// False once either side has closed.
  var isOpen = true
  /// True once the device that the program had opened was pulled out.
  var isDead = false
  /// True if interface 0 belongs to this program.
  var holdsInterface = false
  /// Transfers that have not ended.
  var pending: [URB] = []
  /// Transfers that have ended and wait to be reaped.
  var finished: [URB] = []
  /// Where a reap that waits wants the URB's address.
  var waitingReap: UInt64?
  /// How far the program has read the descriptors.
  var readOffset = 0
  /// What the next bytes are.
  var expected = Expected.request
  private var incoming: [UInt8] = []
  private var position = 0

  /// The most transfers of one program; libusb programs have one or two a endpoint.
  static let maximumTransfers = 1_024

  /// What can come from a program.
  enum Expected: Sendable {
    /// Three words.
    case request
    /// The structure of a URB at this address.
    case urb(UInt64)
    /// The data of an OUT or a control transfer.
    case data(URB)
    /// The arguments of a control request: setup bytes, time limit, address of the data.
    case controlArguments
    /// The data of a control request to the device.
    case controlData(ControlEndpoint.Setup)
    /// The number words that a request points to, and which request it was.
    case words(request: UInt8, argument: UInt64, count: Int)

    /// How many bytes that is.
    var byteCount: Int {
      switch self {
      case .request: PreloadMessage.size
      case .urb: URB.size
      case .data(let urb): Int(urb.bufferLength)
      case .controlArguments: 24
      case .controlData(let setup): Int(setup.length)
      case .words(_, _, let count): count * 4
      }
    }
  }

  mutating func append(_ bytes: ArraySlice<UInt8>) { incoming += bytes }

  /// The next whole piece of what was sent, or `nil` before it is there.
  mutating func takeExpected() -> ArraySlice<UInt8>? {
    let end = position + expected.byteCount
    guard end <= incoming.count else {
      incoming.removeFirst(position)
      position = 0
      return nil
    }
    let piece = incoming[position..<end]
    position = end
    return piece
  }

  /// Ends the call under way.
  mutating func finishCall(_ result: Int64, error: Int32 = 0) {
    outgoing.appendMessage(PreloadMessage.done, UInt64(bitPattern: result), UInt64(error))
  }

  /// Ends the call under way with -1.
  mutating func failCall(_ error: Int32) { finishCall(-1, error: error) }

  /// Asks for memory of the program; what it is comes next.
  mutating func request(_ expected: Expected, at address: UInt64) {
    outgoing.appendMessage(PreloadMessage.readMemory, address, UInt64(expected.byteCount))
    self.expected = expected
  }

  /// Writes into the program's memory.
  mutating func write(_ bytes: [UInt8], at address: UInt64) {
    outgoing.appendMessage(PreloadMessage.writeMemory, address, UInt64(bytes.count))
    outgoing += bytes
  }

  /// Gives the oldest finished transfer to a reap that waits for one.
  mutating func reapIfWaiting() {
    guard let place = waitingReap, !finished.isEmpty else { return }
    waitingReap = nil
    finished.removeFirst().appendResults(to: &outgoing, reapedAt: place)
  }

  /// Moves a pending transfer to the finished ones.
  mutating func finish(
    pendingAt index: Int, status: Int32, data: [UInt8] = [], actualLength: Int = 0
  ) {
    var urb = pending.remove(at: index)
    urb.status = status
    urb.data = data
    urb.actualLength = Int32(actualLength)
    finished.append(urb)
    reapIfWaiting()
  }
}
