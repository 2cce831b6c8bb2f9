import ProtocolTesting
import Testing

@testable import VirtualReaders

/// Programs that do not keep to the dialogue: the server survives and the others go on.
struct HostileProgramTests {
  @Test(arguments: [UInt64(0), 2, 3, 4, 5, 6, 9, 0xFF, .max])
  func aMessageOfNoKnownKindEndsTheConnection(kind: UInt64) {
    var node = USBNode(.pn533)
    var hostile = NodeProgram(&node)
    var other = NodeProgram(&node)
    #expect(hostile.call(kind, 1, 2, &node) == nil)
    #expect(!node.connections[hostile.connection].isOpen)
    #expect(other.ioctl(UsbfsRequest.getSpeed, &node) == .success(2))
  }

  @Test func aCallWhileAReapWaitsEndsTheConnection() {
    var node = USBNode(.pn533)
    var hostile = NodeProgram(&node)
    #expect(hostile.ioctl(UsbfsRequest.reapURB, &node) == nil)
    #expect(hostile.ioctl(UsbfsRequest.getSpeed, &node) == nil)
    #expect(!node.connections[hostile.connection].isOpen)
  }

  @Test func aReadOfAllMemoryGivesTheDescriptorsOnly() {
    var node = USBNode(.pn533)
    var hostile = NodeProgram(&node)
    #expect(hostile.call(PreloadMessage.read, 0x2000, .max, &node) == .success(50))
  }

  @Test func addressesAtTheEndOfMemoryDoNotOverflow() {
    var node = USBNode(.pn533)
    let connection = node.open()
    var message: [UInt8] = []
    message.appendMessage(
      PreloadMessage.ioctl, 0x5500 | UInt64(UsbfsRequest.submitURB), .max)
    node.take(message[...], from: connection)
    node.take(
      ([3, 0x84] + [UInt8](repeating: 0xFF, count: 22) + [64, 0, 0, 0]
        + [UInt8](repeating: 0, count: 28))[...], from: connection)
    node.deliver([1], on: 0x84)
    message = []
    message.appendMessage(
      PreloadMessage.ioctl, 0x5500 | UInt64(UsbfsRequest.reapURBNoDelay), .max)
    node.take(message[...], from: connection)
    #expect(node.connections[connection].finished.isEmpty)
  }

  /// Bytes of every kind, in pieces of every size, half of them with plausible message kinds.
  @Test(arguments: UInt64(1)...20)
  func anyBytesAreSurvived(seed: UInt64) {
    var generator = TestGenerator(seed: seed)
    var node = USBNode(seed % 2 == 0 ? .acr122u : .pn533)
    var connection = node.open()
    for _ in 0..<2_000 {
      var bytes: [UInt8] = []
      if generator.below(2) == 0 {
        bytes.appendMessage(
          [1, 1, 1, 7, 8][generator.below(5)], 0x5500 | UInt64(generator.below(32)),
          generator.next())
      }
      bytes += generator.bytes(generator.below(64))
      node.take(bytes[...], from: connection)
      node.connections[connection].outgoing = []
      node.outbound = []
      if generator.below(20) == 0 { node.deliver([1, 2], on: 0x84) }
      if generator.below(99) == 0 { node.unplug() }
      if !node.isPluggedIn { node.plug() }
      if !node.connections[connection].isOpen || node.connections[connection].isDead {
        node.close(connection)
        connection = node.open()
      }
      #expect(node.connections.count <= 2)
    }
  }
}
