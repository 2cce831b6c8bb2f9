import NFCProtocols

extension Response {
  /// Appends what the response says, behind the name of the command.
  func write(to text: inout TextBuffer, command: Command, chip: Chip) {
    switch self {
    case .syntaxError: text.append(": syntax error")
    case .done: text.append(": done")
    case .firmwareVersion(let version): write(version, to: &text)
    case .generalStatus(let status):
      text.append(": field ")
      text.append(status.field == 0 ? "off" : "on")
      text.append(", ")
      text.append(decimal: Int64(status.targets.count))
      text.append(status.targets.count == 1 ? " target" : " targets")
    case .diagnose(let content): writeDiagnosis(content, command, chip, to: &text)
    case .registerValues(let status, let values):
      if let status, status.status != .success {
        Response.write(status, to: &text)
      } else {
        text.append(": ")
        if values.count <= 4 { text.append(hexPairs: values) } else { count(values, to: &text) }
      }
    case .registersWritten(let statuses):
      if let failed = statuses.first(where: { $0.status != .success }) {
        Response.write(failed, to: &text)
      } else {
        text.append(": done")
      }
    case .gpio(let p3, let p7, _):
      text.append(": P3 ")
      text.append(hex: p3)
      text.append(", P7 ")
      text.append(hex: p7)
    case .status(_, let status, _), .jump(_, let status, _, nil), .attribute(let status, nil):
      Response.write(status, to: &text)
    case .data(_, let status, let data):
      Response.write(status, to: &text)
      if !data.isEmpty {
        text.append(", ")
        count(data, to: &text)
      }
    case .passiveTargets(let targets): Response.write(targets, to: &text)
    case .jump(_, let status, _, .some(let response)), .attribute(let status, .some(let response)):
      Response.write(status, to: &text)
      text.append("  NFCID3 ")
      for byte in response.nfcid3 { text.append(hex: byte) }
    case .autoPolled(let entries):
      let targets = entries.compactMap { try? $0.target(on: chip) }
      if targets.count == entries.count {
        Response.write(targets, to: &text)
      } else {
        text.append(": \(entries.count) targets")
      }
    case .targetStatus(let state, _):
      text.append(
        state & 0x7F == 0 ? ": idle" : state & 0x7F == 1 ? ": activated" : ": deselected")
    case .activated(let mode, let command): write(mode, command, to: &text)
    case .raw(_, let content):
      text.append(": ")
      count(content, to: &text)
    }
  }

  private func count(_ bytes: [UInt8], to text: inout TextBuffer) {
    text.append(decimal: Int64(bytes.count))
    text.append(bytes.count == 1 ? " byte" : " bytes")
  }

  static func write(_ status: StatusByte, to text: inout TextBuffer) {
    if status.status == .success {
      text.append(": ok")
    } else {
      text.append(": ")
      text.append(hex: status.status.rawValue)
      text.append(" ")
      text.append(status.status.name)
    }
    if status.hasMoreInformation { text.append(", more follows") }
  }

  private func write(_ version: FirmwareVersion, to text: inout TextBuffer) {
    text.append(": ")
    if let chip = version.chip {
      text.append(chip.name)
    } else if let circuit = version.integratedCircuit {
      text.append("IC ")
      text.append(hex: circuit)
    }
    text.append(" ")
    text.append(decimal: Int64(version.version))
    text.append(".")
    text.append(decimal: Int64(version.revision))
  }

  private func writeDiagnosis(
    _ content: [UInt8], _ command: Command, _ chip: Chip, to text: inout TextBuffer
  ) {
    guard case .diagnose(let test, let parameters) = command else { return }
    switch DiagnosticResult(content, test: test, on: chip) {
    case .echo(let bytes):
      text.append(bytes == parameters ? ": same bytes" : ": other bytes")
    case .memory(let isGood): text.append(isGood ? ": good" : ": bad")
    case .failedPolls(let count): text.append(": \(count) failed polls")
    case .attention(let status): Response.write(status, to: &text)
    case .other(let bytes):
      text.append(": ")
      count(bytes, to: &text)
    }
  }

  private func write(_ mode: ActivatedMode, _ command: [UInt8], to text: inout TextBuffer) {
    text.append(mode.isCard ? ": as card" : mode.isDEP ? ": as DEP target" : ": activated")
    if let rate = mode.kilobitsPerSecond {
      text.append(", ")
      text.append(decimal: Int64(rate))
    }
    text.append(mode.framing == 1 ? " active" : mode.framing == 2 ? " F" : " A")
    if !command.isEmpty {
      text.append(", ")
      count(command, to: &text)
    }
  }

  private static func write(_ targets: [PassiveTarget], to text: inout TextBuffer) {
    guard !targets.isEmpty else {
      text.append(": no target")
      return
    }
    text.append(targets.count == 1 ? ": 1 target" : ": \(targets.count) targets")
    for target in targets {
      text.append("  ")
      switch target.data {
      case .typeA(let data):
        text.append("ATQA ")
        text.append(hex: UInt8(data.sensRes >> 8))
        text.append(hex: UInt8(data.sensRes & 0xFF))
        text.append(", SAK ")
        text.append(hex: data.selRes)
        text.append(", UID ")
        for byte in data.uid { text.append(hex: byte) }
        if data.uid.count == 4, data.uid[0] == 0x08 { text.append(" (random)") }
        if let ats = data.ats {
          text.append(", ATS ")
          text.append(hexPairs: ats)
        }
      case .feliCa(let data):
        text.append("IDm ")
        for byte in data.nfcid2 { text.append(hex: byte) }
      case .typeB(let data):
        text.append("PUPI ")
        for byte in data.atqb.dropFirst().prefix(4) { text.append(hex: byte) }
      case .jewel(let data):
        text.append("Jewel ")
        for byte in data.identifier { text.append(hex: byte) }
      }
    }
  }
}

extension Response {
  /// What the response says, as it stands in a timeline behind the name of the command.
  public func text(to command: Command, from chip: Chip) -> String {
    var text = TextBuffer(capacity: 64)
    write(to: &text, command: command, chip: chip)
    return text.string
  }
}
