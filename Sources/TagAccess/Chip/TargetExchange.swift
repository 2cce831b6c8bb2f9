public import NFCProtocols
public import PN53x

/// One exchange with a target that the chip holds, under the protocol it was activated for.
public struct TargetExchange: SessionAgenda, Sendable {
  /// The response, or why there is none, once the agenda is done.
  public private(set) var result: Result<[UInt8], TagAccessError>?

  private let step: TagAccessError.Step
  private let request: [UInt8]
  private var exchange: DataExchange?

  /// An exchange of APDUs, short or extended; the chip does blocks, chaining and extensions.
  ///
  /// A target that was not activated for ISO-DEP is refused before anything goes out: an ACR122U
  /// would only say that it is mute (scenario S7).
  public static func apdu(
    _ command: [UInt8], to target: SelectedTarget, on reader: ChipReader
  ) -> TargetExchange {
    var exchange = TargetExchange(.exchange, command, target, reader)
    if !target.hasISODEP {
      exchange.exchange = nil
      exchange.result = .failure(
        TagAccessError(
          .exchange, command: command,
          .unsupported("the target has no ISO-DEP session; select it with automatic RATS on")))
    }
    return exchange
  }

  /// A command of a card without ISO-DEP (Type 2, FeliCa with its length byte), without CRC.
  public static func command(
    _ bytes: [UInt8], to target: SelectedTarget, on reader: ChipReader
  ) -> TargetExchange { TargetExchange(.command, bytes, target, reader) }

  /// AUTH of MIFARE Classic with a key of 6 bytes; a refusal leaves the card halted.
  public static func authenticate(
    _ key: MifareClassicCommand.Key, _ value: [UInt8], block: UInt8, to target: SelectedTarget,
    on reader: ChipReader
  ) -> TargetExchange {
    precondition(value.count == 6, "a key of MIFARE Classic has 6 bytes")
    // The cipher uses the last four bytes of the UID (AN10927 3.2.5 as in libnfc's mfclassic).
    let uid = Array(target.tag.identifier.suffix(4))
    return TargetExchange(
      .authenticate, MifareClassicCommand.authenticate(key, block: block).bytes + value + uid,
      target, reader)
  }

  /// READ of MIFARE Classic and Type 2 tags: 16 bytes.
  public static func read(
    block: UInt8, of target: SelectedTarget, on reader: ChipReader
  ) -> TargetExchange {
    command(MifareClassicCommand.read(block: block).bytes, to: target, on: reader)
  }

  /// WRITE of MIFARE Classic: 16 bytes, sent in the two steps of the card by the chip.
  public static func write(
    _ data: [UInt8], toBlock block: UInt8, of target: SelectedTarget, on reader: ChipReader
  ) -> TargetExchange {
    precondition(data.count == MifareClassicCommand.blockSize, "a block has 16 bytes")
    return command(
      MifareClassicCommand.write(block: block).bytes + data, to: target, on: reader)
  }

  /// INCREMENT, DECREMENT or RESTORE of MIFARE Classic; TRANSFER must follow to keep the result.
  public static func change(
    _ change: MifareClassicCommand, by value: Int32, of target: SelectedTarget,
    on reader: ChipReader
  ) -> TargetExchange {
    let pattern = UInt32(bitPattern: value)
    let operand = (0..<4).map { UInt8(truncatingIfNeeded: pattern >> UInt32($0 * 8)) }
    return command(change.bytes + operand, to: target, on: reader)
  }

  /// TRANSFER of MIFARE Classic: the result of a change goes to a block.
  public static func transfer(
    toBlock block: UInt8, of target: SelectedTarget, on reader: ChipReader
  ) -> TargetExchange {
    command(MifareClassicCommand.transfer(block: block).bytes, to: target, on: reader)
  }

  private init(
    _ step: TagAccessError.Step, _ request: [UInt8], _ target: SelectedTarget,
    _ reader: ChipReader
  ) {
    self.step = step
    self.request = request
    exchange = DataExchange(
      request, to: target.number, waitingTime: target.waitingTime, settings: reader.settings,
      maximumBodyLength: reader.maximumBodyLength)
  }

  /// The first command.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    guard let move = exchange?.begin() else { return .done }
    return follow(move)
  }

  /// The next command, if there is one.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    guard let move = exchange?.completed(outcome) else { return .done }
    return follow(move)
  }

  private mutating func follow(_ move: DataExchange.Move) -> SessionMove {
    switch move {
    case .perform(let command, let timing): return .perform(command, timing)
    case .done(let response): result = .success(response)
    case .failed(let failure): end(.chip(failure))
    case .tooLong: end(.unsupported("the response has no end"))
    }
    return .done
  }

  private mutating func end(_ problem: TagAccessError.Problem) {
    result = .failure(TagAccessError(step, command: request, problem))
  }
}

/// The reader behind a session, as far as exchanges depend on it.
public struct ChipReader: Hashable, Sendable {
  /// The chip.
  public var chip: Chip
  /// What it is set to.
  public var settings: ChipSettings
  /// The longest frame body on the link, in bytes.
  public var maximumBodyLength: Int

  /// Describes a reader; an ACR122U takes shorter bodies than the chip inside.
  public init(chip: Chip, settings: ChipSettings, isACR122: Bool = false) {
    self.chip = chip
    self.settings = settings
    maximumBodyLength = isACR122 ? Chip.acr122MaximumBodyLength : chip.maximumBodyLength
  }
}
