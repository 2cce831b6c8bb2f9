import Foundation
import RetapCommand
import Testing

/// A driver of a PN53x as a child, against the recorded chip of captures/pn533-type2-read.retap.
@Suite(.enabled(if: Python.isExpected, "python3 is not installed: apt install python3"))
struct ChipDriverTests {
  /// Frames as in the PN532 user manual 6.2.1, and the commands of the recording.
  private static let driver = """
    import sys

    def frame(body):
        n = len(body)
        return (bytes([0, 0, 255, n, -n & 255]) + body + bytes([-sum(body) & 255, 0])).hex()

    def say(text):
        print(text, flush=True)

    def receive():
        for line in sys.stdin:
            if line.startswith("# silence"):
                return ""
            if not line.startswith("#"):
                return line.strip()
        sys.exit(7)

    def command(*body):
        say(frame(bytes(body)))
        assert receive() == "0000ff00ff00", "ACK"
        return receive()

    """

  private static let session = """
    assert command(0xD4, 0x02) == "0000ff06fad50333020707e500"
    command(0xD4, 0x32, 0x05, 0xFF, 0x01, 0x02)
    command(0xD4, 0x32, 0x01, 0x01)
    assert command(0xD4, 0x4A, 0x01, 0x00)[10:16] == "d54b01"
    assert "d54100" in command(0xD4, 0x40, 0x01, 0x30, 0x03)
    command(0xD4, 0x40, 0x01, 0x30, 0x07)
    command(0xD4, 0x52, 0x00)
    command(0xD4, 0x32, 0x01, 0x00)

    """

  private func replay(
    _ body: String, _ words: [String] = []
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let trace = ExecDocumentTests.root.appendingPathComponent("captures/pn533-type2-read.retap")
    return try Python.replay(Self.driver + body, trace.path, ["--role", "chip"] + words)
  }

  @Test func theRecordedCommandsAgree() throws {
    let result = try replay(Self.session)
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    #expect(result.output.contains("agreed with 8 of 8 recorded exchanges"))
  }

  @Test func theRunLogIsTheSameEachTime() throws {
    #expect(try replay(Self.session).output == replay(Self.session).output)
  }

  @Test func anotherCommandDiverges() throws {
    let result = try replay("command(0xD4, 0x02)\ncommand(0xD4, 0x4A, 0x01, 0x00)\n")
    #expect(result.code == .findings)
    #expect(result.output.hasPrefix("retap: DIFFERENT at exchange 2\n"))
    #expect(result.output.contains("expected  D4 32 05 FF 01 02   RFConfiguration"))
    #expect(result.output.contains("actual    D4 4A 01 00         InListPassiveTarget"))
  }

  /// NACK: the last response comes again; nothing of that is matched.
  @Test func aNackIsBelowMatching() throws {
    let result = try replay(
      """
      first = command(0xD4, 0x02)
      say("0000ffff0000")
      assert receive() == first
      """, ["--until", "1"])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
  }

  /// An ACK while the chip works: the recorded response comes 620 µs after its ACK, the driver
  /// listens 1 ms in all and gets the ACK only.
  @Test func anAbortTakesTheResponseAway() throws {
    let result = try replay(
      """
      say("listen 1ms")
      assert command(0xD4, 0x02) == ""
      say("0000ff00ff00")
      """, ["--until", "1"])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
  }

  @Test func aCommandSentAgainAfterALostAcknowledgeIsAnswered() throws {
    let result = try replay(
      """
      say("listen 15ms")
      say(frame(bytes([0xD4, 0x02])))
      assert "d503" in receive()
      """, ["--until", "1", "--faults", "drop(1)"])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
  }

  @Test func bytesThatAreNoFrameGetSilence() throws {
    let result = try replay("say('0102030405')\nassert receive() == ''\n" + Self.session)
    #expect(result.code == .success, "\(result.output)\(result.errors)")
  }

  @Test func aDriverThatStopsEarlyLeavesExchangesOver() throws {
    let result = try replay("command(0xD4, 0x02)\n")
    #expect(result.output.hasPrefix("retap: LEFTOVER from exchange 2 on: 7 recorded exchanges"))
  }

  @Test func aLineThatIsNoHexIsNamed() throws {
    let result = try replay("say('GetFirmwareVersion')\nreceive()\n")
    #expect(result.code == .findings)
    #expect(
      result.output.contains("wrote 'GetFirmwareVersion' where a transfer in hex was due"))
  }
}
