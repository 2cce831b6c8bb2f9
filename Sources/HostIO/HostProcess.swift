import Glibc

/// This process as the system sees it.
public enum HostProcess {
  /// The number of this process.
  public static var identifier: Int { Int(getpid()) }
  /// True if it may do everything (user 0).
  public static var isRoot: Bool { geteuid() == 0 }

  /// True if this process may read and write a file.
  public static func mayUse(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 }
}
