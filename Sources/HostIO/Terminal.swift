import Glibc

/// What is known of the terminal behind standard output and standard error.
public struct Terminal: Sendable {
  /// True if standard output is a terminal.
  public var outputIsTerminal: Bool
  /// True if standard error is a terminal.
  public var errorIsTerminal: Bool
  /// The width of the terminal in columns, or `nil` if there is none.
  public var columns: Int?
  /// True if the user's environment asks for no colour (`NO_COLOR`, `TERM=dumb`).
  public var wantsNoColor: Bool

  /// Describes a place without a terminal, for tests and pipes.
  public init(
    outputIsTerminal: Bool = false, errorIsTerminal: Bool = false, columns: Int? = nil,
    wantsNoColor: Bool = true
  ) {
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.columns = columns
    self.wantsNoColor = wantsNoColor
  }

  /// Asks the system.
  public static func current() -> Terminal {
    var size = winsize()
    let hasSize = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let noColor = environmentVariable("NO_COLOR").map { !$0.isEmpty } ?? false
    return Terminal(
      outputIsTerminal: isatty(1) == 1, errorIsTerminal: isatty(2) == 1,
      columns: hasSize ? Int(size.ws_col) : nil,
      wantsNoColor: noColor || environmentVariable("TERM") == "dumb")
  }
}

/// The value of an environment variable, or `nil` if it is not set.
public func environmentVariable(_ name: String) -> String? {
  guard let value = getenv(name) else { return nil }
  return String(cString: value)
}
