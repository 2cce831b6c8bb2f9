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
  /// From the ACK of a command to its first bit on the air.
  public var radioStart: Nanoseconds
  /// From the last bit on the air to the response that tells of it.
  public var radioReport: Nanoseconds

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
    radioStart = .zero
    radioReport = .zero
  }

  /// Everything at once.
  public static let zero = ChipLatency()

  /// Medians of a public capture of an SCL3711 (PN533 2.7 on full-speed USB, microsecond clock),
  /// fitted to the first two of its three openings and, for target mode, to half of the session.
  public static let measured: ChipLatency = {
    var latency = ChipLatency()
    latency.acknowledgement = Growing(.microseconds(460), perByte: Nanoseconds(14_000))
    latency.extendedAcknowledgement = Growing(.zero, perByte: Nanoseconds(22_560))
    latency.interruption = .microseconds(430)
    latency.response = Growing(.microseconds(550))
    latency.fieldChange = .microseconds(4_968)
    latency.repetition = .microseconds(650)
    latency.radioStart = .microseconds(300)
    latency.radioReport = .microseconds(460)
    latency.rows = [
      Row(.readRegister, Growing(.microseconds(542), perByte: Nanoseconds(98_340))),
      Row(.rfConfiguration, Growing(.microseconds(490), perByte: Nanoseconds(23_500))),
      Row(.writeRegister, Growing(.microseconds(510), perByte: Nanoseconds(20_000))),
      Row(.tgGetInitiatorCommand, Growing(.microseconds(720))),
      Row(.getFirmwareVersion, Growing(.microseconds(669))),
      Row(.setParameters, Growing(.microseconds(565))),
      Row(.diagnose, Growing(.microseconds(550), perByte: Nanoseconds(61_600))),
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
