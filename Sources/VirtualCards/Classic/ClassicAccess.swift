/// The two keys of a sector.
public enum ClassicKey: UInt8, Hashable, Sendable {
  /// Key A, command 60.
  case a = 0x60
  /// Key B, command 61.
  case b = 0x61
}

/// The access bits of one sector (MF1S50 8.7).
struct ClassicAccess: Hashable, Sendable {
  /// C1 C2 C3 of the three data areas and of the trailer, C1 as bit 2.
  let conditions: [UInt8]

  /// Reads bytes 6 to 8 of a trailer; `nil` if the inverted copies do not fit.
  init?(_ bytes: [UInt8]) {
    precondition(bytes.count >= 3, "access conditions take three bytes")
    let c1 = bytes[1] >> 4
    let c2 = bytes[2] & 0x0F
    let c3 = bytes[2] >> 4
    guard ~bytes[0] & 0x0F == c1, ~bytes[0] >> 4 == c2, ~bytes[1] & 0x0F == c3 else { return nil }
    conditions = (0..<4).map { (index: UInt8) in
      (c1 >> index & 1) << 2 | (c2 >> index & 1) << 1 | c3 >> index & 1
    }
  }

  /// Keys that an operation is open to.
  struct Keys: OptionSet {
    let rawValue: UInt8
    static let a = Keys(rawValue: 1)
    static let b = Keys(rawValue: 2)
    static let both: Keys = [.a, .b]
    static let none: Keys = []

    func allow(_ key: ClassicKey) -> Bool { contains(key == .a ? .a : .b) }
  }

  /// What can be done with a data block.
  enum Operation {
    case read
    case write
    case increment
    case decrement
  }

  /// The keys for an operation on a data block of an area, 0 to 2 (MF1S50 table 8).
  ///
  /// Key B opens nothing where the trailer lets it be read.
  func keys(for operation: Operation, area: Int) -> Keys {
    let allowed: Keys
    switch (conditions[area], operation) {
    case (0b000, _): allowed = .both
    case (0b010, .read), (0b100, .read), (0b110, .read), (0b001, .read): allowed = .both
    case (0b100, .write), (0b110, .write), (0b110, .increment): allowed = .b
    case (0b110, .decrement), (0b001, .decrement): allowed = .both
    case (0b011, .read), (0b011, .write), (0b101, .read): allowed = .b
    default: allowed = .none
    }
    return isKeyBReadable ? allowed.subtracting(.b) : allowed
  }

  /// True if key B is data that key A can read, and so no key.
  var isKeyBReadable: Bool {
    conditions[3] == 0b000 || conditions[3] == 0b010 || conditions[3] == 1
  }

  /// The keys for the parts of a trailer (MF1S50 table 7).
  var trailer: (writeKeys: Keys, readAccess: Keys, writeAccess: Keys, readB: Keys, writeB: Keys) {
    switch conditions[3] {
    case 0b000: (.a, .a, .none, .a, .a)
    case 0b010: (.none, .a, .none, .a, .none)
    case 0b100: (.b, .both, .none, .none, .b)
    case 0b110: (.none, .both, .none, .none, .none)
    case 0b001: (.a, .a, .a, .a, .a)
    case 0b011: (.b, .both, .b, .none, .b)
    case 0b101: (.none, .both, .b, .none, .none)
    default: (.none, .both, .none, .none, .none)
    }
  }
}
