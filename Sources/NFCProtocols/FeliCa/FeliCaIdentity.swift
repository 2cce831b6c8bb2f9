/// The manufacture identifier of a FeliCa card, eight bytes; also NFCID2.
public struct IDm: Hashable, Sendable {
  /// The eight bytes.
  public let bytes: [UInt8]

  /// Makes an identifier.
  /// - Throws: `ProtocolError` if there are not eight bytes.
  public init(_ bytes: some Collection<UInt8>) throws(ProtocolError) {
    guard bytes.count == 8 else {
      throw .badLength(element: "IDm", offset: 0, found: bytes.count, expected: 8...8)
    }
    self.bytes = Array(bytes)
  }

  /// The manufacturer code, first two bytes.
  public var manufacturer: UInt16 { UInt16(bytes[0]) << 8 | UInt16(bytes[1]) }

  /// True if the target speaks NFC-DEP (it begins with 01 FE).
  public var isNFCDEP: Bool { manufacturer == 0x01FE }
}

/// The manufacture parameters of a FeliCa card, eight bytes: IC code and response times.
public struct PMm: Hashable, Sendable {
  /// The eight bytes.
  public let bytes: [UInt8]

  /// Makes parameters.
  /// - Throws: `ProtocolError` if there are not eight bytes.
  public init(_ bytes: some Collection<UInt8>) throws(ProtocolError) {
    guard bytes.count == 8 else {
      throw .badLength(element: "PMm", offset: 0, found: bytes.count, expected: 8...8)
    }
    self.bytes = Array(bytes)
  }

  /// The IC code: ROM type and IC type.
  public var icCode: UInt16 { UInt16(bytes[0]) << 8 | UInt16(bytes[1]) }

  /// The groups of commands that have a response time of their own.
  public enum CommandGroup: Int, Hashable, Sendable, CaseIterable {
    /// Request Service; the number counts nodes.
    case requestService = 2
    /// Request Response, Request System Code and the like; the number is 0.
    case requestResponse = 3
    /// Authentication; the number counts services.
    case authentication = 4
    /// Read; the number counts blocks.
    case read = 5
    /// Write; the number counts blocks.
    case write = 6
    /// Issuance and others; the number is 0.
    case other = 7
  }

  /// The unit of response times, 256 · 16 / fc = 302.06 µs (FeliCa Card User's Manual, 2.3.2).
  public static let unitCycles: Int64 = 4_096

  /// The longest time to the answer: T · ((B + 1) · n + (A + 1)) · 4^E.
  ///
  /// A counts in the bits 2 to 0 of the group's byte, B in 5 to 3, E in 7 and 6.
  public func maximumResponseTime(_ group: CommandGroup, count: Int) -> Nanoseconds {
    precondition((0...255).contains(count), "a FeliCa command names up to 255 items")
    let parameter = bytes[group.rawValue]
    let constant = Int64(parameter & 0x07)
    let perItem = Int64(parameter >> 3 & 0x07)
    let exponent = Int64(parameter >> 6)
    let units = ((perItem + 1) * Int64(count) + constant + 1) << (2 * exponent)
    return .carrierCycles(Self.unitCycles * units)
  }
}

/// Times of Polling that do not depend on the card (JIS X 6319-4; NFC Forum Digital 2.0).
public enum FeliCaTiming {
  /// From the end of Polling to the first time slot: 512 · 64 / fc = 2.417 ms.
  public static let pollingDelayCycles: Int64 = 32_768
  /// One time slot: 256 · 64 / fc = 1.208 ms.
  public static let timeSlotCycles: Int64 = 16_384

  /// The time from the end of Polling to the start of a slot, counted from 0.
  public static func slotStart(_ slot: Int) -> Nanoseconds {
    .carrierCycles(pollingDelayCycles + timeSlotCycles * Int64(slot))
  }

  /// The time after which no answer can begin any more, for 1, 2, 4, 8 or 16 slots.
  public static func pollingLimit(slots: Int) -> Nanoseconds { slotStart(slots) }
}

