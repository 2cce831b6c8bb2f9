extension USBNode {
  /// Takes a URB whose structure has been read.
  mutating func submit(_ urb: URB, of number: Int) {
    if let error = refusal(of: urb, number) { return connections[number].failCall(error) }
    let carriesData = urb.isControl || !urb.isInbound
    guard carriesData, urb.bufferLength > 0 else {
      connections[number].finishCall(0)
      return begin(urb, of: number)
    }
    // The result is known before the data are: the call may return while they are on their way.
    connections[number].request(.data(urb), at: urb.buffer)
    connections[number].finishCall(0)
  }

  private func refusal(of urb: URB, _ number: Int) -> Int32? {
    if urb.type == URB.isochronousType || urb.type > 3 || urb.bufferLength < 0 {
      return LinuxError.invalid
    }
    let transfers = connections[number].pending.count + connections[number].finished.count
    if urb.bufferLength > URB.maximumBufferLength
      || transfers >= UsbfsConnection.maximumTransfers
    {
      return LinuxError.noMemory
    }
    if urb.isControl {
      return urb.bufferLength < ControlEndpoint.Setup.size ? LinuxError.invalid : nil
    }
    guard device.endpoints.contains(where: { $0.address == urb.endpoint }) else {
      return LinuxError.noEntry
    }
    let isHeld = connections.indices.contains {
      $0 != number && connections[$0].holdsInterface
    }
    return isHeld || hasKernelDriver ? LinuxError.busy : nil
  }

  /// Begins a transfer; its submission has been answered.
  mutating func begin(_ urb: URB, of number: Int) {
    connections[number].pending.append(urb)
    let index = connections[number].pending.count - 1
    emptyReaps = 0
    guard !connections[number].isDead else {
      connections[number].finish(pendingAt: index, status: -LinuxError.shutdown)
      return
    }
    guard urb.isControl else { return settle(urb.endpoint, of: number) }
    let setup = ControlEndpoint.Setup(urb.data[..<ControlEndpoint.Setup.size])
    guard let answer = control.answer(setup) else {
      connections[number].finish(pendingAt: index, status: -LinuxError.brokenPipe)
      return
    }
    let room = Int(urb.bufferLength) - ControlEndpoint.Setup.size
    let data = Array(answer.prefix(room))
    connections[number].finish(
      pendingAt: index, status: 0, data: data,
      actualLength: setup.isInbound ? data.count : min(room, Int(setup.length)))
  }

  /// Reaps a finished transfer, or waits for one.
  mutating func reap(waits: Bool, _ place: UInt64, of number: Int) {
    let isDead = connections[number].isDead
    if !connections[number].finished.isEmpty || (waits && !isDead) {
      connections[number].waitingReap = place
      connections[number].reapIfWaiting()
    } else {
      emptyReaps += 1
      connections[number].failCall(isDead ? LinuxError.noDevice : LinuxError.tryAgain)
    }
  }

  /// Takes a transfer back.
  mutating func discard(_ address: UInt64, of number: Int) {
    let found = connections[number].pending.lastIndex { $0.address == address }
    guard let index = found else { return connections[number].failCall(LinuxError.invalid) }
    connections[number].finishCall(0)
    connections[number].finish(pendingAt: index, status: -LinuxError.noEntry)
  }

  /// A control request without a URB, as libusb-0.1 sends it.
  mutating func controlRequest(_ arguments: ArraySlice<UInt8>, of number: Int) {
    let setup = ControlEndpoint.Setup(arguments.prefix(ControlEndpoint.Setup.size))
    let data = arguments.word64(at: 16)
    if !setup.isInbound, setup.length > 0 {
      return connections[number].request(.controlData(setup), at: data)
    }
    guard let answer = control.answer(setup) else {
      return connections[number].failCall(LinuxError.brokenPipe)
    }
    if !answer.isEmpty { connections[number].write(answer, at: data) }
    connections[number].finishCall(Int64(answer.count))
  }

  /// The data of a control request to the device are there; no request that we know needs them.
  mutating func finishControl(_ setup: ControlEndpoint.Setup, of number: Int) {
    guard control.answer(setup) != nil else {
      return connections[number].failCall(LinuxError.brokenPipe)
    }
    connections[number].finishCall(Int64(setup.length))
  }
}
