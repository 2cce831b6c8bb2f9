import Testing

@testable import NFCTrace

@Suite struct CardNumberTests {
  private func digits(_ text: String) -> [UInt8] { text.utf8.map { $0 - 0x30 } }

  @Test("check digit: the examples of the standard's annex and of its patent")
  func checkDigit() {
    #expect(CardNumber.checkDigit(of: [7, 9, 9, 2, 7, 3, 9, 8, 7, 1]) == 3)
    #expect(CardNumber.isLuhnValid(digits("4992739871 6".filter(\.isNumber))) == true)
    #expect(CardNumber.isLuhnValid([]) == false)
  }

  @Test(
    "numbers that schemes publish for tests",
    arguments: [
      "4111111111111111", "4222222222222", "5555555555554444", "2223003122003222",
      "378282246310005", "6011111111111117", "30569309025904", "3530111333300000",
      "6200000000000005", "6304000000000000",
    ])
  func plausible(_ number: String) { #expect(CardNumber.isPlausible(digits(number))) }

  @Test(
    "12 and 20 digits, a wrong check digit, a beginning that nobody issues",
    arguments: [
      "411111111111", "41111111111111111111", "4111111111111112", "9999999999999995",
      "0000000000000000", "1732959999843056",
    ])
  func implausible(_ number: String) { #expect(!CardNumber.isPlausible(digits(number))) }

  @Test func tracks() throws {
    let second = try #require(
      TrackData.parts(of: Array("4761739001010010D22122011234567890".utf8)))
    #expect(second.number == 0..<16)
    #expect(second.expiry == 17..<21)
    #expect(second.discretionary == 24..<34)
    let first = try #require(TrackData.parts(of: Array("B4111111111111111^DOE/J^2212201X".utf8)))
    #expect(first.number == 1..<17)
    #expect(first.name == 18..<23)
    #expect(first.expiry == 24..<28)
    #expect(TrackData.parts(of: Array("B4111111111111111^DOE/J".utf8)) == nil)
    #expect(TrackData.parts(of: Array("1234567D2212".utf8)) == nil)
  }
}
