import Glibc
import HostIO
import NFCProtocols

// Benchmarks RETAP [ROUNDS]: measures the program RETAP and the code behind it, and prints a
// table in Markdown. Figures are medians; comparisons are pairs in one run.

let words = CommandLine.arguments
guard words.count >= 2 else {
  print("usage: Benchmarks PATH-OF-RETAP [ROUNDS]")
  exit(64)
}
let rounds = words.count > 2 ? Int(words[2]) ?? 5 : 5
do {
  var bench = try Bench(tool: words[1], rounds: max(1, rounds))
  try bench.run()
} catch {
  print("benchmarks: \(error)")
  exit(74)
}
