import CZlib

/// Inflates a zlib or gzip stream piece by piece, with a limit on what comes out.
///
/// Safety: owns one `z_stream`, whose pointers are set only within `inflate(_:)` while the buffers
/// they point to are held; `deinit` frees what zlib allocated.
struct Inflater: ~Copyable {
  /// How a stream is wrapped.
  enum Wrapping {
    /// RFC 1950.
    case zlib
    /// RFC 1952; several members may follow each other.
    case gzip
  }

  /// What became of a stream.
  enum Failure: Error, Equatable {
    /// The data are not what zlib writes, or a check sum is wrong.
    case damaged
    /// More came out than the limit allows.
    case tooLong(limit: Int)
  }

  /// Bytes of output room for one call of zlib.
  private static let roomLength = 65_536

  private let stream: UnsafeMutablePointer<z_stream>
  private let wrapping: Wrapping
  private let limit: Int
  private var produced = 0
  /// True once the end mark of the stream was seen.
  private(set) var isFinished = false
  private var isUsable: Bool

  /// Makes an inflater that gives at most `limit` bytes.
  init(_ wrapping: Wrapping, limit: Int) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    self.wrapping = wrapping
    self.limit = limit
    // 15 bits of window; 16 more ask for gzip (zlib.h, inflateInit2).
    isUsable =
      inflateInit2_(
        stream, wrapping == .gzip ? 31 : 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      == Z_OK
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Inflates the next piece and appends the result to `output`.
  mutating func inflate(
    _ piece: ArraySlice<UInt8>, into output: inout [UInt8]
  ) throws(Failure) {
    guard isUsable else { throw .damaged }
    // Padding behind the end (tar writers fill up blocks) is passed over.
    if isFinished, wrapping == .zlib || piece.first != 0x1F { return }
    var room = [UInt8](repeating: 0, count: Self.roomLength)
    var rest = piece
    repeat {
      if isFinished {
        guard wrapping == .gzip, rest.first == 0x1F else { return }
        guard inflateReset(stream) == Z_OK else { throw .damaged }
        isFinished = false
      }
      let (status, used, made) = step(rest, &room)
      rest = rest.dropFirst(used)
      output.append(contentsOf: room[0..<made])
      produced += made
      guard produced <= limit else { throw .tooLong(limit: limit) }
      switch status {
      case Z_STREAM_END: isFinished = true
      case Z_OK: break
      case Z_BUF_ERROR: return
      default: throw .damaged
      }
      if made < Self.roomLength, rest.isEmpty { return }
    } while true
  }

  private mutating func step(
    _ input: ArraySlice<UInt8>, _ room: inout [UInt8]
  ) -> (status: Int32, used: Int, made: Int) {
    // zlib does not write through `next_in`; its C type merely lacks `const`.
    var input = Array(input.prefix(Self.roomLength))
    return input.withUnsafeMutableBufferPointer { source in
      room.withUnsafeMutableBufferPointer { target in
        stream.pointee.next_in = source.baseAddress
        stream.pointee.avail_in = UInt32(source.count)
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = UInt32(target.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        let used = source.count - Int(stream.pointee.avail_in)
        let made = target.count - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        return (status, used, made)
      }
    }
  }
}
