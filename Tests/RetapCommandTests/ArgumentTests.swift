import Testing

@testable import RetapCommand

struct ArgumentTests {
  private static let syntax = CommandSyntax(
    name: "try", abstract: "a command for tests",
    arguments: [.init("FILE", "a file"), .init("MORE", "more", repeats: true, isOptional: true)],
    options: [
      .init("--json", "a flag"), .init("--out", short: "-o", value: "FILE", "an option"),
    ], takesProgram: true)

  @Test func optionsMayStandAnywhereAndProgramsAfterTwoDashes() throws {
    let parsed = try ParsedArguments(
      ["a", "--out=x", "b", "-o", "y", "--json", "--", "prog", "--json"], syntax: Self.syntax)
    #expect(parsed.positionals == ["a", "b"])
    #expect(parsed.values("--out") == ["x", "y"])
    #expect(parsed.value("--out") == "y")
    #expect(parsed.flag("--json"))
    #expect(parsed.program == ["prog", "--json"])
  }

  @Test(arguments: [
    (["a", "--jsn"], "unknown option --jsn; did you mean --json?"),
    ([], "FILE is missing: a file"),
    (["a", "--out"], "--out needs a value: --out FILE"),
    (["a", "--json=1"], "--json takes no value"),
  ])
  func mistakesAreNamedWithTheUsage(words: [String], message: String) {
    let expected = CommandError.usage(
      message + "\nusage: retap try [options] FILE [MORE …] [-- PROGRAM …]",
      remedy: "retap try --help")
    #expect(throws: expected) { try ParsedArguments(words, syntax: Self.syntax) }
  }

  @Test(arguments: [
    ("inof", "info"), ("convrt", "convert"), ("fram", "frames"), ("xyz", nil), ("diff", nil),
  ])
  func nearGuesses(word: String, guess: String?) {
    #expect(NearGuess.best(for: word, among: ["info", "frames", "convert", "format"]) == guess)
  }
}
