import Glibc
import HostIO
import NFCProtocols

/// All measurements, in the order of the table.
struct Bench {
  let tool: String
  let rounds: Int
  let folder: String
  private var rows: [(what: String, aim: String, figure: String)] = []

  init(tool: String, rounds: Int) throws(HostError) {
    self.tool = tool
    self.rounds = rounds
    folder = (environmentVariable("TMPDIR") ?? "/tmp") + "/retap-bench-\(getpid())"
    try Folder.make(folder)
  }

  mutating func run() throws(HostError) {
    defer { _ = MeasuredProcess.run(["rm", "-rf", folder]) }
    try measureLargeFiles()
    try measureReplay()
    measureKernel()
    printTable()
  }

  private mutating func add(_ what: String, aim: String, _ figure: String) {
    rows.append((what, aim, figure))
    let line = Array("\(what): \(figure)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  private func printTable() {
    print("| what | aim | measured |\n|---|---|---|")
    for row in rows { print("| \(row.what) | \(row.aim) | \(row.figure) |") }
  }

  private static func decimal(_ value: Double, digits: Int = 1) -> String {
    let scale = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
    let whole = Int64((value * scale).rounded())
    if digits == 0 { return "\(whole)" }
    let fraction = String(whole % Int64(scale) + Int64(scale)).dropFirst()
    return "\(whole / Int64(scale)).\(fraction)"
  }

  // MARK: Large captures against tshark

  private mutating func measureLargeFiles() throws(HostError) {
    let (normal, large) = (folder + "/500k.pcapng", folder + "/5m.pcapng")
    try SampleFiles.writePcapng(packets: 500_000, to: normal)
    for command in ["info", "show"] {
      let own = [tool, command, normal]
      if let pair = PairedRuns(own, against: ["tshark", "-r", normal], rounds: rounds) {
        add(
          "`retap \(command)` of 500,000 packets against `tshark -r`", aim: "10 × faster",
          "\(Self.decimal(pair.speedUp)) × (\(Self.decimal(pair.first.medianMilliseconds, digits: 0))"
            + " ms, \(Self.decimal(pair.second.medianMilliseconds, digits: 0)) ms)")
      } else {
        add("`retap \(command)` against `tshark -r`", aim: "10 × faster", "tshark is missing")
      }
    }
    try SampleFiles.writePcapng(packets: 5_000_000, to: large)
    for command in ["info", "show"] {
      let small = MeasuredProcess.run([tool, command, normal]).map { [$0] } ?? []
      let big = MeasuredProcess.run([tool, command, large]).map { [$0] } ?? []
      add(
        "peak memory of `retap \(command)`, 500,000 and 5,000,000 packets",
        aim: "≤ 32 MB, the same for both",
        "\(Self.decimal(small.peakMegabytes)) MB, \(Self.decimal(big.peakMegabytes)) MB")
    }
  }

  // MARK: Replays as processes

  private mutating func measureReplay() throws(HostError) {
  }

  // MARK: Replays in this process

  private mutating func measureKernel() {
  }
}
