import Glibc
import HostIO
import NFCProtocols
import Replay

/// The state behind a test bed: the node, the reader, the sockets; whoever has the lock drives it.
final class NodeServer: ReaderServer {
  let folder: TestBedFolder
  var node: USBNode
  var reader: PacedReader
  private var listener: OpenDescriptor?
  private var fifo: NodeFIFO?
  private var sockets: [OpenDescriptor?] = []
  /// OUT transfers that end for their programs at a later elapsed time.
  private var lateEnds: [(at: Nanoseconds, transfer: USBNode.OutboundTransfer)] = []
  private var timeline: Timeline
  private let start: Nanoseconds
  private let observe: (@Sendable (LinkObservation) -> Void)?
  private var sequence = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private let outEndpoint: UInt8
  private let inEndpoint: UInt8

  /// Sets up the folder of a device and plugs the device in.
  static func start(
    _ device: VirtualUSBDevice, reader: PacedReader, timeline: Timeline,
    observe: (@Sendable (LinkObservation) -> Void)?
  ) throws(VirtualReaderError) -> NodeServer {
    let folder = try TestBedFolder()
    try folder.make(.permanent)
    let server = NodeServer(
      device, folder: folder, reader: reader, timeline: timeline, observe: observe)
    try server.attach()
    return server
  }

  private init(
    _ device: VirtualUSBDevice, folder: consuming TestBedFolder, reader: PacedReader,
    timeline: Timeline, observe: (@Sendable (LinkObservation) -> Void)?
  ) {
    guard let out = device.bulkEndpoint(isInbound: false),
      let inward = device.bulkEndpoint(isInbound: true)
    else { preconditionFailure("a reader has two bulk endpoints") }
    (outEndpoint, inEndpoint) = (out, inward)
    self.folder = folder
    node = USBNode(device)
    node.keepsTaken = observe != nil
    self.reader = reader
    self.timeline = timeline
    self.observe = observe
    start = MonotonicClock.now()
  }

  deinit {
    if listener != nil {
      unlink(folder.path(TestBedPaths.socket))
      folder.remove(.reader(node.device))
    }
  }

  private var elapsed: Nanoseconds { MonotonicClock.now() - start }

  // MARK: Plugging

  /// The device appears: socket, node and sysfs first, then the messages that tell of it.
  func attach() throws(VirtualReaderError) {
    guard listener == nil else { return }
    node.plug()
    listener = try UnixSocket.listen(path: folder.path(TestBedPaths.socket))
    try folder.make(.reader(node.device))
    fifo = try NodeFIFO(path: folder.path(TestBedPaths.node))
    announce(.add)
  }

  /// The device goes; `isAnnounced` is false where no hotplug message tells of it.
  func detach(isAnnounced: Bool) {
    guard listener != nil else { return }
    node.unplug()
    lateEnds.removeAll()
    fifo?.setReady(true)
    flush()
    fifo = nil
    listener = nil
    unlink(folder.path(TestBedPaths.socket))
    folder.remove(.reader(node.device))
    if isAnnounced { announce(.remove) }
  }

  private func announce(_ action: HotplugMessage.Action) {
    let messages =
      action == .add
      ? [
        HotplugMessage.device(.add, node.device, sequence: sequence + 1),
        .interface(.add, node.device, sequence: sequence + 2),
      ]
      : [
        HotplugMessage.interface(.remove, node.device, sequence: sequence + 1),
        .device(.remove, node.device, sequence: sequence + 2),
      ]
    sequence += 2
    let names = (try? Folder.names(in: folder.root)) ?? []
    for name in names where name.hasPrefix("event") {
      let path = folder.path(name)
      for message in messages where !UnixSocket.send(message.bytes, to: path) { unlink(path) }
    }
  }

  // MARK: Working

