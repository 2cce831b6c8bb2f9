import Testing

@testable import VirtualReaders

/// A reader that is pulled out and plugged in again.
struct USBNodeUnplugTests {
  private var node = USBNode(.pn533)
  private var program: NodeProgram

  init() { program = NodeProgram(&node) }

  @Test mutating func transfersUnderWayEndOnceWithESHUTDOWN() {
    #expect(program.submit(0x84, room: 64, number: 0, &node) == .success())
    #expect(program.submit(0x04, [1], number: 1, &node) == .success())
    node.unplug()
    #expect(program.reap(&node)?.status == -LinuxError.shutdown)
    #expect(program.reap(&node)?.status == -LinuxError.shutdown)
    #expect(
      program.ioctl(UsbfsRequest.reapURBNoDelay, &node) == .failure(LinuxError.noDevice))
  }

  @Test mutating func whatHadEndedBeforeCanStillBeReaped() {
    node.deliver([7], on: 0x84)
    #expect(program.submit(0x84, room: 64, &node) == .success())
    node.unplug()
    #expect(program.reap(&node)?.bytes == [7])
  }

  @Test mutating func aReapThatWaitsReturns() {
    #expect(program.ioctl(UsbfsRequest.reapURB, &node) == nil)
    node.unplug()
    #expect(program.proceed(&node) == .failure(LinuxError.noDevice))
  }

  @Test(arguments: [
    UsbfsRequest.submitURB, UsbfsRequest.claimInterface, UsbfsRequest.control,
    UsbfsRequest.getCapabilities, UsbfsRequest.reset, UsbfsRequest.reapURB, 99,
  ])
  mutating func nothingElseWorks(request: UInt8) {
    node.unplug()
    #expect(program.ioctl(request, &node) == .failure(LinuxError.noDevice))
  }

  @Test mutating func discardingFindsNothing() {
    #expect(program.submit(0x84, room: 64, &node) == .success())
    node.unplug()
    #expect(
      program.ioctl(UsbfsRequest.discardURB, at: NodeProgram.urb(0), &node)
        == .failure(LinuxError.invalid))
  }

  @Test mutating func dataOfADeviceThatIsGoneAreNotKept() {
    node.unplug()
    node.deliver([7], on: 0x84)
    node.plug()
    var later = NodeProgram(&node)
    #expect(later.submit(0x84, room: 64, &node) == .success())
    #expect(later.reap(&node) == nil)
  }

  @Test mutating func afterReplugOnlyANewOpenSeesTheDevice() {
    #expect(program.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .success())
    node.unplug()
    node.plug()
    var later = NodeProgram(&node)
    #expect(later.ioctl(UsbfsRequest.claimInterface, words: [0], &node) == .success())
    #expect(
      program.ioctl(UsbfsRequest.claimInterface, words: [0], &node)
        == .failure(LinuxError.noDevice))
  }

  /// A transfer whose structure was on its way when the device went.
  @Test mutating func aTransferThatComesTooLateEndsToo() {
    var message: [UInt8] = []
    message.appendMessage(
      PreloadMessage.ioctl, 0x5500 | UInt64(UsbfsRequest.submitURB), NodeProgram.urb(0))
    node.take(message[...], from: program.connection)
    node.connections[program.connection].outgoing = []
    node.unplug()
    node.take(([3, 0x84] + [UInt8](repeating: 0, count: 54))[...], from: program.connection)
    #expect(program.proceed(&node) == .success())
    #expect(node.connections[program.connection].finished.first?.status == -LinuxError.shutdown)
  }
}
