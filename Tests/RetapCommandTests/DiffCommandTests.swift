import Foundation
import HostIO
import Testing

@testable import RetapCommand

/// `retap diff` on files of different formats.
@Suite("retap diff")
struct DiffCommandTests {
  /// Writes texts into a folder of its own and runs a command line on their paths.
  private func run(_ files: [(name: String, text: String)], _ options: [String]) throws -> (
    code: ExitCode, output: String, errors: String
  ) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("retap-diff-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var paths: [String] = []
    for file in files {
      let url = folder.appendingPathComponent(file.name)
      try Data(file.text.utf8).write(to: url)
      paths.append(url.path)
    }
    var console = Console()
    let code = CommandLineTool.run(["diff"] + paths + options, console: &console)
    return (
      code, String(decoding: console.output.content, as: UTF8.self),
      String(decoding: console.errors.content, as: UTF8.self)
    )
  }

  private static let list = """
        0 |   1056 | Rdr |26(7)   |     | REQA
     2228 |   4596 | Tag |44  00  |     |

    """
  private static let pairs = """
    0.0000000000
    000000 00 fe 00 01 26
    0.0000002228
    000000 00 ff 00 02 44 00

    """

  @Test("Two formats of one exchange are the same: exit code 0")
  func sameExchange() throws {
    let result = try run([("a.txt", Self.list), ("b.txt", Self.pairs)], [])
    #expect(result.code == .success)
    #expect(result.output.hasPrefix("same: 2 frames agree in bytes; times of 1 compared"))
  }

  @Test("Another byte: exit code 1, both bytes shown")
  func otherByte() throws {
    let other =
      Self.pairs.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n").dropLast(3) + "03\n"
    let result = try run([("a.txt", Self.list), ("b.txt", String(other))], [])
    #expect(result.code == .findings)
    #expect(result.output.contains("T 44 00\n"))
    #expect(result.output.contains("T 44 03\n"))
  }

  @Test("A later frame counts unless the tolerance or --bytes-only lets it")
  func times() throws {
    let late = Self.pairs.split(separator: "\n").map { $0 == "0.0000002228" ? "0.0000009000" : $0 }
      .joined(separator: "\n")
    let files = [("a.txt", Self.list), ("b.txt", late)]
    #expect(try run(files, []).code == .findings)
    #expect(try run(files, ["--tolerance", "1ms"]).code == .success)
    #expect(try run(files, ["--bytes-only"]).code == .success)
    #expect(try run(files, ["--json"]).output.contains("\"kind\":\"time\""))
    #expect(try run(files, ["--tolerance", "soon"]).code == .usage)
    #expect(try run(files, ["--tolerance=1ms", "--bytes-only"]).code == .usage)
  }

  @Test("A damaged file is bad input, a missing one too")
  func badInput() throws {
    let result = try run([("a.txt", Self.list), ("b.txt", "0 | 1 | Rdr |2x |  |\n")], [])
    #expect(result.code == .badInput)
    #expect(result.errors.contains("line 1"))
  }
}
