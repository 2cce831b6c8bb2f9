import Foundation
import HostIO
import NFCProtocols
import Testing

/// The same replay in processes of their own, with and without a fixed hash seed.
@Suite struct DeterminismTests {
  /// The program beside the test bundle.
  private static let program: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("retap").path
  }()

  private static let trace = """
    retap 1

    0 field on A
    5100000 rf > 26'7
    5264307 rf < 44 00
    20000000 apdu > 00 A4 04 00 07 D2 76 00 00 85 01 01 00
    22000000 apdu < 90 00
    23000000 apdu > 00 B0 00 00 02
    24000000 apdu < 00 0B 90 00
    end

    """

  @Test(arguments: [[], ["--layer", "apdu"], ["--layer", "apdu", "--faults", "'drop(2)'"]])
  func equalRunsHaveByteEqualLogs(options: [String]) throws {
    try #require(FileManager.default.isExecutableFile(atPath: Self.program), "retap is built")
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("determinism-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("t.retap")
    try Data(Self.trace.utf8).write(to: file)
    var logs: [Data] = []
    for (index, environment) in ["", "", "SWIFT_DETERMINISTIC_HASHING=1"].enumerated() {
      let log = folder.appendingPathComponent("\(index).log")
      let words = [environment, Self.program, "replay", file.path, "--log", log.path] + options
      let child = try ChildProcess(shell: words.joined(separator: " ") + " > /dev/null")
      #expect(child.wait(timeout: .seconds(60)) == .exited(0))
      logs.append(try Data(contentsOf: log))
    }
    #expect(!logs[0].isEmpty)
    #expect(logs[0] == logs[1])
    #expect(logs[0] == logs[2])
  }
}
