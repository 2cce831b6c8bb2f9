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
  /// What the data area as far as it was read says of the first NDEF message TLV.
  ///
  /// - Returns: `nil` if more of the area must be read.
  func firstMessage(isComplete: Bool) throws(ProtocolError) -> ReadingMove? {
    do {
      if let message = try TagTLV.firstNDEF(in: self[...]) { return .done(message) }
      // No message so far; the area goes on unless the blocks have come to their end.
      let isOver = try TagTLV.blocks(in: self[...]).last?.tag == .terminator
      return isOver || isComplete ? .done(nil) : nil
    } catch {
      if case .truncated = error, !isComplete { return nil }
      throw error
    }
  }
}
