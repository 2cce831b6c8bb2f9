import Glibc

/// Folders: listing and making them.
public enum Folder {
  /// True if the path is a folder.
  public static func exists(_ path: String) -> Bool {
    FileKind(path).isFolder
  }

  /// The names in a folder, sorted by their bytes, without `.` and `..`.
  public static func names(in path: String) throws(HostError) -> [String] {
    guard let folder = opendir(path) else {
      throw .cannotRead(path: path, reason: errnoText(errno))
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// The ordinary files below a folder, sorted by path; hidden names are passed over.
  ///
  /// Each folder is looked into once, whatever links lead to it.
  public static func regularFiles(below path: String) throws(HostError) -> [String] {
    var visited: Set<FileKind.Identity> = []
    var files: [String] = []
    try collect(below: path, &visited, &files)
    return files
  }

  private static func collect(
    below path: String, _ visited: inout Set<FileKind.Identity>, _ files: inout [String]
  ) throws(HostError) {
    guard visited.insert(FileKind(path).identity).inserted else { return }
    let prefix = path.hasSuffix("/") ? path : path + "/"
    for name in try names(in: path) where !name.hasPrefix(".") {
      let kind = FileKind(prefix + name)
      if kind.isFolder {
        try collect(below: prefix + name, &visited, &files)
      } else if kind.isRegular {
        files.append(prefix + name)
      }
    }
  }

  /// Makes a folder and those above it; no error if it is there already.
  public static func make(_ path: String) throws(HostError) {
    var partial = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      partial += partial.isEmpty || partial.hasSuffix("/") ? String(part) : "/" + part
      if mkdir(partial, 0o755) != 0 && errno != EEXIST {
        throw .cannotWrite(path: partial, reason: errnoText(errno))
      }
    }
    if !exists(path) { throw .cannotWrite(path: path, reason: "Not a directory") }
  }
}
