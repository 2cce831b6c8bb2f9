import Foundation
import HostIO
import NFCProtocols
import Testing

@testable import RetapCommand

/// A Type 4 tag read from a card with FWI 4 (4.83 ms), written from the Type 4 Tag specification.
private let trace = """
  retap 1
  role     reader

  0 field on A
  5100000 rf > 26'7
  5264307 rf < 04 00
  6000000 rf > 93 20
  6268000 rf < 11 22 33 44 44
  7000000 rf > 93 70 11 22 33 44 44 51 9C
  7863000 rf < 20 FC 70
  8500000 rf > E0 80 31 73
  9300000 rf < 05 78 80 40 02 07 F0
  20000000 apdu > 00 A4 04 00 07 D2 76 00 00 85 01 01 00
  22000000 apdu < 90 00
  23000000 apdu > 00 A4 00 0C 02 E1 03
  24000000 apdu < 90 00
  end

  """

@Suite struct ReplayCommandTests {
  private func run(
    _ options: [String], command: String = "replay", _ text: String = trace
  ) throws -> (code: ExitCode, output: String, errors: String, folder: URL) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("replay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("tag.retap").path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    var console = Console()
    let words = options.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
    let code = CommandLineTool.run([command, path] + words, console: &console)
    return (
      code, String(decoding: console.output.content, as: UTF8.self),
      String(decoding: console.errors.content, as: UTF8.self), folder
    )
  }

  @Test func aTraceAgreesWithItself() throws {
    for layer in ["radio", "apdu"] {
      let result = try run(["--layer", layer])
      #expect(result.code == .success)
      #expect(result.output.hasPrefix("retap: agreed with "))
    }
    #expect(try run(["--layer", "apdu"]).output.contains("agreed with 2 of 2 recorded exchanges"))
  }

  /// A shell is a reader program: its `echo` holds nothing back.
  @Test func aChildThatReadsAsRecordedAgrees() throws {
    let reader = """
      read event; echo 00a4040007d276000085010100; read answer; test "$answer" = 9000 || exit 9
      echo '# a comment'; echo cost 3ms; echo '00 A4 00 0C 02 E1 03'; read answer
      test "$answer" = 9000 || exit 8
      """
    let result = try run(["--exec", reader])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    #expect(result.output.contains("agreed with 2 of 2"))
    #expect(result.errors == "")
  }

  @Test func aChildIsToldOfActivationAndEnd() throws {
    let reader = "exec 1>&-; cat > FOLDER/seen"
    let result = try run(["--exec", reader, "--policy", "allow-leftover"])
    let seen = try String(
      contentsOf: result.folder.appendingPathComponent("seen"), encoding: .utf8)
    #expect(seen == "# activated 11223344 0578804002\n# field-off\n# end\n")
  }

  @Test func aChildThatSendsSomethingElseDiverges() throws {
    let result = try run(["--exec", "echo 00b0000002; read a; read b"])
    #expect(result.code == .findings)
    #expect(result.output.hasPrefix("retap: DIFFERENT at exchange 1\n"))
    #expect(result.output.contains("expected  00 A4 04 00"))
    #expect(result.output.contains("actual    00 B0 00 00 02"))
  }

  @Test(arguments: [
    ("echo hello", "the child wrote 'hello' where an APDU in hex was due"),
    ("sleep 5", "no command was sent to it"),
    ("echo cost much; sleep 1", "where a time as 'cost 31ms' was due"),
  ])
  func aChildThatMisbehavesIsAVerdict(command: String, words: String) throws {
    let result = try run(["--exec", command, "--patience", "200ms"])
    #expect(result.code == .findings)
    #expect(result.output.hasPrefix("retap: FAILED: "))
    #expect(result.output.contains(words))
  }

  @Test func theChildsOwnFailureIsToldApart() throws {
    let result = try run(["--exec", "exit 3", "--policy", "allow-leftover"])
    #expect(result.code == .findings)
    #expect(result.output.hasPrefix("retap: agreed with 0 of 2"))
    #expect(result.errors.contains("the child ended with exit code 3"))
  }

