import Glibc
import HostIO

/// UNIX sockets by path.
enum UnixSocket {
  /// Clients that may wait to be accepted.
  private static let backlog: Int32 = 16

  /// Listens for connections to a stream socket.
  static func listen(path: String) throws(VirtualReaderError) -> OpenDescriptor {
    let socket = OpenDescriptor(
      Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    guard socket.number >= 0 else { throw systemFailure("make a socket") }
    setUp(socket.number)
    let isBound = withAddress(path) { Glibc.bind(socket.number, $0, $1) == 0 }
    guard isBound, Glibc.listen(socket.number, backlog) == 0 else {
      throw systemFailure("listen on \(path)")
    }
    return socket
  }

  /// Accepts a client, if one is there.
  static func accept(_ listener: OpenDescriptor) -> OpenDescriptor? {
    let number = Glibc.accept(listener.number, nil, nil)
    guard number >= 0 else { return nil }
    setUp(number)
    return OpenDescriptor(number)
  }

  /// Sends one datagram; false if nobody listens there any more.
  static func send(_ datagram: [UInt8], to path: String) -> Bool {
    let socket = OpenDescriptor(Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
    guard socket.number >= 0 else { return false }
    setUp(socket.number)
    return withAddress(path) { address, length in
      datagram.withUnsafeBytes {
        sendto(
          socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), address, length)
      } == datagram.count
    }
  }

  private static func withAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let length = MemoryLayout.size(ofValue: address.sun_path)
    precondition(path.utf8.count < length, "the path of a socket is short")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
