public import HostIO
import NFCProtocols
public import PN53x

/// What names a reader on a command line: real, recorded or modelled.
public enum ReaderAddress: Hashable, Sendable {
  /// `usb:`, the first reader on the lowest bus.
  case firstUSB
  /// `usb:04e6:5591`, the first reader with these numbers.
  case usbIdentity(USBIdentity)
  /// `usb:001.004`, the device at this place.
  case usbPlace(USBPlace)
  /// `serial:/dev/ttyUSB0` or `serial:/dev/ttyUSB0?speed=921600`, a PN532 on a serial line.
  case serial(path: String, speed: SerialBaudRate)
  /// `replay:FILE`, the chip of a recording.
  case replay(path: String)
  /// `model:pn533?card=FILE`, a modelled chip and what is in its field.
  case model(name: String, options: [Option])

  /// One `name=value` behind the question mark.
  public struct Option: Hashable, Sendable {
    /// What stands before the first equals sign.
    public var name: String
    /// What stands behind it.
    public var value: String

    /// Makes an option.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The longest address in bytes: a longest path of Linux (PATH_MAX) and some options.
  public static let maximumLength = 8_192

  /// What addresses look like, for messages and help.
  public static let examples =
    "usb:, usb:04e6:5591, usb:001.004, serial:/dev/ttyUSB0, replay:FILE, model:pn533?card=FILE"

  /// Reads an address.
  ///
  /// - Throws: `HostLinkError.badAddress` with what is wrong.
  public init(_ text: String) throws(HostLinkError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw .badAddress(
        String(text.prefix(40)) + "…", reason: "it is longer than \(Self.maximumLength) bytes")
    }
    guard let colon = text.firstIndex(of: ":") else {
      throw .badAddress(text, reason: Self.noScheme(text))
    }
    let rest = String(text[text.index(after: colon)...])
    switch text[..<colon] {
    case "usb": self = try Self.usb(rest, text)
    case "serial": self = try Self.serial(rest, text)
    case "replay":
      guard !rest.isEmpty else { throw .badAddress(text, reason: "replay: needs a file") }
      self = .replay(path: rest)
    case "model": self = try Self.model(rest, text)
    default:
      let word = String(text[..<colon])
      let guess = NearestWord.guess(for: word, among: ["usb", "serial", "replay", "model"])
      let hint = guess.map { "; did you mean '\($0):'?" } ?? ""
      throw .badAddress(text, reason: "'\(word):' is no kind of reader\(hint)")
    }
  }

  /// The address as it is typed.
  public var text: String {
    switch self {
    case .firstUSB: "usb:"
    case .usbIdentity(let identity): "usb:\(identity.text)"
    case .usbPlace(let place): "usb:\(place.text)"
    case .serial(let path, let speed):
      speed == .baud115200 ? "serial:\(path)" : "serial:\(path)?speed=\(speed.bitsPerSecond)"
    case .replay(let path): "replay:\(path)"
    case .model(let name, let options):
      options.isEmpty
        ? "model:\(name)"
        : "model:\(name)?" + options.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
  }
}

extension ReaderAddress {
  private static func noScheme(_ text: String) -> String {
    if text.hasPrefix("/dev/tty") { return "a serial line is written serial:\(text)" }
    if text.hasPrefix("/") { return "a file is written replay:\(text)" }
    return "the kind of reader in front of a colon is missing"
  }

  private static func usb(_ rest: String, _ text: String) throws(HostLinkError) -> ReaderAddress {
    if rest.isEmpty { return .firstUSB }
    let numbers = rest.split(separator: ":", omittingEmptySubsequences: false)
    if numbers.count == 2 {
      guard let vendor = hexadecimal(numbers[0]), let product = hexadecimal(numbers[1]) else {
        throw .badAddress(
          text, reason: "vendor and product are four hexadecimal digits each, usb:04e6:5591")
      }
      return .usbIdentity(USBIdentity(vendor: vendor, product: product))
    }
    let place = rest.split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 1, place.count == 2 else {
      throw .badAddress(text, reason: "usb: is followed by nothing, by 04e6:5591 or by 001.004")
    }
    guard let bus = decimal(place[0]), let device = decimal(place[1]) else {
      throw .badAddress(
        text, reason: "bus and device are numbers from 1 to 255 of up to three digits, usb:001.004")
    }
    return .usbPlace(USBPlace(bus: bus, device: device))
  }

  private static func hexadecimal(_ digits: Substring) -> UInt16? {
    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt16(digits, radix: 16)
  }

  private static func decimal(_ digits: Substring) -> UInt8? {
    guard (1...3).contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return UInt8(digits).flatMap { $0 == 0 ? nil : $0 }
  }

  private static func serial(
    _ rest: String, _ text: String
  ) throws(HostLinkError) -> ReaderAddress {
    let (path, options) = try split(rest, text)
    guard !path.isEmpty else {
      throw .badAddress(text, reason: "serial: needs a device, serial:/dev/ttyUSB0")
    }
    let rates = SerialBaudRate.allCases
    var speed = SerialBaudRate.baud115200
    for option in options {
      guard option.name == "speed" else {
        throw .badAddress(text, reason: "a serial line has speed= and not '\(option.name)='")
      }
      guard let number = Int(option.value),
        let rate = rates.first(where: { $0.bitsPerSecond == number })
      else {
        let known = rates.map { String($0.bitsPerSecond) }.joined(separator: ", ")
        throw .badAddress(text, reason: "'\(option.value)' is no speed of a PN532: \(known)")
      }
      speed = rate
    }
    return .serial(path: path, speed: speed)
  }

  private static func model(
    _ rest: String, _ text: String
  ) throws(HostLinkError) -> ReaderAddress {
    let (name, options) = try split(rest, text)
    guard !name.isEmpty else {
      throw .badAddress(text, reason: "model: needs a chip, model:pn533?card=FILE")
    }
    return .model(name: name, options: options)
  }

  /// The part before the first question mark, and the options behind it.
  private static func split(
    _ rest: String, _ text: String
  ) throws(HostLinkError) -> (String, [Option]) {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return (rest, []) }
    var options: [Option] = []
    for item in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
      let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty else {
        throw .badAddress(text, reason: "'\(item)' behind the question mark is not name=value")
      }
      options.append(Option(String(sides[0]), String(sides[1])))
    }
    return (String(parts[0]), options)
  }
}