  private let card = """
    while read line; do case "$line" in \\#*) ;; *) echo cost WORK; echo 9000;; esac; done
    """

  @Test func aChildThatIsACardIsDrivenByTheTerminal() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "2ms")
    let result = try run(["--role", "terminal", "--exec", program])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    #expect(result.output.contains("agreed with 2 of 2"))
  }

  @Test func aCardThatIsTooSlowIsLateByWhatItTookTooLong() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "6ms")
    let result = try run(["--role", "terminal", "--exec", program])
    #expect(result.code == .findings)
    // 6 ms of work, 65536/fc = 4.833 ms allowed.
    #expect(
      result.output.hasPrefix("retap: LATE at exchange 1: the answer came 1.2 ms after its limit"))
    #expect(result.output.contains("would be accepted by: --policy allow-late"))
  }

  /// Three times 65536/fc pass, then the terminal gives up.
  @Test func aCardThatIsTooSlowForAllRepetitionsIsMissing() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "60ms")
    let result = try run(["--role", "terminal", "--exec", program])
    #expect(result.code == .findings)
    // 60 ms of work, 65536/fc = 4.833 ms allowed.
    #expect(
      result.output.hasPrefix(
        "retap: MISSING at exchange 1: no answer within 4.8 ms; it was 55.2 ms too late\n"))
    #expect(
      result.output.contains(
        "limit     4.8 ms (FWT), used 60.0 ms, asked again 2 times, gave up after 1"))
  }

  @Test func theSlowCardMayAskForMoreTime() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "6ms")
    #expect(try run(["--role", "terminal", "--wtx", "--exec", program]).code == .success)
  }

  @Test func aFaultMakesTheCardLate() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "1ms")
    let result = try run(
      ["--role", "terminal", "--exec", program, "--faults", "late(2,+5ms)"])
    #expect(result.output.hasPrefix("retap: LATE at exchange 2: the answer came 1.2 ms"))
  }

  @Test func usedLimitsAreAGate() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "4ms")
    let words = ["--role", "terminal", "--exec", program, "--max-used"]
    #expect(try run(words + ["90%"]).code == .success)
    let result = try run(words + ["80%"])
    #expect(result.code == .findings)
    #expect(result.output.hasPrefix("retap: LIMIT at exchange 1: 83% of 4.8 ms used"))
  }

  @Test func playingUntilAnExchangeStopsThere() throws {
    let result = try run(["--layer", "apdu", "--until", "1"])
    #expect(result.output.contains("agreed with 1 of 1"))
  }

  @Test(arguments: [
    ["--faults", "late(1)"], ["--mask", "nonsense"], ["--policy", "loose"], ["--layer", "wire"],
    ["--read", "--emulate"], ["--max-used", "much"], ["--exec", "x", "--layer", "radio"],
  ])
  func wrongOptionsAreUsage(words: [String]) throws {
    #expect(try run(words).code == .usage)
  }

  @Test(arguments: [
    (["--mask", "nonze"], "did you mean nonce?"),
    (["--policy", "allow-leftovers"], "did you mean allow-leftover?"),
    (["--faults", "lat(1,+5ms)"], "did you mean late?"),
    (["--faults", "late 1"], "column 6: found '1', expected '(' after late"),
    (["--faults", "late(1,+5)"], "found '+5', expected one delay such as +6.2ms"),
    (["--faults", "drop(9)", "--layer", "apdu"], "it has 2 exchanges at the layer apdu"),
    (["--faults", "drop(SELEKT)", "--layer", "apdu"], "did you mean SELECT?"),
    (["--until", "0"], "a whole number from 1"),
    (["--retries", "-1"], "a whole number from 0 to 100"),
    (["--fwt-margin", "5"], "'5' is no time"),
    (["--role", "kard"], "did you mean card?"),
  ])
  func whatIsWrongIsToldWithAGuess(words: [String], message: String) throws {
    let result = try run(words)
    #expect(result.code == .usage)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.output == "")
  }

  /// A Type 2 tag has no APDUs: a card emulation has nothing to answer there.
  @Test func aTraceThatDoesNotFitTheRoleIsExplained() throws {
    let type2 = "retap 1\n\n0 field on A\n5100000 rf > 26'7\n5264307 rf < 44 00\nend\n"
    for words in [["--emulate"], ["--exec", "true"], ["--exec", "true", "--role", "terminal"]] {
      let result = try run(words, type2)
      #expect(result.code == .badInput)
      #expect(
        result.errors.contains(
          "no exchange at the layer apdu, but 1 at the layer radio, expected APDUs: a Type 4 tag"),
        "\(result.errors)")
    }
    let chip = try run(["--exec", "true", "--role", "chip"], type2)
    #expect(chip.errors.contains("expected what a host and a PN53x say to each other"))
  }

  @Test func theMarginMakesALateAnswerOneInTime() throws {
    let program = card.replacingOccurrences(of: "WORK", with: "6ms")
    let words = ["--role", "terminal", "--exec", program]
    #expect(try run(words).code == .findings)
    // 65536/fc + 49152/fc = 8.458 ms.
    let result = try run(words + ["--fwt-margin", "3.625ms"])
    #expect(result.code == .success, "\(result.output)")
    #expect(result.output.contains("8.5 ms (FWT)"))
  }

  /// In real time the start-up of the program is not its first answer's.
  @Test func startUpIsNoWork() throws {
    let slow = "sleep 0.3; " + card.replacingOccurrences(of: "WORK", with: "0ms")
    let result = try run(
      ["--role", "terminal", "--realtime", "--fwt-margin", "200ms", "--exec", slow])
    #expect(result.code == .success, "\(result.output)\(result.errors)")
    let reader = "sleep 0.3; echo 00a4040007d276000085010100; read a; read b"
    let reading = try run(
      ["--realtime", "--policy", "allow-leftover", "--exec", reader])
    #expect(reading.code == .success, "\(reading.output)\(reading.errors)")
    #expect(reading.output.contains("recorded exchanges, 0.0"), "\(reading.output)")
  }

  @Test func aTraceWithoutExchangesIsBadInput() throws {
    let result = try run([], "retap 1\n\n0 field on A\nend\n")
    #expect(result.code == .badInput)
    #expect(result.errors.contains("at least one command"))
  }

  @Test func logAndJUnitAreWritten() throws {
    let result = try run(["--log", "FOLDER/run.log", "--junit", "FOLDER/r.xml"])
    let log = try String(
      contentsOf: result.folder.appendingPathComponent("run.log"), encoding: .utf8)
    #expect(log.hasPrefix("0 reader field on\n5100000 reader > 26'7 +"))
    let xml = try String(
      contentsOf: result.folder.appendingPathComponent("r.xml"), encoding: .utf8)
    #expect(xml.contains("<testsuite name=\"retap replay\" tests=\"1\" failures=\"0\""))
  }

  @Test func testTellsEachTraceInOneLineAndKeepsEvidence() throws {
    let good = try run(["--layer", "apdu", "--evidence", "FOLDER/e"], command: "test")
    #expect(good.code == .success)
    #expect(good.output.hasPrefix("ok    "))
    #expect(good.output.contains("retap: 1 of 1 traces agreed, 0 failed, 0 flaky"))
    let bad = try run(
      ["--layer", "apdu", "--faults", "late(1,+5ms)", "--evidence", "FOLDER/e"], command: "test")
    #expect(bad.code == .findings)
    #expect(bad.output.hasPrefix("FAIL  "))
    let evidence = bad.folder.appendingPathComponent("e")
    let folders = try FileManager.default.contentsOfDirectory(atPath: evidence.path)
    #expect(folders.count == 1)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: evidence.appendingPathComponent(folders.first ?? "").path)
    #expect(files.sorted() == ["report.txt", "run.log", "tag.retap"])
  }
}
