import NFCProtocols

/// What an event gives to look at for personal data, on all layers that it touches.
struct TracedViews: Sendable {
  /// Bytes to look at, each once by itself.
  var views: [TracedView] = []
  /// Identifiers of cards.
  var identifiers: [TracedBytes] = []
  /// What the reader asked for in an anticollision, and what was answered.
  var anticollisions: [AnticollisionStep] = []
  /// Checksums, inner ones before those that cover them.
  var checksums: [ChecksumSpan] = []

  mutating func removeAll() {
    views.removeAll(keepingCapacity: true)
    identifiers.removeAll(keepingCapacity: true)
    anticollisions.removeAll(keepingCapacity: true)
    checksums.removeAll(keepingCapacity: true)
  }

  mutating func add(_ content: TracedBytes, _ source: TracedView.Source) {
    guard !content.isEmpty else { return }
    views.append(TracedView(content: content, source: source))
  }
}

/// Bytes to look at.
struct TracedView: Sendable {
  var content: TracedBytes
  var source: Source

  /// What the bytes are.
  enum Source: UInt8, Hashable, Sendable {
    /// The data of a command APDU.
    case commandData
    /// The data of a response APDU, all parts of it.
    case responseData
    /// Memory of a tag, a file, a stream of a peer.
    case memory
    /// A frame that carries none of these.
    case frame
    /// Words of a person or a program.
    case words
  }
}

/// One step of an anticollision of type A: part of an identifier, cut at a bit.
struct AnticollisionStep: Sendable {
  /// The bytes of the identifier part that are in the frame.
  var content: TracedBytes
  /// How many bits of the part come before the frame's first one.
  var bitsBefore: Int
  /// How many bits of the part are in the frame.
  var bits: Int
}

/// A checksum in a trace: what it covers and where it stands.
struct ChecksumSpan: Sendable {
  var kind: Kind
  var covered: TracedBytes
  var check: TracedBytes

  /// How the check value is made.
  enum Kind: Hashable, Sendable {
    /// The two bytes of a CRC.
    case crc(CRC16)
    /// The byte that makes the sum of a host frame zero (DCS).
    case dataChecksum
    /// The byte that makes the exclusive-or of a UID part zero (BCC).
    case blockCheck
  }

  /// The check value of some bytes.
  func value(of bytes: [UInt8]) -> [UInt8] {
    switch kind {
    case .crc(let variant): Array(variant.appended(to: bytes).suffix(CRC16.byteCount))
    case .dataChecksum: [0 &- bytes.reduce(0, &+)]
    case .blockCheck: [bytes.reduce(0, ^)]
    }
  }
}
