/// Endpoint 0 of a device: answers the standard requests of USB 2.0, 9.4.
struct ControlEndpoint: Sendable {
  let device: VirtualUSBDevice

  /// The eight bytes of a control request (USB 2.0, table 9-2).
  struct Setup: Hashable, Sendable {
    var requestType: UInt8
    var request: UInt8
    var value: UInt16
    var index: UInt16
    var length: UInt16

    /// The number of bytes of a request.
    static let size = 8

    init(_ bytes: ArraySlice<UInt8>) {
      let start = bytes.startIndex
      precondition(bytes.count >= Setup.size, "a control request has eight bytes")
      requestType = bytes[start]
      request = bytes[start + 1]
      value = UInt16(bytes[start + 2]) | UInt16(bytes[start + 3]) << 8
      index = UInt16(bytes[start + 4]) | UInt16(bytes[start + 5]) << 8
      length = UInt16(bytes[start + 6]) | UInt16(bytes[start + 7]) << 8
    }

    var isInbound: Bool { requestType & 0x80 != 0 }
  }

  /// The data of an IN request, nothing for a request without data; `nil` is a STALL.
  func answer(_ setup: Setup) -> [UInt8]? {
    let answer = setup.isInbound ? inbound(setup) : outbound(setup)
    return answer.map { Array($0.prefix(Int(setup.length))) }
  }

  private func inbound(_ setup: Setup) -> [UInt8]? {
    switch (setup.requestType, setup.request) {
    // GET_STATUS of device, interface and endpoint: bus powered, no halt.
    case (0x80, 0), (0x81, 0), (0x82, 0): return [0, 0]
    case (0x80, 6): return descriptor(type: UInt8(setup.value >> 8), index: setup.value & 0xFF)
    case (0x80, 8): return [device.configurationDescriptor[5]]
    case (0x81, 10): return [0]
    default: return nil
    }
  }

  private func outbound(_ setup: Setup) -> [UInt8]? {
    switch (setup.requestType, setup.request) {
    // CLEAR_FEATURE, SET_FEATURE, SET_ADDRESS, SET_CONFIGURATION, SET_INTERFACE.
    case (0x00, 1), (0x00, 3), (0x00, 5), (0x00, 9), (0x01, 11), (0x02, 1), (0x02, 3): return []
    // ABORT of a CCID interface (USB CCID 1.1, 5.3.1).
    case (0x21, 1): return device.interfaceClass.0 == 0x0B ? [] : nil
    default: return nil
    }
  }

  private func descriptor(type: UInt8, index: UInt16) -> [UInt8]? {
    switch (type, Int(index)) {
    case (1, 0): return device.deviceDescriptor
    case (2, 0): return device.configurationDescriptor
    // English (United States).
    case (3, 0): return [4, 3, 0x09, 0x04]
    case (3, let index) where index <= device.strings.count:
      let units = device.strings[index - 1].utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      return [UInt8(min(255, units.count + 2)), 3] + units.prefix(253)
    default: return nil
    }
  }
}
