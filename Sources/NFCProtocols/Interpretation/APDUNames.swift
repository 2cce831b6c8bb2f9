extension APDUText {
  static func instructionName(class classByte: UInt8, _ instruction: UInt8) -> StaticString? {
    switch (classByte & 0xF0, instruction) {
    case (0x80, 0xA8): "GET PROCESSING OPTIONS"
    case (0x80, 0xAE): "GENERATE AC"
    case (0x80, 0x2A): "COMPUTE CRYPTOGRAPHIC CHECKSUM"
    case (0x80, 0x50): "INITIALIZE UPDATE"
    case (0x80, 0xF2): "GET STATUS"
    case (0x80, 0xE2): "STORE DATA"
    case (0x80, 0xE6): "INSTALL"
    case (0x80, 0xE4): "DELETE"
    case (0x80, 0xE8): "LOAD"
    case (0x80, 0xD8): "PUT KEY"
    case (_, 0x0E): "ERASE BINARY"
    case (_, 0x22): "MANAGE SECURITY ENVIRONMENT"
    case (_, 0x24): "CHANGE REFERENCE DATA"
    case (_, 0x2A): "PERFORM SECURITY OPERATION"
    case (_, 0x2C): "RESET RETRY COUNTER"
    case (_, 0x44): "ACTIVATE FILE"
    case (_, 0x47): "GENERATE KEY PAIR"
    case (_, 0x70): "MANAGE CHANNEL"
    case (_, 0x82): "EXTERNAL AUTHENTICATE"
    case (_, 0x84): "GET CHALLENGE"
    case (_, 0x86), (_, 0x87): "GENERAL AUTHENTICATE"
    case (_, 0x88): "INTERNAL AUTHENTICATE"
    case (_, 0xA2): "SEARCH RECORD"
    case (_, 0xB1): "READ BINARY"
    case (_, 0xB3): "READ RECORD"
    case (_, 0xC0): "GET RESPONSE"
    case (_, 0xC2), (_, 0xC3): "ENVELOPE"
    case (_, 0xD0), (_, 0xD1): "WRITE BINARY"
    case (_, 0xD2): "WRITE RECORD"
    case (_, 0xD7): "UPDATE BINARY"
    case (_, 0xDA), (_, 0xDB): "PUT DATA"
    case (_, 0xE0): "CREATE FILE"
    case (_, 0xE2): "APPEND RECORD"
    default: nil
    }
  }

  static func writeWrapped(
    _ instruction: UInt8, _ data: ArraySlice<UInt8>, to text: inout TextBuffer
  ) {
    if let name = desFireName(instruction) {
      text.append("DESFire ")
      text.append(name)
    } else {
      text.append("DESFire command ")
      text.append(hex: instruction)
    }
    if instruction == 0x5A, data.count == 3 {
      let start = data.startIndex
      text.append(" ")
      for index in (start..<(start + 3)).reversed() { text.append(hex: data[index]) }
    } else if [0xBD, 0xF5, 0xAA, 0x1A, 0x0A].contains(instruction), let first = data.first {
      text.append(" ")
      text.append(decimal: Int64(first))
    }
  }

  /// Native commands of DESFire and MIFARE Plus, which are no APDUs.
  static func writeNativeCommand(_ bytes: ArraySlice<UInt8>, to text: inout TextBuffer) {
    guard let code = bytes.first else {
      text.append("empty, presence check")
      return
    }
    let plus: StaticString? =
      switch code {
      case 0x70: "Plus FirstAuthenticate"
      case 0x72: "Plus AuthenticateContinue"
      case 0x76: "Plus FollowingAuthenticate"
      case 0x30...0x37: "Plus Read"
      case 0xA0...0xA3: "Plus Write"
      case 0xA8: "Plus WritePerso"
      default: nil
      }
    if let plus {
      text.append(plus)
      if code != 0x72, bytes.count >= 3 {
        text.append(" block ")
        let start = bytes.startIndex
        text.append(hex: bytes[start + 2])
        text.append(hex: bytes[start + 1])
      }
    } else if desFireName(code) != nil {
      writeWrapped(code, bytes.dropFirst(), to: &text)
    } else {
      text.append("native command ")
      text.append(hex: code)
    }
  }

  /// The names of DESFire commands as public libraries list them.
  static func desFireName(_ code: UInt8) -> StaticString? {
    switch code {
    case 0x0A: "Authenticate"
    case 0x1A: "AuthenticateISO"
    case 0xAA: "AuthenticateAES"
    case 0x71: "AuthenticateEV2First"
    case 0x77: "AuthenticateEV2NonFirst"
    case 0xAF: "AdditionalFrame"
    case 0x45: "GetKeySettings"
    case 0x51: "GetCardUID"
    case 0x54: "ChangeKeySettings"
    case 0x5A: "SelectApplication"
    case 0x60: "GetVersion"
    case 0x61: "GetISOFileIDs"
    case 0x64: "GetKeyVersion"
    case 0x6A: "GetApplicationIDs"
    case 0x6D: "GetDFNames"
    case 0x6E: "GetFreeMemory"
    case 0x6F: "GetFileIDs"
    case 0x0C: "Credit"
    case 0xDC: "Debit"
    case 0x1C: "LimitedCredit"
    case 0x6C: "GetValue"
    case 0x3B: "WriteRecord"
    case 0x3D: "WriteData"
    case 0xBB: "ReadRecords"
    case 0xBD: "ReadData"
    case 0xAD: "ReadData (EV2)"
    case 0xC4: "ChangeKey"
    case 0xC7: "CommitTransaction"
    case 0xA7: "AbortTransaction"
    case 0xCA: "CreateApplication"
    case 0xDA: "DeleteApplication"
    case 0xCD: "CreateStdDataFile"
    case 0xCB: "CreateBackupDataFile"
    case 0xCC: "CreateValueFile"
    case 0xDF: "DeleteFile"
    case 0xEB: "ClearRecordFile"
    case 0xF5: "GetFileSettings"
    case 0xFC: "FormatPICC"
    default: nil
    }
  }
}

