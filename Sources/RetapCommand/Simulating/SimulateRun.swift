import Glibc
import HostIO
import NFCProtocols
import Replay
import VirtualReaders

/// One program in front of one virtual reader.
struct SimulateRun {
  let request: SimulateRequest
  let recording: LinkRecording?

  /// What a run came to.
  struct Result {
    /// How the program ended.
    var ending: ChildProcess.Ending
    /// The comparison, where something recorded was played.
    var outcome: ReplayOutcome?
    /// The run log.
    var log: RunLog
    /// How long it took.
    var duration: Nanoseconds
    /// Faults that nothing happened to strike.
    var unusedFaults: [ReaderFault]
  }

  /// How long a program may take to end after it was asked to.
  private static let endingTime = Nanoseconds.seconds(2)
  /// How often a program that is compared with a recording is looked at.
  private static let lookingInterval = Nanoseconds.milliseconds(50)

  /// Sets the reader up, runs the program, and takes the reader away.
  func run(
    _ reader: sending any VirtualReader, _ timeline: sending [TimedAction]
  ) throws(CommandError) -> Result {
    do throws(VirtualReaderError) {
      if let device = request.reader.usbDevice {
        guard Self.hasPreloadLibrary else {
          throw .missingLibrary(USBTestBed.preloadLibrary)
        }
        let bed = try USBTestBed(
          device, reader: reader, pace: request.pace, timeline: timeline, observe: observer)
        return try run(
          bed.controls, device: "usb:\(bed.address)", environment: bed.environment)
      }
      let bed = try SerialTestBed(
        reader, pace: request.pace, timeline: timeline, observe: observer)
      return try run(
        bed.controls, device: bed.path,
        environment: [("LIBNFC_DEVICE", "pn532_uart:" + bed.path)])
    } catch {
      throw error.commandError
    }
  }

  /// The dynamic linker passes a missing library over and the program would find no reader.
  private static var hasPreloadLibrary: Bool {
    guard let library = dlopen(USBTestBed.preloadLibrary, RTLD_LAZY | RTLD_LOCAL) else {
      return false
    }
    dlclose(library)
    return true
  }

  private var observer: (@Sendable (LinkObservation) -> Void)? {
    guard let recording else { return nil }
    return { recording.note($0) }
  }

  private func run(
    _ controls: ReaderControls, device: String, environment: [(name: String, value: String)]
  ) throws(VirtualReaderError) -> Result {
    let started = MonotonicClock.now()
    let ending = try runProgram(controls, device, environment)
    let duration = MonotonicClock.now() - started
    let options = request.options
    return controls.withReader { reader in
      guard let base = Self.base(of: reader) else {
        preconditionFailure("a reader of this command is a simulated one, or has one in it")
      }
      return Result(
        ending: ending, outcome: base.outcome(options), log: base.log, duration: duration,
        unusedFaults: base.faults.unused)
    }
  }

  private static func base(of reader: any VirtualReader) -> SimulatedReader? {
    (reader as? SimulatedReader) ?? (reader as? ACR122Reader)?.base
  }

  private func runProgram(
    _ controls: ReaderControls, _ device: String, _ environment: [(name: String, value: String)]
  ) throws(VirtualReaderError) -> ChildProcess.Ending {
    do throws(HostError) {
      let bell = try Interruption()
      let words = request.program.map { word in word.replacing("{}", with: device) }
      let program = try ForegroundProgram(
        words, environment: environment + [("RETAP_DEVICE", device)], hasExactSleeps: true,
        ended: bell)
      return wait(for: program, bell, controls)
    } catch {
      throw .host(error)
    }
  }

  /// Waits for the end of the program; asks for it where it differs from a recording for long.
  private func wait(
    for program: borrowing ForegroundProgram, _ bell: Interruption, _ controls: ReaderControls
  ) -> ChildProcess.Ending {
    var deadline: Nanoseconds?
    var isAsked = false
    while true {
      if let ending = program.result { return ending }
      let now = MonotonicClock.now()
      if deadline == nil, request.tracePath != nil, hasDiverged(controls) {
        deadline = now + request.patience
      }
      if let due = deadline, due <= now {
        program.terminate(force: isAsked)
        isAsked = true
        deadline = now + Self.endingTime
      }
      let look = request.tracePath == nil ? deadline : now + Self.lookingInterval
      var polls = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)]
      _ = DescriptorWait.wait(for: &polls, until: look)
      _ = bell.take()
    }
  }

  private func hasDiverged(_ controls: ReaderControls) -> Bool {
    controls.withReader { Self.base(of: $0)?.matcher?.divergence != nil }
  }
}
