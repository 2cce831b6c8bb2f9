import CLinux
import Glibc
import HostIO
import NFCProtocols
import Synchronization

/// What plays a virtual reader to programs: descriptors to wait for, and work to do.
///
/// A class, so that the lock around it can hold any kind.
protocol ReaderServer: AnyObject {
  var reader: PacedReader { get set }
  /// Does what is due and sends what is ready.
  ///
  /// - Returns: How long nothing is to be done by itself; `nil` for ever.
  func work() -> Nanoseconds?
  /// What to wait for, besides the bell, which is first.
  func fill(_ polls: inout [pollfd])
  /// Takes what has come in.
  func take(_ polls: [pollfd])
  /// Lets something happen now.
  func perform(_ action: TimedAction.Action)
}

/// What can be done with a virtual reader while programs use it, from any thread.
public final class ReaderControls: Sendable {
  private struct State {
    var server: any ReaderServer
    var isStopping = false
  }

  private let state: Mutex<State>
  private let bell: Interruption

  init(_ server: sending any ReaderServer) throws(VirtualReaderError) {
    do {
      bell = try Interruption()
    } catch {
      throw .failed(step: "make a pipe", reason: "\(error)")
    }
    state = Mutex(State(server: server))
  }

  /// Lets something happen now.
  public func perform(_ action: sending TimedAction.Action) {
    let given = Given(action)
    state.withLock { $0.server.perform(given.value) }
    bell.signal()
  }

  /// Looks at the reader, or changes it.
  public func withReader<Result: Sendable>(
    _ body: (inout any VirtualReader) -> Result
  ) -> Result {
    state.withLock { body(&$0.server.reader.reader) }
  }

  /// Starts the thread that plays the reader until `stop()`.
  func startThread() throws(VirtualReaderError) -> BackgroundThread {
    guard let thread = BackgroundThread({ self.serve() }) else {
      throw .failed(step: "start a thread", reason: "the system has none left")
    }
    return thread
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    bell.signal()
  }

  private func serve() {
    var polls: [pollfd] = []
    while let wait = prepare(&polls) {
      guard wait.poll(&polls) else { continue }
      if polls[0].revents != 0 { _ = bell.take() }
      state.withLock { $0.server.take(polls) }
    }
  }

  /// Works, and tells how long to wait and for what; `nil` is the end.
  private func prepare(_ polls: inout [pollfd]) -> Wait? {
    polls.removeAll(keepingCapacity: true)
    polls.append(pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0))
    return state.withLock { state in
      guard !state.isStopping else { return nil }
      let wait = Wait(duration: state.server.work())
      state.server.fill(&polls)
      return wait
    }
  }
}

/// A wait for descriptors that is exact to the microsecond or so.
private struct Wait {
  /// How long; `nil` for ever.
  let duration: Nanoseconds?

  /// - Returns: True if a descriptor is ready.
  func poll(_ polls: inout [pollfd]) -> Bool {
    guard let duration else { return retap_ppoll(&polls, UInt(polls.count), nil) > 0 }
    var time = timespec(
      tv_sec: Int(duration.count / 1_000_000_000), tv_nsec: Int(duration.count % 1_000_000_000))
    return retap_ppoll(&polls, UInt(polls.count), &time) > 0
  }
}

/// A value that its sender has given up; unchecked, since the lock's signature cannot tell.
private struct Given<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: sending Value) { self.value = value }
}
