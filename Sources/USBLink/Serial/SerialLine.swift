import Glibc
import HostIO
import PN53x

/// A serial line, opened for this process alone and set raw; its old settings come back at the end.
struct SerialLine: ~Copyable {
  let descriptor: Int32
  private var old: termios

  /// Opens a line: eight data bits, no parity, one stop bit, no flow control (UM0701-02, 6.2.2).
  init(path: String, speed: SerialBaudRate) throws(HostLinkError) {
    guard let code = Self.code(of: speed) else {
      throw .failed(
        step: "setting the speed of \(path)",
        reason: "Linux has no speed of \(speed.bitsPerSecond) baud; try 921600")
    }
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.openError(errno, path) }
    var old = termios()
    if let error = Self.claim(descriptor, path, code, &old) {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.old = old
  }

  private static func claim(
    _ descriptor: Int32, _ path: String, _ code: speed_t, _ old: inout termios
  ) -> HostLinkError? {
    guard tcgetattr(descriptor, &old) == 0 else {
      return .failed(step: "opening \(path)", reason: "this is no serial line")
    }
    // Programs that work with serial lines honour this lock; the second one is told.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      return .busy(address: "serial:\(path)", holder: holders(path))
    }
    var raw = old
    cfmakeraw(&raw)
    raw.c_cflag |= tcflag_t(CLOCAL | CREAD)
    raw.c_cflag &= ~tcflag_t(CRTSCTS)
    raw.c_cflag &= ~tcflag_t(CSTOPB)
    cfsetispeed(&raw, code)
    cfsetospeed(&raw, code)
    guard tcsetattr(descriptor, TCSANOW, &raw) == 0 else {
      return .failed(step: "setting \(path)", reason: errnoText(errno))
    }
    // What an earlier session left unread is not an answer to us.
    tcflush(descriptor, TCIOFLUSH)
    return nil
  }

  private static func holders(_ path: String) -> String? {
    let found = ReaderHolder.all(havingOpen: path)
    return found.isEmpty ? nil : found.map(\.text).joined(separator: ", ")
  }

  private static func openError(_ number: Int32, _ path: String) -> HostLinkError {
    switch number {
    case ENOENT, ENXIO, ENODEV: .notFound(address: "serial:\(path)")
    case EACCES, EPERM: .noPermission(path: path)
    case EBUSY: .busy(address: "serial:\(path)", holder: holders(path))
    default: .failed(step: "opening \(path)", reason: errnoText(number))
    }
  }

  /// Changes the speed once everything has left, as after SetSerialBaudRate.
  func set(_ speed: SerialBaudRate) throws(HostLinkError) {
    var settings = termios()
    guard let code = Self.code(of: speed), tcgetattr(descriptor, &settings) == 0 else {
      throw .failed(step: "setting the speed", reason: "\(speed.bitsPerSecond) baud does not go")
    }
    cfsetispeed(&settings, code)
    cfsetospeed(&settings, code)
    guard tcsetattr(descriptor, TCSADRAIN, &settings) == 0 else {
      throw .failed(step: "setting the speed", reason: errnoText(errno))
    }
  }

  /// The speeds as `termios` codes them; for 1,288,000 baud it has none.
  private static func code(of speed: SerialBaudRate) -> speed_t? {
    switch speed {
    case .baud9600: speed_t(B9600)
    case .baud19200: speed_t(B19200)
    case .baud38400: speed_t(B38400)
    case .baud57600: speed_t(B57600)
    case .baud115200: speed_t(B115200)
    case .baud230400: speed_t(B230400)
    case .baud460800: speed_t(B460800)
    case .baud921600: speed_t(B921600)
    case .baud1288000: nil
    }
  }

  deinit {
    var settings = old
    tcsetattr(descriptor, TCSANOW, &settings)
    close(descriptor)
  }
}
