public import NFCProtocols

/// What answers the APDUs of a modelled card: command in, response out.
public protocol CardApplication {
  /// What kind of card this makes, in a word or three.
  var name: String { get }
  /// Power came on, or the reader activated the card anew: nothing is selected any more.
  mutating func activated()
  /// A command APDU has arrived.
  mutating func respond(to command: [UInt8]) -> CardAnswer
}

extension CardApplication {
  /// Does nothing.
  public mutating func activated() {}
}

/// A response APDU and the time that the card needs for it.
public struct CardAnswer: Hashable, Sendable {
  /// The response APDU, status word included.
  public var bytes: [UInt8]
  /// The time from the end of the command to the response being ready.
  public var processing: Nanoseconds

  /// Makes an answer that by default is ready at once.
  public init(_ bytes: [UInt8], processing: Nanoseconds = .zero) {
    self.bytes = bytes
    self.processing = processing
  }

  /// Makes an answer of a status word alone.
  init(_ status: StatusWord, processing: Nanoseconds = .zero) {
    self.init(ResponseAPDU(status: status).bytes, processing: processing)
  }
}

/// A card whose applications are not known: it knows no file and no instruction.
public struct UnknownApplication: CardApplication, Sendable {
  /// The name.
  public let name: String

  /// Makes one.
  public init(name: String = "ISO 14443-4 card") { self.name = name }

  /// 6A82 to SELECT, 6D00 to everything else.
  public mutating func respond(to command: [UInt8]) -> CardAnswer {
    guard let apdu = try? CommandAPDU(command[...], mode: .strict) else {
      return CardAnswer(.wrongLength)
    }
    return CardAnswer(apdu.ins == 0xA4 ? .notFound : .instructionNotSupported)
  }
}
