extension USBNode {
  /// Handles one whole piece of what a program sent.
  mutating func handle(
    _ piece: ArraySlice<UInt8>, as expected: UsbfsConnection.Expected, of number: Int
  ) {
    switch expected {
    case .request: call(piece, of: number)
    case .urb(let address): submit(URB(piece, address: address), of: number)
    case .data(var urb):
      urb.data = Array(piece)
      begin(urb, of: number)
    case .controlArguments: controlRequest(piece, of: number)
    case .controlData(let setup): finishControl(setup, of: number)
    case .words(let request, let argument, _):
      numbered(request, piece, argument: argument, of: number)
    }
  }

  private mutating func call(_ words: ArraySlice<UInt8>, of number: Int) {
    let argument = words.word64(at: 16)
    switch words.word64(at: 0) {
    case PreloadMessage.ioctl:
      // A program has one call at a time; one that reaps for ever can ask for nothing else.
      guard connections[number].waitingReap == nil else { return close(number) }
      let request = words.word64(at: 8)
      guard UInt8(truncatingIfNeeded: request >> 8) == UsbfsRequest.typeLetter else {
        return connections[number].failCall(LinuxError.notTypewriter)
      }
      ioctl(UInt8(truncatingIfNeeded: request), argument, of: number)
    case PreloadMessage.read: read(words.word64(at: 8), argument, of: number)
    case PreloadMessage.write: connections[number].failCall(LinuxError.invalid)
    // What does not keep to the dialogue cannot be answered in it.
    default: close(number)
    }
  }

  private mutating func read(_ buffer: UInt64, _ count: UInt64, of number: Int) {
    let descriptors = device.allDescriptors
    let start = connections[number].readOffset
    let end = start + Int(min(count, UInt64(descriptors.count - start)))
    if start < end { connections[number].write(Array(descriptors[start..<end]), at: buffer) }
    connections[number].readOffset = end
    connections[number].finishCall(Int64(end - start))
  }

  private mutating func ioctl(_ request: UInt8, _ argument: UInt64, of number: Int) {
    switch request {
    case UsbfsRequest.reapURB, UsbfsRequest.reapURBNoDelay:
      return reap(waits: request == UsbfsRequest.reapURB, argument, of: number)
    case UsbfsRequest.discardURB: return discard(argument, of: number)
    default: break
    }
    if connections[number].isDead { return connections[number].failCall(LinuxError.noDevice) }
    switch request {
    case UsbfsRequest.submitURB: connections[number].request(.urb(argument), at: argument)
    case UsbfsRequest.control: connections[number].request(.controlArguments, at: argument)
    case UsbfsRequest.claimInterface, UsbfsRequest.releaseInterface, UsbfsRequest.disconnectClaim,
      UsbfsRequest.setConfiguration, UsbfsRequest.clearHalt, UsbfsRequest.resetEndpoint,
      UsbfsRequest.getDriver:
      connections[number].request(
        .words(request: request, argument: argument, count: 1), at: argument)
    case UsbfsRequest.setInterface, UsbfsRequest.driverControl:
      connections[number].request(
        .words(request: request, argument: argument, count: 2), at: argument)
    case UsbfsRequest.connectInfo:
      // Device number as in the path of the node, and "slow" for low speed.
      let information = [UInt8(TestBedPaths.deviceNumber)] + [UInt8](repeating: 0, count: 7)
      connections[number].write(information, at: argument)
      connections[number].finishCall(0)
    case UsbfsRequest.getCapabilities:
      var word: [UInt8] = []
      word.append(word: UsbfsRequest.capabilities)
      connections[number].write(word, at: argument)
      connections[number].finishCall(0)
    case UsbfsRequest.getSpeed: connections[number].finishCall(UsbfsRequest.fullSpeed)
    case UsbfsRequest.reset:
      halted.removeAll()
      discardArrived()
      connections[number].finishCall(0)
    default: connections[number].failCall(LinuxError.notTypewriter)
    }
  }

  /// Requests whose argument points to one or two numbers.
  private mutating func numbered(
    _ request: UInt8, _ words: ArraySlice<UInt8>, argument: UInt64, of number: Int
  ) {
    let first = words.word32(at: 0)
    switch request {
    case UsbfsRequest.claimInterface: claim(first, detaches: false, of: number)
    case UsbfsRequest.disconnectClaim: claim(first, detaches: true, of: number)
    case UsbfsRequest.releaseInterface:
      guard first == 0, connections[number].holdsInterface else {
        return connections[number].failCall(LinuxError.invalid)
      }
      connections[number].holdsInterface = false
      connections[number].finishCall(0)
    case UsbfsRequest.setConfiguration: setConfiguration(first, of: number)
    case UsbfsRequest.setInterface:
      guard first == 0 else { return connections[number].failCall(LinuxError.noEntry) }
      guard words.word32(at: 4) == 0 else {
        return connections[number].failCall(LinuxError.invalid)
      }
      connections[number].finishCall(0)
    case UsbfsRequest.getDriver: getDriver(argument, of: number)
    case UsbfsRequest.driverControl:
      driverControl(UInt8(truncatingIfNeeded: words.word32(at: 4)), of: number)
    default: clearHalt(UInt8(truncatingIfNeeded: first), of: number)
    }
  }

  private mutating func claim(_ interface: UInt32, detaches: Bool, of number: Int) {
    guard interface == 0 else { return connections[number].failCall(LinuxError.noEntry) }
    if detaches { hasKernelDriver = false }
    guard !hasKernelDriver, !isHeldByAnother(than: number) else {
      return connections[number].failCall(LinuxError.busy)
    }
    connections[number].holdsInterface = true
    connections[number].finishCall(0)
  }

  private func isHeldByAnother(than number: Int) -> Bool {
    for other in connections.indices where other != number && connections[other].holdsInterface {
      return true
    }
    return false
  }

  private mutating func setConfiguration(_ value: UInt32, of number: Int) {
    guard value == UInt32(device.configurationDescriptor[5]) else {
      return connections[number].failCall(LinuxError.invalid)
    }
    guard !isHeldByAnother(than: number) else {
      return connections[number].failCall(LinuxError.busy)
    }
    connections[number].finishCall(0)
  }

  private mutating func getDriver(_ argument: UInt64, of number: Int) {
    guard hasKernelDriver, let name = device.kernelDriver else {
      return connections[number].failCall(LinuxError.noData)
    }
    // struct usbdevfs_getdriver: the interface, then a name of at most 255 characters and NUL.
    connections[number].write(Array(name.utf8.prefix(255)) + [0], at: argument &+ 4)
    connections[number].finishCall(0)
  }

  /// Detaches a kernel driver or gives the interface back to it.
  private mutating func driverControl(_ request: UInt8, of number: Int) {
    switch request {
    case UsbfsRequest.disconnect:
      guard hasKernelDriver else { return connections[number].failCall(LinuxError.noData) }
      hasKernelDriver = false
      connections[number].finishCall(0)
    case UsbfsRequest.connect:
      guard device.kernelDriver != nil, !connections.contains(where: \.holdsInterface) else {
        return connections[number].failCall(LinuxError.busy)
      }
      hasKernelDriver = true
      connections[number].finishCall(0)
    default: connections[number].failCall(LinuxError.notTypewriter)
    }
  }

  private mutating func clearHalt(_ endpoint: UInt8, of number: Int) {
    guard device.endpoints.contains(where: { $0.address == endpoint }) else {
      return connections[number].failCall(LinuxError.noEntry)
    }
    halted.removeAll { $0 == endpoint }
    connections[number].finishCall(0)
  }
}