/// A service code: number and attribute, sent low byte first.
public struct ServiceCode: Hashable, Sendable {
  /// The code; the attribute is in the bits 5 to 0.
  public var rawValue: UInt16
  /// Makes a code.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The service of a Type 3 tag for reading.
  public static let ndefRead = ServiceCode(rawValue: 0x000B)
  /// The service of a Type 3 tag for writing.
  public static let ndefWrite = ServiceCode(rawValue: 0x0009)
  /// The number of the service.
  public var number: UInt16 { rawValue >> 6 }
  /// The attribute: kind of service and access.
  public var attribute: UInt8 { UInt8(rawValue & 0x3F) }
  /// True if the service can be used without authentication.
  public var isWithoutEncryption: Bool { attribute & 0x01 != 0 }
}

/// One element of a block list, two or three bytes (FeliCa Card User's Manual, 4.2.1).
public struct BlockListElement: Hashable, Sendable {
  /// The block number.
  public var block: UInt16
  /// Which of the command's services is meant, 0...15.
  public var serviceOrder: UInt8
  /// The access mode, 0...7; 1 is "cashback" on a purse.
  public var accessMode: UInt8
  /// True if the element has its two-byte form.
  public var isShort: Bool

  /// Makes an element, in the short form where the block number allows.
  public init(
    block: UInt16, serviceOrder: UInt8 = 0, accessMode: UInt8 = 0, isShort: Bool? = nil
  ) {
    precondition(serviceOrder < 16 && accessMode < 8, "service order has 4 bits, access mode 3")
    precondition(block < 256 || isShort != true, "a short element has a one-byte block number")
    self.block = block
    self.serviceOrder = serviceOrder
    self.accessMode = accessMode
    self.isShort = isShort ?? (block < 256)
  }

  init(_ cursor: inout ByteCursor) throws(ProtocolError) {
    let first = try cursor.byte()
    isShort = first & 0x80 != 0
    accessMode = first >> 4 & 0x07
    serviceOrder = first & 0x0F
    block = isShort ? UInt16(try cursor.byte()) : try cursor.littleEndian16()
  }

  func encode(into output: inout [UInt8]) {
    output.append((isShort ? 0x80 : 0) | accessMode << 4 | serviceOrder)
    if isShort {
      output.append(UInt8(truncatingIfNeeded: block))
    } else {
      output.append(littleEndian: block)
    }
  }
}

/// The two status flags of FeliCa answers.
public struct FeliCaStatus: Hashable, Sendable {
  /// Status flag 1: 00 fine, FF a fault of no block, else the place in the block list.
  public var flag1: UInt8
  /// Status flag 2: what is wrong.
  public var flag2: UInt8
  /// Makes a status.
  public init(_ flag1: UInt8, _ flag2: UInt8) {
    self.flag1 = flag1
    self.flag2 = flag2
  }
  /// No fault.
  public static let success = FeliCaStatus(0, 0)
  /// True if all went well.
  public var isSuccess: Bool { flag1 == 0 }

  /// What status flag 2 says (FeliCa Card User's Manual, 4.5), or `nil` if it is card specific.
  public var name: String? {
    switch flag2 {
    case 0x00: "success"
    case 0x01: "purse data out of range"
    case 0x02: "cashback data exceeds the purse"
    case 0x70: "memory error"
    case 0x71: "memory write warning"
    case 0xA1: "illegal number of services"
    case 0xA2: "illegal command packet or number of blocks"
    case 0xA3: "illegal block list, service order"
    case 0xA4: "illegal service type"
    case 0xA5: "access is not allowed"
    case 0xA6: "illegal service code list"
    case 0xA7: "illegal block list, access mode"
    case 0xA8: "illegal block number"
    case 0xA9: "data write failure"
    case 0xAA: "key change failure"
    case 0xAB: "illegal package parity or MAC"
    case 0xAC: "illegal parameter"
    case 0xAD: "service exists already"
    case 0xAE: "illegal system code"
    case 0xAF: "too many simultaneous cyclic writes"
    case 0xC0: "illegal package identifier"
    case 0xC1: "parameters inside and outside of the package differ"
    case 0xC2: "command is disabled"
    default: nil
    }
  }
}
