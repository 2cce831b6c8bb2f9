/// The exit codes of `retap`, after sysexits.h where it has one.
public enum ExitCode: Int32, Sendable {
  /// All agreed, nothing found.
  case success = 0
  /// Code and trace diverged, or there are findings or differences.
  case findings = 1
  /// The command line is wrong.
  case usage = 64
  /// The input is not what it should be.
  case badInput = 65
  /// A program or a reader that is needed is missing.
  case unavailable = 69
  /// A fault of Retap's own.
  case internalFault = 70
  /// The output could not be written.
  case cannotWrite = 74
}
