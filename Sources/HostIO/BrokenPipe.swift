import Glibc

/// Runs `work` with SIGPIPE held back on this thread, and swallows one that it caused.
///
/// The process may belong to somebody else (a test run), so its signal handling is left alone.
func withoutBrokenPipeSignal(
  _ work: () throws(HostError) -> Void
) throws(HostError) {
  var pipeSignal = sigset_t()
  sigemptyset(&pipeSignal)
  sigaddset(&pipeSignal, SIGPIPE)
  var before = sigset_t()
  pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  do {
    try work()
  } catch {
    if error == .outputClosed && sigismember(&before, SIGPIPE) == 0 {
      var atOnce = timespec()
      sigtimedwait(&pipeSignal, nil, &atOnce)
    }
    throw error
  }
}
