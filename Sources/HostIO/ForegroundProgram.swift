import CLinux
import Glibc
import Synchronization

/// A program that has our terminal and our standard input and output; we wait for its end.
public struct ForegroundProgram: ~Copyable {
  private let identifier: pid_t
  private let ending: Ending
  private let waiter: BackgroundThread

  /// Starts a program by its name or path, with variables added to our environment.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - environment: Variables to set; `LD_PRELOAD` is put in front of a value that is there.
  ///   - hasExactSleeps: True to let the kernel end the program's sleeps without slack: 50 µs are
  ///     added to each by default (PR_SET_TIMERSLACK of prctl(2)), and a sleep of zero is one.
  ///   - ended: Is signalled when the program has ended.
  /// - Throws: `cannotStart`.
  public init(
    _ words: [String], environment: [(name: String, value: String)], hasExactSleeps: Bool = false,
    ended: Interruption
  ) throws(HostError) {
    precondition(!words.isEmpty, "a program has a name")
    let (child, status) = Self.withSlack(hasExactSleeps ? 1 : nil) {
      Self.spawn(words, Self.variables(adding: environment))
    }
    guard status == 0 else { throw .cannotStart(program: words[0], reason: errnoText(status)) }
    let ending = Ending()
    guard let waiter = BackgroundThread({ ending.wait(for: child, then: ended) }) else {
      kill(child, SIGKILL)
      throw .cannotStart(program: words[0], reason: "the system has no thread left")
    }
    identifier = child
    self.ending = ending
    self.waiter = waiter
  }

  /// How it ended; `nil` while it runs.
  public var result: ChildProcess.Ending? { ending.value.withLock { $0 } }

  /// Asks it to end, or with `force` ends it.
  public func terminate(force: Bool = false) {
    // The number is its own until it has been waited for.
    ending.value.withLock { if $0 == nil { _ = kill(identifier, force ? SIGKILL : SIGTERM) } }
  }

  deinit { terminate(force: true) }

  private final class Ending: Sendable {
    let value = Mutex<ChildProcess.Ending?>(nil)

    func wait(for child: pid_t, then ended: Interruption) {
      var information = siginfo_t()
      // Leaves it waitable, so that its number stays its own until the lock is held.
      while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      value.withLock { value in
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        value = ChildProcess.ending(status)
      }
      ended.signal()
    }
  }

  private static func withSlack(
    _ slack: UInt?, _ start: () -> (pid_t, Int32)
  ) -> (pid_t, Int32) {
    guard let slack else { return start() }
    // A child takes over the slack of the thread that starts it.
    let before = retap_timer_slack()
    _ = retap_set_timer_slack(slack)
    defer { _ = retap_set_timer_slack(UInt(max(0, before))) }
    return start()
  }

  private static func variables(
    adding added: [(name: String, value: String)]
  ) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      variables.append(String(cString: text))
      entry += 1
    }
    for (name, value) in added {
      var value = value
      if let index = variables.firstIndex(where: { $0.hasPrefix(name + "=") }) {
        let old = variables.remove(at: index).dropFirst(name.utf8.count + 1)
        if name == "LD_PRELOAD", !old.isEmpty { value += ":" + old }
      }
      variables.append(name + "=" + value)
    }
    return variables
  }

  private static func spawn(_ words: [String], _ variables: [String]) -> (pid_t, Int32) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // What retap ignores or handles is back at the system's default in the program.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGTERM] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    defer { posix_spawnattr_destroy(&attributes) }
    let arguments = words.map { strdup($0) }
    let environment = variables.map { strdup($0) }
    defer { (arguments + environment).forEach { free($0) } }
    var child: pid_t = 0
    let status = posix_spawnp(
      &child, words[0], nil, &attributes, arguments + [nil], environment + [nil])
    return (child, status)
  }
}
