import Testing

@testable import VirtualReaders

/// GetFirmwareVersion and its answer as in the PN533's manual.
private let command: [UInt8] = [0, 0, 0xFF, 2, 0xFE, 0xD4, 2, 0x2A, 0]
private let acknowledge: [UInt8] = [0, 0, 0xFF, 0, 0xFF, 0]

/// URBs of usbfs: submitted, ended, reaped, discarded (linux/usbdevice_fs.h).
struct USBNodeTransferTests {
  private var node = USBNode(.pn533)
  private var program: NodeProgram

  init() { program = NodeProgram(&node) }

  @Test mutating func anOutTransferReachesTheDeviceAndEndsWhenItIsTold() {
    #expect(program.submit(0x04, command, &node) == .success())
    #expect(node.outbound.map(\.bytes) == [command])
    #expect(program.ioctl(UsbfsRequest.reapURBNoDelay, &node) == .failure(LinuxError.tryAgain))
    node.finish(node.outbound[0])
    #expect(
      program.reap(&node)
        == NodeProgram.Reaped(number: 0, status: 0, actualLength: 9, bytes: command))
  }

  @Test mutating func anInTransferWaitsUntilThereAreData() {
    #expect(program.submit(0x84, room: 64, &node) == .success())
    #expect(!node.isReady)
    node.deliver(acknowledge, on: 0x84)
    #expect(node.isReady)
    #expect(
      program.reap(&node)
        == NodeProgram.Reaped(number: 0, status: 0, actualLength: 6, bytes: acknowledge))
    #expect(!node.isReady)
  }

  @Test mutating func dataThatComeFirstWaitForATransfer() {
    node.deliver(acknowledge, on: 0x84)
    node.deliver([1, 2], on: 0x84)
    #expect(program.submit(0x84, room: 300, number: 0, &node) == .success())
    #expect(program.submit(0x84, room: 300, number: 1, &node) == .success())
    #expect(program.reap(&node)?.bytes == acknowledge)
    #expect(program.reap(&node)?.bytes == [1, 2])
    #expect(program.reap(&node) == nil)
  }

  /// The structure keeps what the program wrote there, but for status and actual_length.
  @Test mutating func reapingLeavesTheRestOfTheStructure() {
    node.deliver(acknowledge, on: 0x84)
    #expect(program.submit(0x84, room: 64, &node) == .success())
    let before = program.read(URB.size, at: NodeProgram.urb(0))
    _ = program.reap(&node)
    let after = program.read(URB.size, at: NodeProgram.urb(0))
    #expect(after[..<4] == before[..<4])
    #expect(after[8..<12] == before[8..<12])
    #expect(after[16..<28] == before[16..<28])
    #expect(after[32...] == before[32...])
  }

  @Test mutating func aBlockingReapReturnsWhenATransferEnds() {
    #expect(program.submit(0x84, room: 64, &node) == .success())
    #expect(program.ioctl(UsbfsRequest.reapURB, &node) == nil)
    node.deliver(acknowledge, on: 0x84)
    #expect(program.proceed(&node) == .success())
    #expect(program.reaped().bytes == acknowledge)
  }

  @Test mutating func aTransferThatIsTakenBackEndsWithENOENT() {
    #expect(program.submit(0x84, room: 64, &node) == .success())
    #expect(program.ioctl(UsbfsRequest.discardURB, at: NodeProgram.urb(0), &node) == .success())
    #expect(program.reap(&node)?.status == -LinuxError.noEntry)
    #expect(
      program.ioctl(UsbfsRequest.discardURB, at: NodeProgram.urb(0), &node)
        == .failure(LinuxError.invalid))
  }

  @Test mutating func aDataThatComeAfterADiscardAreKept() {
    #expect(program.submit(0x84, room: 64, &node) == .success())
    #expect(program.ioctl(UsbfsRequest.discardURB, at: NodeProgram.urb(0), &node) == .success())
    node.deliver(acknowledge, on: 0x84)
    _ = program.reap(&node)
    #expect(program.submit(0x84, room: 64, number: 1, &node) == .success())
    #expect(program.reap(&node)?.bytes == acknowledge)
  }

  @Test mutating func tooLittleRoomForAPacketIsAnOverflow() {
    node.deliver(acknowledge, on: 0x84)
    #expect(program.submit(0x84, room: 3, &node) == .success())
    #expect(program.reap(&node)?.status == -LinuxError.overflow)
  }

  @Test mutating func wholePacketsThatFitArriveBeforeAnOverflow() {
    let frame = (0..<100).map { UInt8($0) }
    node.deliver(frame, on: 0x84)
    #expect(program.submit(0x84, room: 99, &node) == .success())
    let reaped = program.reap(&node)
    #expect(reaped?.status == -LinuxError.overflow)
    #expect(reaped?.bytes == Array(frame[..<64]))
  }

  @Test mutating func aBufferOfWholePacketsTakesAPartAndTheNextTheRest() {
    let frame = (0..<100).map { UInt8($0) }
    node.deliver(frame, on: 0x84)
    #expect(program.submit(0x84, room: 64, number: 0, &node) == .success())
    #expect(program.submit(0x84, room: 64, number: 1, &node) == .success())
    #expect(program.reap(&node)?.bytes == Array(frame[..<64]))
    #expect(program.reap(&node)?.bytes == Array(frame[64...]))
  }

  @Test mutating func anEmptyOutTransferEndsAndCarriesNothing() {
    #expect(program.submit(0x04, room: 0, &node) == .success())
    #expect(node.outbound.isEmpty)
    #expect(program.reap(&node)?.status == 0)
  }

  @Test mutating func aHaltLastsUntilItIsCleared() {
    #expect(program.submit(0x84, room: 64, number: 0, &node) == .success())
    node.stall(0x84)
    #expect(program.reap(&node)?.status == -LinuxError.brokenPipe)
    node.deliver(acknowledge, on: 0x84)
    #expect(program.submit(0x84, room: 64, number: 1, &node) == .success())
    #expect(program.reap(&node)?.status == -LinuxError.brokenPipe)
    #expect(program.ioctl(UsbfsRequest.clearHalt, words: [0x84], &node) == .success())
    #expect(program.submit(0x84, room: 64, number: 2, &node) == .success())
    #expect(program.reap(&node)?.bytes == acknowledge)
  }

  @Test mutating func aDeviceThatTakesNothingLetsOutTransfersWait() {
    node.refuseOut(true)
    #expect(program.submit(0x04, command, &node) == .success())
    #expect(node.outbound.isEmpty)
    #expect(program.reap(&node) == nil)
    node.refuseOut(false)
    #expect(node.outbound.map(\.bytes) == [command])
  }

  @Test(arguments: [
    (UInt8(0x85), 64, UInt8(3), LinuxError.noEntry), (0x84, 64, 0, LinuxError.invalid),
    (0x84, 64, 4, LinuxError.invalid), (0x84, -1, 3, LinuxError.invalid),
    (0x84, 1_048_577, 3, LinuxError.noMemory), (0x00, 7, 2, LinuxError.invalid),
  ])
  mutating func whatCannotBeIsRefused(
    endpoint: UInt8, room: Int, type: UInt8, error: Int32
  ) {
    #expect(program.submit(endpoint, room: room, type: type, &node) == .failure(error))
  }

  @Test mutating func theLongestBufferIsTaken() {
    #expect(program.submit(0x84, room: 1_048_576, &node) == .success())
  }

  @Test mutating func aProgramHasALimitedNumberOfTransfers() {
    for _ in 0..<UsbfsConnection.maximumTransfers {
      #expect(program.submit(0x84, room: 64, &node) == .success())
    }
    #expect(program.submit(0x84, room: 64, &node) == .failure(LinuxError.noMemory))
  }
}
