public import HostIO
public import PN53x

/// A USB reader that is plugged in, and whether it can be used.
public struct ReaderCondition: Sendable {
  /// What the device says of itself.
  public var device: USBDeviceDescription
  /// The entry of the list of readers.
  public var reader: KnownReader
  /// True if this user may open the device file.
  public var mayOpen: Bool
  /// The kernel driver that has it; it gives way.
  public var kernelDriver: String?
  /// The programs that have it open, as far as this user may look.
  public var holders: [ReaderHolder]
  /// What the chip said, or why it could not be asked; `nil` if it was not asked.
  public var answer: Result<FirmwareVersion, ReaderSessionError>?

  /// Describes a reader.
  public init(
    device: USBDeviceDescription, reader: KnownReader, mayOpen: Bool = true,
    kernelDriver: String? = nil, holders: [ReaderHolder] = [],
    answer: Result<FirmwareVersion, ReaderSessionError>? = nil
  ) {
    self.device = device
    self.reader = reader
    self.mayOpen = mayOpen
    self.kernelDriver = kernelDriver
    self.holders = holders
    self.answer = answer
  }

  /// Looks at all listed readers and asks each for its firmware, which disturbs no other program:
  /// a reader in use cannot be claimed.
  public static func survey() throws(HostLinkError) -> [ReaderCondition] {
    try USBDevices.all().compactMap { device in
      device.reader.map { reader in
        var condition = ReaderCondition(
          device: device, reader: reader, mayOpen: HostProcess.mayUse(device.place.path),
          kernelDriver: KernelDriver.name(of: device.place),
          holders: ReaderHolder.all(of: device.place))
        condition.answer = ask(device)
        return condition
      }
    }
  }

  /// Opens a reader, asks for its firmware, and closes it again.
  private static func ask(
    _ device: USBDeviceDescription
  ) -> Result<FirmwareVersion, ReaderSessionError> {
    do throws(ReaderSessionError) {
      let link = try open(.usbPlace(device.place))
      let configuration = link.reader.configuration
      var session = ReaderSession(link, configuration)
      return .success(try session.identify())
    } catch {
      return .failure(error)
    }
  }

  private static func open(
    _ address: ReaderAddress
  ) throws(ReaderSessionError) -> USBReaderLink {
    do throws(HostLinkError) { return try USBReaderLink(address) } catch { throw .link(error) }
  }

  /// `PN533 2.7` once the chip has said so, else the chip of the list.
  public var chipText: String {
    guard case .success(let version) = answer else { return "\(reader.chip.name)" }
    return "\((version.chip ?? reader.chip).name) \(version.version).\(version.revision)"
  }

  /// `free`, or why it is not.
  public var stateText: String {
    switch answer {
    case .success: "free"
    case .failure(.link(.busy(_, let holder))):
      "in use by \(holder ?? "another program that this user may not see")"
    case .failure(.link(.noPermission)): "this user may not open it"
    case .failure(.link(let error)): error.reason
    case .failure(let error): error.message
    case nil: "not asked"
    }
  }
}
