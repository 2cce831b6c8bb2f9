public import NFCProtocols
public import PN53x

/// Why a tag could not be read: at which step, after which command, and what came of it.
public struct TagAccessError: Error, Hashable, Sendable {
  /// What the reader was about to do.
  public var step: Step
  /// The command that was sent last, without CRC; an APDU where the tag speaks ISO-DEP.
  public var command: [UInt8]
  /// What went wrong.
  public var problem: Problem

  /// Makes an error.
  public init(_ step: Step, command: [UInt8], _ problem: Problem) {
    self.step = step
    self.command = command
    self.problem = problem
  }

  /// The steps of reading a tag.
  public enum Step: Hashable, Sendable {
    /// Looking for a tag of a technology.
    case poll(Technology)
    /// Learning a part of a UID, cascade level 1 to 3.
    case anticollision(level: Int)
    /// Selecting a type A tag, cascade level 1 to 3.
    case select(level: Int)
    /// Starting ISO-DEP on type A.
    case rats
    /// Changing the bit rate.
    case pps
    /// Starting ISO-DEP on type B.
    case attrib
    /// Selecting the NDEF application of a Type 4 tag.
    case selectApplication
    /// Selecting the capability container file of a Type 4 tag.
    case selectCapabilityFile
    /// Reading what the tag can do: capability container or attribute block.
    case readCapability
    /// Selecting the NDEF file of a Type 4 tag.
    case selectMessageFile
    /// Reading the length of the message.
    case readLength
    /// Reading the message.
    case readMessage
    /// Decoding the message that was read.
    case decodeMessage
    /// Exchanging an APDU for an application.
    case exchange
    /// Proving a key to a MIFARE Classic card.
    case authenticate
    /// Exchanging a command of a card without ISO-DEP.
    case command
    /// Ending the session.
    case close
  }

  /// What can go wrong.
  public enum Problem: Hashable, Sendable {
    /// No tag answered to any technology that was asked for.
    case noTag
    /// No answer began within the limit; `waited` counts from the end of the first attempt.
    case noAnswer(TimeLimit, waited: Nanoseconds, attempts: Int)
    /// The answer has a wrong CRC or is broken in another way.
    case damagedAnswer([UInt8])
    /// More than one tag answered at the same time.
    case collision
    /// The answer is sound but not one to this command.
    case unexpectedAnswer([UInt8], expected: String)
    /// The answer, or what was read, breaks the rules of its format.
    case malformed(ProtocolError, [UInt8])
    /// The card refused the command with a status word.
    case refused(StatusWord)
    /// The tag refused the command with a code of its technology (NAK, error code, status flag).
    case refusedByTag(UInt8)
    /// The block protocol gave the card up.
    case blocks(IsoDepFailure)
    /// The tag is fine but more than this reader can do.
    case unsupported(String)
    /// The chip or the link to it failed, or the chip reports this of the tag.
    case chip(CommandFailure)
    /// Another tag lies there than the one that was asked for.
    case otherTag([UInt8])
  }

  /// The error as one line of text without a full stop.
  public var message: String {
    let name = step.name
    switch problem {
    case .noTag: return "no tag found"
    case .noAnswer(let limit, let waited, let attempts):
      return "\(name): no answer to \(Hexadecimal.pairs(command)) within "
        + "\(Self.milliseconds(limit.duration)), waited \(Self.milliseconds(waited)), "
        + "attempts \(attempts)"
    case .damagedAnswer(let bytes):
      return "\(name): damaged answer \(Hexadecimal.pairs(bytes)) to \(Hexadecimal.pairs(command))"
    case .collision: return "\(name): more than one tag answered"
    case .unexpectedAnswer(let bytes, let expected):
      return "\(name): answer \(Hexadecimal.pairs(bytes)) to \(Hexadecimal.pairs(command)), "
        + "expected \(expected)"
    case .malformed(let error, _): return "\(name): \(error.message)"
    case .refused(let status):
      var text = TextBuffer(capacity: 4)
      text.append(hex: status.sw1)
      text.append(hex: status.sw2)
      return "\(name): \(Hexadecimal.pairs(command)) refused with \(text.string)"
        + (status.name.map { " (\($0))" } ?? "")
    case .refusedByTag(let code):
      return "\(name): \(Hexadecimal.pairs(command)) refused with code "
        + Hexadecimal.pairs([code])
    case .blocks(let failure):
      return "\(name): card given up after \(Hexadecimal.pairs(command)): "
        + "\(failure.reason.text), limit \(Self.milliseconds(failure.limit.duration)), "
        + "waited \(Self.milliseconds(failure.waited))"
        + (failure.lateAnswer.map { ", an answer came \(Self.milliseconds($0)) too late" } ?? "")
    case .unsupported(let what): return "\(name): \(what)"
    case .chip(let failure): return "\(name): \(failure.message)"
    case .otherTag(let identifier):
      return "\(name): another tag answered, \(Hexadecimal.pairs(identifier))"
    }
  }

  /// A length of time in milliseconds with three digits behind the point.
  static func milliseconds(_ time: Nanoseconds) -> String {
    var text = TextBuffer(capacity: 16)
    let micro = (time.count + 500) / 1_000
    text.append(decimal: micro / 1_000)
    text.append(ascii: 0x2E)
    text.append(decimal: micro % 1_000, width: 3, pad: 0x30)
    text.append(" ms")
    return text.string
  }
}

extension TagAccessError.Step {
  /// The step in words.
  public var name: String {
    switch self {
    case .poll(let technology):
      "polling for type " + String(decoding: [technology.letter], as: UTF8.self)
    case .anticollision(let level): "anticollision, cascade level \(level)"
    case .select(let level): "SELECT, cascade level \(level)"
    case .rats: "RATS"
    case .pps: "PPS"
    case .attrib: "ATTRIB"
    case .selectApplication: "selecting the NDEF application"
    case .selectCapabilityFile: "selecting the capability container"
    case .readCapability: "reading the capability container"
    case .selectMessageFile: "selecting the NDEF file"
    case .readLength: "reading the length of the NDEF message"
    case .readMessage: "reading the NDEF message"
    case .decodeMessage: "decoding the NDEF message"
    case .exchange: "exchanging an APDU"
    case .authenticate: "authentication"
    case .command: "exchanging a command"
    case .close: "ending the session"
    }
  }
}

extension IsoDepFailure.Reason {
  var text: String {
    switch self {
    case .silence: "silence"
    case .damagedBlock: "damaged block"
    case .unexpectedBlock(let pcb): "unexpected block " + Hexadecimal.pairs([pcb])
    case .wrongBlockNumber: "wrong block number"
    case .blockTooLong(let count): "block of \(count) bytes"
    case .illegalMultiplier(let multiplier): "illegal WTXM \(multiplier)"
    case .retransmissionRefused: "the card asked for the same block for ever"
    case .responseTooLong: "response too long"
    case .exchangeLimit: "exchange limit"
    }
  }
}
