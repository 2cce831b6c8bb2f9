/// Where a USB device sits at the moment; both numbers change when it is plugged in again.
public struct USBPlace: Hashable, Comparable, Sendable {
  /// The number of the bus.
  public var bus: UInt8
  /// The number of the device on its bus.
  public var device: UInt8

  /// Makes a place.
  public init(bus: UInt8, device: UInt8) {
    self.bus = bus
    self.device = device
  }

  /// Three decimal digits each, for example `001.004`.
  public var text: String { Self.digits(bus) + "." + Self.digits(device) }

  /// The device file of Linux.
  public var path: String { "/dev/bus/usb/\(Self.digits(bus))/\(Self.digits(device))" }

  /// The order of the numbers.
  public static func < (left: USBPlace, right: USBPlace) -> Bool {
    (left.bus, left.device) < (right.bus, right.device)
  }

  private static func digits(_ number: UInt8) -> String {
    let text = String(number)
    return String(repeating: "0", count: 3 - text.count) + text
  }
}
