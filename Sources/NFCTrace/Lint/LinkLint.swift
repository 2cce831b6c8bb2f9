import NFCProtocols
import PN53x

/// The rules on host frames between host and PN53x.
struct LinkLint {
  private var toChip = LintPipe()
  private var toHost = LintPipe()

  /// The chapter of the PN532 user manual on frame structure.
  private static let source = "UM0701-02, 6.2.1"

  mutating func check(_ transfer: LinkTransfer) -> [LintFault] {
    guard transfer.payload == .pn53x, !transfer.bytes.isEmpty else { return [] }
    let isCut = transfer.originalLength.map { $0 > transfer.bytes.count } ?? false
    switch transfer.direction {
    case .outbound: return toChip.take(transfer.bytes, isCut: isCut)
    case .inbound: return toHost.take(transfer.bytes, isCut: isCut)
    }
  }

  fileprivate static func fault(
    _ reason: CorruptionReason, _ bytes: [UInt8]
  ) -> LintFault {
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
      return LintFault(.hostFrame, "host frame that ends too early: \(shown)", source)
    }
  }
}

/// The frames of one direction.
private struct LintPipe {
  private var decoder = HostFrameDecoder()
  private var found: [HostFrameEvent] = []
  /// True after a transfer that the capture cut off, until a whole frame is seen: the rest of the
  /// frame may come in further transfers, where it looks like bytes of no frame.
  private var isAfterCut = false

  mutating func take(_ bytes: [UInt8], isCut: Bool) -> [LintFault] {
    found.removeAll(keepingCapacity: true)
    decoder.decode(bytes, into: &found)
    // What the capture cut off never comes.
    if isCut { decoder.finish(into: &found) }
    var faults: [LintFault] = []
    for event in found {
      switch event {
      case .frame: isAfterCut = false
      case .wakeUp: break
      case .corrupt(let reason, let stretch):
        if !isCut, !isAfterCut { faults.append(LinkLint.fault(reason, stretch)) }
      }
    }
    if isCut { isAfterCut = true }
    return faults
  }
}
