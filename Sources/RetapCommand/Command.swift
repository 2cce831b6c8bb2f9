/// One command of `retap`: its command line as data and what it does.
public protocol Command: Sendable {
  /// The command line.
  static var syntax: CommandSyntax { get }

  /// Does the work.
  ///
  /// - Returns: `success`, or `findings` where the command has a verdict.
  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode
}

/// A command as an entry of the command list.
///
/// Calling through `any Command.Type` crashes the Swift 6.3.1 compiler, so the list holds closures.
public struct CommandEntry: Sendable {
  /// The command line.
  public let syntax: CommandSyntax
  /// Does the work.
  let run: @Sendable (ParsedArguments, inout Console) throws(CommandError) -> ExitCode

  /// Makes the entry of a command.
  init<C: Command>(_ command: C.Type) {
    syntax = C.syntax
    run = { (arguments, console) throws(CommandError) in
      try C.run(arguments, console: &console)
    }
  }
}
