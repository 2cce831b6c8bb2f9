/// Feeds a decoder the same bytes in many ways, so that results can be compared.
public enum SplitVerifier {
  /// The ways to cut `bytes`: whole, byte by byte, and in two at every offset.
  ///
  /// Inputs over `maximumSplits` bytes are cut in two at that many evenly spread offsets.
  public static func cuts(
    of bytes: [UInt8], maximumSplits: Int = 600
  ) -> [[ArraySlice<UInt8>]] {
    var result: [[ArraySlice<UInt8>]] = [[bytes[...]]]
    if bytes.isEmpty { return result }
    result.append(bytes.indices.map { bytes[$0...$0] })
    let stride = max(1, bytes.count / maximumSplits)
    var offset = 1
    while offset < bytes.count {
      result.append([bytes[..<offset], bytes[offset...]])
      offset += stride
    }
    return result
  }
}
