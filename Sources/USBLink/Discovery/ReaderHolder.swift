import HostIO

/// A process that has the device file of a reader open.
public struct ReaderHolder: Hashable, Sendable {
  /// The number of the process.
  public var process: Int
  /// Its name, as in `/proc/N/comm`.
  public var name: String

  /// Names a process.
  public init(process: Int, name: String) {
    self.process = process
    self.name = name
  }

  /// `pcscd (process 412)`.
  public var text: String { "\(name) (process \(process))" }

  /// The processes that have the device file open, as far as this user may look; not this one.
  public static func all(of place: USBPlace) -> [ReaderHolder] {
    all(havingOpen: "/bus/usb/" + place.path.split(separator: "/").suffix(2).joined(separator: "/"))
  }

  /// The processes that have a file open whose path ends so.
  ///
  /// The beginning of the path is not compared: a container or a test bed has another one.
  public static func all(havingOpen ending: String) -> [ReaderHolder] {
    let own = HostProcess.identifier
    var found: [ReaderHolder] = []
    for name in names(in: "/proc") {
      guard let number = Int(name), number != own, isOpen(ending, in: number) else { continue }
      found.append(
        ReaderHolder(
          process: number, name: SmallFile.text("/proc/\(number)/comm") ?? "a process"))
    }
    return found.sorted { $0.process < $1.process }
  }

  private static func isOpen(_ ending: String, in process: Int) -> Bool {
    let folder = "/proc/\(process)/fd"
    return names(in: folder).contains { name in
      SmallFile.linkTarget("\(folder)/\(name)")?.hasSuffix(ending) ?? false
    }
  }

  /// The names in a folder; none where this user may not look.
  private static func names(in folder: String) -> [String] {
    do throws(HostError) { return try Folder.names(in: folder) } catch { return [] }
  }

  /// Who holds the device, in words; `nil` if nobody is seen.
  static func text(of place: USBPlace) -> String? {
    let processes = all(of: place)
    if !processes.isEmpty { return processes.map(\.text).joined(separator: ", ") }
    let driver = KernelDriver.name(of: place)
    return driver == nil || driver == KernelDriver.programInterface
      ? nil : "kernel driver \(driver ?? "")"
  }
}
