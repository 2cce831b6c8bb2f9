import Glibc

/// An open file that is read from front to back in pieces.
public struct InputFile: ~Copyable {
  /// The path as the user gave it; `-` is standard input.
  public let path: String
  /// The size in bytes, or `nil` for pipes and terminals.
  public let size: Int?
  private let descriptor: Int32

  /// Opens a file, or standard input for `-`.
  ///
  /// - Throws: `HostError.cannotRead` if it does not exist, may not be read or is a folder.
  public init(path: String) throws(HostError) {
    self.path = path
    if path == "-" {
      descriptor = 0
    } else {
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      if descriptor < 0 { throw .cannotRead(path: path, reason: errnoText(errno)) }
    }
    var status = stat()
    if fstat(descriptor, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR {
        if descriptor != 0 { close(descriptor) }
        throw .cannotRead(path: path, reason: "Is a directory")
      }
      size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    } else {
      size = nil
    }
  }

  /// Reads the next piece into `buffer`, replacing its content; leaves it empty at the end.
  ///
  /// - Parameter maximum: The most bytes to read at once.
  public mutating func read(
    into buffer: inout [UInt8], maximum: Int
  ) throws(HostError) {
    if buffer.count != maximum { buffer = [UInt8](repeating: 0, count: maximum) }
    let count = readPiece(into: &buffer)
    if count < 0 { throw .cannotRead(path: path, reason: errnoText(errno)) }
    if count < maximum { buffer.removeLast(maximum - count) }
  }

  private func readPiece(into buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { target in
      while true {
        let count = Glibc.read(descriptor, target.baseAddress, target.count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }

  /// Reads a whole file of at most `limit` bytes.
  ///
  /// - Returns: The bytes, or `nil` if the file is longer than the limit.
  public static func readAll(path: String, limit: Int) throws(HostError) -> [UInt8]? {
    var file = try InputFile(path: path)
    var result: [UInt8] = []
    var piece: [UInt8] = []
    while true {
      try file.read(into: &piece, maximum: 65_536)
      if piece.isEmpty { return result }
      if result.count + piece.count > limit { return nil }
      result += piece
    }
  }

  deinit {
    if descriptor != 0 { close(descriptor) }
  }
}
