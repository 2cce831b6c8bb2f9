import NFCProtocols
import NFCTrace

/// The quick way through the bulk of a large capture: whole ISO 14443 frames in enhanced packet
/// blocks without options.
///
/// Whatever is not exactly that is left where it is, for `SectionReader.step` with all its checks.
extension SectionReader {
  /// One frame; `bytes` is valid only while it is visited.
  struct PlainFrame {
    var event: UInt8
    /// The ticks of the interface.
    var ticks: Int64
    /// Nanoseconds since 1970.
    var time: Nanoseconds
    var bytes: UnsafeRawBufferPointer
  }

  /// The interface whose packets can be read quickly: its number, and the length of its tick.
  func plainInterface(tickUnit: String?) -> (number: UInt32, tick: Nanoseconds)? {
    guard !isNFCGate, !isBigEndian else { return nil }
    guard
      let number = interfaces.firstIndex(where: {
        $0.linkType == LinkType.iso14443 && $0.offset == 0 && $0.resolution.name == tickUnit
      })
    else { return nil }
    switch interfaces[number].resolution {
    case .nanoseconds: return (UInt32(number), Nanoseconds(1))
    case .microseconds: return (UInt32(number), Nanoseconds(1_000))
    default: return nil
    }
  }

  /// Visits the plain frames at the head of the input and passes them.
  ///
  /// - Returns: How many there were.
  func visitPlainFrames(
    of interface: (number: UInt32, tick: Nanoseconds), in input: inout InputBuffer,
    visit: (PlainFrame) -> Void
  ) -> Int {
    var count = 0
    input.consume { bytes in
      var place = 0
      while let (frame, length) = Self.plainFrame(bytes, at: place, of: interface) {
        visit(frame)
        place += length
        count += 1
      }
      return place
    }
    return count
  }

  private static func plainFrame(
    _ bytes: UnsafeRawBufferPointer, at place: Int,
    of interface: (number: UInt32, tick: Nanoseconds)
  ) -> (frame: PlainFrame, length: Int)? {
    func u32(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place + offset, as: UInt32.self))
    }
    // An enhanced packet block has 28 bytes in front of the packet and 4 behind it.
    guard place + 36 <= bytes.count, u32(0) == 6, u32(8) == interface.number else { return nil }
    let (length, captured) = (Int(u32(4)), Int(u32(20)))
    guard captured >= ISO14443Packet.headerLength, captured <= CaptureContainer.packetLimit,
      length == 32 + (captured + 3) / 4 * 4, place + length <= bytes.count,
      Int(u32(length - 4)) == length, Int(u32(24)) == captured,
      bytes[place + 28] == 0,
      Int(bytes[place + 30]) << 8 | Int(bytes[place + 31]) == captured - 4
    else { return nil }
    let event = bytes[place + 29]
    guard event >= ISO14443Packet.readerToCardNoCRC, event != ISO14443Packet.fieldOn,
      event != ISO14443Packet.fieldOff
    else { return nil }
    let ticks = UInt64(u32(12)) << 32 | UInt64(u32(16))
    guard let ticks = Int64(exactly: ticks), ticks > 0 else { return nil }
    let (time, overflows) = ticks.multipliedReportingOverflow(by: interface.tick.count)
    guard !overflows else { return nil }
    let frame = UnsafeRawBufferPointer(rebasing: bytes[(place + 32)..<(place + 28 + captured)])
    return (PlainFrame(event: event, ticks: ticks, time: Nanoseconds(time), bytes: frame), length)
  }
}
