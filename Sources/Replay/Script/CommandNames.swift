import NFCProtocols
import PN53x

extension ReplayScript {
  /// The name of each exchange's command in upper case, for fault addresses and tables.
  public var commandNames: [String] { entries.indices.map { commandName($0).uppercased() } }

  /// The name of an exchange's command, or its first bytes where it has none.
  public func commandName(_ index: Int) -> String {
    guard entries.indices.contains(index) else { return "" }
    let command = entries[index].command
    switch layer {
    case .apdu: return Self.name(ofAPDU: command.bytes)
    case .chip: return Self.name(ofBody: command.bytes)
    case .radio: return Self.name(ofFrame: command)
    }
  }

  private static func name(ofAPDU bytes: [UInt8]) -> String {
    guard bytes.count >= 2 else { return Hexadecimal.pairs(bytes) }
    return InstructionName.name(cla: bytes[0], ins: bytes[1])
      ?? Hexadecimal.pairs(
        Array(bytes.prefix(4)))
  }

  private static func name(ofBody bytes: [UInt8]) -> String {
    guard bytes.count >= 2, bytes[0] == HostFrame.hostToChip,
      let name = CommandCode(rawValue: bytes[1]).name
    else { return Hexadecimal.pairs(Array(bytes.prefix(4))) }
    return "\(name)"
  }

  private static func name(ofFrame frame: RadioFrame) -> String {
    let technology = frame.technology ?? .a
    if technology == .a, let command = try? TypeACommand(frame) { return name(of: command) }
    if technology == .a || technology == .b {
      let content = frame.content(assuming: technology)
      if technology == .a, content.first == RATS.prefix, content.count == 2 { return "RATS" }
      if technology == .b, content.first == RequestB.prefix { return "REQB" }
      if technology == .b, content.first == Attrib.prefix { return "ATTRIB" }
      if let block = try? Block(content) { return name(of: block) }
      if technology == .a, let command = try? Type2Command(content) { return command.name }
    }
    return Hexadecimal.pairs(Array(frame.bytes.prefix(4)))
  }

  private static func name(of command: TypeACommand) -> String {
    switch command {
    case .request: "REQA"
    case .wakeUp: "WUPA"
    case .anticollision: "ANTICOLLISION"
    case .select: "SELECT CARD"
    case .halt: "HLTA"
    }
  }

  private static func name(of block: Block) -> String {
    switch block.kind {
    case .information(_, _, let bytes): bytes.isEmpty ? "I-block" : name(ofAPDU: bytes)
    case .acknowledge: "R(ACK)"
    case .negativeAcknowledge: "R(NAK)"
    case .waitingTimeExtension: "S(WTX)"
    case .deselect: "S(DESELECT)"
    case .parameters: "S(PARAMETERS)"
    }
  }
}
