import Glibc

/// The system's words for an errno value.
public func errnoText(_ number: Int32) -> String {
  // strerror's static buffer would need a lock; strerror_r fills ours.
  var buffer = [CChar](repeating: 0, count: 128)
  guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
  return buffer.withUnsafeBufferPointer { text in
    text.baseAddress.map { String(cString: $0) } ?? "error \(number)"
  }
}
