import NFCProtocols

/// An event that waits in the queue of a simulated reader: small and without references.
struct ReaderEvent: Sendable {
  enum Kind: UInt8, Sendable {
    case hostTransfer, delivery, frameStart, frameEnd, timer, application, applicationEnded
    case insertion, removal, unplugging
  }

  var kind: Kind
  var side: AirSide
  /// Timer name, or slot of a transfer, flight, message or peer, according to `kind`.
  var number: UInt32
  var generation: UInt32

  init(_ kind: Kind, _ side: AirSide = .chip, number: UInt32 = 0, generation: UInt32 = 0) {
    self.kind = kind
    self.side = side
    self.number = number
    self.generation = generation
  }
}

/// The two sides of the air in front of a simulated reader.
enum AirSide: UInt8, Hashable, Sendable {
  /// The chip with its antenna.
  case chip
  /// The card or the terminal in front of it.
  case peer

  var opposite: AirSide { self == .chip ? .peer : .chip }

  func timerSlot(_ name: UInt32) -> Int { Int(rawValue) << 8 | Int(name) }
}

/// What lies in front of the antenna.
struct FieldPeer {
  enum Role: UInt8, Hashable, Sendable {
    case card, terminal
  }

  var endpoint: any RadioEndpoint
  var role: Role
  var hasStarted = false
}

/// A frame between its `send` and its last bit.
struct AirFlight: Sendable {
  var frame: RadioFrame
  var epoch: UInt32
  var isLost = false
  var isDuplicated = false
  var isStruck = false
}

/// Values that wait under a number for the event that carries it; freed places are used again.
struct SlotStore<Value> {
  private var values: [Value?] = []
  private var free: [UInt32] = []

  /// Puts a value away.
  mutating func store(_ value: Value) -> UInt32 {
    if let slot = free.popLast() {
      values[Int(slot)] = value
      return slot
    }
    values.append(value)
    return UInt32(values.count - 1)
  }

  /// Takes the value of a slot, which must hold one.
  mutating func take(_ slot: UInt32) -> Value {
    guard let value = values[Int(slot)] else { preconditionFailure("a slot was taken twice") }
    values[Int(slot)] = nil
    free.append(slot)
    return value
  }

  /// Changes the value of a slot in place.
  mutating func update<Result>(_ slot: UInt32, _ change: (inout Value) -> Result) -> Result {
    guard var value = values[Int(slot)] else { preconditionFailure("a slot is empty") }
    values[Int(slot)] = nil
    let result = change(&value)
    values[Int(slot)] = value
    return result
  }
}

extension SlotStore: Sendable where Value: Sendable {}

/// Transfers on their way in one direction: they arrive in the order in which they were sent.
struct TransferLine<Transfer> {
  private var waiting: [Transfer] = []
  private var next = 0
  private(set) var lastArrival = VirtualInstant.start

  /// True if nothing is on its way.
  var isEmpty: Bool { next == waiting.count }

  /// Sends a transfer that takes until `instant`, or longer if the one before does.
  ///
  /// - Returns: When it arrives.
  mutating func send(_ transfer: Transfer, until instant: VirtualInstant) -> VirtualInstant {
    lastArrival = max(lastArrival, instant)
    waiting.append(transfer)
    return lastArrival
  }

  /// Notes a transfer that has arrived at once.
  mutating func arrived(at instant: VirtualInstant) { lastArrival = max(lastArrival, instant) }

  /// Takes the transfer that arrives now.
  mutating func take() -> Transfer? {
    guard next < waiting.count else { return nil }
    let transfer = waiting[next]
    next += 1
    if next == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      next = 0
    }
    return transfer
  }

  /// Forgets everything.
  mutating func removeAll() {
    waiting.removeAll(keepingCapacity: true)
    next = 0
  }
}
