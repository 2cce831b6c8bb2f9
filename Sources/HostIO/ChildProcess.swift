import Glibc
public import NFCProtocols
import Synchronization

/// A child process that speaks lines over pipes; it is killed if its owner goes away.
public struct ChildProcess: ~Copyable {
  /// The longest line that is taken from a child, in bytes: a 65,535-byte APDU in hexadecimal
  /// with blanks, and room for a comment.
  public static let maximumLineLength = 262_144

  private let identifier: pid_t
  private var input: Int32
  private let output: Int32
  private var pending: [UInt8] = []
  private var isRunning = true

  /// What reading a line can come to.
  public enum LineRead: Hashable, Sendable {
    /// A line without its end (LF or CRLF).
    case line([UInt8])
    /// Nothing came in time; what had come of a line is kept.
    case timedOut
    /// The child closed its output. A last line without an end is given first.
    case closed
    /// A line of more than `maximumLineLength` bytes.
    case tooLong
  }

  /// How a child ended.
  public enum Ending: Hashable, Sendable {
    /// By itself, with an exit code.
    case exited(Int32)
    /// By a signal.
    case signalled(Int32)
    /// It did not end in time and was killed.
    case killedAfterTimeout
  }

  /// Starts `sh -c command` in a process group of its own; standard error is shared with ours.
  public init(shell command: String) throws(HostError) {
    let started = Self.starting.withLock { _ in Self.start(command) }
    if let status = started.failure {
      throw .cannotStart(program: command, reason: errnoText(status))
    }
    identifier = started.child
    input = started.input
    output = started.output
  }

  /// Held from making the pipes to starting the child: until the ends are marked close-on-exec,
  /// a child started by another thread would inherit them and keep them open.
  private static let starting = Mutex(())

  private struct Start {
    var child: pid_t = 0
    var input: Int32 = -1
    var output: Int32 = -1
    var failure: Int32?
  }

  private static func start(_ command: String) -> Start {
    guard let toChild = makePipe() else { return Start(failure: errno) }
    guard let fromChild = makePipe() else {
      let failure = errno
      close(toChild.read)
      close(toChild.write)
      return Start(failure: failure)
    }
    let (child, status) = spawn(command, input: toChild.read, output: fromChild.write)
    close(toChild.read)
    close(fromChild.write)
    if status == 0 { return Start(child: child, input: toChild.write, output: fromChild.read) }
    close(toChild.write)
    close(fromChild.read)
    return Start(failure: status)
  }

  private static func makePipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(_ command: String, input: Int32, output: Int32) -> (pid_t, Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // SIGPIPE is ignored in retap; the child gets the system's default back.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF))
    defer { posix_spawnattr_destroy(&attributes) }
    let words = ["/bin/sh", "-c", command].map { (word: String) in strdup(word) }
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, "/bin/sh", &actions, &attributes, words + [nil], environ)
    return (child, status)
  }

  /// Sends bytes as they are.
  ///
  /// - Returns: False if the child no longer reads.
  public mutating func write(_ bytes: [UInt8]) -> Bool {
    guard input >= 0 else { return false }
    do {
      try withoutBrokenPipeSignal { () throws(HostError) in
        try writeAll(bytes, to: input, path: "child")
      }
      return true
    } catch {
      closeInput()
      return false
    }
  }

  /// Tells the child that nothing more will come.
  public mutating func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Takes the next line, waiting at most `timeout`.
  public mutating func readLine(timeout: Nanoseconds) -> LineRead {
    let deadline = MonotonicClock.now() + timeout
    while true {
      if let end = pending.firstIndex(of: 0x0A) { return takeLine(upTo: end) }
      if pending.count > Self.maximumLineLength { return .tooLong }
      let left = deadline - MonotonicClock.now()
      guard waitForOutput(left) else { return .timedOut }
      if !readPiece() {
        return pending.isEmpty ? .closed : takeLine(upTo: pending.count)
      }
    }
  }

  private mutating func takeLine(upTo end: Int) -> LineRead {
    var line = Array(pending[..<end])
    pending.removeFirst(min(end + 1, pending.count))
    if line.last == 0x0D { line.removeLast() }
    return .line(line)
  }

  private func waitForOutput(_ left: Nanoseconds) -> Bool {
    var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    let milliseconds = max(0, (left.count + 999_999) / 1_000_000)
    let count = poll(&descriptor, 1, Int32(clamping: milliseconds))
    return count > 0 || (count < 0 && errno == EINTR)
  }

  private mutating func readPiece() -> Bool {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = piece.withUnsafeMutableBytes { Glibc.read(output, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { return true }
    guard count > 0 else { return false }
    pending += piece[..<count]
    return true
  }

  /// Waits until the child has read all that was sent to it, or has written, or has ended.
  ///
  /// - Parameters:
  ///   - timeout: The longest wait.
  ///   - countsReading: False where nothing was sent, so that only writing tells of its start.
  public mutating func waitUntilActive(timeout: Nanoseconds, countsReading: Bool = true) {
    let deadline = MonotonicClock.now() + timeout
    var nap = timespec(tv_sec: 0, tv_nsec: 200_000)
    while pending.isEmpty, MonotonicClock.now() < deadline {
      var unread: CInt = 0
      if countsReading, input < 0 || ioctl(input, UInt(FIONREAD), &unread) != 0 || unread == 0 {
        return
      }
      if waitForOutput(.zero) { return }
      nanosleep(&nap, nil)
    }
  }

  /// Waits until the child has ended, and kills it and its own children if it takes too long.
  public consuming func wait(timeout: Nanoseconds) -> Ending {
    closeInput()
    let deadline = MonotonicClock.now() + timeout
    var status: Int32 = 0
    var nap = timespec(tv_sec: 0, tv_nsec: 200_000)
    while true {
      let result = waitpid(identifier, &status, WNOHANG)
      if result == identifier {
        isRunning = false
        return Self.ending(status)
      }
      if MonotonicClock.now() >= deadline { return .killedAfterTimeout }
      nanosleep(&nap, nil)
      if nap.tv_nsec < 5_000_000 { nap.tv_nsec *= 2 }
    }
  }

  static func ending(_ status: Int32) -> Ending {
    // The layout of a wait status (wait(2)): low seven bits the signal, next byte the exit code.
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }

  deinit {
    if input >= 0 { close(input) }
    close(output)
    if isRunning {
      kill(-identifier, SIGKILL)
      var status: Int32 = 0
      waitpid(identifier, &status, 0)
    }
  }
}
