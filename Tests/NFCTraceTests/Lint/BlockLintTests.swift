import NFCProtocols
import NFCTrace
import Testing

@Suite struct BlockLintTests {
  private static let select = [UInt8]([0x00, 0xA4, 0x04, 0x00])
  private static let success: [UInt8] = [0x90, 0x00]

  private static func activated() -> LintScript {
    var script = LintScript()
    script.activate()
    return script
  }

  @Test func `a reader's number that does not toggle`() {
    var script = Self.activated()
    script.exchange(.information(.zero, Self.select), .information(.zero, Self.success))
    script.exchange(.information(.zero, Self.select), .information(.zero, Self.success))
    script.exchange(.information(.one, Self.select), .information(.one, Self.success))
    #expect(script.summary == ["11 block-number"])
    #expect(script.findings[0].message == "reader sent I-block number 0 where 1 is due")
  }

  @Test func `a card's number that is not the reader's`() {
    var script = Self.activated()
    script.exchange(.information(.zero, Self.select), .information(.one, Self.success))
    #expect(script.summary == ["10 block-number"])
    #expect(
      script.findings[0].message == "card answered with I-block number 1, the reader's block has 0")
  }

  @Test func `a block sent again after silence keeps its number`() {
    var script = Self.activated()
    script.reader(Block.information(.zero, Self.select).bytes)
    script.exchange(
      Block(.negativeAcknowledge(number: .zero)), .information(.zero, Self.success))
    script.exchange(.information(.one, Self.select), .information(.one, Self.success))
    script.reader(Block.information(.zero, Self.select).bytes)
    script.exchange(.information(.zero, Self.select), .information(.zero, Self.success))
    #expect(script.findings == [])
  }

  @Test func `R(NAK) as a presence check does not toggle`() {
    var script = Self.activated()
    script.exchange(.information(.zero, Self.select), .information(.zero, Self.success))
    for _ in 0..<2 {
      script.exchange(
        Block(.negativeAcknowledge(number: .one)), Block(.acknowledge(number: .zero)))
    }
    script.exchange(.information(.one, Self.select), .information(.one, Self.success))
    #expect(script.findings == [])
  }

  @Test func `chaining in both directions`() {
    var script = Self.activated()
    script.exchange(
      .information(.zero, [0x00, 0xD6, 0x00, 0x00, 0x03, 0xAA], isChaining: true),
      Block(.acknowledge(number: .zero)))
    script.exchange(
      .information(.one, [0xBB, 0xCC]), .information(.one, [1, 2], isChaining: true))
    script.exchange(Block(.acknowledge(number: .zero)), .information(.zero, Self.success))
    #expect(script.findings == [])
    script.exchange(
      .information(.one, Self.select, isChaining: true), Block(.acknowledge(number: .zero)))
    #expect(script.summary == ["16 block-number"])
  }

  @Test(arguments: [(UInt8(1), true), (59, true), (0, false), (60, false), (63, false)])
  func `multipliers of S(WTX)`(_ multiplier: UInt8, _ isLegal: Bool) {
    var script = Self.activated()
    let request = Block(.waitingTimeExtension(multiplier: multiplier, powerLevel: 0))
    script.exchange(.information(.zero, Self.select), request)
    script.exchange(request, .information(.zero, Self.success))
    #expect(script.summary == (isLegal ? [] : ["10 wtx-multiplier"]))
  }

  @Test func `a multiplier that the reader does not repeat`() {
    var script = Self.activated()
    script.exchange(
      .information(.zero, Self.select),
      Block(.waitingTimeExtension(multiplier: 2, powerLevel: 0)))
    script.exchange(
      Block(.waitingTimeExtension(multiplier: 3, powerLevel: 0)),
      .information(.zero, Self.success))
    #expect(script.summary == ["11 wtx-multiplier"])
  }

  @Test(arguments: [
    ("00A4040007D27600", "command APDU ends at byte 8, its lengths promise 4 more"),
    ("00A40400021122AABB", "command APDU has 1 byte behind Le, from byte 8 on"),
  ])
  func `lengths of APDUs that lie`(_ text: String, _ message: String) throws {
    let bytes = try #require(Hexadecimal.bytes(of: text))
    var script = Self.activated()
    script.reader(Block.information(.zero, bytes).bytes)
    #expect(script.findings.map(\.message) == [message])
    #expect(script.findings[0].source == "7816-4, 5.1")
    var layer = LintScript()
    layer.events = [TraceEvent(start: .zero, .apdu(.outbound, bytes))]
    #expect(layer.findings.map(\.message) == [message])
  }

  @Test func `commands of other forms in I-blocks are no APDUs`() {
    var script = Self.activated()
    script.exchange(.information(.zero, [0x60]), .information(.zero, [0xAF, 1, 2]))
    script.exchange(
      .information(.one, [0x5A, 1, 2, 3, 4, 5]), .information(.one, [0x00]))
    script.exchange(
      .information(.zero, [0x70, 0x01, 0x90, 0x00, 0x00, 0x11]), .information(.zero, [0x90]))
    #expect(script.findings == [])
  }

  @Test func `an answer longer than Le allows`() {
    var script = LintScript()
    let read: [UInt8] = [0x00, 0xB0, 0x00, 0x00, 0x02]
    script.events = [
      TraceEvent(start: .zero, .apdu(.outbound, read)),
      TraceEvent(start: Nanoseconds(1), .apdu(.inbound, [1, 2, 0x90, 0x00])),
      TraceEvent(start: Nanoseconds(2), .apdu(.outbound, read)),
      TraceEvent(start: Nanoseconds(3), .apdu(.inbound, [1, 2, 3, 0x90, 0x00])),
    ]
    #expect(script.findings.map(\.message) == ["answer has 3 bytes, Le asks for at most 2"])
    #expect(script.summary == ["4 apdu-length"])
  }
}
