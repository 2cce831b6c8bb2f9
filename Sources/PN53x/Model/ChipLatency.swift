public import NFCProtocols

/// How long a chip takes for its ACK and its response, apart from what happens on the air.
public struct ChipLatency: Hashable, Sendable {
  /// A time that grows with the number of bytes.
  public struct Growing: Hashable, Sendable {
    /// The time without any byte.
    public var base: Nanoseconds
    /// What each byte adds.
    public var perByte: Nanoseconds

    /// Makes a time.
    public init(_ base: Nanoseconds, perByte: Nanoseconds = .zero) {
      self.base = base
      self.perByte = perByte
    }

    /// No time, however many bytes.
    public static let zero = Growing(.zero)

    /// The time for a number of bytes.
    public func duration(of count: Int) -> Nanoseconds { base + perByte * Int64(count) }
  }

  /// From the end of a command's transfer to its ACK, by the bytes of its last packet: those of
  /// the packets before were taken in while they came.
  public var acknowledgement: Growing
  /// The bytes of a packet on the link.
  public var packetSize: Int
  /// What the ACK of an extended frame takes on top, by the bytes of the command's body.
  public var extendedAcknowledgement: Growing
  /// What the ACK takes on top if the command ends another one.
  public var interruption: Nanoseconds
  /// From the ACK to the response, by the bytes of the parameters; for commands without own row.
  public var response: Growing
  /// Rows for commands.
  public var rows: [Row]
  /// Switching the field off or on: RFConfiguration item 01.
  public var fieldChange: Nanoseconds
  /// From a NACK to the repeated response.
  public var repetition: Nanoseconds

  /// The time of one command.
  public struct Row: Hashable, Sendable {
    /// The command.
    public var code: CommandCode
    /// From the ACK to the response, by the bytes of the parameters, without time on the air.
    public var time: Growing

    /// Makes a row.
    public init(_ code: CommandCode, _ time: Growing) {
      self.code = code
      self.time = time
    }
  }

  /// Makes a latency of which everything is zero.
  public init() {
    acknowledgement = .zero
    packetSize = 64
    extendedAcknowledgement = .zero
    interruption = .zero
    response = .zero
    rows = []
    fieldChange = .zero
    repetition = .zero
  }

  /// Everything at once.
  public static let zero = ChipLatency()

  /// Medians of a public capture of an SCL3711 (PN533 2.7 on full-speed USB, microsecond clock).
  public static let measured: ChipLatency = {
    var latency = ChipLatency()
    latency.acknowledgement = Growing(.microseconds(486), perByte: Nanoseconds(13_400))
    latency.extendedAcknowledgement = Growing(.zero, perByte: Nanoseconds(22_800))
    latency.interruption = .microseconds(450)
    latency.response = Growing(.microseconds(550))
    latency.fieldChange = .microseconds(4_950)
    latency.repetition = .microseconds(650)
    latency.rows = [
      Row(.diagnose, Growing(.microseconds(550), perByte: Nanoseconds(62_000))),
      Row(.getFirmwareVersion, Growing(.microseconds(630))),
      Row(.readRegister, Growing(.microseconds(513), perByte: Nanoseconds(98_300))),
      Row(.writeRegister, Growing(.microseconds(510), perByte: Nanoseconds(20_000))),
      Row(.rfConfiguration, Growing(.microseconds(510), perByte: Nanoseconds(22_000))),
      Row(.tgGetInitiatorCommand, Growing(.microseconds(720))),
      Row(.tgResponseToInitiator, Growing(.microseconds(600), perByte: Nanoseconds(6_000))),
    ]
    return latency
  }()

  /// The time from the end of the transfer to the ACK.
  func acknowledgementTime(transferLength: Int, bodyLength: Int, isExtended: Bool) -> Nanoseconds {
    guard transferLength > 0 else { return acknowledgement.base }
    let lastPacket = (transferLength - 1) % packetSize + 1
    let time = acknowledgement.duration(of: lastPacket)
    return isExtended ? time + extendedAcknowledgement.duration(of: bodyLength) : time
  }

  /// The time from the ACK to the response.
  func responseTime(_ code: UInt8, parameters: ArraySlice<UInt8>) -> Nanoseconds {
    if code == CommandCode.rfConfiguration.rawValue, parameters.first == 0x01 {
      return fieldChange
    }
    for row in rows where row.code.rawValue == code {
      return row.time.duration(of: parameters.count)
    }
    return response.duration(of: parameters.count)
  }
}
