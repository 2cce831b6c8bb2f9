/// How an ACR122U wraps the bodies of PN532 frames: pseudo-APDUs, with a status word after answers.
public enum ACR122Envelope {
  /// The pseudo-APDU `FF 00 00 00 Lc` around a body from the TFI on.
  ///
  /// - Throws: `bodyTooLong`, `emptyBody`.
  public static func wrap(_ body: [UInt8]) throws(PN53xError) -> [UInt8] {
    guard !body.isEmpty else { throw .emptyBody }
    guard body.count <= Chip.acr122MaximumBodyLength else {
      throw .bodyTooLong(length: body.count, maximum: Chip.acr122MaximumBodyLength)
    }
    return [0xFF, 0x00, 0x00, 0x00, UInt8(body.count)] + body
  }

  /// What a host sends in the data of XfrBlock or Escape.
  public enum Request: Hashable, Sendable {
    /// A body for the PN532, from D4 on.
    case body([UInt8])
    /// `FF C0 00 00 xx`: fetch an answer of xx bytes (Touchatag).
    case getResponse(length: UInt8)
    /// `FF 00 51 P2 00`: set the polling parameter of the reader's own firmware.
    case setPollingParameter(UInt8)
    /// `FF 00 41 P2 00`: set the time limit, in 5 s; 00 none, FF for ever.
    case setTimeout(UInt8)
    /// `FF 00 40 P2 04 …`: lights and buzzer.
    case setLights(UInt8, [UInt8])
    /// `FF 00 52 P2 00`: buzzer on detection.
    case setBuzzer(UInt8)
    /// `FF 00 48 00 00`: name and version of the reader's firmware.
    case getVersion
    /// Something else, for example an APDU for the card.
    case other([UInt8])

    /// Reads the data of a message from the host.
    public init(_ data: [UInt8]) {
      if data.count >= 6, data[..<4] == [0xFF, 0, 0, 0], Int(data[4]) == data.count - 5,
        data[5] == HostFrame.hostToChip
      {
        self = .body(Array(data[5...]))
      } else if data.count == 5, data[..<4] == [0xFF, 0xC0, 0, 0] {
        self = .getResponse(length: data[4])
      } else if data.count >= 5, data[0] == 0xFF, data[1] == 0 {
        self = Request.firmware(data)
      } else {
        self = .other(data)
      }
    }

    private static func firmware(_ data: [UInt8]) -> Request {
      switch (data[2], data.count) {
      case (0x51, 5): .setPollingParameter(data[3])
      case (0x41, 5): .setTimeout(data[3])
      case (0x40, 9) where data[4] == 4: .setLights(data[3], Array(data[5...]))
      case (0x52, 5): .setBuzzer(data[3])
      case (0x48, 5): .getVersion
      default: .other(data)
      }
    }
  }

  /// What the reader answers in the data of DataBlock or Escape answer.
  public enum Reply: Hashable, Sendable {
    /// A body from the PN532, from D5 on, followed by `90 00`.
    case body([UInt8])
    /// `63 00`: the PN532 did not answer in time.
    case chipSilent
    /// `63 7F`: the PN532 answered with its error frame.
    case chipError
    /// `61 xx`: an answer of xx bytes waits for `FF C0 00 00 xx`.
    case moreAvailable(length: UInt8)
    /// `90 00` alone or after other bytes, for example from the reader's own firmware.
    case done([UInt8])
    /// No data at all: the card is mute or gone.
    case empty
    /// Something else.
    case other([UInt8])

    /// Reads the data of a message from the reader.
    public init(_ data: [UInt8]) {
      let count = data.count
      guard count >= 2 else {
        self = data.isEmpty ? .empty : .other(data)
        return
      }
      switch (data[count - 2], data[count - 1]) {
      case (0x90, 0x00) where count >= 4 && data[0] == HostFrame.chipToHost:
        self = .body(Array(data[..<(count - 2)]))
      case (0x90, 0x00): self = .done(Array(data[..<(count - 2)]))
      case (0x63, 0x00) where count == 2: self = .chipSilent
      case (0x63, 0x7F) where count == 2: self = .chipError
      case (0x61, let length) where count == 2: self = .moreAvailable(length: length)
      default: self = .other(data)
      }
    }
  }
}
