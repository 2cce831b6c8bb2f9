import Glibc

/// A name in `/dev` for a terminal, for programs that look for readers there; it goes with its
/// owner.
struct DeviceLink: ~Copyable {
  /// Its path, `/dev/ttyRETAP0` or the next free number.
  let path: String

  /// The most numbers that are tried.
  static let maximumNumber = 64

  /// Links a free name to `target`; `nil` if `/dev` may not be written or all names are taken.
  init?(to target: String) {
    var found: String?
    for number in 0..<DeviceLink.maximumNumber {
      let name = "/dev/ttyRETAP\(number)"
      // A link that a killed process has left leads nowhere.
      if access(name, F_OK) != 0 { unlink(name) }
      if symlink(target, name) == 0 {
        found = name
        break
      }
      guard errno == EEXIST else { break }
    }
    guard let found else { return nil }
    path = found
  }

  deinit { unlink(path) }
}
