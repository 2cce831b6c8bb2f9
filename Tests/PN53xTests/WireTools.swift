import NFCProtocols
import PN53x
import Testing

/// Bytes from pairs of hexadecimal digits, for tests that read like the wire.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hexadecimal.bytes(of: text) else {
    Issue.record("not hexadecimal: \(text)")
    return []
  }
  return bytes
}

/// Everything a decoder finds in the pieces, in order.
func events(_ pieces: [[UInt8]]) -> [HostFrameEvent] {
  var decoder = HostFrameDecoder()
  var found: [HostFrameEvent] = []
  for piece in pieces { decoder.decode(piece, into: &found) }
  decoder.finish(into: &found)
  return found
}

/// Whole, byte by byte, and cut in two at every place: the events must be the same.
func verifiedEvents(_ bytes: [UInt8]) -> [HostFrameEvent] {
  let whole = events([bytes])
  #expect(events(bytes.map { [$0] }) == whole, "byte by byte: \(Hexadecimal.pairs(bytes))")
  for cut in bytes.indices {
    let split = events([Array(bytes[..<cut]), Array(bytes[cut...])])
    if split != whole {
      Issue.record("split at \(cut): \(Hexadecimal.pairs(bytes))")
    }
  }
  return whole
}

/// A small generator with a fixed start, so that a failing round is the same tomorrow.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
