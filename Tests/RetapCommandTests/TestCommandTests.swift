import Foundation
import HostIO
import NFCProtocols
import Testing

@testable import RetapCommand

/// Two exchanges that agree with themselves.
private let good = """
  retap 1

  0 apdu > 00 A4 04 00 07 D2 76 00 00 85 01 01 00
  2000000 apdu < 90 00
  3000000 apdu > 00 B0 00 00 02
  4000000 apdu < 00 0B 90 00
  end

  """

@Suite struct TestCommandTests {
  private struct Outcome {
    var code: ExitCode
    var output: String
    var errors: String
    var folder: URL
  }

  /// Runs `retap test` on a folder with these files.
  private func run(
    _ files: [String: String], _ words: [String] = [], terminal: Terminal = Terminal()
  ) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("test-\(UUID().uuidString)")
    let traces = folder.appendingPathComponent("traces")
    try FileManager.default.createDirectory(at: traces, withIntermediateDirectories: true)
    for (name, text) in files {
      let file = traces.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    var console = Console(terminal: terminal)
    let code = CommandLineTool.run(
      ["test", traces.path, "--evidence", folder.path + "/evidence"]
        + words.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) },
      console: &console)
    return Outcome(
      code: code, output: String(decoding: console.output.content, as: UTF8.self),
      errors: String(decoding: console.errors.content, as: UTF8.self), folder: folder)
  }

  @Test func filesThatAreNoTracesArePassedOverAndCounted() throws {
    let result = try run([
      "a.retap": good, "sub/b.retap": good, "README.md": "# Traces of our readers\n",
      "notes.txt": "nothing\n",
    ])
    #expect(result.code == .success)
    #expect(
      result.output.contains("retap: 2 of 2 traces agreed, 0 failed, 0 flaky, 2 skipped that are"))
    #expect(result.output.contains("README.md  no trace\n"))
  }

  @Test func aFolderWithoutATraceIsBadInput() throws {
    let empty = try run([:])
    #expect(empty.code == .badInput)
    #expect(empty.errors.contains("found no files, expected traces"))
    let other = try run(["README.md": "# nothing here\n"])
    #expect(other.code == .badInput)
    #expect(other.errors.contains("found 1 file, none with an exchange to play"))
  }

  /// One trace may lack what a rule is for; all of them is a slip of the pen.
  @Test func aFaultThatStrikesNothingAnywhereIsToldOf() throws {
    let files = ["a.retap": good, "b.retap": good]
    let result = try run(files, ["--layer", "apdu", "--faults", "late(9,+1ms) late(2,+1us)"])
    #expect(result.code == .usage)
    #expect(result.errors.contains("--faults: late(9,+1ms) fits nothing in any trace"))
  }

  @Test func aDamagedTraceFailsAndTheRestGoesOn() throws {
    let damaged = good.replacingOccurrences(of: "2000000 apdu < 90 00", with: "2000000 apdu < 9Z")
    let result = try run(["a.retap": damaged, "b.retap": good])
    #expect(result.code == .badInput)
    #expect(result.output.contains("BAD   "))
    #expect(result.output.contains("a.retap  line 4"))
    #expect(result.output.contains("retap: 1 of 2 traces agreed, 0 failed, 0 flaky, 1 unreadable"))
    let evidence = result.folder.appendingPathComponent("evidence")
    let folder = try #require(FileManager.default.contentsOfDirectory(atPath: evidence.path).first)
    let report = try String(
      contentsOf: evidence.appendingPathComponent(folder).appendingPathComponent("report.txt"),
      encoding: .utf8)
    #expect(report.contains("line 4: found "))
  }

  @Test func aMissingFileFailsAndTheRestGoesOn() throws {
    let result = try run(["b.retap": good], ["FOLDER/nowhere.retap"])
    #expect(result.code == .badInput)
    #expect(result.output.contains("nowhere.retap  cannot read: No such file"))
    #expect(result.output.contains("1 of 2 traces agreed"))
  }

  @Test func findingsComeBeforeBadInput() throws {
    let result = try run(
      ["a.retap": "retap 1\n\n0 apdu > 0\n", "b.retap": good],
      ["--layer", "apdu", "--faults", "late(1,+100ms)"])
    #expect(result.code == .findings)
  }

  @Test(arguments: [1, 2, 7])
  func linesComeInTheOrderOfTheNames(jobs: Int) throws {
    var files: [String: String] = [:]
    for number in 10..<60 { files["t\(number).retap"] = good }
    let result = try run(files, ["--jobs", String(jobs)])
    let names = result.output.split(separator: "\n").dropLast().compactMap {
      $0.split(separator: "/").last?.prefix(3)
    }
    #expect(names.map(String.init) == (10..<60).map { "t\($0)" })
    #expect(result.errors == "")
  }

  @Test func aTerminalSeesProgressAndAPipeDoesNot() throws {
    var files: [String: String] = [:]
    for number in 10..<30 { files["t\(number).retap"] = good }
    let watched = try run(files, ["--jobs", "1"], terminal: Terminal(errorIsTerminal: true))
    #expect(watched.errors.contains("\r\u{1B}[K4/20, 0 failed"))
    #expect(watched.errors.hasSuffix("\r\u{1B}[K"))
    #expect(try run(files).errors == "")
  }

  @Test func everyFailureHasItsFolderOfEvidence() throws {
    let result = try run(
      ["a.retap": good, "b.retap": good, "README.md": "# no\n"],
      ["--layer", "apdu", "--faults", "late(2,+100ms)"])
    #expect(result.code == .findings)
    #expect(result.output.contains("retap: 0 of 2 traces agreed, 2 failed"))
    let evidence = result.folder.appendingPathComponent("evidence")
    let folders = try FileManager.default.contentsOfDirectory(atPath: evidence.path).sorted()
    #expect(folders.count == 2)
    for folder in folders {
      let place = evidence.appendingPathComponent(folder)
      let files = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
      #expect(files.contains("report.txt") && files.contains("run.log"))
      let report = try String(
        contentsOf: place.appendingPathComponent("report.txt"), encoding: .utf8)
      #expect(report.hasPrefix("retap: LATE at exchange 2"))
      let trace = try #require(files.first { $0.hasSuffix(".retap") })
      #expect(
        try String(contentsOf: place.appendingPathComponent(trace), encoding: .utf8) == good)
    }
  }

  static let xmllint = "/usr/bin/xmllint"
  static var isExpected: Bool {
    FileManager.default.isExecutableFile(atPath: xmllint)
      || ProcessInfo.processInfo.environment["CI"] == "true"
  }

  @Test(.enabled(if: isExpected, "xmllint is not installed: apt install libxml2-utils"))
  func theJUnitFileIsWellFormed() throws {
    let result = try run(
      ["a<&>\"'.retap": good, "b.retap": "retap 1\n\n0 apdu > 0\n", "c.md": "# no\n"],
      ["--layer", "apdu", "--faults", "late(2,+100ms)", "--junit", "FOLDER/r.xml"])
    #expect(result.code == .findings)
    let child = try ChildProcess(
      shell: "\(Self.xmllint) --noout \(result.folder.path)/r.xml 1>&2")
    #expect(child.wait(timeout: .seconds(20)) == .exited(0))
  }
}
