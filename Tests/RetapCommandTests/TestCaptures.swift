import Foundation

/// The captures that are shipped with this package.
enum TestCaptures {
  /// The path of a file in `captures/`.
  static func path(_ name: String) -> String {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("captures/\(name)").path
  }
}
