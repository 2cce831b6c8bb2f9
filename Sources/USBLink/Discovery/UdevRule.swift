import PN53x

/// The udev rule that lets users without administrator rights open the readers.
public enum UdevRule {
  /// Where the rule goes.
  ///
  /// The number is below 73, where systemd grants what `uaccess` asks for.
  public static let path = "/etc/udev/rules.d/60-retap.rules"

  /// What to type to put the rule in place.
  public static let installation = """
    retap doctor --udev-rule | sudo tee \(path)
    sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=usb
    """

  /// The rule, one line a reader.
  ///
  /// Who sits at the machine gets access by `uaccess`, who logs in from afar by the group.
  public static var text: String {
    var lines = [
      "# Lets users open the NFC readers that retap knows. Goes to \(path);",
      "# then: sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=usb",
    ]
    for reader in KnownReader.all {
      let identity = USBIdentity(vendor: reader.vendor, product: reader.product)
      let numbers = identity.text.split(separator: ":")
      lines.append("# \(reader.title)")
      lines.append(
        "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(numbers[0])\", "
          + "ATTR{idProduct}==\"\(numbers[1])\", "
          + "MODE=\"0660\", GROUP=\"plugdev\", TAG+=\"uaccess\"")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
