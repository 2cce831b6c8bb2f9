import CLinux
import Glibc
import HostIO
import NFCProtocols
import Synchronization

/// A reader in software behind a USB device node that unmodified programs find, with libusb or
/// without.
///
/// Programs run under `libumockdev-preload` with `environment`; a thread of the bed plays the
/// device. The bed goes, and its folder with it, when its owner lets go of it: end the programs
/// first, since one whose device vanishes without a word is aborted by the preload library.
public struct USBTestBed: ~Copyable {
  /// Where the files of the bed are.
  public let root: String
  /// What else can be done with the reader, from any thread.
  public let controls: USBControls
  private let thread: BackgroundThread

  /// The library that redirects a program's calls; of Debian's package libumockdev0 or umockdev.
  public static let preloadLibrary = "libumockdev-preload.so.0"

  /// Sets up a bed with a reader that is plugged in.
  ///
  /// - Parameters:
  ///   - device: The descriptors that programs see.
  ///   - reader: What answers on the bulk endpoints; it has just got power.
  ///   - pace: How its virtual time passes.
  ///   - timeline: What happens at stated times.
  ///   - observe: Is told each transfer as it ends, on the thread of the bed.
  /// - Throws: `VirtualReaderError.failed` with the step that the system refused.
  public init(
    _ device: VirtualUSBDevice, reader: sending any VirtualReader,
    pace: ReaderPace = .realTime, timeline: sending [TimedAction] = [],
    observe: (@Sendable (LinkObservation) -> Void)? = nil
  ) throws(VirtualReaderError) {
    let controls = try USBControls(
      device, reader: reader, pace: pace, timeline: timeline, observe: observe)
    self.init(controls, try Self.startThread(of: controls))
  }

  private init(_ controls: USBControls, _ thread: consuming BackgroundThread) {
    root = controls.root
    self.controls = controls
    self.thread = thread
  }

  private static func startThread(
    of controls: USBControls
  ) throws(VirtualReaderError) -> BackgroundThread {
    guard let thread = BackgroundThread({ controls.serve() }) else {
      throw .failed(step: "start a thread", reason: "the system has none left")
    }
    return thread
  }

  /// The variables under which a program sees the reader.
  public var environment: [(name: String, value: String)] {
    [("UMOCKDEV_DIR", root), ("LD_PRELOAD", Self.preloadLibrary)]
  }

  deinit { controls.stop() }
}

/// A value that its sender has given up; unchecked, since the lock's signature cannot tell.
private struct Given<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: sending Value) { self.value = value }
}

/// What can be done with the reader of a test bed while programs use it.
public final class USBControls: Sendable {
  let root: String
  private let server: Mutex<NodeServer>
  private let bell: Interruption

  init(
    _ device: VirtualUSBDevice, reader: sending any VirtualReader, pace: ReaderPace,
    timeline: sending [TimedAction], observe: (@Sendable (LinkObservation) -> Void)?
  ) throws(VirtualReaderError) {
    bell = try Self.makeBell()
    let server = try NodeServer.start(
      device, reader: PacedReader(reader, pace: pace), timeline: Timeline(timeline),
      observe: observe)
    root = server.folder.root
    self.server = Mutex(server)
  }

  private static func makeBell() throws(VirtualReaderError) -> Interruption {
    do {
      return try Interruption()
    } catch {
      throw .failed(step: "make a pipe", reason: "\(error)")
    }
  }

  /// Lets something happen now.
  public func perform(_ action: sending TimedAction.Action) {
    let given = Given(action)
    server.withLock { $0.perform(given.value) }
    bell.signal()
  }

  /// Looks at the reader behind the node, or changes it.
  public func withReader<Result: Sendable>(
    _ body: (inout any VirtualReader) -> Result
  ) -> Result {
    server.withLock { server in body(&server.reader.reader) }
  }

  /// The work of the bed's thread, until `stop()`.
  func serve() {
    var polls: [pollfd] = []
    while true {
      let wait: Nanoseconds?? = server.withLock { server in
        if server.isStopping { return nil }
        let wait = server.work()
        server.fill(&polls, wake: bell.descriptor)
        return .some(wait)
      }
      guard let wait else { return }
      var time = timespec()
      if let wait {
        time.tv_sec = Int(wait.count / 1_000_000_000)
        time.tv_nsec = Int(wait.count % 1_000_000_000)
      }
      let count =
        wait == nil
        ? ppoll(&polls, nfds_t(polls.count), nil, nil)
        : ppoll(&polls, nfds_t(polls.count), &time, nil)
      guard count > 0 else { continue }
      if polls[0].revents != 0 { _ = bell.take() }
      server.withLock { $0.take(polls) }
    }
  }

  func stop() {
    server.withLock { $0.isStopping = true }
    bell.signal()
  }
}
