import HostIO
import Testing

@testable import RetapCommand

/// A program that is not there is told with exit code 69, not as a disagreement with the trace.
struct MissingProgramTests {
  @Test(arguments: ["terminal", "card"])
  func aMissingProgramIsNamed(role: String) {
    var console = Console()
    let trace = role == "terminal" ? "terminal-ndef-apdus" : "type4-ndef-read"
    let code = CommandLineTool.run(
      [
        "replay", TestCaptures.path("\(trace).retap"), "--role", role, "--exec",
        "no-such-program --flag",
      ], console: &console)
    #expect(code == .unavailable)
    let message = String(decoding: console.errors.content, as: UTF8.self)
    #expect(message.contains("no-such-program is missing"))
    #expect(message.contains("--exec 'no-such-program --flag'"))
  }

  @Test func aProgramThatRanAndEndedSoIsAVerdict() {
    var console = Console()
    let code = CommandLineTool.run(
      [
        "replay", TestCaptures.path("terminal-ndef-apdus.retap"), "--role", "terminal", "--exec",
        "echo 6a82; exit 127",
      ], console: &console)
    #expect(code == .findings)
  }
}
