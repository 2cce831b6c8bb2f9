import Foundation
import HostIO
import NFCTrace
import Testing

@testable import RetapCommand

/// What a tester found in `retap replay` and `retap test`.
@Suite struct ReplayFindingsTests {
  /// One answer slower than the FWT of 38.7 ms, and the log is cut before the last answer.
  private static let cutLog = """
    retap 1

     0 apdu > 00 A4 04 00 00
     50ms apdu < 90 00
     70ms apdu > 00 B0 00 00 0F
    end

    """

  /// Two exchanges with a header of this role.
  private static func log(_ role: String) -> String {
    """
    retap 1
    \(role.isEmpty ? "" : "role     \(role)\n")
    0 apdu > 00 A4 04 00 07 D2 76 00 00 85 01 01 00
    2000000 apdu < 90 00
    3000000 apdu > 00 A4 00 0C 02 E1 03
    4000000 apdu < 90 00
    end

    """
  }

  private func run(
    _ command: String, _ words: [String], _ files: [String: String]
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("findings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    let path = command == "test" ? folder.path : folder.path + "/" + (files.keys.first ?? "")
    let evidence = command == "test" ? ["--evidence", folder.path + "/evidence"] : []
    var console = Console()
    let code = CommandLineTool.run([command, path] + evidence + words, console: &console)
    return (
      code, String(decoding: console.output.content, as: UTF8.self),
      String(decoding: console.errors.content, as: UTF8.self)
    )
  }

  @Test(.timeLimit(.minutes(1)), arguments: [[], ["--role", "card"], ["--role", "terminal"]])
  func aRecordedSilenceAtTheEndAgreesWithItself(words: [String]) throws {
    let result = try run("replay", words, ["a.retap": Self.cutLog])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    #expect(result.output.contains("agreed with 2 of 2"))
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["card", "terminal"])
  func aSilenceAtTheEndWithAnEchoGivesAVerdict(role: String) throws {
    let words = ["--role", role, "--exec", "cat", "--patience", "300ms"]
    let result = try run("replay", words, ["a.retap": Self.cutLog])
    #expect(result.code == .findings, "\(result.output)\(result.errors)")
    #expect(result.output.contains("  repeat: retap replay "))
  }

  @Test func aRepetitionIsTheWholeCommandLine() {
    let words = [
      "captures", "--emulate", "--faults", "late(7,+5ms)", "--until", "9", "-q", "--junit", "x",
      "--evidence=y", "-j", "2",
    ]
    #expect(
      ReplayReport.repeatCommand("captures/a b.retap", words: words, positionals: ["captures"])
        == "retap replay 'captures/a b.retap' --emulate --faults 'late(7,+5ms)' --until 9")
  }

  @Test func untilStopsAReaderWithoutAComplaint() throws {
    let reader = """
      read event; echo 00a4040007d276000085010100; read answer
      echo 00a4000c02e103; read answer; test "$answer" = 9000
      """
    let result = try run("replay", ["--until", "1", "--exec", reader], ["a.retap": Self.log("")])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    #expect(result.output.contains("agreed with 1 of 1"))
  }

  @Test func aTraceRecordedAsACardIsATerminalForAChild() throws {
    let card = "while read line; do case $line in '#'*) ;; *) echo 9000;; esac; done"
    let result = try run("replay", ["--exec", card], ["a.retap": Self.log("card")])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
  }

  @Test func aChildThatWaitsForACommandIsTold() throws {
    let words = ["--exec", "cat > /dev/null", "--patience", "200ms"]
    let result = try run("replay", words, ["a.retap": Self.log("reader")])
    #expect(result.code == .findings)
    #expect(result.output.contains("is it a card program? use --role terminal"))
  }

  @Test func tracesForOtherCodeAreSkippedAndCounted() throws {
    let card = "while read line; do case $line in '#'*) ;; *) echo 9000;; esac; done"
    let result = try run(
      "test", ["--role", "terminal", "--exec", card],
      ["a.retap": Self.log("card"), "b.retap": Self.log("reader")])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    #expect(result.output.contains("b.retap  recorded as a reader"))
    #expect(result.output.contains("1 of 1 traces agreed"))
    #expect(result.output.contains("1 skipped for other code"))
  }

  @Test func chipTrafficWithoutAPDUsIsNamed() throws {
    let chip = """
      retap 1

      0 link > 00 00 FF 02 FE D4 02 2A 00
      1000000 link < 00 00 FF 00 FF 00
      2000000 link < 00 00 FF 06 FA D5 03 33 02 07 07 E5 00
      end

      """
    let result = try run("replay", ["--read"], ["a.retap": chip])
    #expect(result.code == .badInput)
    #expect(result.errors.contains("PN53x host frames"), "\(result.errors)")
    #expect(result.errors.contains("--role chip"))
    #expect(!result.errors.contains("byte 0"))
  }

  @Test(arguments: ["replay", "test"], ["drop(9)", "drop(READ RECORD)", "corrupt(1,4000)"])
  func aFaultThatFitsNothingIsUsage(command: String, rule: String) throws {
    for more in [[], ["-q"], ["--until", "1"]] {
      let result = try run(command, ["--faults", rule] + more, ["a.retap": Self.log("")])
      #expect(result.code == .usage, "\(result.output)\(result.errors)")
      #expect(result.errors.contains("fits nothing in"))
    }
  }
}
