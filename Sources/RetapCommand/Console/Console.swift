public import HostIO

/// What a command talks to: two sinks and the facts of the terminal behind them.
public struct Console: ~Copyable {
  /// Standard output.
  public var output: ByteSink
  /// Standard error.
  public var errors: ByteSink
  /// The terminal, if there is one.
  public let terminal: Terminal

  /// The console of this process.
  public static func standard() -> Console {
    let terminal = Terminal.current()
    return Console(
      output: ByteSink(descriptor: 1), errors: ByteSink(descriptor: 2, isLineBuffered: true),
      terminal: terminal)
  }

  /// A console that keeps everything in memory, for tests.
  public init(terminal: Terminal = Terminal()) {
    self.init(output: ByteSink(), errors: ByteSink(), terminal: terminal)
  }

  private init(output: consuming ByteSink, errors: consuming ByteSink, terminal: Terminal) {
    self.output = output
    self.errors = errors
    self.terminal = terminal
  }

  /// Writes text to standard output.
  public mutating func print(_ text: String) throws(CommandError) {
    do { try output.write(text) } catch { throw .host(error) }
  }

  /// Writes bytes to standard output.
  public mutating func print(_ bytes: [UInt8]) throws(CommandError) {
    do { try output.write(bytes) } catch { throw .host(error) }
  }

  /// Writes a line to standard error; if that fails there is nobody left to tell.
  public mutating func warn(_ text: String) {
    do { try errors.write(text + "\n") } catch {}
  }

  /// Puts a text in place of the last line of a terminal behind standard error, or clears it.
  public mutating func showStatus(_ text: String) {
    // CR, then "erase to the end of the line" (ECMA-48 8.3.41).
    do {
      try errors.write("\r\u{1B}[K" + text)
      try errors.flush()
    } catch {}
  }

  /// Sends what is held back.
  public mutating func flush() throws(CommandError) {
    do { try output.flush() } catch { throw .host(error) }
  }
}
