public import NFCProtocols

/// How long transfers take on the link between host and chip, before the chip sees the last byte.
public struct HostLinkTiming: Hashable, Sendable {
  /// What every transfer to the chip costs.
  public var base: Nanoseconds
  /// What each byte costs.
  public var perByte: Nanoseconds
  /// What each packet after the first costs.
  public var perFurtherPacket: Nanoseconds
  /// The bytes of a full packet.
  public var packetSize: Int

  /// Makes a timing.
  public init(
    base: Nanoseconds, perByte: Nanoseconds, perFurtherPacket: Nanoseconds, packetSize: Int = 64
  ) {
    precondition(packetSize > 0, "a packet has at least one byte")
    self.base = base
    self.perByte = perByte
    self.perFurtherPacket = perFurtherPacket
    self.packetSize = packetSize
  }

  /// Transfers take no time.
  public static let instant = HostLinkTiming(
    base: .zero, perByte: .zero, perFurtherPacket: .zero)

  /// A PN533 on full-speed USB, fitted to a capture of an SCL3711: 0.08 ms, and about 1 ms for
  /// each 64-byte packet after the first.
  public static let usbFullSpeed = HostLinkTiming(
    base: .microseconds(66), perByte: Nanoseconds(1_500), perFurtherPacket: .microseconds(990))

  /// A serial line: start bit, eight data bits and stop bit for each byte.
  public static func serial(baud: Int) -> HostLinkTiming {
    precondition(baud > 0, "a serial line has a speed")
    return HostLinkTiming(
      base: .zero, perByte: Nanoseconds(10_000_000_000 / Int64(baud)), perFurtherPacket: .zero)
  }

  /// How long a transfer of `count` bytes to the chip takes.
  public func duration(ofTransfer count: Int) -> Nanoseconds {
    let further = Int64(max(count - 1, 0) / packetSize)
    return base + perByte * Int64(count) + perFurtherPacket * further
  }
}