/// Names of status words.
enum StatusWordText {
  static func name(_ status1: UInt8, _ status2: UInt8) -> StaticString {
    switch (status1, status2) {
    case (0x90, 0x00): " ok"
    case (0x91, _): desFireName(status2)
    case (0x61, _): " more data"
    case (0x6C, _): " wrong Le"
    case (0x62, 0x82): " end of file"
    case (0x62, 0x83): " file deactivated"
    case (0x63, 0xC0...0xCF): " wrong, tries left"
    case (0x65, 0x81): " memory failure"
    case (0x67, 0x00): " wrong length"
    case (0x68, _): " function not supported"
    case (0x69, 0x81): " wrong kind of file"
    case (0x69, 0x82): " security status"
    case (0x69, 0x83): " blocked"
    case (0x69, 0x84): " data invalid"
    case (0x69, 0x85): " conditions not met"
    case (0x69, 0x86): " no file selected"
    case (0x69, 0x88): " secure messaging object wrong"
    case (0x6A, 0x80): " wrong data"
    case (0x6A, 0x81): " not supported"
    case (0x6A, 0x82): " not found"
    case (0x6A, 0x83): " record not found"
    case (0x6A, 0x84): " no memory left"
    case (0x6A, 0x86): " wrong P1 P2"
    case (0x6A, 0x88): " data not found"
    case (0x6B, 0x00): " wrong offset"
    case (0x6D, 0x00): " unknown INS"
    case (0x6E, 0x00): " unknown CLA"
    case (0x6F, _): " no diagnosis"
    default: ""
    }
  }

  private static func desFireName(_ status: UInt8) -> StaticString {
    switch status {
    case 0x00: " ok"
    case 0xAF: " more frames"
    case 0x0B: " command not supported"
    case 0x0C: " no changes"
    case 0x1C: " illegal command"
    case 0x1E: " integrity error"
    case 0x40: " no such key"
    case 0x7E: " length error"
    case 0x9D: " permission denied"
    case 0x9E: " parameter error"
    case 0xA0: " application not found"
    case 0xAE: " authentication error"
    case 0xBE: " boundary error"
    case 0xCA: " command aborted"
    case 0xDE: " duplicate"
    case 0xF0: " file not found"
    default: ""
    }
  }
}
