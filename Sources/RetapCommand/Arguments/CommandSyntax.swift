/// The command line of one command as data; parsing, help and near guesses come from it.
public struct CommandSyntax: Sendable {
  /// The name that is typed after `retap`.
  public var name: String
  /// One line for the list of commands.
  public var abstract: String
  /// Further paragraphs for `--help`.
  public var discussion: String
  /// What is given without a name, in order.
  public var arguments: [Argument]
  /// The options and flags.
  public var options: [Option]
  /// Command lines to copy, shown at the end of `--help`.
  public var examples: [String]
  /// True if everything after `--` is a program to run.
  public var takesProgram: Bool

  /// Describes a command line.
  public init(
    name: String, abstract: String, discussion: String = "", arguments: [Argument] = [],
    options: [Option] = [], examples: [String] = [], takesProgram: Bool = false
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.takesProgram = takesProgram
  }

  /// Something given without a name.
  public struct Argument: Sendable {
    /// The word shown in the usage, upper case.
    public var name: String
    /// What it is.
    public var help: String
    /// True if it may be given any number of times, and at least once unless optional.
    public var repeats: Bool
    /// True if it may be left out.
    public var isOptional: Bool

    /// Describes an argument.
    public init(_ name: String, _ help: String, repeats: Bool = false, isOptional: Bool = false) {
      self.name = name
      self.help = help
      self.repeats = repeats
      self.isOptional = isOptional
    }
  }

  /// Something given with a name.
  public struct Option: Sendable {
    /// The long name with its two dashes.
    public var name: String
    /// The short name with its one dash, if there is one.
    public var short: String?
    /// The word shown for the value, or `nil` for a flag.
    public var value: String?
    /// What it does.
    public var help: String

    /// Describes an option (with `value`) or a flag (without).
    public init(_ name: String, short: String? = nil, value: String? = nil, _ help: String) {
      self.name = name
      self.short = short
      self.value = value
      self.help = help
    }
  }

  /// The usage in one line.
  public var usage: String {
    var text = "usage: retap \(name)"
    if !options.isEmpty { text += " [options]" }
    for argument in arguments {
      let word = argument.repeats ? "\(argument.name) …" : argument.name
      text += argument.isOptional ? " [\(word)]" : " \(word)"
    }
    if takesProgram { text += " [-- PROGRAM …]" }
    return text
  }

  /// The text of `--help`.
  public var help: String {
    var text = "\(abstract)\n\n\(usage)\n"
    if !discussion.isEmpty { text += "\n\(discussion)\n" }
    let rows =
      arguments.map { ("  \($0.name)", $0.help) } + optionRows
      + [("  -h, --help", "show this help")]
    let width = min(30, (rows.map(\.0.count).max() ?? 0) + 2)
    text += "\n"
    for (left, right) in rows {
      let indented = right.split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: "\n" + String(repeating: " ", count: width))
      if left.count + 2 > width {
        text += "\(left)\n\(String(repeating: " ", count: width))\(indented)\n"
      } else {
        text += left + String(repeating: " ", count: width - left.count) + indented + "\n"
      }
    }
    if !examples.isEmpty {
      text += "\nexamples:\n" + examples.map { "  \($0)\n" }.joined()
    }
    return text
  }

  private var optionRows: [(String, String)] {
    options.map { option in
      let names = option.short.map { "  \($0), \(option.name)" } ?? "      \(option.name)"
      return (option.value.map { "\(names) \($0)" } ?? names, option.help)
    }
  }
}
