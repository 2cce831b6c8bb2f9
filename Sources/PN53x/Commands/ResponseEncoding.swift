extension Response {
  /// The code of the command that this answers, where the content tells.
  private var commandCode: CommandCode {
    switch self {
    case .syntaxError, .diagnose: .diagnose
    case .firmwareVersion: .getFirmwareVersion
    case .generalStatus: .getGeneralStatus
    case .registerValues: .readRegister
    case .registersWritten: .writeRegister
    case .gpio: .readGPIO
    case .passiveTargets: .inListPassiveTarget
    case .attribute: .inATR
    case .autoPolled: .inAutoPoll
    case .targetStatus: .tgGetTargetStatus
    case .activated: .tgInitAsTarget
    case .done(let code), .status(let code, _, _), .data(let code, _, _),
      .jump(let code, _, _, _), .raw(let code, _):
      code
    }
  }

  /// The body of the frame that carries the response: `D5`, code + 1, content; or `7F`.
  public func body(from chip: Chip) -> [UInt8] {
    if case .syntaxError = self { return [HostFrame.errorIdentifier] }
    var output: [UInt8] = [HostFrame.chipToHost, commandCode.response]
    switch self {
    case .syntaxError, .done: break
    case .diagnose(let content), .raw(_, let content):
      output.append(contentsOf: content)
    case .firmwareVersion(let version): version.encode(into: &output)
    case .generalStatus(let status): status.encode(into: &output)
    case .registerValues(let status, let values):
      if let status { output.append(status.rawValue) }
      output.append(contentsOf: values)
    case .registersWritten(let statuses):
      output.append(contentsOf: statuses.map(\.rawValue))
    case .gpio(let p3, let p7, let i0i1):
      output.append(contentsOf: [p3, p7, i0i1])
    case .status(_, let status, let leading):
      if let leading { output.append(leading) }
      output.append(status.rawValue)
    case .data(_, let status, let data):
      output.append(status.rawValue)
      output.append(contentsOf: data)
    case .passiveTargets(let targets):
      output.append(UInt8(truncatingIfNeeded: targets.count))
      for target in targets { target.encode(on: chip, into: &output) }
    case .jump(_, let status, let target, let response):
      output.append(status.rawValue)
      if let target { output.append(target) }
      response?.encode(into: &output)
    case .attribute(let status, let response):
      output.append(status.rawValue)
      response?.encode(into: &output)
    case .autoPolled(let entries):
      output.append(UInt8(truncatingIfNeeded: entries.count))
      for entry in entries {
        output.append(entry.type.rawValue)
        output.append(UInt8(truncatingIfNeeded: entry.data.count))
        output.append(contentsOf: entry.data)
      }
    case .targetStatus(let state, let speeds):
      output.append(contentsOf: [state, speeds])
    case .activated(let mode, let command):
      output.append(mode.rawValue)
      output.append(contentsOf: command)
    }
    return output
  }
}
