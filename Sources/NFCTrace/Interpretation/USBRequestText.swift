import NFCProtocols

/// Puts the set-up packet of a USB control request into words (USB 2.0, tables 9-3 to 9-5).
enum USBRequestText {
  /// Appends the name of the request whose eight bytes are `setup`.
  static func write(_ setup: [UInt8], to text: inout TextBuffer) {
    precondition(setup.count == 8, "a set-up packet has eight bytes")
    guard setup[0] & 0x60 == 0 else {
      text.append("USB class or vendor request ")
      text.append(hex: setup[1])
      return
    }
    text.append("USB ")
    switch setup[1] {
    case 0x00: text.append("GET_STATUS")
    case 0x01: text.append("CLEAR_FEATURE")
    case 0x03: text.append("SET_FEATURE")
    case 0x05: text.append("SET_ADDRESS")
    case 0x06:
      text.append("GET_DESCRIPTOR ")
      text.append(descriptorName(setup[3]))
    case 0x08: text.append("GET_CONFIGURATION")
    case 0x09:
      text.append("SET_CONFIGURATION ")
      text.append(decimal: Int64(setup[2]))
    case 0x0A: text.append("GET_INTERFACE")
    case 0x0B: text.append("SET_INTERFACE")
    default:
      text.append("request ")
      text.append(hex: setup[1])
    }
  }

  private static func descriptorName(_ type: UInt8) -> StaticString {
    switch type {
    case 1: "device"
    case 2: "configuration"
    case 3: "string"
    case 6: "device qualifier"
    case 0x0F: "BOS"
    default: "other"
    }
  }
}
