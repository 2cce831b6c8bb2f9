public import NFCProtocols

/// The recorded exchanges of one layer, ready to be played by either side.
public struct ReplayScript: Sendable {
  /// The layer whose messages are matched.
  public var layer: ReplayLayer
  /// The exchanges in their order.
  public var entries: [ScriptEntry]
  /// What is known of the card's activation, for layers above it.
  public var activation: RecordedActivation
  /// The technology of the first exchange.
  public var technology: Technology
  /// How messages stand on the link, for the layer `chip`.
  public var framing: LinkFraming
  /// What the recording holds and the script does not, in words, for the report.
  public var remarks: [String]
  /// True if exchanges behind the last one were cut off: commands after it are not compared.
  public var isCut = false
  /// The NDEF message of the whole recording, if the script was cut.
  var messageBeforeCut: [UInt8]?

  /// Makes a script.
  public init(
    layer: ReplayLayer, entries: [ScriptEntry],
    activation: RecordedActivation = RecordedActivation(), technology: Technology = .a,
    framing: LinkFraming = .hostFrames, remarks: [String] = []
  ) {
    self.layer = layer
    self.entries = entries
    self.activation = activation
    self.technology = technology
    self.framing = framing
    self.remarks = remarks
  }
}

/// The layer whose messages a replay matches; everything below is played by state machines.
public enum ReplayLayer: String, Hashable, Sendable, CaseIterable {
  /// Frames on the air, activation included.
  case radio
  /// APDUs; activation and blocks are below matching.
  case apdu
  /// Commands and responses of a PN53x; ACK, NACK and resending are below matching.
  case chip
}

/// How messages stand on a link between host and chip.
public enum LinkFraming: Hashable, Sendable {
  /// PN53x host frames with ACK; messages are bodies from the TFI on, an ACK is an empty one.
  case hostFrames
  /// One message a transfer, without acknowledgement: CCID, NCI.
  case messages
}

/// One recorded exchange: a command and what came back.
///
/// At the layers `apdu` and `chip` a frame is nothing but its whole bytes. At the layer `chip` an
/// empty answer is the ACK of the chip.
public struct ScriptEntry: Hashable, Sendable {
  /// The command.
  public var command: RadioFrame
  /// From the end of what came before to the start of the command.
  public var gap: Nanoseconds
  /// What came back, in its order; empty if there was silence.
  public var answers: [ScriptAnswer]
  /// The limit within which the answer had to begin.
  public var limit: TimeLimit
  /// The field was switched off and on again before the command.
  public var fieldReset: FieldReset?
  /// The index of the command's event in the trace.
  public var eventIndex: Int

  /// Makes an exchange.
  public init(
    command: RadioFrame, gap: Nanoseconds, answers: [ScriptAnswer], limit: TimeLimit,
    fieldReset: FieldReset? = nil, eventIndex: Int = 0
  ) {
    self.command = command
    self.gap = gap
    self.answers = answers
    self.limit = limit
    self.fieldReset = fieldReset
    self.eventIndex = eventIndex
  }
}

/// A recorded answer.
public struct ScriptAnswer: Hashable, Sendable {
  /// The answer.
  public var frame: RadioFrame
  /// From the end of the frame before to the start of the answer.
  public var delay: Nanoseconds

  /// Makes an answer.
  public init(_ frame: RadioFrame, delay: Nanoseconds) {
    self.frame = frame
    self.delay = delay
  }
}

/// The field going off and on again between two exchanges.
public struct FieldReset: Hashable, Sendable {
  /// From the end of the frame before to the field going off.
  public var offAfter: Nanoseconds
  /// How long it was off.
  public var duration: Nanoseconds

  /// Makes a reset.
  public init(offAfter: Nanoseconds, duration: Nanoseconds) {
    self.offAfter = offAfter
    self.duration = duration
  }
}

/// What a recording tells of the card's activation.
public struct RecordedActivation: Hashable, Sendable {
  /// The UID, or the PUPI of type B.
  public var uid: [UInt8]?
  /// The two bytes of the ATQA as sent.
  public var atqa: [UInt8]?
  /// The SAK.
  public var sak: UInt8?
  /// The ATS from TL on, without CRC.
  public var ats: [UInt8]?
  /// The ATQB from `50` on, without CRC.
  public var atqb: [UInt8]?

  /// Makes an activation of which nothing is known.
  public init() {}
}
