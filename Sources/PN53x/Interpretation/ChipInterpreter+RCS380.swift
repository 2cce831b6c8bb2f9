import NFCProtocols

extension ChipInterpreter {
  /// Frames of an RC-S380; names and layouts as nfcpy uses them.
  mutating func rcS380(_ body: [UInt8], into text: inout TextBuffer) -> LiftedContent {
    let isCommand = body[0] == HostFrame.hostToRCS380
    let code = isCommand ? body[1] : body[1] &- 1
    if let name = Self.rcS380Name(code) {
      text.append(name)
    } else {
      text.append(isCommand ? "command " : "response ")
      text.append(hex: body[1])
    }
    switch (isCommand, code) {
    case (true, 0x00) where body.count >= 6:
      // InSetRF: 1 is 212 F and 424 F, 2 is A, 3 is B.
      rcS380Technology = body[2] == 1 ? .f : body[2] == 3 ? .b : .a
      return .nothing
    case (true, 0x06) where body.count == 3:
      text.append(body[2] == 0 ? "  off" : "  on")
      return .field(isOn: body[2] != 0)
    case (true, 0x04) where body.count > 4:
      return lifted(.outbound, body.dropFirst(4))
    case (false, 0x04) where body.count >= 6:
      return received(body, into: &text)
    case (false, _) where body.count == 3:
      writeResult(body[2], into: &text)
      return .nothing
    default: return .nothing
    }
  }

  /// The answer to InCommRF: four bytes of status, the bits of the last byte, the card's data.
  private func received(_ body: [UInt8], into text: inout TextBuffer) -> LiftedContent {
    guard body[2...5].allSatisfy({ $0 == 0 }) else {
      // nfcpy: bit 7 of the first byte is a timeout.
      text.append(body[2] & 0x80 != 0 ? "  timeout, the target is silent" : "  error ")
      if body[2] & 0x80 == 0 { for byte in body[2...5].reversed() { text.append(hex: byte) } }
      return .nothing
    }
    return body.count > 7 ? lifted(.inbound, body.dropFirst(7)) : .nothing
  }

  private func lifted(_ direction: Direction, _ data: ArraySlice<UInt8>) -> LiftedContent {
    .radio(
      direction, RadioFrame(Array(data), technology: rcS380Technology, crc: .notCaptured))
  }

  private func writeResult(_ result: UInt8, into text: inout TextBuffer) {
    if result == 0 {
      text.append("  ok")
    } else {
      text.append("  status ")
      text.append(hex: result)
    }
  }

  private static func rcS380Name(_ code: UInt8) -> StaticString? {
    switch code {
    case 0x00: "InSetRF"
    case 0x02: "InSetProtocol"
    case 0x04: "InCommRF"
    case 0x06: "SwitchRF"
    case 0x10: "MaintainFlash"
    case 0x12: "ResetDevice"
    case 0x20: "GetFirmwareVersion"
    case 0x22: "GetPDDataVersion"
    case 0x24: "GetProperty"
    case 0x26: "InGetProtocol"
    case 0x28: "GetCommandType"
    case 0x2A: "SetCommandType"
    case 0x30: "InSetRCT"
    case 0x32: "InGetRCT"
    case 0x34: "GetPDData"
    case 0x36: "ReadRegister"
    case 0x40: "TgSetRF"
    case 0x42: "TgSetProtocol"
    case 0x44: "TgSetAuto"
    case 0x46: "TgSetRFOff"
    case 0x48: "TgCommRF"
    case 0x50: "TgGetProtocol"
    case 0x60: "TgSetRCT"
    case 0x62: "TgGetRCT"
    case 0xF0: "Diagnose"
    default: nil
    }
  }
}
