import HostIO

/// A reader in software behind a USB device node that unmodified programs find, with libusb or
/// without.
///
/// Programs run under `libumockdev-preload` with `environment`; a thread of the bed plays the
/// device. The bed goes, and its folder with it, when its owner lets go of it: end the programs
/// first, since one whose device vanishes without a word is aborted by the preload library.
public struct USBTestBed: ~Copyable {
  /// Where the files of the bed are.
  public let root: String
  /// Vendor and product number, `04cc:2533`.
  public let address: String
  /// What else can be done with the reader, from any thread.
  public let controls: ReaderControls
  private let thread: BackgroundThread

  /// The library that redirects a program's calls; of Debian's package umockdev or umockdev.
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
    let server = try NodeServer.start(
      device, reader: PacedReader(reader, pace: pace), timeline: Timeline(timeline),
      observe: observe)
    let root = server.folder.root
    let controls = try ReaderControls(server)
    self.init(root, device, controls, try controls.startThread())
  }

  private init(
    _ root: String, _ device: VirtualUSBDevice, _ controls: ReaderControls,
    _ thread: consuming BackgroundThread
  ) {
    self.root = root
    address = "\(hex(device.vendor)):\(hex(device.product))"
    self.controls = controls
    self.thread = thread
  }

  /// The variables under which a program sees the reader.
  public var environment: [(name: String, value: String)] {
    [("UMOCKDEV_DIR", root), ("LD_PRELOAD", Self.preloadLibrary)]
  }

  deinit { controls.stop() }
}
