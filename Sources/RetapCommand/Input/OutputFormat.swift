import TraceFormats

/// The format that a command writes: as `--to` says, else as the file's ending says.
enum OutputFormat {
  /// Chooses the format for a file; standard output takes the text form.
  static func choose(
    _ arguments: ParsedArguments, target: String
  ) throws(CommandError) -> TraceFormat {
    if let name = arguments.value("--to") { return try TraceFormat.named(name) }
    if target == "-" { return try TraceFormat.named("retap") }
    let formats = TraceFormat.all.filter { $0.makeEncoder != nil }
    let ending = target.split(separator: ".").last.map(String.init) ?? ""
    if target.contains("."), let format = formats.first(where: { $0.suffixes.contains(ending) }) {
      return format
    }
    throw arguments.usage(
      "the format of '\(target)' is not clear from its name; give --to "
        + formats.map(\.name).joined(separator: ", --to "))
  }
}
