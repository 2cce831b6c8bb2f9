import Glibc
import HostIO
import NFCProtocols

/// One finished run of another program, as the system accounts for it.
struct MeasuredProcess {
  var wall: Nanoseconds
  var cpu: Nanoseconds
  var peakKilobytes: Int
  var exitCode: Int32

  /// Runs a program with its output thrown away.
  static func run(_ words: [String]) -> MeasuredProcess? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let arguments = words.map { (word: String) in strdup(word) }
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    let start = MonotonicClock.now()
    guard posix_spawnp(&child, words[0], &actions, nil, arguments + [nil], environ) == 0 else {
      return nil
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
    let cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
    return MeasuredProcess(
      wall: MonotonicClock.now() - start, cpu: cpu, peakKilobytes: Int(usage.ru_maxrss),
      exitCode: status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F))
  }

  private static func nanoseconds(_ time: timeval) -> Nanoseconds {
    Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000)
  }
}

/// Runs of two programs in turn, so that a machine whose speed drifts still gives a fair ratio.
struct PairedRuns {
  var first: [MeasuredProcess] = []
  var second: [MeasuredProcess] = []

  init?(_ left: [String], against right: [String], rounds: Int) {
    guard MeasuredProcess.run(left) != nil, MeasuredProcess.run(right) != nil else { return nil }
    for _ in 0..<rounds {
      guard let one = MeasuredProcess.run(left), let other = MeasuredProcess.run(right) else {
        return nil
      }
      first.append(one)
      second.append(other)
    }
  }

  /// The median over the rounds of second wall time / first wall time.
  var speedUp: Double {
    let ratios = zip(first, second).map { Double($1.wall.count) / Double(max(1, $0.wall.count)) }
    return ratios.sorted()[ratios.count / 2]
  }
}

extension [MeasuredProcess] {
  /// The median wall time in milliseconds.
  var medianMilliseconds: Double {
    Double(map(\.wall).sorted()[count / 2].count) / 1_000_000
  }

  /// The highest peak memory in MB.
  var peakMegabytes: Double { Double(map(\.peakKilobytes).max() ?? 0) / 1_024 }
}
