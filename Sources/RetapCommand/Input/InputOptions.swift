public import NFCTrace
import NFCProtocols
public import TraceFormats

/// The options that every command reading a trace shares.
public enum InputOptions {
  /// Their declarations.
  public static let declarations: [CommandSyntax.Option] = [
    .init("--format", value: "NAME", "read the file as this format (see 'retap info --formats')"),
    .init("--technology", value: "A|B|F|V", "the technology, where the file does not tell"),
    .init("--recorder", value: "ROLE", "where the recorder stood: reader, sniff or card"),
    .init("--time-scale", value: "pm3-x", "how to read times that another tool distorted"),
  ]

  /// The import options of a command line.
  public static func importOptions(
    _ arguments: ParsedArguments
  ) throws(CommandError) -> ImportOptions {
    var options = ImportOptions()
    if let letter = arguments.value("--technology") {
      guard letter.utf8.count == 1,
        let technology = letter.utf8.first.flatMap({
          Technology(letter: $0 & ~0x20)
        })
      else {
        throw arguments.usage("'\(letter)' is no technology: A, B, F or V is needed")
      }
      options.technology = technology
    }
    options.role = try arguments.choice("--recorder", of: TraceRole.self)
    options.timeScale = arguments.value("--time-scale")
    if let scale = options.timeScale, scale != "pm3-x" {
      throw arguments.usage("'\(scale)' is no time scale: pm3-x is the only one")
    }
    return options
  }

  /// Opens the file `path` as the command line says.
  public static func open(
    _ path: String, _ arguments: ParsedArguments
  ) throws(CommandError) -> TraceStream {
    try TraceStream(
      path: path, options: importOptions(arguments), formatName: arguments.value("--format"))
  }

  /// Reads the whole file `path` as the command line says.
  public static func readAll(
    _ path: String, _ arguments: ParsedArguments
  ) throws(CommandError) -> WholeTrace {
    try TraceStream.readAll(
      path: path, options: importOptions(arguments), formatName: arguments.value("--format"))
  }
}

extension Console {
  /// Shows the warnings of a trace on standard error.
  public mutating func show(_ warnings: [TraceWarning], of path: String) {
    for warning in warnings.prefix(20) {
      warn("retap: \(path): \(warning.place.text): \(warning.message)")
    }
    if warnings.count > 20 { warn("retap: \(path): … \(warnings.count - 20) more warnings") }
  }
}
