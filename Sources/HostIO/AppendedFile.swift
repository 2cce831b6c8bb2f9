import Glibc

/// A file that grows by whole records and can be read at any moment up to the last of them.
///
/// Each record is one `write`, which the kernel holds from then on: the end of this program, by
/// whatever signal, loses none. It reaches the disk when the kernel likes, at the latest with
/// `close`; a failure of the machine may lose what came since.
public struct AppendedFile: ~Copyable {
  /// The path as it was given.
  public let path: String
  /// The bytes of all records so far.
  public private(set) var length = 0
  private let descriptor: Int32
  private var isOpen = true

  /// Makes a new file; one that is there already is left alone.
  public init(path: String) throws(HostError) {
    let isSpecial = FileKind(path).isSpecial
    let flags = isSpecial ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL
    let opened = open(path, flags | O_CLOEXEC | O_NOCTTY, 0o644)
    guard opened >= 0 else { throw .cannotWrite(path: path, reason: errnoText(errno)) }
    self.path = path
    descriptor = opened
  }

  /// Appends one record.
  ///
  /// - Throws: `cannotWrite`, for example for a full disk; a part that was written is taken back.
  public mutating func append(_ record: [UInt8]) throws(HostError) {
    do throws(HostError) {
      try writeAll(record, to: descriptor, path: path)
    } catch {
      // Devices and pipes cannot be shortened, and need not be.
      _ = ftruncate(descriptor, off_t(length))
      throw error
    }
    length += record.count
  }

  /// Brings all records to the disk and closes the file.
  public consuming func close() throws(HostError) {
    isOpen = false
    let synced = fdatasync(descriptor)
    let reason = errno
    let closed = Glibc.close(descriptor)
    // Pipes and devices have nothing to sync.
    if synced != 0 && reason != EINVAL && reason != EROFS || closed != 0 {
      throw .cannotWrite(path: path, reason: errnoText(reason))
    }
  }

  deinit {
    if isOpen { Glibc.close(descriptor) }
  }
}
