import Glibc

/// What a path leads to, behind all links.
public struct FileKind: Sendable {
  /// True for ordinary files.
  public let isRegular: Bool
  /// True for folders.
  public let isFolder: Bool
  /// True for devices, pipes and sockets.
  public let isSpecial: Bool
  /// Tells files and folders apart whatever paths lead to them; zero if there is nothing.
  public let identity: Identity

  /// A file or folder as the system numbers it.
  public struct Identity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
  }

  /// Looks at what is there now.
  public init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      (isRegular, isFolder, isSpecial) = (false, false, false)
      identity = Identity(device: 0, number: 0)
      return
    }
    let kind = status.st_mode & S_IFMT
    isRegular = kind == S_IFREG
    isFolder = kind == S_IFDIR
    isSpecial = kind != S_IFREG && kind != S_IFDIR
    identity = Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }
}
