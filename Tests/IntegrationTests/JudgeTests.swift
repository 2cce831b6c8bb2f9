import Foundation
import Testing

/// Unmodified programs of Debian in front of a reader in software: they are to end as they do in
/// front of a real one.
@Suite(.serialized, .enabled(if: Judge.isExpected, "\(Judge.remedy)"))
struct JudgeTests {
  /// A Type 4 tag is told in the same words on each link.
  @Test(arguments: ["pn533", "scl3711", "acr122u", "pn532"])
  func nfcListFindsAType4Tag(reader: String) throws {
    let result = try Judge.simulate(["--reader", reader, "--card", "type4"], "nfc-list")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("UID (NFCID1): 04  11  22  33  44  55  66"))
    #expect(result.text.contains("ATS: 75  77  81  02  80"))
    #expect(result.text.contains("retap: nfc-list ended well"))
  }

  @Test(arguments: ["pn533", "pn532"])
  func nfcAnticolSelectsByItsOwnFrames(reader: String) throws {
    let result = try Judge.simulate(["--reader", reader, "--card", "type4"], "nfc-anticol")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("UID: 04112233445566"))
    #expect(result.text.contains("ATS: 06  75  77  81  02  80"))
  }

  @Test(arguments: ["pn533", "pn532"])
  func nfcPollSeesTheCardLeave(reader: String) throws {
    let result = try Judge.simulate(
      ["--reader", reader, "--card", "type4", "--card-leaves", "700ms"], "nfc-poll")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("Target Released"))
  }

  /// What was read is written back and read again: 16 pages of 4 bytes.
  @Test(arguments: ["pn533", "pn532"])
  func nfcMfultralightReadsAndWrites(reader: String) throws {
    try Judge.withFolder { folder in
      let card = ["--reader", reader, "--card", "ultralight"]
      let read = try Judge.simulate(card, "nfc-mfultralight", "r", "a.mfd", in: folder)
      #expect(read.code == 0, "\(read.text)")
      #expect(read.text.contains("Done, 16 of 16 pages read (0 pages failed)"))
      let dump = try Data(contentsOf: folder.appendingPathComponent("a.mfd"))
      #expect(dump.count == 64)
      #expect(Array(dump.prefix(4)) == [0x04, 0x11, 0x22, 0x88 ^ 0x04 ^ 0x11 ^ 0x22])
      let write = try Judge.simulate(card, "nfc-mfultralight", "w", "a.mfd", in: folder)
      #expect(write.text.contains("Done, 12 of 16 pages written (4 pages skipped, 0 pages failed)"))
    }
  }

  @Test(arguments: ["pn533", "pn532"])
  func nfcMfclassicReadsAllBlocks(reader: String) throws {
    try Judge.withFolder { folder in
      let result = try Judge.simulate(
        ["--reader", reader, "--card", "classic1k"], "nfc-mfclassic", "r", "a", "u", "a.mfd",
        in: folder)
      #expect(result.code == 0, "\(result.text)")
      #expect(result.text.contains("Done, 64 of 64 blocks read"))
    }
  }

  @Test func nfcScanDeviceNamesTheSerialReader() throws {
    let result = try Judge.simulate(["--reader", "pn532", "--card", "type4"], "nfc-scan-device")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("1 NFC device(s) found"))
    #expect(result.text.contains("pn532_uart:/dev/"))
  }

  /// S3: the first ACK is lost; libnfc asks again and goes on.
  @Test func aLostFirstAnswerIsSurvived() throws {
    let result = try Judge.simulate(["--card", "type4", "--faults", "drop(in 1)"], "nfc-list")
    #expect(result.code == 0, "\(result.text)")
    #expect(result.text.contains("1 ISO14443A passive target(s) found"))
  }

  @Test func anUnpluggedReaderIsNoDevice() throws {
    let result = try Judge.simulate(["--card", "type4", "--unplug", "300ms"], "nfc-poll")
    #expect(result.text.contains("Unable to write to USB (No such device)"))
  }

  /// What a program said is recorded, replays, and is what the same program says again; another
  /// program differs from it.
  @Test func aRecordedProgramAgreesWithItself() throws {
    try Judge.withFolder { folder in
      let record = try Judge.simulate(
        ["--card", "type4", "--record", "a.retap"], "nfc-list", in: folder)
      #expect(record.code == 0, "\(record.text)")
      let replay = try Judge.run(["replay", "--role", "chip", "a.retap"], in: folder)
      #expect(replay.code == 0, "\(replay.text)")
      let again = try Judge.simulate(["--trace", "a.retap"], "nfc-list", in: folder)
      #expect(again.code == 0, "\(again.text)")
      #expect(again.text.contains(#/retap: agreed with (\d+) of \1 recorded exchanges/#))
      let other = try Judge.simulate(["--trace", "a.retap"], "nfc-anticol", in: folder)
      #expect(other.code == 1)
      #expect(other.text.contains("retap: DIFFERENT at exchange"))
      #expect(other.text.contains("repeat: retap simulate --trace a.retap -- nfc-anticol"))
    }
  }
}

/// The programs of libnfc, and `retap` itself as a process.
enum Judge {
  static let remedy = "nfc-list or libumockdev is missing: apt install libnfc-bin umockdev"

  /// True where the programs are installed, and where they must be.
  static var isExpected: Bool {
    ProcessInfo.processInfo.environment["CI"] == "true"
      || FileManager.default.isExecutableFile(atPath: "/usr/bin/nfc-list")
  }

  /// The built program, beside the tests.
  private static var tool: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("retap")
  }

  static func simulate(
    _ options: [String], _ program: String..., in folder: URL? = nil
  ) throws -> (code: Int32, text: String) {
    try run(["simulate"] + options + ["--"] + program, in: folder)
  }

  /// Runs `retap`; its own output and that of the program in one text.
  static func run(
    _ words: [String], in folder: URL? = nil
  ) throws -> (code: Int32, text: String) {
    let process = Process()
    process.executableURL = tool
    process.arguments = words
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("judge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }
}
