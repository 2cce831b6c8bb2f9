/// The time within which a card must begin its answer, ISO/IEC 14443-4 7.2.
public struct FrameWaitingTime: Hashable, Sendable {
  /// The integer FWI that is in force, 0...14.
  public let integer: UInt8

  /// The FWI that counts where none, or the reserved 15, was sent.
  public static let defaultInteger: UInt8 = 4
  /// The largest FWI.
  public static let maximumInteger: UInt8 = 14

  /// The time of an FWI; a reserved value counts as 4.
  public init(integer: UInt8) {
    self.integer = integer > Self.maximumInteger ? Self.defaultInteger : integer
  }

  /// The longest of all frame waiting times, about 4.95 s.
  public static let maximum = FrameWaitingTime(integer: maximumInteger)

  /// The time that counts where a card does not tell its own, 4.83 ms.
  public static let standard = FrameWaitingTime(integer: defaultInteger)

  /// The time in periods of the carrier: 4096 · 2^FWI.
  public var carrierCycles: Int64 { 4096 << Int64(integer) }

  /// The time.
  public var duration: Nanoseconds { .carrierCycles(carrierCycles) }

  /// The time that one S(WTX) grants, for one exchange: FWT · WTXM, at most the longest FWT.
  ///
  /// A multiplier that the standard does not allow counts as the nearest that it does.
  public func extended(by multiplier: UInt8) -> Nanoseconds {
    let legal = Block.legalMultipliers
    let factor = Int64(min(max(multiplier, legal.lowerBound), legal.upperBound))
    return .carrierCycles(min(carrierCycles * factor, Self.maximum.carrierCycles))
  }
}

/// The pause that a card needs after its ATS, ISO/IEC 14443-4 5.2.5.
public struct StartUpFrameGuardTime: Hashable, Sendable {
  /// The integer SFGI that is in force, 0...14; 0 asks for no pause.
  public let integer: UInt8

  /// The time of an SFGI; the reserved 15 counts as 0.
  public init(integer: UInt8) { self.integer = integer > 14 ? 0 : integer }

  /// The time in periods of the carrier: 4096 · 2^SFGI, or none.
  public var carrierCycles: Int64 { integer == 0 ? 0 : 4096 << Int64(integer) }

  /// The time.
  public var duration: Nanoseconds { .carrierCycles(carrierCycles) }
}
