import CLibUSB
import Glibc
public import HostIO
public import NFCProtocols

/// Tells when USB readers are plugged in and pulled out.
///
/// The readers that are there already are told first, as arrivals.
public struct ReaderWatch: ~Copyable {
  /// What can happen.
  public enum Change: Hashable, Sendable {
    /// A listed reader was plugged in; its device file may still belong to the system for a moment.
    case arrived(USBDeviceDescription)
    /// A listed reader was pulled out.
    case left(USBDeviceDescription)
    /// Whoever waits was woken from outside.
    case interrupted
  }

  private let changes = Changes()
  private let interruption: Interruption?
  private var descriptors: [pollfd]
  private let context: USBContext

  /// What the callback of libusb writes into; it comes on the thread that waits.
  private final class Changes {
    var waiting: [Change] = []
  }

  /// Begins to watch.
  ///
  /// - Throws: `HostLinkError.failed` where the system does not tell of devices.
  public init(interruption: Interruption? = nil) throws(HostLinkError) {
    let context = try USBContext()
    let status = libusb_hotplug_register_callback(
      context.pointer,
      Int32(
        LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue),
      Int32(LIBUSB_HOTPLUG_ENUMERATE.rawValue), LIBUSB_HOTPLUG_MATCH_ANY,
      LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
      { _, device, event, data in
        guard let device, let data, let description = USBDeviceDescription(device),
          description.reader != nil
        else { return 0 }
        let changes = Unmanaged<Changes>.fromOpaque(data).takeUnretainedValue()
        changes.waiting.append(
          event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED ? .arrived(description) : .left(description))
        return 0
      }, Unmanaged.passUnretained(changes).toOpaque(), nil)
    guard status == 0, let descriptors = context.descriptors else {
      throw .failed(step: "watching for readers", reason: USBStatus.text(status))
    }
    self.interruption = interruption
    let waker = pollfd(fd: interruption?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    self.descriptors = descriptors + [waker]
    self.context = context
  }

  /// Waits for the next change, or until `deadline` on the monotonic clock, or for ever.
  public mutating func next(until deadline: Nanoseconds?) throws(HostLinkError) -> Change? {
    while changes.waiting.isEmpty {
      guard DescriptorWait.wait(for: &descriptors, until: deadline) == .ready else { return nil }
      if descriptors[descriptors.count - 1].revents != 0, interruption?.take() ?? false {
        return .interrupted
      }
      var atOnce = timeval()
      let status = libusb_handle_events_timeout_completed(context.pointer, &atOnce, nil)
      guard status == 0 || status == LIBUSB_ERROR_INTERRUPTED.rawValue else {
        throw .failed(step: "watching for readers", reason: USBStatus.text(status))
      }
    }
    return changes.waiting.removeFirst()
  }
}
