public import NFCProtocols

/// Faults of a simulated reader as text, one after another, blanks or `;` between them.
///
/// ```
/// fault = kind "(" place " " number [".." number] { "," argument } ")"
/// place = "out" | "in" | "reader" | "card"     transfers to and from the chip, frames on the air
/// kind  = drop(in 3)  dup(in 3)  late(in 4..6,+20ms)  corrupt(card 2,17)  truncate(in 3,4)
///         replace(in 3,00 00 FF)  insert(in 3,00 00 FF)  split(in 3,6)  merge(in 3)
///         zlp(in 3)  status(in 9,13)  stall(in 5)  unplug(out 12)  completes-late(out 2,+3ms)
///         leave(card 4)
/// ```
public enum ReaderFaultText {
  /// The longest delay, one hour, as for faults of replays.
  public static let maximumDelay = FaultText.maximumDelay
  /// The most bytes of `replace` and `insert`: the longest frame of any chip, and more.
  public static let maximumBytes = 1_024

  /// The kinds of fault by name.
  public static let kinds = [
    "drop", "dup", "late", "corrupt", "truncate", "replace", "insert", "split", "merge", "zlp",
    "status", "stall", "unplug", "completes-late", "leave",
  ]

  /// Reads faults.
  public static func parse(_ text: String) throws(ReplayError) -> [ReaderFault] {
    var faults: [ReaderFault] = []
    var cursor = FaultCursor(Array(text.utf8))
    cursor.skipSeparators()
    while !cursor.isAtEnd {
      guard faults.count < ReaderFault.maximumPerPlan else {
        throw cursor.error(
          found: "more than \(ReaderFault.maximumPerPlan) faults", expected: "fewer",
          remedy: "say them with ranges, for example late(in 3..9,+7ms)")
      }
      faults.append(try fault(&cursor))
      cursor.skipSeparators()
    }
    return faults
  }

  /// Writes a fault in its canonical form.
  public static func text(of fault: ReaderFault) -> String {
    let places = ["out", "in", "reader", "card"]
    var text = places[Int(fault.place.rawValue)] + " \(fault.numbers.lowerBound)"
    if fault.numbers.upperBound == Int(Int32.max) {
      text += ".."
    } else if fault.numbers.count > 1 {
      text += "..\(fault.numbers.upperBound)"
    }
    func rule(_ kind: String, _ argument: String? = nil) -> String {
      "\(kind)(\(text)\(argument.map { "," + $0 } ?? ""))"
    }
    return switch fault.effect {
    case .drop: rule("drop")
    case .duplicate: rule("dup")
    case .late(let delay): rule("late", "+" + DurationText.exact(delay))
    case .corrupt(let bit): rule("corrupt", "\(bit)")
    case .truncate(let count): rule("truncate", "\(count)")
    case .replace(let bytes): rule("replace", Hexadecimal.pairs(bytes))
    case .insert(let bytes): rule("insert", Hexadecimal.pairs(bytes))
    case .split(let place): rule("split", "\(place)")
    case .merge: rule("merge")
    case .emptyTransferAfter: rule("zlp")
    case .status(let status): rule("status", Hexadecimal.pairs([status]))
    case .stall: rule("stall")
    case .unplug: rule("unplug")
    case .completesLate(let delay): rule("completes-late", "+" + DurationText.exact(delay))
    case .removeCard: rule("leave")
    }
  }

  private static func fault(_ cursor: inout FaultCursor) throws(ReplayError) -> ReaderFault {
    let start = cursor.position
    let kind = cursor.takeWord(with: 0x2D)
    guard kinds.contains(kind) else {
      let found = kind.isEmpty ? cursor.foundHere : "'\(kind)'"
      cursor.position = start
      throw cursor.error(
        found: found, expected: kinds.joined(separator: ", "),
        remedy: "for example drop(in 3) loses the third transfer from the chip")
    }
    guard cursor.take(0x28) else {
      throw cursor.error(
        found: cursor.foundHere, expected: "'(' after \(kind)",
        remedy: "for example \(kind)(in 3) is for the third transfer from the chip")
    }
    var arguments: [FaultArgument] = []
    repeat { arguments.append(cursor.takeArgument()) } while cursor.take(0x2C)
    guard cursor.take(0x29) else {
      throw cursor.error(
        found: cursor.foundHere, expected: "',' or ')'", remedy: "close the fault with ')'")
    }
    let (place, numbers) = try address(arguments[0], cursor)
    let reader = ArgumentReader(kind: kind, arguments: arguments, cursor: cursor)
    return ReaderFault(try reader.effect(at: place), place, numbers)
  }

