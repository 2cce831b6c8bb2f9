/// What a decoder found on a link.
public enum HostFrameEvent: Hashable, Sendable {
  /// A frame whose checksums fit.
  case frame(HostFrame)
  /// One or more `55`: a host wakes a chip on a serial line.
  case wakeUp
  /// Bytes that are no frame, from where the fault begins to where the decoder tries again.
  case corrupt(CorruptionReason, [UInt8])
}

/// Why bytes on a link are no frame.
public enum CorruptionReason: UInt8, Hashable, Sendable {
  /// Length and length checksum (LCS) do not fit each other.
  case lengthChecksum
  /// Body and data checksum (DCS) do not fit each other.
  case dataChecksum
  /// The length is zero but this is no ACK (seen in the field: `00 00 FF 00 00 D5 00`).
  case emptyFrame
  /// The length is more than any chip sends.
  case tooLong
  /// Bytes between frames that are neither preamble, postamble nor wake-up.
  case unexpectedBytes
  /// The input ended inside a frame.
  case incomplete
}

/// Takes the bytes of one direction of a link in pieces of any size and finds the frames.
///
/// The events do not depend on how the bytes are cut into pieces. Any number of preamble bytes, no
/// postamble, and frames that touch each other are accepted. After a fault it resynchronises.
public struct HostFrameDecoder: Sendable {
  /// Bytes that are not yet decided, from `position` on.
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAfterWakeUp = false

  /// The longest undecided stretch in bytes: the longest header, body and checksum.
  public static let maximumPending = 8 + Chip.rcS380MaximumBodyLength + 1
  /// The longest stretch in bytes of unexpected bytes that is reported as one event.
  public static let maximumUnexpected = 64

  /// Makes a decoder for a link on which nothing has been seen yet.
  public init() {}

  /// How many bytes are kept, waiting for the rest of a frame.
  public var pendingCount: Int { buffer.count - position }

  /// Takes the next bytes and appends what they complete to `events`.
  public mutating func decode(_ bytes: ArraySlice<UInt8>, into events: inout [HostFrameEvent]) {
    buffer.append(contentsOf: bytes)
    while step(into: &events) {}
    if position == buffer.count {
      buffer.removeAll(keepingCapacity: true)
    } else if position > 0 {
      buffer.removeFirst(position)
    }
    position = 0
  }

  /// Takes the next bytes and appends what they complete to `events`.
  public mutating func decode(_ bytes: [UInt8], into events: inout [HostFrameEvent]) {
    decode(bytes[...], into: &events)
  }

  /// Tells that no more bytes come, and reports what is left as `incomplete`; begins anew.
  public mutating func finish(into events: inout [HostFrameEvent]) {
    var start = position
    while start < buffer.count, buffer[start] == 0 { start += 1 }
    if start < buffer.count {
      let isFrame = buffer[start] == 0xFF && start > position
      let from = isFrame ? start - 1 : start
      let reason = isFrame ? CorruptionReason.incomplete : .unexpectedBytes
      events.append(.corrupt(reason, Array(buffer[from...])))
    }
    buffer.removeAll(keepingCapacity: true)
    position = 0
    isAfterWakeUp = false
  }

  /// Decides the next stretch of the buffer; false if more bytes are needed.
  private mutating func step(into events: inout [HostFrameEvent]) -> Bool {
    let end = buffer.count
    guard position < end else { return false }
    switch buffer[position] {
    case 0x00:
      isAfterWakeUp = false
      guard position + 1 < end else { return false }
      guard buffer[position + 1] == 0xFF else {
        position += 1
        return true
      }
      return frame(into: &events)
    case 0x55:
      if !isAfterWakeUp { events.append(.wakeUp) }
      isAfterWakeUp = true
      position += 1
      return true
    default:
      return unexpected(into: &events)
    }
  }

  /// Reports bytes outside frames up to the next `00`, which may begin a frame.
  private mutating func unexpected(into events: inout [HostFrameEvent]) -> Bool {
    let limit = position + HostFrameDecoder.maximumUnexpected
    var stop = position
    while stop < buffer.count, stop < limit, buffer[stop] != 0 { stop += 1 }
    guard stop < buffer.count || stop == limit else { return false }
    isAfterWakeUp = false
    corrupt(.unexpectedBytes, upTo: stop, into: &events)
    return true
  }

  /// Decides the frame whose start code is at `position`.
  private mutating func frame(into events: inout [HostFrameEvent]) -> Bool {
    switch FrameHeader(buffer, at: position) {
    case .needsMore:
      return false
    case .ack:
      accept(.ack, length: 4, into: &events)
    case .nack:
      accept(.nack, length: 4, into: &events)
    case .corrupt(let reason, let length):
      // The start code may be real or not: what follows it is looked at again.
      let stop = FrameHeader.resumption(in: buffer, from: position + 2, to: position + length)
      corrupt(reason, upTo: stop, into: &events)
    case .information(let headerLength, let bodyLength, let form):
      let bodyStart = position + headerLength
      let bodyEnd = bodyStart + bodyLength
      guard bodyEnd < buffer.count else { return false }
      let body = buffer[bodyStart..<bodyEnd]
      guard HostFrame.dataChecksum(of: body) == buffer[bodyEnd] else {
        let stop = FrameHeader.resumption(in: buffer, from: bodyStart, to: bodyEnd + 1)
        corrupt(.dataChecksum, upTo: stop, into: &events)
        return true
      }
      let isError = bodyLength == 1 && buffer[bodyStart] == HostFrame.errorIdentifier
      let frame: HostFrame =
        isError && form == .normal ? .error : .information(Array(body), form)
      accept(frame, length: bodyEnd + 1 - position, into: &events)
    }
    return true
  }

  private mutating func accept(
    _ frame: HostFrame, length: Int, into events: inout [HostFrameEvent]
  ) {
    events.append(.frame(frame))
    position += length
  }

  private mutating func corrupt(
    _ reason: CorruptionReason, upTo stop: Int, into events: inout [HostFrameEvent]
  ) {
    events.append(.corrupt(reason, Array(buffer[position..<stop])))
    position = stop
  }
}
