/// A USB device as its descriptors tell it; it exists in software only.
public struct VirtualUSBDevice: Hashable, Sendable {
  /// The 18 bytes of the device descriptor (USB 2.0, table 9-8).
  public var deviceDescriptor: [UInt8]
  /// The configuration descriptor with all that belongs to it (USB 2.0, 9.6.3).
  public var configurationDescriptor: [UInt8]
  /// The strings of index 1, 2 and so on.
  public var strings: [String]
  /// The kernel driver that holds interface 0 until a program detaches it; `nil` for none.
  public var kernelDriver: String?

  /// Makes a device from its descriptors.
  public init(
    deviceDescriptor: [UInt8], configurationDescriptor: [UInt8], strings: [String],
    kernelDriver: String? = nil
  ) {
    precondition(deviceDescriptor.count == 18, "a device descriptor has 18 bytes")
    self.deviceDescriptor = deviceDescriptor
    self.configurationDescriptor = configurationDescriptor
    self.strings = strings
    self.kernelDriver = kernelDriver
  }

  /// idVendor.
  public var vendor: UInt16 { word(at: 8) }
  /// idProduct.
  public var product: UInt16 { word(at: 10) }
  /// bcdDevice.
  public var release: UInt16 { word(at: 12) }

  private func word(at offset: Int) -> UInt16 {
    UInt16(deviceDescriptor[offset]) | UInt16(deviceDescriptor[offset + 1]) << 8
  }

  /// What a read of the device node gives: all descriptors, one after another.
  public var allDescriptors: [UInt8] { deviceDescriptor + configurationDescriptor }

  /// One endpoint as its descriptor tells it.
  public struct Endpoint: Hashable, Sendable {
    /// bEndpointAddress; bit 7 tells IN.
    public var address: UInt8
    /// The transfer type of bmAttributes: 2 bulk, 3 interrupt.
    public var transferType: UInt8
    /// True for endpoints from which the host reads.
    public var isInbound: Bool { address & 0x80 != 0 }
  }

  /// The endpoints of the configuration, in the order of their descriptors.
  public var endpoints: [Endpoint] {
    descriptors(ofType: 5).compactMap { descriptor in
      descriptor.count >= 4
        ? Endpoint(address: descriptor[2], transferType: descriptor[3] & 3) : nil
    }
  }

  /// The first bulk endpoint of a direction.
  public func bulkEndpoint(isInbound: Bool) -> UInt8? {
    endpoints.first { $0.transferType == 2 && $0.isInbound == isInbound }?.address
  }

  /// Class, subclass and protocol of interface 0.
  var interfaceClass: (UInt8, UInt8, UInt8) {
    guard let interface = descriptors(ofType: 4).first, interface.count >= 8 else {
      return (0xFF, 0xFF, 0xFF)
    }
    return (interface[5], interface[6], interface[7])
  }

  private func descriptors(ofType type: UInt8) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var offset = 0
    let bytes = configurationDescriptor
    while offset + 2 <= bytes.count, bytes[offset] >= 2 {
      let end = min(bytes.count, offset + Int(bytes[offset]))
      if bytes[offset + 1] == type { found.append(Array(bytes[offset..<end])) }
      offset = end
    }
    return found
  }
}
