/// Numbers of Linux' usbfs (linux/usbdevice_fs.h) and of the errors that it answers with.
enum UsbfsRequest {
  static let control: UInt8 = 0
  static let resetEndpoint: UInt8 = 3
  static let setInterface: UInt8 = 4
  static let setConfiguration: UInt8 = 5
  static let getDriver: UInt8 = 8
  static let submitURB: UInt8 = 10
  static let discardURB: UInt8 = 11
  static let reapURB: UInt8 = 12
  static let reapURBNoDelay: UInt8 = 13
  static let claimInterface: UInt8 = 15
  static let releaseInterface: UInt8 = 16
  static let connectInfo: UInt8 = 17
  static let driverControl: UInt8 = 18
  static let reset: UInt8 = 20
  static let clearHalt: UInt8 = 21
  static let disconnect: UInt8 = 22
  static let connect: UInt8 = 23
  static let getCapabilities: UInt8 = 26
  static let disconnectClaim: UInt8 = 27
  static let getSpeed: UInt8 = 31

  /// The second byte of each request word.
  static let typeLetter: UInt8 = 0x55

  /// ZERO_PACKET, BULK_CONTINUATION, NO_PACKET_SIZE_LIM, REAP_AFTER_DISCONNECT.
  static let capabilities: UInt32 = 0x17
  /// USB_SPEED_FULL of linux/usb/ch9.h.
  static let fullSpeed: Int64 = 2
}

/// Error numbers of Linux, as asm-generic/errno.h has them.
enum LinuxError {
  static let noEntry: Int32 = 2
  static let tryAgain: Int32 = 11
  static let noMemory: Int32 = 12
  static let busy: Int32 = 16
  static let noDevice: Int32 = 19
  static let invalid: Int32 = 22
  static let notTypewriter: Int32 = 25
  static let brokenPipe: Int32 = 32
  static let noData: Int32 = 61
  static let overflow: Int32 = 75
  static let shutdown: Int32 = 108
}
