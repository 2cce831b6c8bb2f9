import NFCProtocols

extension ReplayScript {
  /// The NDEF message that a recorded reader read from a Type 4 tag, if it read all of it.
  ///
  /// The file is put together from the answers to READ BINARY behind the last SELECT of a file
  /// other than the capability container; its first two bytes are the length of the message
  /// (NFC Forum Type 4 Tag, 4.2).
  public var recordedMessage: [UInt8]? {
    guard layer == .apdu else { return nil }
    if let messageBeforeCut { return messageBeforeCut }
    var file: [Int: UInt8] = [:]
    var isSelected = false
    for entry in entries {
      let command = entry.command.bytes
      guard command.count >= 4, let answer = entry.answers.first?.frame.bytes,
        answer.suffix(2) == [0x90, 0x00]
      else { continue }
      if command[1] == 0xA4, command[2] == 0x00, command.count >= 7 {
        isSelected = command[5..<7] != [0xE1, 0x03]
      } else if command[1] == 0xB0, isSelected {
        let offset = Int(command[2]) << 8 | Int(command[3])
        for (index, byte) in answer.dropLast(2).enumerated() { file[offset + index] = byte }
      }
    }
    guard let high = file[0], let low = file[1] else { return nil }
    let length = Int(high) << 8 | Int(low)
    let message = (0..<length).compactMap { file[2 + $0] }
    return message.count == length && length > 0 ? message : nil
  }
}
