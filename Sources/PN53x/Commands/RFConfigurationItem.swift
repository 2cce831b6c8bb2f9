/// One item of RFConfiguration.
///
/// Layouts and defaults: UM0701-02 7.3.1 as used by libnfc, nfcpy and the Linux driver.
public enum RFConfigurationItem: Hashable, Sendable {
  /// 01: the field and the automatic collision avoidance.
  case field(isOn: Bool, automaticCollisionAvoidance: Bool)
  /// 02: RFU (RC-S956: limit for PSL), limit for ATR_RES, limit for raw and MIFARE exchanges.
  case timings(UInt8, atrResponse: RFTimeoutCode, retry: RFTimeoutCode)
  /// 04: how often a data exchange is repeated.
  case maximumRetriesCommunication(UInt8)
  /// 05: retries of ATR, PSL and passive activation; FF is for ever.
  case maximumRetries(atr: UInt8, psl: UInt8, passiveActivation: UInt8)
  /// 0A: analogue settings at 106 kbit/s type A, 11 bytes.
  case analogue106A([UInt8])
  /// 0B: analogue settings at 212 and 424 kbit/s, 8 bytes.
  case analogue212And424([UInt8])
  /// 0C: analogue settings for type B, 3 bytes.
  case analogueB([UInt8])
  /// 0D: analogue settings at 212, 424 and 848 kbit/s under ISO/IEC 14443-4, 9 bytes.
  case analogue14443([UInt8])
  /// 82: Sony's limits.
  case sonyTimings([UInt8])
  /// Any other item, and a known one whose data has another length.
  case other(item: UInt8, data: [UInt8])

  /// The number of the item.
  public var item: UInt8 {
    switch self {
    case .field: 0x01
    case .timings: 0x02
    case .maximumRetriesCommunication: 0x04
    case .maximumRetries: 0x05
    case .analogue106A: 0x0A
    case .analogue212And424: 0x0B
    case .analogueB: 0x0C
    case .analogue14443: 0x0D
    case .sonyTimings: 0x82
    case .other(let item, _): item
    }
  }

  /// The data of the item.
  public var data: [UInt8] {
    switch self {
    case .field(let isOn, let avoidance): [(isOn ? 1 : 0) | (avoidance ? 2 : 0)]
    case .timings(let first, let atr, let retry): [first, atr.rawValue, retry.rawValue]
    case .maximumRetriesCommunication(let count): [count]
    case .maximumRetries(let atr, let psl, let activation): [atr, psl, activation]
    case .analogue106A(let data), .analogue212And424(let data), .analogueB(let data),
      .analogue14443(let data), .sonyTimings(let data), .other(_, let data):
      data
    }
  }

  /// Makes an item from its number and data.
  public init(item: UInt8, data: [UInt8]) {
    switch (item, data.count) {
    case (0x01, 1) where data[0] & 0xFC == 0:
      self = .field(isOn: data[0] & 1 != 0, automaticCollisionAvoidance: data[0] & 2 != 0)
    case (0x02, 3):
      self = .timings(
        data[0], atrResponse: RFTimeoutCode(rawValue: data[1]),
        retry: RFTimeoutCode(rawValue: data[2]))
    case (0x04, 1): self = .maximumRetriesCommunication(data[0])
    case (0x05, 3):
      self = .maximumRetries(atr: data[0], psl: data[1], passiveActivation: data[2])
    case (0x0A, 11): self = .analogue106A(data)
    case (0x0B, 8): self = .analogue212And424(data)
    case (0x0C, 3): self = .analogueB(data)
    case (0x0D, 9): self = .analogue14443(data)
    case (0x82, 3): self = .sonyTimings(data)
    default: self = .other(item: item, data: data)
    }
  }
}
