public import PN53x

extension KnownReader {
  /// The link that a session works over.
  public var configuration: HostEngineConfiguration {
    switch framing {
    case .hostFrames: HostEngineConfiguration(.usb, chip: chip)
    case .ccid: HostEngineConfiguration(.ccid(usesEscape: false), chip: chip)
    }
  }

  /// The descriptors that have to be put back where a chip overwrites its own.
  public var descriptors: DescriptorImage? {
    quirks.contains(.overwritesDescriptors)
      ? DescriptorImage(vendor: vendor, product: product) : nil
  }
}
