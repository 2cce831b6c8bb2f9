/// Vendor and product number of a USB device.
public struct USBIdentity: Hashable, Sendable {
  /// The vendor number (idVendor).
  public var vendor: UInt16
  /// The product number (idProduct).
  public var product: UInt16

  /// Makes an identity.
  public init(vendor: UInt16, product: UInt16) {
    self.vendor = vendor
    self.product = product
  }
}
