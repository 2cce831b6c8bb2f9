import NFCProtocols
import NFCTrace

/// Reads the sniffer buffer of a ChameleonUltra (`hf 14a sniff`): frames without any time.
///
/// Each is a big-endian u16, bit 15 for card to reader and the rest the number of bits, then the
/// bits, lowest first. Frames of whole bytes have a parity bit behind each byte.
struct ChameleonUltraDecoder: TraceDecoder {
  private var input = InputBuffer()
  private var order = EventOrder()
  private let options: ImportOptions
  private var hasHeader = false

  init(_ options: ImportOptions) { self.options = options }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    input.append(chunk)
    while let length = Self.length(of: input.bytes), let bytes = input.peek(length) {
      if !hasHeader {
        hasHeader = true
        batch.header = TraceHeader(
          role: options.role, technology: options.technology ?? .a,
          clock: TraceClock(origin: "none"), madeBy: "ChameleonUltra 14a sniff")
      }
      var (direction, frame) = Self.frame(bytes)
      frame.technology = options.technology ?? .a
      var event = TraceEvent(start: .zero, .radio(direction, frame), isTimeUnknown: true)
      order.place(&event)
      batch.events.append(event)
      input.drop(length)
    }
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    guard input.isEmpty, hasHeader else {
      throw .badInput(
        BadInput(
          at: .byte(input.offset),
          found: input.isEmpty
            ? "an empty file" : "a frame cut off after \(input.count) bytes",
          expected: "whole frames up to the last byte, each a bit count and its bits",
          remedy: "save the sniffer's data again"))
    }
    batch.ending = TraceEnding(isComplete: nil)
  }

  /// Bytes of the frame at the start of `bytes`, or `nil` if its bit count has not arrived.
  static func length(of bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    let bits = Int(RecordFields(bytes, isBigEndian: true).u16(0) & 0x7FFF)
    return 2 + (bits + 7) / 8
  }

  /// The frame that exactly fills `bytes`.
  static func frame(_ bytes: ArraySlice<UInt8>) -> (Direction, RadioFrame) {
    let head = RecordFields(bytes, isBigEndian: true).u16(0)
    let direction: Direction = head & 0x8000 == 0 ? .outbound : .inbound
    let bits = Int(head & 0x7FFF)
    let data = bytes.dropFirst(2)
    if bits >= 9, bits % 9 == 0 {
      let (content, parity) = NineBitGroups.split(data, bitCount: bits)
      return (direction, RadioFrame(content, parity: parity))
    }
    let rest = UInt8(bits % 8)
    return (direction, RadioFrame(Array(data), lastByteBits: rest == 0 ? 8 : rest))
  }
}
