import NFCProtocols
import PN53x

/// The rules on host frames between host and PN53x.
struct LinkLint {
  private var toChip = HostFrameDecoder()
  private var toHost = HostFrameDecoder()
  private var found: [HostFrameEvent] = []

  /// The chapter of the PN533 user manual (UM0801-03) on host frames.
  private static let source = "UM0801-03, 8.1"

  mutating func check(_ transfer: LinkTransfer) -> [LintFault] {
    guard transfer.payload == .pn53x, !transfer.bytes.isEmpty else { return [] }
    found.removeAll(keepingCapacity: true)
    let isCut = transfer.originalLength.map { $0 > transfer.bytes.count } ?? false
    switch transfer.direction {
    case .outbound: Self.decode(transfer.bytes, &toChip, isCut: isCut, into: &found)
    case .inbound: Self.decode(transfer.bytes, &toHost, isCut: isCut, into: &found)
    }
    return found.compactMap { event in
      guard case .corrupt(let reason, let bytes) = event else { return nil }
      return Self.fault(reason, bytes, isCut: isCut)
    }
  }

  private static func decode(
    _ bytes: [UInt8], _ decoder: inout HostFrameDecoder, isCut: Bool,
    into found: inout [HostFrameEvent]
  ) {
    decoder.decode(bytes, into: &found)
    // What the capture cut off never comes.
    if isCut { decoder.finish(into: &found) }
  }

  private static func fault(
    _ reason: CorruptionReason, _ bytes: [UInt8], isCut: Bool
  ) -> LintFault? {
    let shown = Hexadecimal.pairs(Array(bytes.prefix(12))) + (bytes.count > 12 ? " …" : "")
    switch reason {
    case .lengthChecksum:
      return LintFault(.lengthChecksum, "host frame whose LEN and LCS do not fit: \(shown)", source)
    case .dataChecksum:
      return LintFault(.dataChecksum, "host frame whose DCS does not fit: \(shown)", source)
    case .emptyFrame:
      return LintFault(.hostFrame, "host frame of length 0 that is no ACK: \(shown)", source)
    case .tooLong:
      return LintFault(.hostFrame, "host frame longer than any chip takes: \(shown)", source)
    case .unexpectedBytes:
      return LintFault(.hostFrame, "bytes that are no host frame: \(shown)", source)
    case .incomplete:
      if isCut { return nil }
      return LintFault(.hostFrame, "host frame that ends too early: \(shown)", source)
    }
  }
}