  private static func address(
    _ argument: FaultArgument, _ cursor: FaultCursor
  ) throws(ReplayError) -> (ReaderFault.Place, ClosedRange<Int>) {
    let words = argument.text.split(separator: " ")
    let places: [(String, ReaderFault.Place)] = [
      ("out", .toChip), ("in", .toHost), ("reader", .fromReader), ("card", .fromCard),
    ]
    guard words.count == 2, let place = places.first(where: { $0.0 == words[0] })?.1,
      let numbers = range(words[1])
    else {
      throw cursor.error(
        at: argument.position, found: "'\(argument.text)'",
        expected: "out, in, reader or card, and a number from 1 or a range",
        remedy: "write for example in 3, out 2..4 or card 1")
    }
    return (place, numbers)
  }

  private static func range(_ text: Substring) -> ClosedRange<Int>? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let first = Int(digits), first >= 1 else { return nil }
    let rest = text.dropFirst(digits.count)
    if rest.isEmpty { return first...first }
    guard rest.hasPrefix("..") else { return nil }
    let last = rest.dropFirst(2)
    if last.isEmpty { return first...Int(Int32.max) }
    guard let last = Int(last), last >= first else { return nil }
    return first...last
  }
}

/// Reads what stands behind the place of one fault.
private struct ArgumentReader {
  let kind: String
  let arguments: [FaultArgument]
  let cursor: FaultCursor

  func effect(at place: ReaderFault.Place) throws(ReplayError) -> ReaderFault.Effect {
    let isTransfer = place == .toChip || place == .toHost
    let (effect, fits): (ReaderFault.Effect, Bool) =
      switch kind {
      case "drop": (.drop, true)
      case "dup": (.duplicate, true)
      case "late": (.late(try delay()), true)
      case "corrupt": (.corrupt(bit: try number(0...65_535)), true)
      case "truncate": (.truncate(count: try number(0...65_535)), true)
      case "replace": (.replace(try bytes()), isTransfer)
      case "insert": (.insert(try bytes()), isTransfer)
      case "split": (.split(at: try number(0...65_535)), isTransfer)
      case "merge": (.merge, place == .toHost)
      case "zlp": (.emptyTransferAfter, place == .toHost)
      case "status": (.status(try status()), place == .toHost)
      case "stall": (.stall, place == .toHost)
      case "unplug": (.unplug, isTransfer)
      case "completes-late": (.completesLate(try delay()), place == .toChip)
      default: (.removeCard, true)
      }
    guard fits else {
      throw cursor.error(
        at: arguments[0].position, found: "\(kind) of '\(arguments[0].text)'",
        expected: isTransfer ? "the other direction" : "a transfer: in or out",
        remedy: "retap simulate --help lists what can happen where")
    }
    let allowed = takesArgument ? 2 : 1
    guard arguments.count <= allowed else {
      throw cursor.error(
        at: arguments[allowed].position, found: "'\(arguments[allowed].text)'", expected: "')'",
        remedy: "\(kind) takes nothing more")
    }
    return effect
  }

  private var takesArgument: Bool {
    [
      "late", "corrupt", "truncate", "replace", "insert", "split", "status", "completes-late",
    ].contains(kind)
  }

  private func delay() throws(ReplayError) -> Nanoseconds {
    guard let argument, let delay = DurationText.parse(argument.text), delay >= .zero,
      delay <= ReaderFaultText.maximumDelay
    else { throw wrong("a delay of at most 3600s", "\(kind)(\(place),+20ms)") }
    return delay
  }

  private func number(_ limits: ClosedRange<Int>) throws(ReplayError) -> Int {
    guard let argument, let number = Int(argument.text), limits.contains(number) else {
      throw wrong("a number from 0", "\(kind)(\(place),6)")
    }
    return number
  }

  private func status() throws(ReplayError) -> UInt8 {
    guard let argument, argument.text.utf8.count == 2, let status = UInt8(argument.text, radix: 16)
    else { throw wrong("a status in two hexadecimal digits", "\(kind)(\(place),13)") }
    return status
  }

  private func bytes() throws(ReplayError) -> [UInt8] {
    guard let argument, let bytes = Hexadecimal.bytes(of: argument.text), !bytes.isEmpty,
      bytes.count <= ReaderFaultText.maximumBytes
    else { throw wrong("bytes in hexadecimal digits", "\(kind)(\(place),00 00 FF)") }
    return bytes
  }

  private var argument: FaultArgument? { arguments.count > 1 ? arguments[1] : nil }
  private var place: String { arguments[0].text }

  private func wrong(_ expected: String, _ example: String) -> ReplayError {
    cursor.error(
      at: (argument ?? arguments[0]).position, found: argument.map { "'\($0.text)'" } ?? "nothing",
      expected: expected, remedy: "write for example \(example)")
  }
}
