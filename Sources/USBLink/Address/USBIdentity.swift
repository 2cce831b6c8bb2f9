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

  /// Four hexadecimal digits each, for example `04e6:5591`.
  public var text: String { Self.digits(vendor) + ":" + Self.digits(product) }

  private static func digits(_ number: UInt16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }
}
