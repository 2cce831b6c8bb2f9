import NFCProtocols

/// The memory that ReadRegister and WriteRegister reach: 65,536 bytes, pages made when written.
struct ChipRegisters: Hashable, Sendable {
  private var pages = [[UInt8]](repeating: [], count: 256)

  /// The byte at an address; 0 where nothing was ever written.
  subscript(address: UInt16) -> UInt8 {
    get {
      let page = pages[Int(address >> 8)]
      return page.isEmpty ? 0 : page[Int(address & 0xFF)]
    }
    set {
      let number = Int(address >> 8)
      if pages[number].isEmpty {
        if newValue == 0 { return }
        pages[number] = [UInt8](repeating: 0, count: 256)
      }
      pages[number][Int(address & 0xFF)] = newValue
    }
  }

  /// A register by name.
  subscript(register: RegisterAddress) -> UInt8 {
    get { self[register.rawValue] }
    set { self[register.rawValue] = newValue }
  }

  /// Bit 3 of Status2: the cipher of MIFARE Classic is on.
  static let cryptoIsOn: UInt8 = 0x08
  /// Bit 5 of CommIrq: something was received.
  static let receiverInterrupt: UInt8 = 0x20

  /// Puts values into registers of the contactless unit.
  mutating func set(_ values: [UInt8], at addresses: [UInt8]) {
    for (address, value) in zip(addresses, values) {
      self[RegisterAddress(rawValue: 0x6300 | UInt16(address))] = value
    }
  }

  /// Sets the timer for a limit: a prescaler of 1355 periods of the carrier, about 100 µs, and as
  /// many of them as the code says (as libnfc reads them back from an SCL3711).
  mutating func setTimer(_ code: RFTimeoutCode) {
    let ticks: UInt16 = code.duration == nil ? 0 : 1 << UInt16(code.rawValue - 1)
    set([0x82, 0xA5, UInt8(ticks >> 8), UInt8(ticks & 0xFF)], at: [0x1A, 0x1B, 0x1C, 0x1D])
  }

  /// Sets the registers to what they are after power-on.
  mutating func reset() {
    self = ChipRegisters()
  }

  // MARK: What the registers say about frames

  /// Bit 7 of TxMode: a CRC is added to what is sent.
  var sendsCRC: Bool { self[.txMode] & 0x80 != 0 }
  /// Bit 7 of RxMode: a CRC is expected and taken off.
  var expectsCRC: Bool { self[.rxMode] & 0x80 != 0 }
  /// Bit 4 of ManualRCV: no parity.
  var parityIsOff: Bool { self[.manualRCV] & 0x10 != 0 }
  /// Bits 2 to 0 of BitFraming: bits of the last byte to send, 0 for all.
  var lastBitsToSend: UInt8 { self[.bitFraming] & 0x07 }

  /// The technology of what is sent; active mode counts as type A.
  var sendTechnology: Technology { Self.technology(self[.txMode]) }
  /// The technology that is listened for.
  var receiveTechnology: Technology { Self.technology(self[.rxMode]) }
  /// The speed of what is sent in kbit/s.
  var sendSpeed: UInt16 { 106 << UInt16(min(self[.txMode] >> 4 & 0x07, 3)) }

  private static func technology(_ mode: UInt8) -> Technology {
    switch mode & 0x03 {
    case 2: .f
    case 3: .b
    default: .a
    }
  }

  /// Sets transmitter and receiver for a modulation, CRC on.
  mutating func tune(to technology: Technology, speedIndex: UInt8) {
    let framing: UInt8 =
      switch technology {
      case .a, .v: 0
      case .f: 2
      case .b: 3
      }
    self[.txMode] = 0x80 | speedIndex << 4 | framing
    self[.rxMode] = 0x80 | speedIndex << 4 | framing
    self[.bitFraming] = 0
    self[.manualRCV] &= ~0x10
  }
}
