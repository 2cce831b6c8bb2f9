public import HostIO
public import NFCTrace
public import USBLink

/// Why a command ended without doing its work.
public enum CommandError: Error, Hashable, Sendable {
  /// The command line is wrong; the text says how, the remedy what to type.
  case usage(String, remedy: String?)
  /// A trace or dump is damaged or of another kind.
  case badInput(file: String, TraceError)
  /// The input is in order, but holds nothing that the command could work on.
  case unfit(input: String, String, remedy: String)
  /// The operating system refused.
  case host(HostError)
  /// A program that is needed is missing.
  case missingProgram(name: String, remedy: String)
  /// A reader cannot be had or has gone.
  case link(HostLinkError)
  /// A reader did not do what was asked.
  case session(ReaderSessionError)
  /// Something that cannot happen did.
  case internalFault(String)

  /// The exit code that this error ends with.
  public var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .badInput(_, .cannotExpress): .badInput
    case .badInput, .unfit: .badInput
    case .host(.cannotRead): .badInput
    case .host(.cannotWrite): .cannotWrite
    case .host(.outputClosed): .success
    case .host(.cannotStart): .unavailable
    case .missingProgram: .unavailable
    case .link(.badAddress): .usage
    case .link, .session: .unavailable
    case .internalFault: .internalFault
    }
  }

  /// The lines for standard error, without the program's name.
  public var message: String {
    switch self {
    case .usage(let text, let remedy):
      remedy.map { "\(text)\n  try: \($0)" } ?? text
    case .badInput(let file, let error):
      "\(file): \(error.message)"
    case .unfit(let input, let text, let remedy):
      "\(input): \(text)\n  try: \(remedy)"
    case .host(.cannotRead(let path, let reason)):
      "\(path): cannot read: \(reason)"
    case .host(.cannotWrite(let path, let reason)):
      "\(path): cannot write: \(reason)"
    case .host(.cannotStart(let program, let reason)):
      "cannot start \(program): \(reason)"
    case .host(.outputClosed):
      ""
    case .missingProgram(let name, let remedy):
      "\(name) is missing\n  try: \(remedy)"
    case .link(let error): error.message
    case .session(let error): error.message
    case .internalFault(let text):
      "internal fault: \(text)\n  please report this with the command line and the input"
    }
  }
}

extension CommandError {
  /// True if the input is no trace at all, rather than a damaged one.
  var saysUnknownFormat: Bool {
    guard case .badInput(_, .badInput(let fault)) = self else { return false }
    return fault.found.contains("of no format that retap knows")
      || fault.found.hasPrefix("a card dump (")
  }
}

extension TraceError {
  /// The error as lines for people: place, found, expected, and what to try.
  public var message: String {
    switch self {
    case .badInput(let fault):
      """
      \(fault.place.text): found \(fault.found), expected \(fault.expected)
        try: \(fault.remedy)
      """
    case .newerVersion(let found, let newest):
      """
      trace format \(found) is newer than this program, which reads up to \(newest)
        try: a newer release of retap
      """
    case .cannotExpress(let what, let format, let remedy):
      """
      \(what) cannot be written as \(format)
        try: \(remedy)
      """
    }
  }
}

extension BadInput.Place {
  /// `byte 17` or `line 3`.
  public var text: String {
    switch self {
    case .byte(let offset): "byte \(offset)"
    case .line(let number): "line \(number)"
    }
  }
}
