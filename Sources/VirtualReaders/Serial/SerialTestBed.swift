import HostIO

/// A PN532 in software at the end of a serial line (HSU) that unmodified programs open.
///
/// The line is a pseudo terminal; a thread of the bed plays the chip. Any speed works and none has
/// an effect. The line goes when its owner lets go of it.
public struct SerialTestBed: ~Copyable {
  /// The path that programs open: a name in `/dev` if one could be made, else the terminal.
  public let path: String
  /// The path of the terminal itself.
  public let terminal: String
  /// What else can be done with the reader, from any thread.
  public let controls: ReaderControls
  private let name: DeviceLink?
  private let thread: BackgroundThread

  /// Sets up a line with a reader at its end.
  ///
  /// - Parameters:
  ///   - reader: What answers; it has just got power.
  ///   - pace: How its virtual time passes.
  ///   - timeline: What happens at stated times.
  ///   - isNamed: True to make a name in `/dev`, which needs the right to write there.
  ///   - observe: Is told what passes, piece by piece, on the thread of the bed.
  /// - Throws: `VirtualReaderError.failed` with the step that the system refused.
  public init(
    _ reader: sending any VirtualReader, pace: ReaderPace = .realTime,
    timeline: sending [TimedAction] = [], isNamed: Bool = true,
    observe: (@Sendable (LinkObservation) -> Void)? = nil
  ) throws(VirtualReaderError) {
    let server = try SerialServer(
      PacedReader(reader, pace: pace), timeline: Timeline(timeline), observe: observe)
    let terminal = server.path
    let controls = try ReaderControls(server)
    let name = isNamed ? DeviceLink(to: terminal) : nil
    self.init(terminal, name, controls, try controls.startThread())
  }

  private init(
    _ terminal: String, _ name: consuming DeviceLink?, _ controls: ReaderControls,
    _ thread: consuming BackgroundThread
  ) {
    self.terminal = terminal
    path = name?.path ?? terminal
    self.name = name
    self.controls = controls
    self.thread = thread
  }

  deinit { controls.stop() }
}
