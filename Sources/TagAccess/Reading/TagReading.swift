import NFCProtocols

/// The dialogue that reads the NDEF message of one tag type.
protocol TagReading: Sendable {
  /// The first request.
  mutating func begin() -> TagRequest
  /// Takes the answer to the last request.
  mutating func answered(_ answer: [UInt8]) throws(TagAccessError) -> ReadingMove
}

/// What follows an answer of a tag that is being read.
enum ReadingMove: Hashable, Sendable {
  case request(TagRequest)
  /// The bytes of the message, or `nil` if the tag holds none.
  case done([UInt8]?)
}

extension TagRequest {
  func error(_ problem: TagAccessError.Problem) -> TagAccessError {
    TagAccessError(step, command: bytes, problem)
  }

  func decoded<Value>(
    _ bytes: [UInt8], _ decode: ([UInt8]) throws(ProtocolError) -> Value
  ) throws(TagAccessError) -> Value {
    do {
      return try decode(bytes)
    } catch {
      throw self.error(.malformed(error, bytes))
    }
  }
}

extension [UInt8] {
  /// The first NDEF message TLV, if the data read so far holds all of it.
  ///
  /// - Returns: `.none` if more must be read.
  func firstMessage(isComplete: Bool) throws(ProtocolError) -> ReadingMove? {
    do {
      return .done(try TagTLV.firstNDEF(in: self[...]))
    } catch {
      if case .truncated = error, !isComplete { return nil }
      throw error
    }
  }
}
