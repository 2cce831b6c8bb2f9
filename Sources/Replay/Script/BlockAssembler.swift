import NFCProtocols

/// Puts APDUs together from the blocks of ISO/IEC 14443-4 on the air.
///
/// Blocks that were sent again, waiting time extensions and acknowledgements leave no trace in the
/// result.
struct BlockAssembler: Sendable {
  /// What a frame completes.
  enum Event: Hashable, Sendable {
    /// RATS or ATTRIB was answered: a new session.
    case activated
    /// A command APDU is complete with this frame.
    case command([UInt8])
    /// A response APDU is complete with this frame; it began with an earlier one perhaps.
    case response([UInt8])
    /// The first block of a response.
    case responseBegins
  }

  private struct Chain: Sendable {
    var bytes: [UInt8] = []
    var lastNumber: BlockNumber?
    var isOpen = false
  }

  private var isActive = false
  private var awaitsActivation = false
  private var command = Chain()
  private var response = Chain()
  private var wasAskedAgain = false

  /// Takes the next frame on the air.
  mutating func take(_ frame: RadioFrame, _ direction: Direction, into events: inout [Event]) {
    guard !frame.isEncrypted, !frame.isTruncated, frame.crc != .bad else { return }
    let technology = frame.technology ?? .a
    guard technology == .a || technology == .b else { return }
    let content = frame.content(assuming: technology)
    switch direction {
    case .outbound: outbound(content, frame, technology, into: &events)
    case .inbound: inbound(content, into: &events)
    }
  }

  private mutating func outbound(
    _ content: ArraySlice<UInt8>, _ frame: RadioFrame, _ technology: Technology,
    into events: inout [Event]
  ) {
    let isActivation =
      technology == .a
      ? content.first == RATS.prefix && content.count == 2
      : content.first == Attrib.prefix && content.count >= 9
    if isActivation, !isActive || technology == .b || command.lastNumber == nil {
      awaitsActivation = true
      return
    }
    if frame.lastByteBits == 7 || (technology == .b && content.first == RequestB.prefix) {
      isActive = false
      return
    }
    awaitsActivation = false
    guard isActive, let block = try? Block(content) else { return }
    switch block.kind {
    case .information(let number, let isChaining, let bytes):
      wasAskedAgain = false
      if command.lastNumber == number { return }
      if !command.isOpen { command.bytes = [] }
      command.bytes += bytes
      command.lastNumber = number
      command.isOpen = isChaining
      if !isChaining {
        response.bytes = []
        response.isOpen = true
        events.append(.command(command.bytes))
      }
    case .negativeAcknowledge: wasAskedAgain = true
    case .deselect: isActive = false
    case .acknowledge, .waitingTimeExtension, .parameters: wasAskedAgain = false
    }
  }

  private mutating func inbound(_ content: ArraySlice<UInt8>, into events: inout [Event]) {
    if awaitsActivation {
      awaitsActivation = false
      isActive = true
      command = Chain()
      response = Chain()
      events.append(.activated)
      return
    }
    guard isActive, response.isOpen, let block = try? Block(content),
      case .information(let number, let isChaining, let bytes) = block.kind
    else { return }
    if wasAskedAgain, response.lastNumber == number, !response.bytes.isEmpty { return }
    if response.bytes.isEmpty { events.append(.responseBegins) }
    response.bytes += bytes
    response.lastNumber = number
    if !isChaining {
      response.isOpen = false
      events.append(.response(response.bytes))
    }
  }
}
