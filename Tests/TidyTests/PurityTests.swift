import Foundation
import Testing

/// The pure ring takes time and choice as parameters: nothing in it may look for them itself.
struct PurityTests {
  private static let pureRing = [
    "NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards", "Replay", "Exploration",
  ]

  /// Forbidden text and why.
  private static let forbidden: [(text: String, reason: String)] = [
    ("Date(", "time is a parameter"),
    ("ContinuousClock", "time is a parameter"),
    ("SuspendingClock", "time is a parameter"),
    ("Task {", "no concurrency in the pure ring"),
    ("Task.", "no concurrency in the pure ring"),
    (".random(in:", "ask Decisions"),
    (".shuffled(", "ask Decisions"),
    (".randomElement(", "ask Decisions"),
    (".hashValue", "differs from process to process"),
    ("print(", "no output"),
    ("try!", "typed errors"),
    ("as!", "typed errors"),
    ("nonisolated(unsafe)", "no shared state"),
  ]

  @Test(arguments: pureRing)
  func noForbiddenNames(module: String) {
    for file in Repository.swiftFiles(below: "Sources/\(module)") {
      for rule in Self.forbidden where file.text.contains(rule.text) {
        for (number, code) in file.code() where code.contains(rule.text) {
          // A method of our own may end in a forbidden word (`blueprint(`).
          let isOwnWord = rule.text == "print(" && code.contains(#/[A-Za-z.]print\(/#)
          #expect(isOwnWord, "\(file.path):\(number): \(rule.text) (\(rule.reason))")
        }
      }
      for (number, code) in file.code() where code.contains("static var ") {
        #expect(
          !code.contains(#/static var \w+\s*(:[^{]*)?=/#),
          "\(file.path):\(number): stored static var")
      }
    }
  }

  @Test(arguments: pureRing)
  func noForceUnwraps(module: String) {
    for file in Repository.swiftFiles(below: "Sources/\(module)") {
      for (number, code) in file.code() where code.utf8.contains(0x21) {
        #expect(
          !code.contains(#/[\w\])]!(\.|\)|,|\s|$)/#) || code.utf8.contains(0x22),
          "\(file.path):\(number): force unwrap")
      }
    }
  }
}

extension Repository.SourceFile {
  /// The lines with their numbers from 1, without comments.
  func code() -> [(number: Int, code: String)] {
    lines.enumerated().map { index, line in
      guard line.utf8.contains(0x2F), let comment = line.range(of: "//") else {
        return (index + 1, line)
      }
      return (index + 1, String(line[..<comment.lowerBound]))
    }
  }
}
