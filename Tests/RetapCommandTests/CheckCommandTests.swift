import Glibc
import HostIO
import Testing

@testable import RetapCommand

@Suite struct CheckCommandTests {
  /// Runs `retap check` on a trace of these lines.
  private static func check(
    _ lines: [String], options: [String] = []
  ) throws -> (code: ExitCode, output: String) {
    let path = "/tmp/retap-check-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).retap"
    defer { unlink(path) }
    var file = try OutputFile(path: path)
    try file.write(Array((["retap 1", "technology A", ""] + lines).joined(separator: "\n").utf8))
    try file.commit()
    var console = Console()
    let code = CommandLineTool.run(["check", path] + options, console: &console)
    return (code, String(decoding: console.output.content, as: UTF8.self))
  }

  @Test func `a clean trace ends with 0`() throws {
    let result = try Self.check(["0 rf > 26'7", "164 307 rf < 44 03", "end", ""])
    #expect(result.code == .success)
    #expect(result.output.hasSuffix(".retap: 2 events, nothing found\n"))
  }

  @Test func `a low frequency trace is not read as type A, and its clock may start anew`() throws {
    let path = "/tmp/retap-check-\(getpid())-low.retap"
    defer { unlink(path) }
    var file = try OutputFile(path: path)
    let lines = [
      "retap 1", "clock 8 us, first event", "", "0 rf > C0'5", "8 000 000 rf < 60 01",
      "0 rf > 26'7", "end", "",
    ]
    try file.write(Array(lines.joined(separator: "\n").utf8))
    try file.commit()
    var console = Console()
    #expect(CommandLineTool.run(["check", path], console: &console) == .success)
    let remarks = String(decoding: console.errors.content, as: UTF8.self)
    #expect(remarks.contains("the trace is low frequency, its frames are not interpreted"))
    var shown = Console()
    #expect(CommandLineTool.run(["show", path], console: &shown) == .success)
    let text = String(decoding: shown.output.content, as: UTF8.self)
    #expect(text.contains("low frequency, 125 kHz: frames are not interpreted"))
    #expect(!text.contains("REQA") && !text.contains("field on"))
  }

  @Test func `a finding ends with 1 and names event, rule and clause`() throws {
    let lines = ["0 rf > 26'7", "1 000 000 rf > 30 00 02 A9", "end", ""]
    let result = try Self.check(lines)
    #expect(result.code == .findings)
    #expect(
      result.output
        == "2: reader frame ends with CRC 02 A9, 02 A8 fits its bytes    [14443-3, 6.2.4]\n")
    let json = try Self.check(lines, options: ["--json"])
    #expect(json.code == .findings)
    #expect(json.output.contains(#""event":2,"time_ns":1000000,"rule":"crc""#))
    #expect(json.output.contains(#""source":"14443-3, 6.2.4""#))
  }

  @Test func `bad input ends with 65`() throws {
    #expect(try Self.check(["this is no event", "end", ""]).code == .badInput)
    var console = Console()
    #expect(CommandLineTool.run(["check", "/nowhere/x"], console: &console) == .badInput)
    #expect(CommandLineTool.run(["check"], console: &console) == .usage)
  }
}
