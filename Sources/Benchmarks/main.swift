import Glibc
import HostIO
import NFCProtocols

// retap-bench RETAP [ROUNDS]: measures the program RETAP and the code behind it, and prints a
// table in Markdown. Figures are medians; comparisons are pairs in one run.

let words = CommandLine.arguments
guard words.count >= 2 else {
  print("usage: retap-bench PATH-OF-RETAP [ROUNDS]")
  exit(64)
}
let rounds = words.count > 2 ? Int(words[2]) ?? 5 : 5
do {
  var bench = try Bench(tool: words[1], rounds: max(1, rounds))
  try bench.run()
} catch {
  print("retap-bench: \(error)")
  exit(74)
}
