public import NFCProtocols
public import PN53x

/// A whole message between host and chip, put together from transfers.
public struct LinkMessage: Hashable, Sendable {
  /// Which way it went.
  public var direction: Direction
  /// What it is.
  public var content: Content

  /// Makes a message.
  public init(_ direction: Direction, _ content: Content) {
    self.direction = direction
    self.content = content
  }

  /// The kinds of message.
  public enum Content: Hashable, Sendable {
    /// A host frame of a PN53x or an RC-S380.
    case pn53x(HostFrame)
    /// The host wakes a chip on a serial line.
    case wakeUp
    /// A CCID message with its ten header bytes.
    case ccid([UInt8])
    /// An NCI packet with its three header bytes.
    case nci([UInt8])
    /// Bytes that are no message, or a message that is not whole.
    case incomplete([UInt8])
  }
}

/// Puts transfers together to whole messages, for each direction by itself.
///
/// PN53x frames may be split over transfers or share one; CCID messages end by their length; NCI
/// packets end by theirs unless the source logs whole packets. It keeps one unfinished message for
/// each direction and kind.
public struct LinkReassembler: Sendable {
  private var toChip = LinkPipe(direction: .outbound)
  private var toHost = LinkPipe(direction: .inbound)

  /// Longest CCID message in bytes: header 10, an extended APDU (CCID 1.1, 6.1.4).
  public static let longestCCIDMessage = 10 + 65_545
  /// Longest NCI packet in bytes (NCI 2.0, 3.4): header 3, payload 255.
  public static let longestNCIPacket = 258

  /// Makes a reassembler for links on which nothing has been seen yet.
  public init() {}

  /// Takes one transfer and appends the messages that it completes.
  ///
  /// Transfers whose payload is `.other` give no messages.
  public mutating func take(_ transfer: LinkTransfer, into messages: inout [LinkMessage]) {
    switch transfer.direction {
    case .outbound: toChip.take(transfer, into: &messages)
    case .inbound: toHost.take(transfer, into: &messages)
    }
  }

  /// Tells that no more transfers come, and reports messages that are not whole.
  public mutating func finish(into messages: inout [LinkMessage]) {
    toChip.finish(into: &messages)
    toHost.finish(into: &messages)
  }
}

/// The unfinished messages of one direction.
private struct LinkPipe: Sendable {
  let direction: Direction
  private var frames = HostFrameDecoder()
  private var found: [HostFrameEvent] = []
  private var ccid: [UInt8] = []
  private var nci: [UInt8] = []

  init(direction: Direction) { self.direction = direction }

  mutating func take(_ transfer: LinkTransfer, into messages: inout [LinkMessage]) {
    let isCut = transfer.originalLength.map { $0 > transfer.bytes.count } ?? false
    switch transfer.payload {
    case .pn53x:
      frames.decode(transfer.bytes, into: &found)
      // What was cut off never comes, so the next transfer begins anew.
      if isCut { frames.finish(into: &found) }
      report(into: &messages)
    case .ccid:
      ccid.append(contentsOf: transfer.bytes)
      Self.cutCCID(&ccid, direction, into: &messages)
      if isCut { Self.giveUp(&ccid, direction, into: &messages) }
    case .nci:
      if transfer.transport == .unspecified {
        messages.append(LinkMessage(direction, .nci(transfer.bytes)))
      } else {
        nci.append(contentsOf: transfer.bytes)
        Self.cutNCI(&nci, direction, into: &messages)
        if isCut { Self.giveUp(&nci, direction, into: &messages) }
      }
    case .other:
      break
    }
  }

  mutating func finish(into messages: inout [LinkMessage]) {
    frames.finish(into: &found)
    report(into: &messages)
    Self.giveUp(&ccid, direction, into: &messages)
    Self.giveUp(&nci, direction, into: &messages)
  }

  private mutating func report(into messages: inout [LinkMessage]) {
    for event in found {
      switch event {
      case .frame(let frame): messages.append(LinkMessage(direction, .pn53x(frame)))
      case .wakeUp: messages.append(LinkMessage(direction, .wakeUp))
      case .corrupt(_, let bytes): messages.append(LinkMessage(direction, .incomplete(bytes)))
      }
    }
    found.removeAll(keepingCapacity: true)
  }

  /// Cuts whole CCID messages off the front: type, length (little endian), five bytes, data.
  private static func cutCCID(
    _ bytes: inout [UInt8], _ direction: Direction, into messages: inout [LinkMessage]
  ) {
    while bytes.count >= 10 {
      let length =
        10 + Int(bytes[1]) + Int(bytes[2]) << 8 + Int(bytes[3]) << 16 + Int(bytes[4]) << 24
      guard length <= LinkReassembler.longestCCIDMessage else {
        giveUp(&bytes, direction, into: &messages)
        return
      }
      guard bytes.count >= length else { return }
      messages.append(LinkMessage(direction, .ccid(Array(bytes[..<length]))))
      bytes.removeFirst(length)
    }
  }

  /// Cuts whole NCI packets off the front: two bytes, length, payload.
  private static func cutNCI(
    _ bytes: inout [UInt8], _ direction: Direction, into messages: inout [LinkMessage]
  ) {
    while bytes.count >= 3 {
      let length = 3 + Int(bytes[2])
      guard bytes.count >= length else { return }
      messages.append(LinkMessage(direction, .nci(Array(bytes[..<length]))))
      bytes.removeFirst(length)
    }
  }

  private static func giveUp(
    _ bytes: inout [UInt8], _ direction: Direction, into messages: inout [LinkMessage]
  ) {
    guard !bytes.isEmpty else { return }
    messages.append(LinkMessage(direction, .incomplete(bytes)))
    bytes.removeAll(keepingCapacity: true)
  }
}