  /// Does what is due and sends what is ready.
  ///
  /// - Returns: How long nothing is to be done by itself; `nil` for ever.
  func work() -> Nanoseconds? {
    var now = elapsed
    while let action = timeline.next(at: now) { perform(action) }
    takeOutbound(at: now)
    lateEnds.removeAll { late in
      if late.at <= now { node.finish(late.transfer) }
      return late.at <= now
    }
    for delivery in reader.deliveries(at: now, isAwaited: node.isAwaited(inEndpoint)) {
      hand(over: delivery)
    }
    if observe != nil { reportTaken(at: now) }
    let isReady = node.isReady || (fifo?.isReady == true && node.mayStayReady)
    fifo?.setReady(isReady)
    flush()
    let due = [timeline.nextInstant, reader.nextElapsed] + lateEnds.map(\.at)
    now = elapsed
    return due.compactMap { $0 }.min().map { max(.zero, $0 - now) }
  }

  private func takeOutbound(at now: Nanoseconds) {
    guard !node.outbound.isEmpty else { return }
    let transfers = node.outbound
    node.outbound.removeAll(keepingCapacity: true)
    for transfer in transfers {
      observe?(LinkObservation(.outbound, transfer.bytes, endpoint: outEndpoint, at: now))
      let end = reader.host(transfer.bytes, at: now)
      if end <= now { node.finish(transfer) } else { lateEnds.append((end, transfer)) }
    }
  }

  private func hand(over delivery: HostDelivery) {
    switch delivery.kind {
    case .transfer: node.deliver(delivery.bytes, on: inEndpoint)
    case .stalled: node.stall(inEndpoint)
    case .unplugged: detach(isAnnounced: true)
    }
  }

  private func reportTaken(at now: Nanoseconds) {
    for taken in node.taken where taken.endpoint == inEndpoint {
      observe?(
        LinkObservation(
          .inbound, taken.bytes, endpoint: taken.endpoint, at: now, room: taken.room,
          isOverflow: taken.isOverflow))
    }
    node.taken.removeAll(keepingCapacity: true)
  }

  func perform(_ action: TimedAction.Action) {
    switch action {
    case .insert(let card): reader.insert(card, at: elapsed)
    case .removeCard: reader.removeCard(at: elapsed)
    case .unplug(let isAnnounced): detach(isAnnounced: isAnnounced)
    case .plug:
      // A node that cannot be made again stays away; its programs find no device.
      try? attach()
    case .stall: node.stall(inEndpoint)
    case .refuseOut(let refuses): node.refuseOut(refuses)
    }
  }

  private func flush() {
    for number in sockets.indices {
      guard let socket = sockets[number] else { continue }
      let count = node.connections[number].outgoing.count
      guard count > 0 || !node.connections[number].isOpen else { continue }
      let sent = node.connections[number].outgoing.withUnsafeBytes {
        send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent == count, count > 0 {
        node.connections[number].outgoing.removeAll(keepingCapacity: true)
      } else if sent > 0 {
        node.connections[number].outgoing.removeFirst(sent)
      } else if !node.connections[number].isOpen || errno != EAGAIN {
        drop(number)
      }
    }
  }

  // MARK: Sockets

  /// What to wait for.
  func fill(_ polls: inout [pollfd]) {
    if let listener { polls.append(pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)) }
    for number in sockets.indices {
      guard let socket = sockets[number] else { continue }
      // A program that does not take its answers is not listened to.
      let isClear = node.connections[number].outgoing.isEmpty
      polls.append(
        pollfd(fd: socket.number, events: Int16(isClear ? POLLIN : POLLOUT), revents: 0))
    }
  }

  /// Takes what has come in.
  func take(_ polls: [pollfd]) {
    for poll in polls where poll.revents != 0 {
      if poll.fd == listener?.number {
        acceptClients()
      } else if let number = sockets.firstIndex(where: { $0?.number == poll.fd }) {
        receive(number)
      }
    }
  }

  private func acceptClients() {
    while let listener, let socket = UnixSocket.accept(listener) {
      let number = node.open()
      while sockets.count <= number { sockets.append(nil) }
      sockets[number] = socket
    }
  }

  private func receive(_ number: Int) {
    guard let socket = sockets[number], node.connections[number].outgoing.isEmpty else { return }
    let count = buffer.withUnsafeMutableBytes {
      recv(socket.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count > 0 {
      node.take(buffer[..<count], from: number)
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      drop(number)
    }
  }

  private func drop(_ number: Int) {
    sockets[number] = nil
    node.close(number)
  }
}
