/// The kinds of personal data that a trace may hold.
public enum PersonalDataKind: String, Hashable, Sendable, CaseIterable {
  /// The number of a payment card (PAN, EMV tag 5A; ISO/IEC 7812-1).
  case cardNumber = "card-number"
  /// Track 1 or track 2 of a payment card (EMV tags 56, 57, 9F6B; ISO/IEC 7813).
  case trackData = "track-data"
  /// The day a payment card expires (EMV tag 5F24).
  case expiryDate = "expiry-date"
  /// The name on a payment card (EMV tags 5F20 and 9F0B).
  case holderName = "holder-name"
  /// A certificate or signature from which a card number can be had (EMV tags 93, 9F2D, 9F46).
  case cardCertificate = "card-certificate"
  /// A number that stands for a payment account (EMV tag 9F24).
  case accountReference = "account-reference"
  /// The machine readable zone of a travel document (ICAO 9303-3), also in DG1.
  case machineReadableZone = "mrz"
  /// Name, birth, address and the like in DG11 of a travel document (ICAO 9303-10).
  case documentDetails = "document-details"
  /// A face, fingers, an iris or a signature in DG2 to DG7 of a travel document (ICAO 9303-10).
  case biometrics
  /// A name, an address and the like of a contact (vCard in NDEF).
  case contact
  /// A telephone number.
  case phone
  /// An e-mail address.
  case email = "e-mail"
  /// The address or name of a Bluetooth device (Bluetooth pairing record in NDEF).
  case device
  /// Name or key of a wireless network (Wi-Fi record in NDEF).
  case network
  /// The identifier of a card: UID, PUPI, IDm.
  case uid

  /// The kind in words, for people.
  public var name: String {
    switch self {
    case .cardNumber: "card number"
    case .trackData: "track data"
    case .expiryDate: "expiry date"
    case .holderName: "holder's name"
    case .cardCertificate: "certificate with the card number"
    case .accountReference: "account reference"
    case .machineReadableZone: "machine readable zone"
    case .documentDetails: "detail of a travel document"
    case .biometrics: "biometric data"
    case .contact: "contact"
    case .phone: "phone number"
    case .email: "e-mail address"
    case .device: "device address or name"
    case .network: "network name or key"
    case .uid: "UID"
    }
  }
}

/// How the bytes of a value stand for its characters.
enum ValueForm: UInt8, Hashable, Sendable {
  /// Two digits a byte; other nibbles part or pad.
  case packedDigits
  /// One character a byte.
  case characters
  /// Bytes that are no characters.
  case binary
}
