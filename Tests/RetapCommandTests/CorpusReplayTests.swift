import HostIO
import ProtocolTesting
import Testing

@testable import RetapCommand

/// Real captures played against themselves: whatever a trace holds, it agrees with itself.
@Suite(.enabled(if: SharedFolder.isExpected, "the shared folder of captures is not here"))
struct CorpusReplayTests {
  private func test(_ options: [String]) throws -> (code: ExitCode, output: String) {
    let corpus = try SharedFolder.file("corpus")
    let folders = ["pm3-trace", "usb", "nci", "apdu-log", "libnfc-log", "nfcpy-log", "generated"]
    var console = Console()
    let paths = folders.map { corpus + "/" + $0 }
    let code = CommandLineTool.run(
      ["test"] + paths + options + ["--evidence", "/dev/null/none"], console: &console)
    return (code, String(decoding: console.output.content, as: UTF8.self))
  }

  @Test func everyCaptureAgreesWithItself() throws {
    let result = try test([])
    #expect(result.code == .success, "\(result.output)")
    #expect(result.output.contains(" 0 failed, 0 flaky"))
    #expect(result.output.contains("711 of 711 exchanges"))
  }

  @Test func everyCaptureWithAPDUsAgreesWithItselfAtTheirLayer() throws {
    let result = try test(["--layer", "apdu"])
    #expect(result.code == .success, "\(result.output)")
    #expect(result.output.contains(" 0 failed, 0 flaky"))
  }
}
