/// A USB device node as programs see it through usbfs: a state machine without I/O.
///
/// Bytes of programs go in, bytes for them and OUT transfers for the reader come out. A transfer
/// that finds no data waits until there are some, it is discarded or the device goes.
struct USBNode: Sendable {
  let device: VirtualUSBDevice
  let control: ControlEndpoint
  /// The open nodes; an entry that is closed is used again.
  var connections: [UsbfsConnection] = []
  /// OUT transfers that reached the device, oldest first; the caller takes and finishes them.
  var outbound: [OutboundTransfer] = []
  /// IN transfers that ended in a program's buffer, in their order, if they are kept.
  var taken: [InboundTransfer] = []
  /// True to keep what IN transfers brought in `taken`.
  var keepsTaken = false
  /// True while the device takes no OUT transfers (NAK): they wait.
  private(set) var refusesOut = false
  /// True until the device is unplugged.
  private(set) var isPluggedIn = true
  /// How often programs have reaped nothing since a transfer was submitted.
  var emptyReaps = 0
  /// Endpoints that answer STALL.
  var halted: [UInt8] = []
  /// True while a kernel driver holds interface 0.
  var hasKernelDriver: Bool
  private let inboundAddresses: [UInt8]
  private var arrived: [[[UInt8]]]

  /// The size of a packet of a full-speed bulk endpoint (USB 2.0, 5.8.3).
  static let packetSize = 64
  /// The most IN transfers that are kept for a program that reads none.
  static let maximumArrived = 4_096

  /// An OUT transfer that has reached the device; `finish(_:)` ends it for its program.
  struct OutboundTransfer: Hashable, Sendable {
    var bytes: [UInt8]
    var connection: Int
    /// Names the URB.
    var address: UInt64
  }

  /// What an IN transfer brought.
  struct InboundTransfer: Hashable, Sendable {
    var bytes: [UInt8]
    var endpoint: UInt8
    /// How much room the program had.
    var room: Int
    var isOverflow: Bool
  }

  init(_ device: VirtualUSBDevice) {
    self.device = device
    control = ControlEndpoint(device: device)
    hasKernelDriver = device.kernelDriver != nil
    inboundAddresses = device.endpoints.filter(\.isInbound).map(\.address)
    arrived = Array(repeating: [], count: inboundAddresses.count)
  }

  /// A program has opened the node.
  ///
  /// - Returns: The number of the connection.
  mutating func open() -> Int {
    if let free = connections.firstIndex(where: { !$0.isOpen }) {
      connections[free] = UsbfsConnection()
      return free
    }
    connections.append(UsbfsConnection())
    return connections.count - 1
  }

  /// A program has closed the node, or died.
  mutating func close(_ number: Int) {
    connections[number] = UsbfsConnection()
    connections[number].isOpen = false
  }

  /// True if some program has a finished transfer to reap: POLLOUT.
  var isReady: Bool {
    for connection in connections where !connection.finished.isEmpty && !connection.isDead {
      return true
    }
    return false
  }

  /// True if programs that poll the node may as well find it ready: no transfer is under way, and
  /// the last reap that found nothing came right after a transfer.
  ///
  /// Most programs reap until nothing is left and then submit the next transfer, which often ends
  /// at once; this saves two system calls each time. A program that only polls is told the truth.
  var mayStayReady: Bool {
    for connection in connections where !connection.pending.isEmpty { return false }
    return emptyReaps < 2
  }

  /// True if a program waits for data of an endpoint.
  func isAwaited(_ endpoint: UInt8) -> Bool {
    connections.contains { $0.pending.contains { $0.endpoint == endpoint } }
  }

  /// Takes bytes that a program has sent.
  mutating func take(_ bytes: ArraySlice<UInt8>, from number: Int) {
    connections[number].append(bytes)
    while connections[number].isOpen, let piece = connections[number].takeExpected() {
      let expected = connections[number].expected
      connections[number].expected = .request
      handle(piece, as: expected, of: number)
    }
  }

  /// Brings one IN transfer to whoever waits for it; kept if nobody does.
  mutating func deliver(_ transfer: [UInt8], on endpoint: UInt8) {
    guard isPluggedIn, let index = inboundAddresses.firstIndex(of: endpoint),
      arrived[index].count < USBNode.maximumArrived
    else { return }
    arrived[index].append(transfer)
    settleInbound(endpoint)
  }

  /// Forgets IN transfers that nobody has taken.
  mutating func discardArrived() {
    for index in arrived.indices { arrived[index].removeAll() }
  }

