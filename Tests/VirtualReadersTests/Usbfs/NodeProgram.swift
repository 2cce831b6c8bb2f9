@testable import VirtualReaders

/// A program with a device node open: its memory, and its calls as the preload library makes them.
struct NodeProgram {
  /// What a call came to.
  struct Outcome: Hashable {
    var result: Int64
    var error: Int32

    static func success(_ result: Int64 = 0) -> Outcome { Outcome(result: result, error: 0) }
    static func failure(_ error: Int32) -> Outcome { Outcome(result: -1, error: error) }
  }

  let connection: Int
  private(set) var memory = [UInt8](repeating: 0, count: 0x4000)

  /// Where arguments, URBs and buffers lie; addresses are offsets into `memory`.
  static let argument: UInt64 = 0x100
  static let firstURB: UInt64 = 0x1000

  init(_ node: inout USBNode) { connection = node.open() }

  // MARK: Memory

  mutating func write(_ bytes: [UInt8], at address: UInt64) {
    memory.replaceSubrange(Int(address)..<(Int(address) + bytes.count), with: bytes)
  }

  mutating func write(words: [UInt32], at address: UInt64 = argument) {
    var bytes: [UInt8] = []
    for word in words { bytes.append(word: word) }
    write(bytes, at: address)
  }

  func read(_ count: Int, at address: UInt64) -> [UInt8] {
    Array(memory[Int(address)..<(Int(address) + count)])
  }

  // MARK: Calls

  /// Makes a call and carries its dialogue on until it returns; `nil` if it waits.
  mutating func call(
    _ kind: UInt64, _ first: UInt64, _ second: UInt64, _ node: inout USBNode
  ) -> Outcome? {
    var message: [UInt8] = []
    message.appendMessage(kind, first, second)
    node.take(message[...], from: connection)
    return proceed(&node)
  }

  /// Takes what the server has sent; the outcome of the call if it returned.
  mutating func proceed(_ node: inout USBNode) -> Outcome? {
    while true {
      let bytes = node.connections[connection].outgoing
      guard !bytes.isEmpty else { return nil }
      node.connections[connection].outgoing = []
      if let outcome = follow(bytes, &node) { return outcome }
    }
  }

  private mutating func follow(_ bytes: [UInt8], _ node: inout USBNode) -> Outcome? {
    var rest = bytes[...]
    var outcome: Outcome?
    while !rest.isEmpty {
      let (first, second) = (rest.word64(at: 8), rest.word64(at: 16))
      let kind = rest.word64(at: 0)
      rest = rest.dropFirst(PreloadMessage.size)
      switch kind {
      case PreloadMessage.readMemory:
        node.take(read(Int(second), at: first)[...], from: connection)
      case PreloadMessage.writeMemory:
        write(Array(rest.prefix(Int(second))), at: first)
        rest = rest.dropFirst(Int(second))
      default:
        outcome = Outcome(result: Int64(bitPattern: first), error: Int32(second))
      }
    }
    return outcome
  }

  /// An ioctl of usbfs.
  mutating func ioctl(
    _ request: UInt8, at argument: UInt64 = argument, _ node: inout USBNode
  ) -> Outcome? {
    let word = UInt64(UsbfsRequest.typeLetter) << 8 | UInt64(request)
    return call(PreloadMessage.ioctl, word, argument, &node)
  }

  /// An ioctl whose argument points to numbers.
  mutating func ioctl(
    _ request: UInt8, words: [UInt32], _ node: inout USBNode
  ) -> Outcome? {
    write(words: words)
    return ioctl(request, &node)
  }

  // MARK: Transfers

  /// The address of URB number `number`; its buffer lies behind it.
  static func urb(_ number: Int) -> UInt64 { firstURB + UInt64(number) * 0x400 }
  static func buffer(_ number: Int) -> UInt64 { urb(number) + 0x80 }

  /// Submits an OUT or control transfer with these bytes.
  mutating func submit(
    _ endpoint: UInt8, _ bytes: [UInt8], number: Int = 0, type: UInt8 = 3, _ node: inout USBNode
  ) -> Outcome? {
    write(bytes, at: Self.buffer(number))
    return submit(endpoint, room: bytes.count, number: number, type: type, &node)
  }

  /// Submits a transfer with this much room.
  mutating func submit(
    _ endpoint: UInt8, room: Int, number: Int = 0, type: UInt8 = 3, _ node: inout USBNode
  ) -> Outcome? {
    var bytes: [UInt8] = [type, endpoint, 0, 0]
    for word in [UInt32(0xFFFF_FFFF), 0x5A5A, 0] { bytes.append(word: word) }
    bytes.append(word: Self.buffer(number))
    bytes.append(word: UInt32(bitPattern: Int32(room)))
    for _ in 0..<5 { bytes.append(word: UInt32(0x7777)) }
    bytes.append(word: UInt64(0))
    write(bytes, at: Self.urb(number))
    return ioctl(UsbfsRequest.submitURB, at: Self.urb(number), &node)
  }

  /// What a reaped transfer came to.
  struct Reaped: Hashable {
    var number: Int
    var status: Int32
    var actualLength: Int
    /// The first `actualLength` bytes of the buffer.
    var bytes: [UInt8]
  }

  /// Reaps without waiting.
  mutating func reap(_ node: inout USBNode) -> Reaped? {
    guard ioctl(UsbfsRequest.reapURBNoDelay, &node) == .success() else { return nil }
    return reaped()
  }

  /// The transfer whose address a reap has left.
  func reaped() -> Reaped {
    let address = read(8, at: Self.argument)[...].word64(at: 0)
    let urb = read(URB.size, at: address)[...]
    let length = Int(urb.word32(at: 28))
    return Reaped(
      number: Int((address - Self.firstURB) / 0x400),
      status: Int32(bitPattern: urb.word32(at: 4)), actualLength: length,
      bytes: read(length, at: urb.word64(at: 16)))
  }
}
