public import NFCProtocols

/// What users implement to be a card: command APDU in, response APDU out.
///
/// A card program that is asked and answers at once is enough; the time that real work would take
/// is declared in the answer. Everything below APDUs (activation, blocks, chaining, requests for
/// more time) is done by `CardEmulator`.
///
/// ```swift
/// struct CounterCard: EmulatedCard {
///   var count: UInt8 = 0
///   mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
///     count += 1
///     return EmulatedAnswer([count, 0x90, 0x00], processing: .milliseconds(3))
///   }
///   mutating func fieldLost() { count = 0 }
/// }
/// ```
public protocol EmulatedCard: Sendable {
  /// A reader has activated the card; nothing of an earlier session counts any more.
  mutating func activated()
  /// A command APDU has arrived. Whether its answer reaches the reader cannot be known here.
  mutating func respond(to command: [UInt8]) -> EmulatedAnswer
  /// The reader has ended the session in good order.
  mutating func deselected()
  /// The field has gone, perhaps while an answer was under way.
  mutating func fieldLost()
}

extension EmulatedCard {
  /// Does nothing.
  public mutating func activated() {}
  /// Does nothing.
  public mutating func deselected() {}
  /// Does nothing.
  public mutating func fieldLost() {}
}

/// A response APDU and the time that the card needs for it.
public struct EmulatedAnswer: Hashable, Sendable {
  /// The response APDU, status word included.
  public var bytes: [UInt8]
  /// The time from the end of the command to the response being ready.
  public var processing: Nanoseconds

  /// Makes an answer that by default is ready at once.
  public init(_ bytes: [UInt8], processing: Nanoseconds = .zero) {
    precondition(processing >= .zero, "work takes no negative time")
    self.bytes = bytes
    self.processing = processing
  }
}
