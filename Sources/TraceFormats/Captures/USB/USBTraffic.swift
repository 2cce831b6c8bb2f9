import NFCProtocols
import NFCTrace

/// Turns USB records into the link events of the one NFC reader among the devices of a capture.
struct USBTraffic {
  /// Devices that are told apart.
  static let deviceLimit = 1_024
  /// Transfers of a device that are kept while it is not known what it is.
  static let earlyLimit = 64
  /// Bytes kept of all undecided devices together.
  static let earlyBytesLimit = 1 << 20

  private var pairing = USBPairing()
  private var devices: [USBDevice] = []
  private var positions: [USBDeviceAddress: Int] = [:]
  private var chosen: Int?
  private var earlyBytes = 0
  /// True while nothing but descriptors has been read: the capture program asks for them itself.
  private var isPrologue = true

  /// True once a record has been taken.
  private(set) var hasRecords = false

  /// The identity of the reader, once it is known.
  var reader: ReaderIdentity? { chosen.flatMap { devices[$0].reader } }

  /// Takes one record and appends the events that are ready.
  mutating func add(_ record: USBRecord, into events: inout [TraceEvent]) {
    hasRecords = true
    pairing.add(record)
    drain(into: &events)
  }

  /// Appends what is left and says which devices were left out.
  mutating func finish(
    into events: inout [TraceEvent], warnings: inout [TraceWarning]
  ) {
    pairing.finish()
    drain(into: &events)
    if chosen == nil {
      let candidate = devices.firstIndex {
        $0.standing == .undecided && ($0.payload != nil || $0.hasCCIDInterface)
      }
      if let candidate {
        devices[candidate].payload = devices[candidate].payload ?? .ccid
        choose(candidate, into: &events)
      }
    }
    let others = devices.filter { $0.standing != .reader && $0.transfers > 0 && !$0.isHub }
    if chosen != nil, !others.isEmpty {
      let names = others.prefix(8).map { "\($0.text), \($0.transfers) transfers" }
      let more = others.count > names.count ? " and \(others.count - names.count) more" : ""
      warnings.append(
        TraceWarning(
          at: .byte(0), "left out other USB devices: \(names.joined(separator: "; "))\(more)"))
    }
    for device in devices where device.standing == .reader && device.lostEarly > 0 {
      warnings.append(
        TraceWarning(
          at: .byte(0), "the first \(device.lostEarly) transfers of \(device.text) were not kept"))
    }
  }

  /// What to say when no device is a reader; `nil` if one is.
  var missingReader: String? {
    guard chosen == nil else { return nil }
    let names = devices.prefix(8).map { $0.text }
    return names.isEmpty
      ? "a USB capture without transfers"
      : "USB devices \(names.joined(separator: ", ")), none of them an NFC reader"
  }

  private mutating func drain(into events: inout [TraceEvent]) {
    while let transfer = pairing.next() { route(transfer, into: &events) }
  }

  private mutating func route(_ original: USBTransfer, into events: inout [TraceEvent]) {
    var transfer = original
    guard let index = position(of: transfer.device) else { return }
    markDescriptors(&transfer)
    devices[index].transfers += transfer.isInjected ? 0 : 1
    devices[index].learn(transfer)
    switch devices[index].standing {
    case .reader: emit(transfer, of: index, into: &events)
    case .other: break
    case .undecided:
      keep(transfer, of: index)
      switch devices[index].judge(transfer) {
      case .reader: choose(index, into: &events)
      case .other: dismiss(index)
      case .unknown: break
      }
    }
  }

  /// Marks descriptors that the capture program asked for, which are no traffic of the host.
  private mutating func markDescriptors(_ transfer: inout USBTransfer) {
    if transfer.isInjected {
      transfer.comments.append("put in by the capture program, no traffic")
      return
    }
    let isDescriptor = transfer.descriptorType == 1 || transfer.descriptorType == 2
    guard isPrologue else { return }
    if isDescriptor, transfer.device.address != 0 {
      transfer.comments.append("read by the capture program at its start, no traffic of the host")
    } else {
      isPrologue = false
    }
  }

  private mutating func position(of address: USBDeviceAddress) -> Int? {
    if let known = positions[address] { return known }
    guard devices.count < Self.deviceLimit else { return nil }
    devices.append(USBDevice(address))
    positions[address] = devices.count - 1
    return devices.count - 1
  }

  private mutating func keep(_ transfer: USBTransfer, of index: Int) {
    devices[index].early.append(transfer)
    earlyBytes += transfer.data.count
    while devices[index].early.count > Self.earlyLimit
      || earlyBytes > Self.earlyBytesLimit && !devices[index].early.isEmpty
    {
      earlyBytes -= devices[index].early.removeFirst().data.count
      devices[index].lostEarly += 1
    }
  }

  private mutating func dismiss(_ index: Int) {
    devices[index].standing = .other
    forgetEarly(index)
  }

  private mutating func choose(_ index: Int, into events: inout [TraceEvent]) {
    if let chosen {
      // The same reader, plugged in again, has a new address.
      guard let identity = devices[index].identity, identity == devices[chosen].identity else {
        dismiss(index)
        return
      }
    } else {
      chosen = index
    }
    devices[index].standing = .reader
    let early = devices[index].early
    forgetEarly(index)
    for (number, transfer) in early.enumerated() {
      var transfer = transfer
      if number == 0, chosen != index {
        transfer.comments.append("plugged in again as \(devices[index].address.text)")
      }
      emit(transfer, of: index, into: &events)
    }
  }

  private mutating func forgetEarly(_ index: Int) {
    for transfer in devices[index].early { earlyBytes -= transfer.data.count }
    devices[index].early = []
  }

  private func emit(_ transfer: USBTransfer, of index: Int, into events: inout [TraceEvent]) {
    events.append(transfer.event(payload: devices[index].payload ?? .other))
  }
}
