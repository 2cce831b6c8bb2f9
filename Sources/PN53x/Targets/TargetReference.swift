/// A target as commands name it: a number and flags in one byte, and Sony's byte in front.
public struct TargetReference: Hashable, Sendable {
  /// The number with its flags as sent.
  public var rawValue: UInt8
  /// The byte in front of the number that an RC-S956 wants in InDeselect and InRelease.
  public var leadingByte: UInt8?

  /// Makes a reference to a target; 0 means all targets in InDeselect and InRelease.
  public init(
    _ number: UInt8, moreInformation: Bool = false, leadingByte: UInt8? = nil
  ) {
    rawValue = number | (moreInformation ? 0x40 : 0)
    self.leadingByte = leadingByte
  }

  /// The number of the target, bits 2 to 0.
  public var number: UInt8 { rawValue & 0x07 }
  /// Bit 6 (MI): the host has more data for this target.
  public var hasMoreInformation: Bool { rawValue & 0x40 != 0 }
  /// Bit 7: a node address follows.
  public var hasNodeAddress: Bool { rawValue & 0x80 != 0 }
}
