import NFCProtocols

/// NAK codes of four bits (NTAG213_215_216 table 23).
enum Type2NAK {
  /// Invalid argument, for example a page that is not there.
  static let argument = TypeAAnswer.nibble(0x0)
  /// Parity or CRC error.
  static let transmission = TypeAAnswer.nibble(0x1)
  /// Too many wrong passwords, or counter overflow.
  static let counter = TypeAAnswer.nibble(0x4)
}

extension Type2Card {
  typealias Answer = (TypeAAnswer, Nanoseconds)

  /// Command codes (NFC Forum Type 2; NTAG213_215_216 table 22, MF0ULx1 table 19).
  enum Code {
    static let read: UInt8 = 0x30
    static let fastRead: UInt8 = 0x3A
    static let write: UInt8 = 0xA2
    static let compatibilityWrite: UInt8 = 0xA0
    static let getVersion: UInt8 = 0x60
    static let readSignature: UInt8 = 0x3C
    static let readCounter: UInt8 = 0x39
    static let incrementCounter: UInt8 = 0xA5
    static let checkTearing: UInt8 = 0x3E
    static let authenticate: UInt8 = 0x1B
  }

  /// Runs a command that came to the selected card.
  mutating func execute(_ command: SelectedCommand) -> Answer {
    guard case .content(let bytes) = command else { return (Type2NAK.transmission, .zero) }
    if let page = pendingWrite {
      pendingWrite = nil
      guard bytes.count == 16 else { return (Type2NAK.argument, .zero) }
      return write(page, Array(bytes[0..<4]))
    }
    switch (bytes[0], bytes.count) {
    case (Code.read, 2):
      return (read(Int(bytes[1])), processing.read)
    case (Code.write, 6):
      return write(Int(bytes[1]), Array(bytes[2..<6]))
    case (Code.compatibilityWrite, 2):
      guard mayWrite(Int(bytes[1])) else { return (Type2NAK.argument, .zero) }
      pendingWrite = Int(bytes[1])
      return (.acknowledge, processing.read)
    default:
      // libnfc's nfc-mfultralight asks MF0ICU1 for its version and takes any answer for an EV1.
      if product == .ultralight { return (.none, .zero) }
      guard product.hasExtendedCommands else { return (Type2NAK.argument, .zero) }
      return executeExtended(bytes)
    }
  }

  private mutating func executeExtended(_ bytes: [UInt8]) -> Answer {
    let answer: TypeAAnswer
    switch (bytes[0], bytes.count) {
    case (Code.getVersion, 1):
      answer = version.map { .data($0) } ?? Type2NAK.argument
    case (Code.readSignature, 2) where bytes[1] == 0:
      answer = .data(signature ?? [UInt8](repeating: 0, count: 32))
    case (Code.fastRead, 3):
      answer = fastRead(Int(bytes[1]), Int(bytes[2]))
    case (Code.readCounter, 2):
      answer = readCounter(Int(bytes[1]))
    case (Code.incrementCounter, 6):
      return incrementCounter(Int(bytes[1]), Array(bytes[2..<5]))
    case (Code.checkTearing, 2) where hasThreeCounters:
      guard bytes[1] < 3 else { return (Type2NAK.argument, .zero) }
      answer = .data([counters[Int(bytes[1])].tearingFlag])
    case (Code.authenticate, 5):
      answer = authenticate(Array(bytes[1..<5]))
    default:
      answer = Type2NAK.argument
    }
    return (answer, processing.read)
  }

  // MARK: Reading

  /// READ: four pages; beyond the last readable one it goes on with page 0.
  private mutating func read(_ page: Int) -> TypeAAnswer {
    let end = readableEnd
    guard page < end else { return Type2NAK.argument }
    countRead()
    var bytes: [UInt8] = []
    for step in 0..<4 { bytes += readablePage((page + step) % end) }
    return .data(bytes)
  }

