extension Response {
  /// Reads the response to `command` from the body of a frame: `D5`, code + 1, content; or `7F`.
  ///
  /// Every body that is read gives the same bytes again for the same chip.
  /// - Throws: `PN53xError` with the offset in `body`.
  public init(body: [UInt8], to command: Command, from chip: Chip) throws(PN53xError) {
    var reader = BodyReader(body)
    let identifier = try reader.byte(.frameIdentifier)
    if identifier == HostFrame.errorIdentifier, reader.isAtEnd {
      self = .syntaxError
      return
    }
    guard identifier == HostFrame.chipToHost else {
      throw .unexpectedValue(offset: 0, found: identifier, expected: .frameIdentifier)
    }
    let code = try reader.byte(.code)
    guard code == command.code.response else {
      throw .responseMismatch(command: command.code.rawValue, response: code)
    }
    self = try Response.content(&reader, to: command, from: chip)
    try reader.end()
  }

  private static func content(
    _ reader: inout BodyReader, to command: Command, from chip: Chip
  ) throws(PN53xError) -> Response {
    switch command {
    case .diagnose: return .diagnose(reader.rest())
    case .getFirmwareVersion: return .firmwareVersion(try FirmwareVersion(&reader))
    case .getGeneralStatus: return .generalStatus(try GeneralStatus(&reader))
    case .readRegister:
      let status = chip.hasRegisterStatus ? StatusByte(rawValue: try reader.byte(.status)) : nil
      return .registerValues(status, reader.rest())
    case .writeRegister:
      return .registersWritten(reader.rest().map(StatusByte.init(rawValue:)))
    case .readGPIO:
      let p3 = try reader.byte(.parameters)
      let p7 = try reader.byte(.parameters)
      return .gpio(p3: p3, p7: p7, i0i1: try reader.byte(.parameters))
    case .inListPassiveTarget(_, let modulation, _):
      let count = try reader.byte(.targetCount)
      return .passiveTargets(
        try PassiveTarget.list(
          &reader, count: Int(count), modulation: modulation, on: chip))
    case .inJumpForDEP, .inJumpForPSL: return try jump(&reader, command.code)
    case .inATR:
      let status = StatusByte(rawValue: try reader.byte(.status))
      return .attribute(status, reader.isAtEnd ? nil : try ATRResponse(&reader))
    case .inAutoPoll: return .autoPolled(try entries(&reader))
    case .tgGetTargetStatus:
      let state = try reader.byte(.parameters)
      return .targetStatus(state: state, speeds: try reader.byte(.parameters))
    case .tgInitAsTarget:
      let mode = ActivatedMode(rawValue: try reader.byte(.parameters))
      return .activated(mode, initiatorCommand: reader.rest())
    default:
      return try general(&reader, command.code, from: chip)
    }
  }

  /// The responses that are nothing, a status, or a status and data.
  private static func general(
    _ reader: inout BodyReader, _ code: CommandCode, from chip: Chip
  ) throws(PN53xError) -> Response {
    switch code {
    case .writeGPIO, .setSerialBaudRate, .setParameters, .samConfiguration, .rfConfiguration:
      return .done(code)
    case .alparCommandForTDA where chip == .rcS956:
      return .done(code)
    case .inDeselect, .inRelease:
      let leading = chip == .rcS956 && reader.remaining == 2 ? reader.optionalByte() : nil
      let status = StatusByte(rawValue: try reader.byte(.status))
      return .status(code, status, leadingByte: leading)
    case .powerDown, .inPSL, .inSelect, .tgSetData, .tgResponseToInitiator, .tgSetGeneralBytes,
      .tgSetMetaData, .tgSetDataSecure, .tgSetMetaDataSecure:
      return .status(code, StatusByte(rawValue: try reader.byte(.status)), leadingByte: nil)
    case .alparCommandForTDA:
      let status = StatusByte(rawValue: try reader.byte(.status))
      return .data(code, status, reader.rest())
    default:
      guard code.hasStatus else { return .raw(code, reader.rest()) }
      let status = StatusByte(rawValue: try reader.byte(.status))
      return .data(code, status, reader.rest())
    }
  }

  private static func jump(
    _ reader: inout BodyReader, _ code: CommandCode
  ) throws(PN53xError) -> Response {
    let status = StatusByte(rawValue: try reader.byte(.status))
    let target = reader.optionalByte()
    return .jump(
      code, status, target: target, reader.isAtEnd ? nil : try ATRResponse(&reader))
  }

  private static func entries(
    _ reader: inout BodyReader
  ) throws(PN53xError) -> [AutoPollEntry] {
    let count = try reader.byte(.targetCount)
    var entries: [AutoPollEntry] = []
    for _ in 0..<count {
      let type = AutoPollType(rawValue: try reader.byte(.targetData))
      let length = try reader.byte(.length)
      entries.append(
        AutoPollEntry(type: type, data: try reader.bytes(Int(length), .targetData)))
    }
    return entries
  }
}
