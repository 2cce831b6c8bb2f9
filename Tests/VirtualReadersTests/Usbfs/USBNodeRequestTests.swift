import Testing

@testable import VirtualReaders

/// Requests of usbfs other than transfers.
struct USBNodeRequestTests {
  private var node = USBNode(.pn533)
  private var program: NodeProgram

  init() { program = NodeProgram(&node) }

  @Test mutating func readingGivesTheDescriptorsOnce() {
    let descriptors = VirtualUSBDevice.pn533.allDescriptors
    #expect(program.call(PreloadMessage.read, 0x2000, 18, &node) == .success(18))
    #expect(program.call(PreloadMessage.read, 0x2012, 4_096, &node) == .success(32))
    #expect(program.read(50, at: 0x2000) == descriptors)
    #expect(program.call(PreloadMessage.read, 0x2000, 4_096, &node) == .success(0))
  }

  @Test mutating func writingIsRefused() {
    #expect(
      program.call(PreloadMessage.write, 0x2000, 4, &node) == .failure(LinuxError.invalid))
  }

  @Test mutating func oneProgramHoldsTheInterface() {
    var second = NodeProgram(&node)
    #expect(program.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .success())
    #expect(
      second.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .failure(LinuxError.busy))
    #expect(second.submit(0x84, room: 64, &node) == .failure(LinuxError.busy))
    #expect(program.ioctl(UsbfsRequest.releaseInterface, words: [0], &node) == .success())
    #expect(second.ioctl(UsbfsRequest.disconnectClaim, words: [0], &node) == .success())
  }

  @Test mutating func theInterfaceIsFreeWhenItsProgramCloses() {
    var second = NodeProgram(&node)
    #expect(program.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .success())
    node.close(program.connection)
    #expect(second.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .success())
  }

  @Test mutating func thereIsOneInterface() {
    #expect(
      program.ioctl(UsbfsRequest.claimInterface, words: [1], &node)
        == .failure(LinuxError.noEntry))
    #expect(
      program.ioctl(UsbfsRequest.releaseInterface, words: [0], &node)
        == .failure(LinuxError.invalid))
    #expect(program.ioctl(UsbfsRequest.setInterface, words: [0, 0], &node) == .success())
    #expect(
      program.ioctl(UsbfsRequest.setInterface, words: [0, 1], &node)
        == .failure(LinuxError.invalid))
  }

  @Test mutating func thereIsOneConfiguration() {
    #expect(program.ioctl(UsbfsRequest.setConfiguration, words: [1], &node) == .success())
    #expect(
      program.ioctl(UsbfsRequest.setConfiguration, words: [2], &node)
        == .failure(LinuxError.invalid))
  }

  @Test mutating func aKernelDriverIsDetachedAndComesBack() {
    var device = VirtualUSBDevice.scl3711
    device.kernelDriver = "pn533_usb"
    node = USBNode(device)
    program = NodeProgram(&node)
    #expect(program.ioctl(UsbfsRequest.getDriver, words: [0], &node) == .success())
    #expect(
      program.read(10, at: NodeProgram.argument + 4) == Array("pn533_usb".utf8) + [0])
    #expect(
      program.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .failure(LinuxError.busy))
    let disconnect = UInt32(UsbfsRequest.typeLetter) << 8 | UInt32(UsbfsRequest.disconnect)
    #expect(
      program.ioctl(UsbfsRequest.driverControl, words: [0, disconnect], &node) == .success())
    #expect(
      program.ioctl(UsbfsRequest.getDriver, words: [0], &node) == .failure(LinuxError.noData))
    #expect(program.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .success())
    #expect(program.ioctl(UsbfsRequest.releaseInterface, words: [0], &node) == .success())
    let connect = UInt32(UsbfsRequest.typeLetter) << 8 | UInt32(UsbfsRequest.connect)
    #expect(program.ioctl(UsbfsRequest.driverControl, words: [0, connect], &node) == .success())
    #expect(program.ioctl(UsbfsRequest.getDriver, words: [0], &node) == .success())
  }

  @Test mutating func withoutAKernelDriverThereIsNothingToDetach() {
    #expect(
      program.ioctl(UsbfsRequest.getDriver, words: [0], &node) == .failure(LinuxError.noData))
    let disconnect = UInt32(UsbfsRequest.typeLetter) << 8 | UInt32(UsbfsRequest.disconnect)
    #expect(
      program.ioctl(UsbfsRequest.driverControl, words: [0, disconnect], &node)
        == .failure(LinuxError.noData))
  }

  @Test mutating func whatTheNodeTellsOfItself() {
    #expect(program.ioctl(UsbfsRequest.connectInfo, &node) == .success())
    #expect(program.read(8, at: NodeProgram.argument) == [2, 0, 0, 0, 0, 0, 0, 0])
    #expect(program.ioctl(UsbfsRequest.getCapabilities, &node) == .success())
    #expect(program.read(4, at: NodeProgram.argument) == [0x17, 0, 0, 0])
    #expect(program.ioctl(UsbfsRequest.getSpeed, &node) == .success(2))
    #expect(program.ioctl(UsbfsRequest.reset, &node) == .success())
  }

  @Test mutating func unknownRequestsAreRefused() {
    #expect(program.ioctl(99, &node) == .failure(LinuxError.notTypewriter))
    // TCGETS of a terminal, by which programs ask what they have in hand.
    #expect(
      program.call(PreloadMessage.ioctl, 0x5401, 0x100, &node)
        == .failure(LinuxError.notTypewriter))
  }

  /// A control request as libusb-0.1 sends it: setup, time limit, address of the data.
  private mutating func control(_ setup: [UInt8]) -> NodeProgram.Outcome? {
    var arguments = setup
    for word in [UInt32(1_000), 0, 0x2000, 0] { arguments.append(word: word) }
    program.write(arguments, at: NodeProgram.argument)
    return program.ioctl(UsbfsRequest.control, &node)
  }

  @Test mutating func controlRequestsReadDescriptors() {
    #expect(control([0x80, 6, 0, 1, 0, 0, 8, 0]) == .success(8))
    #expect(program.read(8, at: 0x2000) == [18, 1, 0, 2, 0, 0, 0, 64])
    #expect(control([0x80, 6, 2, 3, 9, 4, 255, 0]) == .success(12))
    #expect(
      program.read(12, at: 0x2000) == [12, 3, 0x50, 0, 0x4E, 0, 0x35, 0, 0x33, 0, 0x33, 0])
  }

  @Test mutating func unknownControlRequestsStall() {
    #expect(control([0x80, 6, 9, 3, 9, 4, 255, 0]) == .failure(LinuxError.brokenPipe))
    #expect(control([0xC0, 1, 0, 0, 0, 0, 8, 0]) == .failure(LinuxError.brokenPipe))
    #expect(control([0x40, 1, 0, 0, 0, 0, 8, 0]) == .failure(LinuxError.brokenPipe))
  }

  @Test mutating func aControlTransferAnswersBehindItsSetup() {
    let setup: [UInt8] = [0x80, 6, 0, 1, 0, 0, 18, 0]
    #expect(
      program.submit(0, setup + [UInt8](repeating: 0, count: 18), type: 2, &node) == .success())
    let reaped = program.reap(&node)
    #expect(reaped?.actualLength == 18)
    #expect(
      program.read(26, at: NodeProgram.buffer(0))
        == setup + VirtualUSBDevice.pn533.deviceDescriptor)
  }

  @Test mutating func aControlTransferThatIsNotKnownStalls() {
    #expect(program.submit(0, [0xC0, 1, 0, 0, 0, 0, 0, 0], type: 2, &node) == .success())
    #expect(program.reap(&node)?.status == -LinuxError.brokenPipe)
  }
}
