public import NFCProtocols

/// Follows the frames between a host and a chip, says what each one is, and lifts what reader and
/// card say to each other out of them.
public struct ChipInterpreter: Sendable {
  /// The chip, as given or as GetFirmwareVersion has told.
  public private(set) var chip: Chip
  var lastCommand: Command?
  var lastCode: CommandCode?
  var rcS380Technology: Technology = .a
  var targets: [KnownTarget] = []
  var targetTechnology: Technology = .a
  var isCardEmulation = false
  var outboundPieces: [UInt8] = []
  var inboundPieces: [UInt8] = []

  /// The most bytes that are joined over MI: an extended APDU with its lengths.
  public static let maximumJoinedLength = 65_544

  /// A target that the chip holds.
  struct KnownTarget: Sendable {
    var number: UInt8
    var technology: Technology
    var isISODEP: Bool
  }

  /// Makes an interpreter; a chip that is not known counts as a PN533 until it tells its version.
  public init(chip: Chip = .pn533) { self.chip = chip }

  /// Appends what a frame is in a few words, and gives what it carries.
  public mutating func interpret(
    _ direction: Direction, _ frame: HostFrame, into text: inout TextBuffer
  ) -> LiftedContent {
    switch frame {
    case .ack:
      text.append("ACK")
      return .nothing
    case .nack:
      text.append(direction == .outbound ? "NACK, send again" : "NACK")
      return .nothing
    case .error:
      text.append("error frame: syntax error")
      return .nothing
    case .information(let body, _):
      return interpret(body, into: &text)
    }
  }

  /// Appends what the body of a frame is in a few words, and gives what it carries.
  public mutating func interpret(
    _ body: [UInt8], into text: inout TextBuffer
  ) -> LiftedContent {
    guard body.count >= 2 else {
      text.append("frame without a code")
      return .nothing
    }
    switch body[0] {
    case HostFrame.hostToChip: return command(body, into: &text)
    case HostFrame.chipToHost: return response(body, into: &text)
    case HostFrame.hostToRCS380, HostFrame.rcS380ToHost: return rcS380(body, into: &text)
    default:
      text.append("unknown frame identifier ")
      text.append(hex: body[0])
      return .nothing
    }
  }

  private mutating func command(_ body: [UInt8], into text: inout TextBuffer) -> LiftedContent {
    let code = CommandCode(rawValue: body[1])
    lastCode = code
    if let name = code.name(on: chip) {
      text.append(name)
    } else {
      text.append("command ")
      text.append(hex: code.rawValue)
    }
    do throws(PN53xError) {
      let command = try Command(body: body, for: chip)
      lastCommand = command
      command.writeParameters(to: &text)
      return lift(command)
    } catch {
      lastCommand = nil
      text.append("  (")
      text.append(error.message)
      text.append(")")
      return .nothing
    }
  }

  private mutating func response(_ body: [UInt8], into text: inout TextBuffer) -> LiftedContent {
    let code = CommandCode(rawValue: body[1] &- 1)
    let command = lastCommand.flatMap { $0.code == code ? $0 : nil }
    if let name = code.name(on: chip) {
      text.append(name)
    } else {
      text.append("response ")
      text.append(hex: body[1])
    }
    guard let command else {
      text.append(lastCode == nil ? "  (command not seen)" : "  (answers another command)")
      return .nothing
    }
    if code == .getFirmwareVersion { learnChip(body) }
    do throws(PN53xError) {
      let response = try Response(body: body, to: command, from: chip)
      response.write(to: &text, command: command, chip: chip)
      return lift(response, of: command)
    } catch {
      text.append("  (")
      text.append(error.message)
      text.append(")")
      return .nothing
    }
  }

  private mutating func learnChip(_ body: [UInt8]) {
    guard
      case .firmwareVersion(let version)? = try? Response(
        body: body, to: .getFirmwareVersion, from: chip), let found = version.chip
    else { return }
    chip = found
  }
}
