import NFCProtocols
import PN53x

/// A whole message between host and chip, with the places of its bytes.
struct TracedMessage {
  var direction: Direction
  var content: Content

  enum Content {
    /// A host frame and its body.
    case frame(HostFrame, TracedBytes)
    /// A CCID message.
    case ccid(TracedBytes)
    /// An NCI packet.
    case nci(TracedBytes)
    /// Bytes that are no whole message.
    case other(TracedBytes)
  }
}

/// Puts transfers together to whole messages and knows where each byte stands.
struct LinkTracer: Sendable {
  private var toChip = Stream()
  private var toHost = Stream()

  /// Takes one transfer and appends the messages that it completes.
  mutating func take(
    _ transfer: LinkTransfer, event: Int, into messages: inout [TracedMessage],
    _ checksums: inout [ChecksumSpan]
  ) {
    switch transfer.direction {
    case .outbound: toChip.take(transfer, event, &messages, &checksums)
    case .inbound: toHost.take(transfer, event, &messages, &checksums)
    }
  }

  /// One direction of a link.
  private struct Stream: Sendable {
    var decoder = HostFrameDecoder()
    var frames = TracedBytes()
    var messages = TracedBytes()

    mutating func take(
      _ transfer: LinkTransfer, _ event: Int, _ found: inout [TracedMessage],
      _ checksums: inout [ChecksumSpan]
    ) {
      let bytes = TracedBytes(transfer.bytes, event: event)
      switch transfer.payload {
      case .pn53x:
        cutFrames(bytes, transfer, &found, &checksums)
      case .ccid, .nci:
        messages.append(bytes)
        let isWhole = transfer.payload == .nci && transfer.transport == .unspecified
        cutMessages(transfer, isWhole: isWhole, &found)
      case .other:
        if !bytes.isEmpty {
          found.append(TracedMessage(direction: transfer.direction, content: .other(bytes)))
        }
      }
    }

    /// A frame is found with its last byte, so bytes are given one by one to know where it ends.
    private mutating func cutFrames(
      _ bytes: TracedBytes, _ transfer: LinkTransfer, _ found: inout [TracedMessage],
      _ checksums: inout [ChecksumSpan]
    ) {
      let before = frames.count
      frames.append(bytes)
      var events: [HostFrameEvent] = []
      for index in before..<frames.count {
        decoder.decode([frames.bytes[index]], into: &events)
        guard !events.isEmpty else { continue }
        for event in events {
          report(event, end: index + 1, transfer.direction, &found, &checksums)
        }
        events.removeAll(keepingCapacity: true)
      }
      if transfer.originalLength.map({ $0 > transfer.bytes.count }) ?? false {
        decoder.finish(into: &events)
      }
      if decoder.pendingCount == 0 || frames.count > 2 * HostFrameDecoder.maximumPending {
        frames.removeFirst(frames.count - decoder.pendingCount)
      }
    }

    private func report(
      _ event: HostFrameEvent, end: Int, _ direction: Direction, _ found: inout [TracedMessage],
      _ checksums: inout [ChecksumSpan]
    ) {
      switch event {
      case .wakeUp: break
      case .corrupt(_, let bytes):
        let start = end - bytes.count
        guard start >= 0, frames.bytes[start..<end].elementsEqual(bytes) else { return }
        found.append(TracedMessage(direction: direction, content: .other(frames[start..<end])))
      case .frame(let frame):
        let body = frame.body
        // The decoder may look past the checksum by a postamble when it resumes after a fault.
        for checksumPlace in [end - 1, end - 2] {
          let start = checksumPlace - body.count
          guard start >= 0, frames.bytes[start..<checksumPlace].elementsEqual(body) else {
            continue
          }
          let traced = frames[start..<checksumPlace]
          found.append(TracedMessage(direction: direction, content: .frame(frame, traced)))
          if !body.isEmpty {
            checksums.append(
              ChecksumSpan(
                kind: .dataChecksum, covered: traced,
                check: frames[checksumPlace..<(checksumPlace + 1)]))
          }
          return
        }
      }
    }

    private mutating func cutMessages(
      _ transfer: LinkTransfer, isWhole: Bool, _ found: inout [TracedMessage]
    ) {
      while let length = isWhole ? messages.count : lengthOfMessage(transfer.payload) {
        guard length > 0, length <= messages.count else { break }
        let message = messages[0..<length]
        found.append(
          TracedMessage(
            direction: transfer.direction,
            content: transfer.payload == .ccid ? .ccid(message) : .nci(message)))
        messages.removeFirst(length)
      }
      let isCut = transfer.originalLength.map { $0 > transfer.bytes.count } ?? false
      if !messages.isEmpty, isCut || messages.count > LinkReassembler.longestCCIDMessage {
        found.append(TracedMessage(direction: transfer.direction, content: .other(messages)))
        messages.removeAll()
      }
    }

    /// The length of the message that begins here, as far as its header is there.
    private func lengthOfMessage(_ payload: LinkTransfer.Payload) -> Int? {
      let bytes = messages.bytes
      if payload == .nci { return bytes.count >= 3 ? 3 + Int(bytes[2]) : nil }
      guard bytes.count >= CCIDMessage.headerLength else { return nil }
      var length = 0
      for index in (1...4).reversed() { length = length << 8 | Int(bytes[index]) }
      // Nonsense is taken away whole, so that the stream finds its way back.
      return length > LinkReassembler.longestCCIDMessage
        ? bytes.count : CCIDMessage.headerLength + length
    }
  }
}
