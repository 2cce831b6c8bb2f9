import Glibc

/// Folders: listing and making them.
public enum Folder {
  /// True if the path is a folder.
  public static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
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
