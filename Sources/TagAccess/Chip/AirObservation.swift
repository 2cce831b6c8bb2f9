public import NFCProtocols
import PN53x

/// Something on the air as a driver knows of it, with how sure its time is.
public struct AirObservation: Hashable, Sendable {
  /// When it began, estimated.
  public var start: VirtualInstant
  /// When it ended, estimated.
  public var end: VirtualInstant
  /// How far off both may be at most.
  public var uncertainty: Nanoseconds
  /// What it was.
  public var content: Content

  /// Makes an observation.
  public init(
    start: VirtualInstant, end: VirtualInstant, uncertainty: Nanoseconds, _ content: Content
  ) {
    self.start = start
    self.end = end
    self.uncertainty = uncertainty
    self.content = content
  }

  /// What can be on the air.
  public enum Content: Hashable, Sendable {
    /// The reader's field went on or off.
    case field(isOn: Bool)
    /// A frame.
    case frame(Direction, RadioFrame)
    /// An APDU, where the chip keeps the frames to itself.
    case apdu(Direction, [UInt8])
    /// Something below the level of bytes.
    case note(RadioNote)
  }
}

/// When a frame and its answer were on the air, as far as the stamps of a USB link can tell.
///
/// The chip sends after it has acknowledged the command and answers the host after the frame of the
/// card has ended. Air times follow from the bytes. What is left of the time between
/// acknowledgement and answer, less what the chip needs for a command without radio (0.55 ms and
/// 14 µs a byte on an SCL3711, firmware-notes/pn53x/acknowledgement-limit.md), is the card's delay;
/// the chip's own time is put half before and half behind. The uncertainty is what remains
/// possible: a frame cannot begin before the command was handed to the link, nor end after the
/// answer arrived.
struct AirEstimate: Hashable, Sendable {
  var commandStart: VirtualInstant
  var commandEnd: VirtualInstant
  /// The answer, or `nil` for silence.
  var answerStart: VirtualInstant?
  var uncertainty: Nanoseconds

  /// Chip and link together, for a command without radio.
  static let chipTime = Nanoseconds.microseconds(550)
  static let timePerByte = Nanoseconds.microseconds(14)

  /// - Parameters:
  ///   - command: The air time of the command.
  ///   - answer: The air time of the answer, or `nil` for silence.
  ///   - delay: The least time between both, or the limit that ran out in silence.
  init(
    _ stamps: CommandStamps, command: Nanoseconds, answer: Nanoseconds?, delay: Nanoseconds
  ) {
    let requested = stamps.requested
    let answered = stamps.answered ?? stamps.requested
    let begin = max(stamps.acknowledged ?? stamps.sent ?? requested, requested)
    let transfer = Self.timePerByte * Int64(max(stamps.answerLength - 9, 0))
    let onAir = command + delay + (answer ?? .zero)
    let slack = max(.zero, answered - begin - onAir)
    let overhead = min(slack, Self.chipTime + transfer)
    let lead = min(Nanoseconds(overhead.count / 2), Nanoseconds(Self.chipTime.count / 2))
    commandStart = begin + lead
    commandEnd = commandStart + command
    // Nothing can have begun later than this.
    let latest = max(answered + (.zero - onAir), requested)
    var spread = max(commandStart - requested, latest - commandStart)
    if let answer {
      let end = max(answered + (lead - overhead), commandEnd + delay + answer)
      let start = end + (.zero - answer)
      answerStart = start
      spread = max(spread, max(start - (requested + command + delay), answered - end))
    }
    uncertainty = max(spread, .zero)
  }
}