  /// Lets an endpoint answer STALL until a program clears the halt.
  mutating func stall(_ endpoint: UInt8) {
    if !halted.contains(endpoint) { halted.append(endpoint) }
    for number in connections.indices { settle(endpoint, of: number) }
  }

  /// Lets the device take OUT transfers or refuse them; those that wait go on.
  mutating func refuseOut(_ refuses: Bool) {
    refusesOut = refuses
    for number in connections.indices {
      for urb in connections[number].pending where !urb.isInbound {
        settle(urb.endpoint, of: number)
      }
    }
  }

  /// Ends an OUT transfer that reached the device, unless its program has taken it back.
  mutating func finish(_ transfer: OutboundTransfer) {
    guard
      let index = connections[transfer.connection].pending.firstIndex(where: {
        $0.address == transfer.address && $0.isAccepted
      })
    else { return }
    connections[transfer.connection].finish(
      pendingAt: index, status: 0,
      actualLength: Int(connections[transfer.connection].pending[index].bufferLength))
  }

  /// The device is plugged in again; programs that had it open before must open it anew.
  mutating func plug() {
    isPluggedIn = true
    halted.removeAll()
    refusesOut = false
    hasKernelDriver = device.kernelDriver != nil
  }

  /// The device is pulled out: all transfers end, all requests fail from now on.
  mutating func unplug() {
    isPluggedIn = false
    discardArrived()
    outbound.removeAll()
    for number in connections.indices {
      connections[number].isDead = true
      connections[number].holdsInterface = false
      while !connections[number].pending.isEmpty {
        connections[number].finish(pendingAt: 0, status: -LinuxError.shutdown)
      }
      if connections[number].waitingReap != nil {
        connections[number].waitingReap = nil
        connections[number].failCall(LinuxError.noDevice)
      }
    }
  }

  /// Ends what can end of the transfers of one endpoint.
  mutating func settle(_ endpoint: UInt8, of number: Int) {
    if halted.contains(endpoint) {
      finishAll(endpoint, of: number, status: -LinuxError.brokenPipe)
    } else if endpoint & 0x80 != 0 {
      settleInbound(endpoint)
    } else {
      settleOutbound(endpoint, of: number)
    }
  }

  private mutating func finishAll(_ endpoint: UInt8, of number: Int, status: Int32) {
    while let index = connections[number].pending.firstIndex(where: { $0.endpoint == endpoint }) {
      connections[number].finish(pendingAt: index, status: status)
    }
  }

  private mutating func settleInbound(_ endpoint: UInt8) {
    guard let queue = inboundAddresses.firstIndex(of: endpoint), !halted.contains(endpoint) else {
      return
    }
    for number in connections.indices {
      while !arrived[queue].isEmpty,
        let index = connections[number].pending.firstIndex(where: { $0.endpoint == endpoint })
      {
        let room = Int(connections[number].pending[index].bufferLength)
        let (data, status) = takeArrived(queue, room: room)
        if keepsTaken {
          taken.append(
            InboundTransfer(bytes: data, endpoint: endpoint, room: room, isOverflow: status != 0))
        }
        connections[number].finish(
          pendingAt: index, status: status, data: data, actualLength: data.count)
      }
    }
  }

  /// What a buffer gets of the oldest transfer: it ends with the transfer, or when it is full.
  private mutating func takeArrived(_ queue: Int, room: Int) -> ([UInt8], Int32) {
    let transfer = arrived[queue].removeFirst()
    if transfer.count <= room { return (transfer, 0) }
    // A packet that finds too little room is babble (USB 2.0, 8.7.4); whole packets before it
    // have arrived.
    let fitting = room / USBNode.packetSize * USBNode.packetSize
    if fitting == room, room > 0 {
      arrived[queue].insert(Array(transfer[room...]), at: 0)
      return (Array(transfer[..<room]), 0)
    }
    return (Array(transfer[..<fitting]), -LinuxError.overflow)
  }

  private mutating func settleOutbound(_ endpoint: UInt8, of number: Int) {
    guard !refusesOut else { return }
    var index = 0
    while index < connections[number].pending.count {
      let urb = connections[number].pending[index]
      if urb.endpoint != endpoint || urb.isAccepted {
        index += 1
      } else if urb.data.isEmpty {
        // An empty transfer ends one of whole packets; it carries nothing itself.
        connections[number].finish(pendingAt: index, status: 0)
      } else {
        connections[number].pending[index].isAccepted = true
        connections[number].pending[index].data = []
        outbound.append(
          OutboundTransfer(bytes: urb.data, connection: number, address: urb.address))
        index += 1
      }
    }
  }
}
