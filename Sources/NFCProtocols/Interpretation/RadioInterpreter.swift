/// Follows the frames between a reader and a card and says what each one is.
///
/// It keeps the state that gives frames their meaning: technology, progress of the activation,
/// whether ISO-DEP or Crypto1 is in force, the last command. It makes no copies of frames.
public struct RadioInterpreter: Sendable {
  /// The technology of frames that do not name their own, if the trace says so.
  public var defaultTechnology: Technology?

  var guessedTechnology: Technology?
  var lastCommand: RadioMeaning.Kind = .unknown
  var lastParameter: UInt16 = 0
  var sak: UInt8?
  var isISODEPActive = false
  /// True after a command of Type 2 or Classic in this activation, which speaks against blocks.
  var hasSeenMemoryCommand = false
  var isEnciphered = false
  var hasSeenGoodCRC = false
  var blocks = BlockHistory()

  /// Makes an interpreter at the start of a trace.
  public init(defaultTechnology: Technology? = nil) {
    self.defaultTechnology = defaultTechnology
  }

  /// True if blocks of ISO/IEC 14443-4 are being exchanged.
  public var isTransmissionProtocolActive: Bool { isISODEPActive }

  /// The kind of the last frame of the reader, which an answer is read in the light of.
  public var kindOfLastCommand: RadioMeaning.Kind { lastCommand }

  /// The first number of the last frame of the reader, for example the page of a READ.
  public var parameterOfLastCommand: UInt16 { lastParameter }

  /// True unless the card is known to be of another kind than Type 2.
  public var isType2: Bool { sak.map { $0 & 0x7B == 0 } ?? true }

  /// Tells that the field went on or off: every card begins anew.
  public mutating func fieldChanged() { reset() }

  mutating func reset() {
    lastCommand = .unknown
    sak = nil
    isISODEPActive = false
    hasSeenMemoryCommand = false
    isEnciphered = false
    blocks = BlockHistory()
  }

  /// Says what a frame is, and takes note of it.
  public mutating func interpret(_ direction: Direction, _ frame: RadioFrame) -> RadioMeaning {
    guard !frame.bytes.isEmpty else { return RadioMeaning(.empty) }
    let technology: Technology
    var fits: Bool?
    if let named = frame.technology ?? defaultTechnology {
      technology = named
    } else {
      (technology, fits) = guess(frame)
    }
    let (end, check) = checkValue(of: frame, technology, fits: fits)
    var meaning: RadioMeaning
    switch technology {
    case .a: meaning = typeA(direction, frame, end: end)
    case .b: meaning = typeB(direction, frame, end: end)
    case .f: meaning = feliCa(direction, frame.bytes, end: end)
    case .v: meaning = vicinity(direction, frame.bytes, end: end)
    }
    meaning.technology = technology
    meaning.checkValue = check
    if check == .bad, !meaning.kind.hasCheckValue(countOfBytes: frame.bytes.count) {
      meaning.checkValue = .absent
      meaning.contentEnd = max(meaning.contentStart, frame.bytes.count)
    }
    if direction == .outbound {
      lastCommand = meaning.kind
      lastParameter = meaning.first
    }
    return meaning
  }

  /// Where the content ends, and whether the two bytes behind it are a check value.
  ///
  /// - Parameter fits: Whether they fit, where that is known already.
  private mutating func checkValue(
    of frame: RadioFrame, _ technology: Technology, fits: Bool?
  ) -> (end: Int, RadioMeaning.CheckValue) {
    let count = frame.bytes.count
    switch frame.crc {
    case .good?: return (max(count - 2, 0), .good)
    case .bad?: return (max(count - 2, 0), .bad)
    case .notCaptured?, .absent?: return (count, .absent)
    case nil: break
    }
    guard count > 2, frame.lastByteBits == 8 else { return (count, .absent) }
    if fits ?? CRC16(of: technology).check(frame.bytes) {
      hasSeenGoodCRC = true
      return (count - 2, .good)
    }
    // In a trace whose frames carry check values, a value that does not fit is a wrong one.
    return hasSeenGoodCRC ? (count - 2, .bad) : (count, .absent)
  }

  /// The technology whose check value fits; else the one guessed last; else A.
  ///
  /// - Returns: The technology, and whether its check value fits if that came to light.
  private mutating func guess(_ frame: RadioFrame) -> (Technology, fits: Bool?) {
    guard frame.bytes.count > 2, frame.lastByteBits == 8 else {
      if frame.bytes.count == 1, frame.bytes[0] == 0x26 || frame.bytes[0] == 0x52 {
        guessedTechnology = .a
      }
      return (guessedTechnology ?? .a, nil)
    }
    if CRC16.a.check(frame.bytes) {
      guessedTechnology = .a
      return (.a, true)
    }
    let bytes = frame.bytes
    if CRC16.b.check(bytes) {
      let isTypeB =
        bytes[0] == 0x05 && bytes.count == 5 || bytes[0] == 0x50 && bytes.count >= 7
        || bytes[0] == 0x1D && bytes.count >= 10
      let technology = isTypeB || guessedTechnology == .b ? Technology.b : .v
      guessedTechnology = technology
      return (technology, true)
    }
    if Int(bytes[0]) == bytes.count - 2, CRC16.felica.check(bytes) {
      guessedTechnology = .f
      return (.f, true)
    }
    let technology = guessedTechnology ?? .a
    return (technology, technology == .f ? nil : false)
  }
}

extension RadioMeaning.Kind {
  /// True if frames of this kind end with a check value when they have more than `countOfBytes`.
  func hasCheckValue(countOfBytes: Int) -> Bool {
    switch self {
    case .reqA, .wupA, .atqA, .anticollision, .anticollisionAnswer, .magicWakeUp, .shortAnswer,
      .nonce, .readerAnswer, .cardAnswer, .encrypted, .empty, .unknown:
      false
    default: countOfBytes > 2
    }
  }
}

extension RadioInterpreter {
  /// Tells that a chip has activated a card by itself, so that the frames of it were not seen.
  public mutating func activated(_ technology: Technology, sak: UInt8?, isISODEP: Bool) {
    reset()
    guessedTechnology = technology
    self.sak = sak
    isISODEPActive = isISODEP
  }
}
