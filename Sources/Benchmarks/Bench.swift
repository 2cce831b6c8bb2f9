import Glibc
import HostIO
import NFCProtocols
import NFCTrace
import Replay

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
    let single = folder + "/1000-exchanges.retap"
    try SampleFiles.writeTrace(exchanges: 1_000, to: single)
    let runs = (0..<max(5, rounds)).compactMap { _ in
      MeasuredProcess.run([tool, "replay", single])
    }
    add(
      "`retap replay` of 1,000 exchanges, process start included", aim: "≤ 50 ms",
      "\(Self.decimal(runs.medianMilliseconds)) ms")
    let many = folder + "/many"
    try Folder.make(many)
    for number in 0..<1_000 {
      try SampleFiles.writeTrace(exchanges: 20, to: "\(many)/\(number).retap")
    }
    if let run = MeasuredProcess.run([tool, "test", many]) {
      add(
        "`retap test` over 1,000 traces of 20 exchanges (exit code \(run.exitCode))",
        aim: "< 10 s on 2 cores", "\(Self.decimal([run].medianMilliseconds / 1_000, digits: 2)) s")
    }
  }

  // MARK: Replays in this process

  private mutating func measureKernel() {
    let count = 20_000
    var lifting = TraceLifting(header: TraceHeader(technology: .a))
    for event in SampleFiles.events(exchanges: count) { lifting.add(event) }
    let script = lifting.script(.radio)
    var budget = RunBudget.standard
    budget.steps = max(budget.steps, count * 64)
    let options = ReplayOptions(budget: budget, keepsLogText: false)
    var rates: [Double] = []
    for _ in 0..<max(5, rounds) {
      let start = MonotonicClock.now()
      let outcome = script.playAgainstItself(options)
      let seconds = Double((MonotonicClock.now() - start).count) / 1e9
      guard outcome.verdict.isGood else {
        add("exchanges replayed in process", aim: "≥ 200,000/s", outcome.line)
        return
      }
      rates.append(Double(outcome.agreed.count) / seconds)
    }
    add(
      "exchanges replayed in process, one core", aim: "≥ 200,000/s",
      "\(Self.decimal(rates.sorted()[rates.count / 2], digits: 0))/s")
  }
}
