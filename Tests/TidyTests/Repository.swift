import Foundation

/// The files of this checkout, as the tidy rules see them.
enum Repository {
  /// The folder of the package.
  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  struct SourceFile {
    var path: String
    var text: String
    var lines: [String]
  }

  /// Reads a text file, by its path from the root.
  static func text(_ path: String) -> String {
    let data = FileManager.default.contents(atPath: root.appendingPathComponent(path).path)
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// All Swift files below a folder, sorted by path.
  static func swiftFiles(below folder: String) -> [SourceFile] {
    let start = root.appendingPathComponent(folder)
    let walk = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
    var paths: [String] = []
    while let url = walk?.nextObject() as? URL {
      if url.pathExtension == "swift" {
        paths.append(String(url.path.dropFirst(root.path.count + 1)))
      }
    }
    return paths.sorted().map { path in
      let content = text(path)
      return SourceFile(
        path: path, text: content, lines: content.components(separatedBy: "\n"))
    }
  }

  /// The targets of `Package.swift` with their dependencies, as it is written there.
  static func targets() -> [String: (ring: String, dependencies: [String])] {
    let manifest = text("Package.swift")
    let pattern =
      #/(pure|module|tests)\(\s*"(?<name>\w+)"(?:,\s*\[(?<list>[^\]]*)\])?/#
    var result: [String: (ring: String, dependencies: [String])] = [:]
    for match in manifest.matches(of: pattern) {
      let list = match.output.list.map(String.init) ?? ""
      let names = list.matches(of: #/"(\w+)"/#).map { String($0.output.1) }
      result[String(match.output.name)] = (String(match.output.1), names)
    }
    return result
  }
}
