import Foundation

/// The installed tshark, which judges what our files are to Wireshark.
enum Tshark {
  /// Where Debian and Ubuntu install it.
  static let path = "/usr/bin/tshark"

  /// True if tests with it must run: it is there, or CI demands it.
  static var isExpected: Bool {
    FileManager.default.isExecutableFile(atPath: path)
      || ProcessInfo.processInfo.environment["CI"] == "true"
  }

  /// Runs it on a file with these bytes; the lines of its output.
  static func lines(_ bytes: [UInt8], _ arguments: [String]) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("retap-\(UUID().uuidString).pcapng")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-r", file.path] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(status: process.terminationStatus)
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// It could not read the file.
  struct Failure: Error {
    var status: Int32
  }
}

/// Files of the package that tests read.
enum PackageFile {
  /// The bytes of a file, by its path from the root of the package.
  static func bytes(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: root.appendingPathComponent(path)))
  }

  /// The paths of the traces in text form in `captures`.
  static func captures() throws -> [String] {
    let folder = root.appendingPathComponent("captures")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".retap") }.sorted().map { "captures/" + $0 }
  }

  private static var root: URL {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }
}
