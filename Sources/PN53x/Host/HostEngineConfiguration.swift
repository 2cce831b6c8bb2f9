public import NFCProtocols

/// The link that a host engine works over, with its times.
public struct HostEngineConfiguration: Hashable, Sendable {
  /// How frames travel.
  public var link: Link
  /// The chip, as far as it is known before it has told its version.
  public var chip: Chip
  /// How long an acknowledgement may take after the command has left: 15 ms, UM0701-02 6.2.3.
  public var acknowledgementLimit = Nanoseconds.milliseconds(15)
  /// How long a transfer may take to leave.
  public var sendingLimit = Nanoseconds.seconds(1)
  /// The silence after an abort that shows that nothing more comes (pn53x notes: late answers).
  public var silence = Nanoseconds.milliseconds(20)
  /// The least time between an abort and the next transfer; nfcpy: 1 ms USB, 10 ms PN532.
  public var gapAfterAbort: Nanoseconds
  /// How long to wait for the answer that a NACK asks for.
  public var repetitionLimit = Nanoseconds.milliseconds(50)
  /// How long a command that must not run twice is waited for without acknowledgement.
  public var unacknowledgedLimit = Nanoseconds.seconds(5)
  /// After how long a device that never falls silent is given up.
  public var clearingLimit = Nanoseconds.seconds(1)
  /// How often a command is sent again in all.
  public var maximumResends = 2
  /// The wait for the answer of the firmware of an ACR122U.
  public var readerLimit = Nanoseconds.seconds(5)
  /// Bytes in front of the first frame to a chip that may sleep.
  public var wakeUp: [UInt8] = []

  /// The links that there are.
  public enum Link: Hashable, Sendable {
    /// Bulk transfers of a PN531, PN533 or RC-S956.
    case usb
    /// The serial line of a PN532 (HSU) at a speed in baud.
    case serial(baud: Int)
    /// CCID messages of an ACR122U; by XfrBlock, or by Escape as the Linux driver does.
    case ccid(usesEscape: Bool)
  }

  /// Makes the configuration of a link.
  public init(_ link: Link, chip: Chip? = nil) {
    self.link = link
    switch link {
    case .usb:
      self.chip = chip ?? .pn533
      gapAfterAbort = .milliseconds(1)
    case .serial:
      self.chip = chip ?? .pn532
      gapAfterAbort = .milliseconds(10)
      wakeUp = Self.serialWakeUp
      // A USB serial adapter may keep bytes back for 16 ms (FTDI latency timer).
      acknowledgementLimit = .milliseconds(15 + 20)
    case .ccid:
      self.chip = chip ?? .pn532
      gapAfterAbort = .zero
    }
  }

  /// USB.
  public static let usb = HostEngineConfiguration(.usb)
  /// A PN532 on a serial line at the speed it has after power-on.
  public static let serial = HostEngineConfiguration(.serial(baud: 115_200))
  /// An ACR122U.
  public static let acr122 = HostEngineConfiguration(.ccid(usesEscape: false))

  /// What wakes a PN532 on its serial line, as libnfc and Linux send it.
  public static let serialWakeUp: [UInt8] = [0x55, 0x55] + [UInt8](repeating: 0, count: 14)

  /// How long the acknowledgement of a transfer may take after the link has taken it.
  ///
  /// A serial line reports bytes as sent when the system has them, not when they have left.
  func acknowledgementLimit(for byteCount: Int) -> Nanoseconds {
    guard case .serial(let baud) = link else { return acknowledgementLimit }
    return acknowledgementLimit + Self.serialTime(of: byteCount, baud: baud)
  }

  /// The time of bytes on a serial line, ten bits each.
  static func serialTime(of byteCount: Int, baud: Int) -> Nanoseconds {
    Nanoseconds(Int64(byteCount) * 10 * 1_000_000_000 / Int64(max(baud, 1)))
  }
}
