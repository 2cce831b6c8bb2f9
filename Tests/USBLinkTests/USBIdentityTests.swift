import Testing
import USBLink

struct USBIdentityTests {
  @Test func identitiesAreEqualByTheirNumbers() {
    #expect(
      USBIdentity(vendor: 0x04E6, product: 0x5591) == USBIdentity(vendor: 0x04E6, product: 0x5591))
    #expect(
      USBIdentity(vendor: 0x04E6, product: 0x5591) != USBIdentity(vendor: 0x04E6, product: 0x5594))
  }
}
