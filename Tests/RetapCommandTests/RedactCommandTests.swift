import Glibc
import HostIO
import ProtocolTesting
import Testing

@testable import RetapCommand

@Suite struct RedactCommandTests {
  private static let card = """
    retap 1
    role reader

    0 apdu > 00 B2 01 0C 00
    1 000 000 apdu < 70 0A 5A 08 47 61 73 90 01 01 00 10 90 00
    2 000 000 apdu > 00 B2 01 0C 00
    3 000 000 apdu < 70 0A 5A 08 47 61 73 90 01 01 00 10 90 00
    end

    """

  /// Runs `retap` with the files `in.retap` and `out.…` of a folder of its own.
  private static func run(
    _ line: [String], _ text: String = card
  ) throws -> (code: ExitCode, output: String, errors: String, written: String?) {
    let folder = "/tmp/retap-redact-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    mkdir(folder, 0o700)
    defer {
      unlink(folder + "/in.retap")
      unlink(folder + "/out.retap")
      rmdir(folder)
    }
    var file = try OutputFile(path: folder + "/in.retap")
    try file.write(Array(text.utf8))
    try file.commit()
    var console = Console()
    let code = CommandLineTool.run(
      line.map { $0.hasSuffix(".retap") ? folder + "/" + $0 : $0 }, console: &console)
    let written = try? InputFile.readAll(path: folder + "/out.retap", limit: 1 << 20)
    func words(_ bytes: [UInt8]) -> String {
      String(decoding: bytes, as: UTF8.self).replacing(folder + "/", with: "")
    }
    return (
      code, words(console.output.content), words(console.errors.content),
      written.map { String(decoding: $0, as: UTF8.self) }
    )
  }

  @Test func `what is replaced is listed once a value, and noted in the header`() throws {
    let result = try Self.run(["redact", "in.retap", "out.retap"])
    #expect(result.code == .success)
    #expect(
      result.output == """
          card number …0010  tag 5A, event 2, 4
        out.retap: 1 value replaced

        """)
    let written = try #require(result.written)
    #expect(written.contains("made up by retap 0.1.0: 1 card-number\n"))
    #expect(written.contains("70 0A 5A 08 47 00 00 00 00 00 00 13 90 00"))
    #expect(!written.contains("73 90"))
  }

  @Test func `to standard output goes the trace, to standard error the list`() throws {
    let result = try Self.run(["redact", "in.retap", "-"])
    #expect(result.output.hasPrefix("retap 1\n"))
    #expect(result.errors.contains("card number …0010"))
  }

  @Test func `kinds can be kept, UIDs replaced, and words are checked`() throws {
    let kept = try Self.run(["redact", "--keep", "card-number", "in.retap", "out.retap"])
    #expect(kept.output == "out.retap: no personal data found\n")
    #expect(kept.written?.contains("47 61 73 90") == true)
    let wrong = try Self.run(["redact", "--keep", "card-nummer", "in.retap", "out.retap"])
    #expect(wrong.code == .usage)
    #expect(wrong.errors.contains("did you mean card-number?"))
    let uid = """
      retap 1

      1 000 000 rf > 05 00 08 39 73 tech=B crc=good
      2 000 000 rf < 50 82 0D E1 74 20 38 19 22 00 21 85 E5 D7 tech=B
      end

      """
    let plain = try Self.run(["redact", "in.retap", "out.retap"], uid)
    #expect(plain.output == "out.retap: no personal data found\n")
    let replaced = try Self.run(["redact", "--uid", "in.retap", "out.retap"], uid)
    #expect(replaced.output.contains("UID 82… (4 bytes)"))
    #expect(replaced.written?.contains("50 82 00 00 01 20 38 19 22 00 21 85") == true)
  }

  @Test func `names and inputs that do not do`() throws {
    #expect(try Self.run(["redact", "in.retap"]).code == .usage)
    #expect(try Self.run(["redact", "in.retap", "out.odd"]).code == .usage)
    #expect(try Self.run(["redact", "nowhere.retap", "out.retap"]).code == .badInput)
    #expect(try Self.run(["redact", "in.retap", "/nowhere/out.pcapng"]).code == .cannotWrite)
    let help = try Self.run(["redact", "--help"])
    #expect(help.code == .success)
    #expect(help.output.contains("--keep KIND") && help.output.contains("machine"))
  }

  @Test func `check --personal ends with 1 if anything is left`() throws {
    let found = try Self.run(["check", "--personal", "in.retap"])
    #expect(found.code == .findings)
    #expect(
      found.output == "2: tag 5A  card number …0010\n4: tag 5A  card number …0010\n")
    let json = try Self.run(["check", "--personal", "--json", "in.retap"])
    #expect(json.output.contains(#""event":2,"kind":"card-number","location":"tag 5A""#))
    let clean = try Self.run(
      ["check", "--personal", "in.retap"], "retap 1\n\n0 apdu > 00 B2 01 0C 00\nend\n")
    #expect(clean.code == .success)
    #expect(clean.output == "in.retap: 1 events, no personal data found\n")
    #expect(try Self.run(["check", "--uid", "in.retap"]).code == .usage)
    #expect(try Self.run(["check", "--personal", "nowhere.retap"]).code == .badInput)
  }
}

/// Real captures after redaction: what was replaced is all there was, and nothing else has changed.
@Suite(.enabled(if: SharedFolder.isExpected, "the shared folder of captures is not here"))
struct CorpusRedactionTests {
  private static let folders = [
    "pm3-trace", "usb", "nci", "apdu-log", "libnfc-log", "nfcpy-log", "nfc-laboratory", "pcapng",
  ]

  private func files() throws -> [String] {
    try Self.folders.flatMap { folder in
      let path = try SharedFolder.file("corpus/" + folder)
      return try Folder.regularFiles(below: path).filter { !$0.hasSuffix(".md") }
    }
  }

  private func run(_ words: [String]) -> (code: ExitCode, output: String) {
    var console = Console()
    let code = CommandLineTool.run(words, console: &console)
    return (code, String(decoding: console.output.content, as: UTF8.self))
  }

  @Test("the only personal data of the corpus is a Bluetooth pairing record")
  func findsWhatThereIs() throws {
    for file in try files() where !file.contains("hf_14a_mfu-sim") {
      #expect(run(["check", "--personal", file]).code == .success, "\(file)")
    }
    let result = run([
      "check", "--personal",
      try SharedFolder.file(
        "corpus/pm3-trace/hf_14a_mfu-sim.trace"),
    ])
    #expect(result.code == .findings)
    let lines = result.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.contains("Bluetooth record  device") })
  }

  @Test("with new UIDs the lint says what it said, and every trace agrees with itself")
  func staysWhole() throws {
    let folder = "/tmp/retap-redaction-\(getpid())"
    mkdir(folder, 0o700)
    var written: [String] = []
    defer {
      for path in written { unlink(path) }
      rmdir(folder)
    }
    for (number, file) in try files().enumerated() {
      let path = "\(folder)/\(number).retap"
      written.append(path)
      #expect(run(["redact", "--uid", file, path]).code == .success, "\(file)")
      let (before, after) = (run(["check", "--json", file]), run(["check", "--json", path]))
      #expect(before.code == after.code, "\(file)")
      #expect(
        before.output.split(separator: "\n").count == after.output.split(separator: "\n").count)
      #expect(run(["check", "--personal", "--uid", path]).code == .success, "\(file)")
    }
    let test = run(["test", folder, "--evidence", "/dev/null/none"])
    #expect(test.code == .success, "\(test.output)")
  }
}
