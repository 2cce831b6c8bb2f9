import HostIO

/// Which driver of the kernel has interface 0 of a USB device, as sysfs tells without opening it.
public enum KernelDriver {
  /// What sysfs names while a program has claimed the interface.
  public static let programInterface = "usbfs"
  /// The driver of Linux for PN533 readers; it gives way when a program claims the interface.
  public static let pn533 = "pn533_usb"

  /// The name of the driver, or `nil` if there is none or no such device.
  public static func name(of place: USBPlace) -> String? {
    guard let device = folder(of: place) else { return nil }
    let name = device.split(separator: "/").last.map(String.init) ?? ""
    // The interface of configuration 1 is the usual one; SmallFile finds no link in others.
    let link = SmallFile.linkTarget("\(device)/\(name):1.0/driver")
    return link.flatMap { $0.split(separator: "/").last.map(String.init) }
  }

  /// The folder of the device in sysfs.
  static func folder(of place: USBPlace) -> String? {
    let root = "/sys/bus/usb/devices"
    let names: [String]
    do throws(HostError) { names = try Folder.names(in: root) } catch { return nil }
    return names.lazy.filter { !$0.contains(":") }.map { "\(root)/\($0)" }.first { path in
      SmallFile.text("\(path)/busnum") == String(place.bus)
        && SmallFile.text("\(path)/devnum") == String(place.device)
    }
  }
}
