import HostIO

/// A serial line that a PN532 could hang on.
public struct SerialPort: Hashable, Sendable {
  /// The device file, for example `/dev/ttyUSB0`.
  public var path: String
  /// What the adapter says it is, if it says so.
  public var product: String?

  /// Describes a line.
  public init(path: String, product: String? = nil) {
    self.path = path
    self.product = product
  }

  /// Names of lines worth a try: USB adapters, and the pins of small boards.
  ///
  /// Plain `ttyS` lines are
  /// left out, since most of them lead nowhere.
  static let prefixes = ["ttyUSB", "ttyACM", "ttyAMA"]

  /// The lines that are there.
  ///
  /// Nothing is sent over them: what is behind may be anything.
  public static func candidates() -> [SerialPort] {
    let names: [String]
    do throws(HostError) { names = try Folder.names(in: "/dev") } catch { return [] }
    return names.filter { name in prefixes.contains { name.hasPrefix($0) } }.map { name in
      let device = "/sys/class/tty/\(name)/device"
      // A ttyACM line hangs on the interface, a ttyUSB line on a port of it.
      let product =
        SmallFile.text("\(device)/../product") ?? SmallFile.text("\(device)/../../product")
      return SerialPort(path: "/dev/\(name)", product: product)
    }
  }
}
