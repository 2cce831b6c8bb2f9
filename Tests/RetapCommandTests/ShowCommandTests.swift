import Foundation
import HostIO
import Testing

@testable import RetapCommand

@Suite struct ShowCommandTests {
  static let trace = """
    retap 1
    clock    ns

    0 field on A
    5100000 rf > 26'7
    5285300 rf < 44 00
    6000000 rf > 30 04 26 EE
    6500000 rf < 03 10 D1 01 0C 55 01 65 78 61 6D 70 6C 65 2E 6F 52 C7
    """

  /// Runs the command on a file with `text`; exit code, output, errors.
  private func show(
    _ options: [String], _ text: String = trace, terminal: Terminal = Terminal()
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("show-\(UUID().uuidString).retap").path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var console = Console(terminal: terminal)
    let code = CommandLineTool.run(["show", path] + options, console: &console)
    return (
      code, String(decoding: console.output.content, as: UTF8.self),
      String(decoding: console.errors.content, as: UTF8.self)
    )
  }

  @Test("The timeline of a small trace")
  func timeline() throws {
    let result = try show([])
    #expect(result.code == .success)
    #expect(
      result.output == """
        \u{20}\u{20}0.000 000  ▲ field on A
        \u{20}\u{20}0.005 100  R→  26'7                               REQA
        \u{20}\u{20}0.005 285  ←C  44 00                              \
        ATQA  7-byte UID
        \u{20}\u{20}0.006 000  R→  30 04 26 EE                        READ 4
        \u{20}\u{20}0.006 500  ←C  03 10 D1 01 0C 55 01 65 78 61 6D 70 6C 65 2E 6F 52 C7  \
        data from 4

        """)
  }

  @Test(
    "Ranges of events count from 1",
    arguments: [("2..3", 2), ("4..", 2), ("..2", 2), ("3", 1), ("9..", 0)])
  func ranges(range: String, lines: Int) throws {
    let result = try show(["--events", range])
    #expect(result.code == .success)
    #expect(result.output.split(separator: "\n").count == lines)
  }

  @Test(
    "Wrong options are refused with a hint",
    arguments: [
      ["--events", "0..2"], ["--events", "5..2"], ["--events", ".."], ["--level", "radoi"],
      ["--color", "maybe"], ["--jsn"],
    ])
  func usage(options: [String]) throws {
    let result = try show(options)
    #expect(result.code == .usage)
    #expect(result.errors.contains("show"))
    #expect(result.output.isEmpty)
  }

  @Test("Colour on a terminal only, and never with NO_COLOR")
  func color() throws {
    let terminal = Terminal(outputIsTerminal: true, columns: 100, wantsNoColor: false)
    #expect(try show([], terminal: terminal).output.contains("\u{1B}["))
    #expect(
      try !show([], terminal: Terminal(outputIsTerminal: true, columns: 100)).output
        .contains("\u{1B}["))
    #expect(try show(["--color", "always"]).output.contains("\u{1B}["))
    #expect(
      try !show(["--color", "never"], terminal: terminal).output.contains("\u{1B}["))
  }

  @Test("Times of day are counted from the first event, and said to be")
  func timesOfDay() throws {
    let text = """
      retap 1

      1732959999843056000 field on A
      1732960000123456000 field off
      """
    let lines = try show([], text).output.split(separator: "\n")
    #expect(
      lines == [
        "  times are counted from 1732959999.843056000 s", "  0.000 000  ▲ field on A",
        "  0.280 400  ▼ field off",
      ])
  }

  @Test("JSON lines are objects of their own")
  func json() throws {
    let result = try show(["--json", "--events", "2"])
    #expect(
      result.output == """
        {"event":2,"time_ns":5100000,"layer":"radio","from":"reader","hex":"26","bits":7,\
        "meaning":"REQA"}

        """)
  }
}
