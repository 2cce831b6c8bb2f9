import NFCProtocols
import NFCTrace

/// One record of a USB capture: a request that was handed in, or one that came back.
struct USBRecord {
  /// What the record tells.
  enum Phase {
    case submit
    case complete
    /// The request could not be handed in.
    case refused
    /// The data stage of a control transfer, which old USBPcap writes on its own.
    case data
  }

  enum Kind: UInt8 {
    case isochronous = 0
    case interrupt = 1
    case control = 2
    case bulk = 3
  }

  var phase: Phase
  var kind: Kind
  /// The number that pairs the two records of a transfer.
  var identifier: UInt64
  var device: USBDeviceAddress
  /// With bit 7 for device to host.
  var endpoint: UInt8
  var outcome = LinkTransfer.Outcome.completed
  /// Bytes asked for in a submit, bytes moved in a completion; `nil` if the source does not tell.
  var length: Int?
  var data: ArraySlice<UInt8> = []
  /// The request of a control transfer, in its submit.
  var setup: [UInt8]?
  var time: SourceTime
  var comment: String?
  /// True for descriptors that the capture program put in by itself.
  var isInjected = false

  var isInbound: Bool { endpoint & 0x80 != 0 }
}

/// A place on a bus; devices get a new one each time they are plugged in.
struct USBDeviceAddress: Hashable {
  var bus: UInt16
  var address: UInt16

  /// The form that tools use, `2.26`.
  var text: String { "\(bus).\(address)" }
}

/// A time of a source: as it counted, and as nanoseconds from an origin common to the file.
struct SourceTime: Hashable {
  var ticks: Int64?
  var nanoseconds: Nanoseconds?
}

/// How statuses of USB stacks name the end of a transfer.
enum USBStatus {
  /// The negative errno of Linux, from the kernel's table of URB status codes.
  static func linux(_ status: Int32) -> LinkTransfer.Outcome {
    switch status {
    // -115 EINPROGRESS stands in submits.
    case 0, -115: .completed
    case -32: .stall
    // -2 ENOENT: unlinked and waited for; -104 ECONNRESET: unlinked.
    case -2, -104: .cancelled
    // -108 ESHUTDOWN, -19 ENODEV: the device or its host controller is gone.
    case -108, -19: .unplugged
    case -110: .timeout
    case -75: .overflow
    default: .failed(status: status)
    }
  }

  /// The USBD status of Windows, from usb.h of the driver kit.
  static func windows(_ status: UInt32) -> LinkTransfer.Outcome {
    switch status {
    case 0x0000_0000, 0x4000_0000: .completed
    case 0xC000_0004, 0xC000_0030: .stall
    case 0xC001_0000: .cancelled
    case 0xC000_7000: .unplugged
    case 0xC000_6000: .timeout
    case 0xC000_0008, 0xC000_000C: .overflow
    default: .failed(status: Int32(bitPattern: status))
    }
  }
}
