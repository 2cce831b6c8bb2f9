/// Files of a list that could not be read: each is told, and the others still have their turn.
struct FileFailures {
  private var first: ExitCode?

  /// Tells a file's failure; other failures end the command.
  mutating func note(
    _ error: CommandError, _ console: inout Console
  ) throws(CommandError) {
    guard error.exitCode == .badInput else { throw error }
    try console.flush()
    console.warn("retap: " + error.message)
    first = first ?? error.exitCode
  }

  /// The exit code of the command: a failure comes before the verdict on the rest.
  func code(_ verdict: ExitCode) -> ExitCode { first ?? verdict }
}
