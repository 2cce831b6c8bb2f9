public import NFCProtocols

/// One transfer between host and chip, with its boundaries as they were on the wire.
///
/// Frames may be split over several transfers or share one; `bytes` are never joined or cut.
/// An outbound transfer starts when it was submitted; an inbound one when its data arrived.
public struct LinkTransfer: Hashable, Sendable {
  /// Which way the bytes go.
  public var direction: Direction
  /// The bytes of this transfer.
  public var bytes: [UInt8]
  /// The wire that carried it.
  public var transport: Transport
  /// What the bytes are pieces of.
  public var payload: Payload
  /// The USB endpoint address (bit 7 = in), or `nil` where there is none or it is the usual one.
  public var endpoint: UInt8?
  /// The eight bytes of a control request, on control transfers only.
  public var setup: [UInt8]?
  /// How it ended.
  public var outcome: Outcome
  /// How many bytes the host asked for, if the source tells.
  public var requestedLength: Int?
  /// How many bytes there were, if the capture holds fewer.
  public var originalLength: Int?

  /// Makes a transfer.
  public init(
    _ direction: Direction, _ bytes: [UInt8], transport: Transport = .usbBulk,
    payload: Payload = .pn53x, endpoint: UInt8? = nil, setup: [UInt8]? = nil,
    outcome: Outcome = .completed, requestedLength: Int? = nil, originalLength: Int? = nil
  ) {
    self.direction = direction
    self.bytes = bytes
    self.transport = transport
    self.payload = payload
    self.endpoint = endpoint
    self.setup = setup
    self.outcome = outcome
    self.requestedLength = requestedLength
    self.originalLength = originalLength
  }

  /// Wires.
  public enum Transport: UInt8, Hashable, Sendable, CaseIterable {
    /// USB bulk transfer.
    case usbBulk
    /// USB control transfer.
    case usbControl
    /// USB interrupt transfer.
    case usbInterrupt
    /// A serial line; a transfer is one read or one write.
    case serial
    /// An I²C bus.
    case i2c
    /// An SPI bus.
    case spi
    /// The source does not tell (a log of whole frames or packets).
    case unspecified
  }

  /// What a transfer carries.
  public enum Payload: UInt8, Hashable, Sendable, CaseIterable {
    /// PN53x host frames (and RC-S380 frames, which share their form).
    case pn53x
    /// CCID messages.
    case ccid
    /// NCI packets.
    case nci
    /// Anything else (USB descriptors, vendor requests).
    case other
  }

  /// How a transfer ended.
  public enum Outcome: Hashable, Sendable {
    /// All went well.
    case completed
    /// The endpoint answered STALL.
    case stall
    /// The host gave up waiting.
    case timeout
    /// The device went away.
    case unplugged
    /// The host took the transfer back.
    case cancelled
    /// More data came than the host had room for.
    case overflow
    /// Another status, as the negative errno of Linux or the USBD status of Windows.
    case failed(status: Int32)
  }
}
