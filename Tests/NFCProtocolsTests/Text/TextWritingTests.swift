import NFCProtocols
import Testing

@Suite struct TextWritingTests {
  /// Escapes of RFC 8259, 7.
  @Test func writesJSONOnOneLine() {
    var json = JSONLineWriter()
    json.beginObject()
    json.member("a", "q\"b\\n\n\r\t\u{1}ü")
    json.member("n", nil as String?)
    json.beginList("l")
    json.element(1)
    json.element("x")
    json.endList()
    json.beginObject("o")
    json.endObject()
    json.member("f", false)
    json.member("h", hex: [0x00, 0xAB])
    json.member("m", Int64.min)
    json.endObject()
    json.endLine()
    #expect(
      json.buffer.string == #"{"a":"q\"b\\n\n\r\t\u0001ü","n":null,"l":[1,"x"],"o":{},"f":false,"#
        + #""h":"00ab","m":-9223372036854775808}"# + "\n")
  }

  @Test(arguments: [
    ("raeder", "reader"), ("colck", "clock"), ("tech", "techn"), ("colision", "collision"),
  ])
  func guessesTheNearestWord(typed: String, meant: String) {
    #expect(
      NearestWord.guess(for: typed, among: ["reader", "clock", "techn", "collision"]) == meant)
  }

  @Test(arguments: ["", "x", "completely", String(repeating: "reader", count: 20)])
  func guessesNothingFromFar(typed: String) {
    #expect(NearestWord.guess(for: typed, among: ["reader", "clock", "collision"]) == nil)
  }
}
