import Glibc
import HostIO

/// The temporary folder of a test bed; what was put there goes away with it.
struct TestBedFolder: ~Copyable {
  /// Its path, short enough for the sockets below it.
  let root: String

  /// Makes an empty folder below `TMPDIR`, or below `/tmp` where that is too long for sockets.
  init() throws(VirtualReaderError) {
    let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let name = "/retap.XXXXXX"
    let fits = wanted.utf8.count + name.utf8.count <= TestBedPaths.maximumRootLength
    var path = Array(((fits ? wanted : "/tmp") + name).utf8CString)
    guard mkdtemp(&path) != nil else { throw systemFailure("make a temporary folder") }
    root = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of something below the root.
  func path(_ below: String) -> String { root + "/" + below }

  /// Makes what a tree holds.
  borrowing func make(_ tree: SysfsTree) throws(VirtualReaderError) {
    for entry in tree.entries {
      let path = path(entry.path)
      let status =
        switch entry.content {
        case .folder: mkdir(path, 0o755)
        case .link(let target): symlink(target, path)
        case .fifo: mkfifo(path, 0o666)
        case .file(let bytes): try writeFile(bytes, path)
        }
      guard status == 0 else { throw systemFailure("make \(path)") }
    }
  }

  private borrowing func writeFile(
    _ bytes: [UInt8], _ path: String
  ) throws(VirtualReaderError) -> Int32 {
    let descriptor = OpenDescriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644))
    guard descriptor.number >= 0 else { return -1 }
    // The files are far smaller than what one write takes.
    let count = bytes.withUnsafeBytes { write(descriptor.number, $0.baseAddress, $0.count) }
    return count == bytes.count ? 0 : -1
  }

  /// Takes away what a tree holds; what is not there any more is no error.
  borrowing func remove(_ tree: SysfsTree) {
    for entry in tree.entries.reversed() {
      let path = path(entry.path)
      if entry.content == .folder { rmdir(path) } else { unlink(path) }
    }
  }

  deinit {
    remove(.permanent)
    // Sockets on which programs listened for hotplug messages.
    for name in (try? Folder.names(in: root)) ?? [] { unlink(root + "/" + name) }
    rmdir(root)
  }
}
