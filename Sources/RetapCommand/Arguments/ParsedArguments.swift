/// A command line taken apart after its syntax.
public struct ParsedArguments: Sendable {
  /// What was given without a name.
  public private(set) var positionals: [String] = []
  /// What stood after `--`.
  public private(set) var program: [String] = []
  private var given: [(name: String, value: String?)] = []
  private let syntax: CommandSyntax

  /// Takes `words` (without the command's name) apart.
  ///
  /// - Throws: `CommandError.usage` with a near guess for an unknown option.
  public init(_ words: [String], syntax: CommandSyntax) throws(CommandError) {
    self.syntax = syntax
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        program = Array(rest)
        break
      }
      if word.hasPrefix("-") && word != "-" && !Self.isNumber(word) {
        try take(option: word, rest: &rest)
      } else {
        positionals.append(word)
      }
    }
    try checkCounts()
  }

  private mutating func take(
    option word: String, rest: inout ArraySlice<String>
  ) throws(CommandError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = syntax.options.first(where: { $0.name == name || $0.short == name }) else {
      throw unknown(name)
    }
    if option.value == nil {
      if parts.count > 1 {
        throw usage("\(name) takes no value")
      }
      given.append((option.name, nil))
    } else if parts.count > 1 {
      given.append((option.name, String(parts[1])))
    } else if let value = rest.popFirst() {
      given.append((option.name, value))
    } else {
      throw usage("\(name) needs a value: \(name) \(option.value ?? "")")
    }
  }

  private func checkCounts() throws(CommandError) {
    let required = syntax.arguments.count { !$0.isOptional }
    let repeats = syntax.arguments.contains { $0.repeats }
    if positionals.count < required {
      let missing = syntax.arguments.filter { !$0.isOptional }[positionals.count]
      throw usage("\(missing.name) is missing: \(missing.help)")
    }
    if !repeats && positionals.count > syntax.arguments.count {
      throw usage("'\(positionals[syntax.arguments.count])' is one argument too many")
    }
    if !program.isEmpty && !syntax.takesProgram {
      throw usage("'\(syntax.name)' runs no program, but '-- \(program[0])' was given")
    }
  }

  private func unknown(_ name: String) -> CommandError {
    let names = syntax.options.map(\.name) + syntax.options.compactMap(\.short) + ["--help"]
    let guess = NearGuess.best(for: name, among: names).map { "; did you mean \($0)?" } ?? ""
    return usage("unknown option \(name)\(guess)")
  }

  /// A usage error of this command, with its usage line.
  public func usage(_ text: String) -> CommandError {
    .usage("\(text)\n\(syntax.usage)", remedy: "retap \(syntax.name) --help")
  }

  private static func isNumber(_ word: String) -> Bool {
    word.dropFirst().first?.isNumber ?? false
  }

  /// True if the flag was given.
  public func flag(_ name: String) -> Bool {
    precondition(syntax.options.contains { $0.name == name }, "the flag must be declared")
    return given.contains { $0.name == name }
  }

  /// The value of the option, the last one if it was given more than once.
  public func value(_ name: String) -> String? { values(name).last }

  /// All values of the option, in order.
  public func values(_ name: String) -> [String] {
    precondition(syntax.options.contains { $0.name == name }, "the option must be declared")
    return given.filter { $0.name == name }.compactMap(\.value)
  }

  /// The value of the option as one of some words.
  public func choice<Word: RawRepresentable & CaseIterable>(
    _ name: String, of type: Word.Type
  ) throws(CommandError) -> Word? where Word.RawValue == String {
    guard let text = value(name) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue)
    let guess = NearGuess.best(for: text, among: words).map { "; did you mean \($0)?" } ?? ""
    throw usage(
      "'\(text)' is no value of \(name) (\(words.joined(separator: ", ")))\(guess)")
  }

  /// The value of the option as a whole number within limits.
  public func integer(
    _ name: String, in limits: ClosedRange<Int>
  ) throws(CommandError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), limits.contains(number) else {
      throw usage(
        "'\(text)' is no value of \(name): a whole number from \(limits.lowerBound) to "
          + "\(limits.upperBound) is needed")
    }
    return number
  }
}
