import NFCProtocols

/// Bytes of hexadecimal pairs; a test that writes something else stops at once.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hexadecimal.bytes(of: text) else {
    preconditionFailure("not hexadecimal pairs: \(text)")
  }
  return bytes
}

/// Decodes, checks that encoding gives the same bytes, and returns the value.
func roundTrip<Value: ByteCodable & Equatable>(
  _ type: Value.Type, _ text: String
) throws -> (value: Value, isSame: Bool) {
  let bytes = hex(text)
  let value = try Value(bytes)
  return (value, value.bytes == bytes)
}
