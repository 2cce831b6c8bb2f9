import Foundation
import HostIO
import RetapCommand
import Testing

/// The programs of docs/exec-protocol.md, run as they stand there.
@Suite struct ExecDocumentTests {
  /// What each program of the page, in its order, is set against.
  static let runs: [(name: String, words: [String])] = [
    ("reader", ["captures/type4-ndef-read.retap", "--policy", "allow-leftover"]),
    ("card", ["captures/type4-ndef-read.retap", "--role", "terminal", "--until", "1"]),
    (
      "driver", ["captures/pn533-type2-read.retap", "--role", "chip", "--policy", "allow-leftover"]
    ),
  ]

  static var root: URL {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }

  /// The blocks of Python on the page.
  static func programs() throws -> [String] {
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/exec-protocol.md"), encoding: .utf8)
    return page.components(separatedBy: "```python\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  @Test func everyProgramOfThePageIsRun() throws {
    #expect(try Self.programs().count == Self.runs.count)
  }

  @Test(
    .enabled(if: Python.isExpected, "python3 is not installed: apt install python3"),
    arguments: [0, 1, 2])
  func theProgramAgrees(number: Int) throws {
    let programs = try Self.programs()
    try #require(number < programs.count)
    let run = Self.runs[number]
    let result = try Python.replay(
      programs[number], Self.root.appendingPathComponent(run.words[0]).path,
      Array(run.words.dropFirst()))
    #expect(result.code == .success, "\(run.name): \(result.output)\(result.errors)")
    #expect(result.output.hasPrefix("retap: agreed with "))
    #expect(result.errors == "")
  }
}

/// Programs in Python as children of `retap replay`.
enum Python {
  /// Where Debian and Ubuntu install it.
  static let path = "/usr/bin/python3"

  /// True if tests with it must run: it is there, or CI demands it.
  static var isExpected: Bool {
    FileManager.default.isExecutableFile(atPath: path)
      || ProcessInfo.processInfo.environment["CI"] == "true"
  }

  /// Runs `retap replay` with a program as the code under test.
  static func replay(
    _ program: String, _ trace: String, _ words: [String]
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("program-\(UUID().uuidString).py")
    try Data(program.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var console = Console()
    let code = CommandLineTool.run(
      ["replay", trace, "--exec", "exec \(path) \(file.path)"] + words, console: &console)
    return (
      code, String(decoding: console.output.content, as: UTF8.self),
      String(decoding: console.errors.content, as: UTF8.self)
    )
  }
}
