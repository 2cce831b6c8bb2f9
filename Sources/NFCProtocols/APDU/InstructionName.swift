/// Names of instructions for summaries.
public enum InstructionName {
  /// The name of an instruction, by class where classes give the same byte different meanings.
  ///
  /// Sources: ISO/IEC 7816-4 Table 4.1, EMV Book 3 Table 4, public DESFire documents (class 90).
  public static func name(cla: UInt8, ins: UInt8) -> String? {
    if cla == 0x90 { return desfireName(ins) }
    if cla & 0x80 != 0, let name = proprietaryName(ins) { return name }
    return interindustryName(ins)
  }

  private static func interindustryName(_ ins: UInt8) -> String? {
    switch ins {
    case 0x04: "DEACTIVATE FILE"
    case 0x0E, 0x0F: "ERASE BINARY"
    case 0x20, 0x21: "VERIFY"
    case 0x22: "MANAGE SECURITY ENVIRONMENT"
    case 0x24: "CHANGE REFERENCE DATA"
    case 0x2A, 0x2B: "PERFORM SECURITY OPERATION"
    case 0x2C: "RESET RETRY COUNTER"
    case 0x44: "ACTIVATE FILE"
    case 0x46, 0x47: "GENERATE ASYMMETRIC KEY PAIR"
    case 0x70: "MANAGE CHANNEL"
    case 0x82: "EXTERNAL AUTHENTICATE"
    case 0x84: "GET CHALLENGE"
    case 0x86, 0x87: "GENERAL AUTHENTICATE"
    case 0x88: "INTERNAL AUTHENTICATE"
    case 0xA4: "SELECT"
    case 0xB0, 0xB1: "READ BINARY"
    case 0xB2, 0xB3: "READ RECORD"
    case 0xC0: "GET RESPONSE"
    case 0xC2, 0xC3: "ENVELOPE"
    case 0xCA, 0xCB: "GET DATA"
    case 0xD0, 0xD1: "WRITE BINARY"
    case 0xD2: "WRITE RECORD"
    case 0xD6, 0xD7: "UPDATE BINARY"
    case 0xDA, 0xDB: "PUT DATA"
    case 0xDC, 0xDD: "UPDATE RECORD"
    case 0xE0: "CREATE FILE"
    case 0xE2: "APPEND RECORD"
    case 0xE4: "DELETE FILE"
    case 0xE6: "TERMINATE DF"
    case 0xFE: "TERMINATE CARD USAGE"
    default: nil
    }
  }

  private static func proprietaryName(_ ins: UInt8) -> String? {
    switch ins {
    case 0x16: "CARD BLOCK"
    case 0x18: "APPLICATION UNBLOCK"
    case 0x1E: "APPLICATION BLOCK"
    case 0x2A: "COMPUTE CRYPTOGRAPHIC CHECKSUM"
    case 0x50: "INITIALIZE UPDATE"
    case 0xA8: "GET PROCESSING OPTIONS"
    case 0xAE: "GENERATE AC"
    case 0xCA: "GET DATA"
    case 0xD8: "PUT KEY"
    case 0xE2: "STORE DATA"
    case 0xE6: "INSTALL"
    case 0xE8: "LOAD"
    case 0xEA: "EXCHANGE RELAY RESISTANCE DATA"
    case 0xF2: "GET STATUS"
    default: nil
    }
  }

  private static func desfireName(_ ins: UInt8) -> String? {
    switch ins {
    case 0x0A: "DESFire Authenticate"
    case 0x1A: "DESFire AuthenticateISO"
    case 0xAA: "DESFire AuthenticateAES"
    case 0x71: "DESFire AuthenticateEV2First"
    case 0x77: "DESFire AuthenticateEV2NonFirst"
    case 0x3B: "DESFire WriteRecord"
    case 0x3D: "DESFire WriteData"
    case 0x45: "DESFire GetKeySettings"
    case 0x51: "DESFire GetCardUID"
    case 0x54: "DESFire ChangeKeySettings"
    case 0x5A: "DESFire SelectApplication"
    case 0x5C: "DESFire SetConfiguration"
    case 0x5F: "DESFire ChangeFileSettings"
    case 0x60: "DESFire GetVersion"
    case 0x61: "DESFire GetISOFileIDs"
    case 0x64: "DESFire GetKeyVersion"
    case 0x6A: "DESFire GetApplicationIDs"
    case 0x6C: "DESFire GetValue"
    case 0x6D: "DESFire GetDFNames"
    case 0x6E: "DESFire FreeMemory"
    case 0x6F: "DESFire GetFileIDs"
    case 0xA7: "DESFire AbortTransaction"
    case 0xAF: "DESFire AdditionalFrame"
    case 0xBB: "DESFire ReadRecords"
    case 0xBD: "DESFire ReadData"
    case 0x0C: "DESFire Credit"
    case 0xC4: "DESFire ChangeKey"
    case 0xC7: "DESFire CommitTransaction"
    case 0xCA: "DESFire CreateApplication"
    case 0xCD: "DESFire CreateStdDataFile"
    case 0xDA: "DESFire DeleteApplication"
    case 0xDC: "DESFire Debit"
    case 0xDF: "DESFire DeleteFile"
    case 0xF5: "DESFire GetFileSettings"
    case 0xFC: "DESFire FormatPICC"
    default: nil
    }
  }
}
