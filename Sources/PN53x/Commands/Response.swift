/// A response of a PN53x chip, read in the light of the command it answers.
public enum Response: Hashable, Sendable {
  /// The error frame (7F): the chip met a syntax error.
  case syntaxError
  /// Diagnose: what it gives depends on the test, see `DiagnosticResult`.
  case diagnose([UInt8])
  /// GetFirmwareVersion.
  case firmwareVersion(FirmwareVersion)
  /// GetGeneralStatus.
  case generalStatus(GeneralStatus)
  /// ReadRegister; only a PN533 gives a status.
  case registerValues(StatusByte?, [UInt8])
  /// WriteRegister: nothing (PN531, PN532), one status (PN533), one a register (RC-S956).
  case registersWritten([StatusByte])
  /// ReadGPIO.
  case gpio(p3: UInt8, p7: UInt8, i0i1: UInt8)
  /// The answer to `code` has no content: the command was done.
  case done(CommandCode)
  /// Only a status, and what RC-S956 puts in front of it in InDeselect and InRelease.
  case status(CommandCode, StatusByte, leadingByte: UInt8?)
  /// A status and data.
  case data(CommandCode, StatusByte, [UInt8])
  /// InListPassiveTarget.
  case passiveTargets([PassiveTarget])
  /// InJumpForDEP and InJumpForPSL.
  case jump(CommandCode, StatusByte, target: UInt8?, ATRResponse?)
  /// InATR.
  case attribute(StatusByte, ATRResponse?)
  /// InAutoPoll.
  case autoPolled([AutoPollEntry])
  /// TgGetTargetStatus: state, and speeds (bits 6 to 4 initiator, 2 to 0 target).
  case targetStatus(state: UInt8, speeds: UInt8)
  /// TgInitAsTarget.
  case activated(ActivatedMode, initiatorCommand: [UInt8])
  /// Bytes whose layout is not known, without a status.
  case raw(CommandCode, [UInt8])

  /// The status in the response, if there is one.
  public var status: StatusByte? {
    switch self {
    case .status(_, let status, _), .data(_, let status, _), .jump(_, let status, _, _),
      .attribute(let status, _):
      status
    case .registerValues(let status, _): status
    case .registersWritten(let statuses): statuses.first { $0.status != .success } ?? statuses.first
    default: nil
    }
  }
}

/// The answer to Diagnose, read in the light of its test.
public enum DiagnosticResult: Hashable, Sendable {
  /// Test 00: the echo, without the test number that all but RC-S956 repeat.
  case echo([UInt8])
  /// Tests 01, 02, 07: true if good.
  case memory(isGood: Bool)
  /// Test 04: how many polls failed.
  case failedPolls(UInt8)
  /// Test 06: the status of an attention request.
  case attention(StatusByte)
  /// Anything else.
  case other([UInt8])

  /// Reads the content of a response to `test`.
  public init(_ content: [UInt8], test: UInt8, on chip: Chip) {
    switch (test, content.count) {
    case (0x00, _) where chip == .rcS956: self = .echo(content)
    case (0x00, 1...) where content[0] == 0: self = .echo(Array(content[1...]))
    case (0x01, 1), (0x02, 1), (0x07, 1): self = .memory(isGood: content[0] == 0)
    case (0x04, 1): self = .failedPolls(content[0])
    case (0x06, 1): self = .attention(StatusByte(rawValue: content[0]))
    default: self = .other(content)
    }
  }
}