  private mutating func fastRead(_ first: Int, _ last: Int) -> TypeAAnswer {
    guard first <= last, last < readableEnd else { return Type2NAK.argument }
    countRead()
    return .data((first...last).flatMap { readablePage($0) })
  }

  /// One past the last page that can be read now.
  private var readableEnd: Int {
    let end = product == .ultralightC ? min(pageCount, 44) : pageCount
    guard configuration.protectsReading, !isAuthenticated else { return end }
    return min(end, configuration.firstProtectedPage)
  }

  /// A page as READ shows it: password and PACK read as 0.
  private func readablePage(_ page: Int) -> [UInt8] {
    if let first = product.configurationPage, page == first + 2 || page == first + 3 {
      return [0, 0, 0, 0]
    }
    return Array(memory[page])
  }

  /// The NFC counter counts the first READ or FAST_READ after power-on (NTAG21x 8.7).
  private mutating func countRead() {
    guard configuration.countsReads, !hasCountedRead, counters.count > 2 else { return }
    hasCountedRead = true
    _ = changeCounter(2, by: 1)
  }

  // MARK: Counters

  private var hasThreeCounters: Bool { product.counterNumbers?.lowerBound == 0 }

  private func readCounter(_ number: Int) -> TypeAAnswer {
    guard let numbers = product.counterNumbers, numbers.contains(number) else {
      return Type2NAK.argument
    }
    if !hasThreeCounters {
      // NTAG21x: the counter must be on, and may need the password.
      guard configuration.countsReads else { return Type2NAK.argument }
      if configuration.protectsCounter, !isAuthenticated { return Type2NAK.argument }
    }
    let value = counters[number].value
    return .data([
      UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
      UInt8(truncatingIfNeeded: value >> 16),
    ])
  }

  private mutating func incrementCounter(_ number: Int, _ little: [UInt8]) -> Answer {
    guard hasThreeCounters, number < 3 else { return (Type2NAK.argument, .zero) }
    let increment = UInt32(little[0]) | UInt32(little[1]) << 8 | UInt32(little[2]) << 16
    guard changeCounter(number, by: increment) else { return (Type2NAK.counter, .zero) }
    return (.acknowledge, processing.write)
  }

  // MARK: Password

  private mutating func authenticate(_ password: [UInt8]) -> TypeAAnswer {
    guard product.configurationPage != nil else { return Type2NAK.argument }
    let limit = configuration.attemptLimit
    // AUTHLIM n > 0 allows n wrong passwords (EV1: the same field, MF0ULx1 8.6.3).
    if limit > 0, failedAttempts >= limit { return Type2NAK.counter }
    guard password == configuration.password else {
      failedAttempts = min(failedAttempts + 1, 7)
      return Type2NAK.argument
    }
    failedAttempts = 0
    isAuthenticated = true
    return .data(configuration.acknowledge)
  }

  // MARK: Writing

  private func mayWrite(_ page: Int) -> Bool {
    guard page >= 2, page < pageCount else { return false }
    if page >= configuration.firstProtectedPage, !isAuthenticated { return false }
    if let first = product.configurationPage, configuration.isLocked,
      page == first || page == first + 1
    {
      return false
    }
    return page == 2 || !locks.isLocked(page, in: memory)
  }

  private mutating func write(_ page: Int, _ content: [UInt8]) -> Answer {
    guard mayWrite(page) else { return (Type2NAK.argument, .zero) }
    let old = Array(memory[page])
    switch page {
    case 2:
      // The first two bytes (BCC1 and internal) stay; lock bits are only ever set.
      store(
        2, Array(old[0..<2]) + locks.staticBytes(Array(old[2...]), written: Array(content[2...])))
    case 3:
      // One-time programmable: bits are only ever set.
      store(3, zip(old, content).map { $0 | $1 })
    case locks.dynamicPage:
      store(page, locks.dynamicBytes(old, written: content))
    default:
      store(page, content)
    }
    return (.acknowledge, processing.write)
  }
}
