import Foundation

/// The folder of third-party captures and dialogues that stands beside a developer's checkout.
///
/// A user's clone does not have it: tests that read it are skipped there, and fail where `CI=true`.
public enum SharedFolder {
  /// The folder, or `nil` if this checkout has none.
  public static let path: String? = locate()

  /// True if tests on the folder must run: it is there, or CI demands it.
  public static var isExpected: Bool {
    path != nil || ProcessInfo.processInfo.environment["CI"] == "true"
  }

  /// The path of a file in the folder.
  ///
  /// - Throws: `MissingSharedFolder` if there is no folder, which CI reports as a failure.
  public static func file(_ relative: String) throws(MissingSharedFolder) -> String {
    guard let path else { throw MissingSharedFolder() }
    return path + "/" + relative
  }

  /// The bytes of a file in the folder.
  public static func bytes(_ relative: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(relative))))
  }

  /// One row of `corpus/MANIFEST.tsv`, by column name.
  public static func manifest() throws -> [[String: String]] {
    let text = String(decoding: try bytes("corpus/MANIFEST.tsv"), as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)
      .filter { !$0.hasPrefix("#") }.map { $0.components(separatedBy: "\t") }
    guard !lines.isEmpty else { return [] }
    let names = lines.removeFirst()
    return lines.map { Dictionary(zip(names, $0), uniquingKeysWith: { first, _ in first }) }
  }

  private static func locate() -> String? {
    // Tests/… and Sources/… both lie three levels below the package.
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let candidate = folder.deletingLastPathComponent().appendingPathComponent("shared").path
    if FileManager.default.fileExists(atPath: candidate + "/corpus") { return candidate }
    let given = ProcessInfo.processInfo.environment["RETAP_SHARED"] ?? ""
    return FileManager.default.fileExists(atPath: given + "/corpus") ? given : nil
  }
}

/// The folder of third-party captures is not beside this checkout.
public struct MissingSharedFolder: Error, CustomStringConvertible {
  /// What is missing and how to point to it.
  public var description: String {
    "no folder 'shared' beside this checkout; set RETAP_SHARED to the folder that holds corpus/"
  }
}
