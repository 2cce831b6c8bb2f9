/// A value of a protocol that has one form as bytes, without CRC.
///
/// Decoding takes all the bytes it is given and throws if some are left over. What was decoded
/// gives the same bytes again.
public protocol ByteCodable {
  /// Decodes the value from all of `bytes`.
  /// - Throws: `ProtocolError` with the offset of the fault, counted from the start of `bytes`.
  init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError)
  /// Appends the value in the form in which it is sent.
  func encode(into output: inout [UInt8])
}

extension ByteCodable {
  /// Decodes the value from all of `bytes`.
  /// - Throws: `ProtocolError` with the offset of the fault.
  public init(_ bytes: [UInt8]) throws(ProtocolError) { try self.init(bytes[...]) }

  /// The value in the form in which it is sent, without CRC.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    encode(into: &output)
    return output
  }
}
