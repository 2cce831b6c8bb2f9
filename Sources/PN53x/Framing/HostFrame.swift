/// One frame on the link between a host and a PN53x chip.
public enum HostFrame: Hashable, Sendable {
  /// `00 00 FF 00 FF 00`: the last frame has arrived; from the host also "abort".
  case ack
  /// `00 00 FF FF 00 00`: send the last response again.
  case nack
  /// `00 00 FF 01 FF 7F 81 00`: the chip met a syntax error in the command.
  case error
  /// Everything else: a body from the TFI on, in one of three forms.
  case information([UInt8], InformationForm)

  /// The frame identifier (TFI) of a body from host to chip.
  public static let hostToChip: UInt8 = 0xD4
  /// The frame identifier (TFI) of a body from chip to host.
  public static let chipToHost: UInt8 = 0xD5
  /// The frame identifier (TFI) of the error frame.
  public static let errorIdentifier: UInt8 = 0x7F
  /// The frame identifier (TFI) of a body from host to RC-S380.
  public static let hostToRCS380: UInt8 = 0xD6
  /// The frame identifier (TFI) of a body from RC-S380 to host.
  public static let rcS380ToHost: UInt8 = 0xD7

  /// The body from the TFI on: `7F` for the error frame, empty for ACK and NACK.
  public var body: [UInt8] {
    switch self {
    case .ack, .nack: []
    case .error: [HostFrame.errorIdentifier]
    case .information(let body, _): body
    }
  }

  /// A frame for a body from the TFI on, in the form that a chip expects.
  ///
  /// The form is normal when the body fits and extended otherwise; the RC-S380 knows only its own.
  /// - Throws: `bodyTooLong` or `emptyBody`.
  public static func information(
    _ body: [UInt8], for chip: Chip, alwaysExtended: Bool = false
  ) throws(PN53xError) -> HostFrame {
    guard !body.isEmpty else { throw .emptyBody }
    guard body.count <= chip.maximumBodyLength else {
      throw .bodyTooLong(length: body.count, maximum: chip.maximumBodyLength)
    }
    if chip == .rcS380 { return .information(body, .extendedLittleEndian) }
    if body.count > InformationForm.normalMaximumBodyLength {
      return .information(body, .extended)
    }
    return .information(body, alwaysExtended && chip.hasExtendedFrames ? .extended : .normal)
  }
}

/// The three forms of an information frame.
public enum InformationForm: UInt8, Hashable, Sendable {
  /// One length byte.
  case normal
  /// `FF FF` and two length bytes, the high byte first.
  case extended
  /// `FF FF` and two length bytes, the low byte first: RC-S380, for every length.
  case extendedLittleEndian

  /// The longest body in bytes of a normal frame, whose length byte counts TFI and data.
  public static let normalMaximumBodyLength = 255
}

/// How frames are dressed on a link.
public struct FramingOptions: Hashable, Sendable {
  /// How many `00` stand in front of the start code `00 FF`; 1 is usual, nfcpy wakes a PN532 by 10.
  public var preambleLength: Int
  /// True if a `00` follows the last byte.
  public var hasPostamble: Bool

  /// Makes options; without arguments those of a chip after power-on.
  public init(preambleLength: Int = 1, hasPostamble: Bool = true) {
    precondition(
      (0...FramingOptions.maximumPreambleLength).contains(preambleLength),
      "a preamble has between 0 and 255 bytes")
    self.preambleLength = preambleLength
    self.hasPostamble = hasPostamble
  }

  /// The longest preamble in bytes that is written.
  public static let maximumPreambleLength = 255
  /// One preamble byte and a postamble: what a chip sends after power-on.
  public static let standard = FramingOptions()
  /// Neither: a PN532 after SetParameters with bit 6.
  public static let bare = FramingOptions(preambleLength: 0, hasPostamble: false)
}

extension HostFrame {
  /// Appends the bytes of the frame as they go over the link.
  ///
  /// A body that does not fit its form is a broken invariant: make frames with
  /// `information(_:for:alwaysExtended:)`.
  public func encode(into output: inout [UInt8], options: FramingOptions = .standard) {
    output.append(contentsOf: repeatElement(0, count: options.preambleLength))
    output.append(0x00)
    output.append(0xFF)
    switch self {
    case .ack:
      output.append(0x00)
      output.append(0xFF)
    case .nack:
      output.append(0xFF)
      output.append(0x00)
    case .error:
      output.append(contentsOf: [0x01, 0xFF, 0x7F, 0x81])
    case .information(let body, let form):
      HostFrame.encode(body, form, into: &output)
    }
    if options.hasPostamble { output.append(0x00) }
  }

  /// The bytes of the frame as they go over the link.
  public func encoded(options: FramingOptions = .standard) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(options.preambleLength + 9 + body.count)
    encode(into: &output, options: options)
    return output
  }

  private static func encode(
    _ body: [UInt8], _ form: InformationForm, into output: inout [UInt8]
  ) {
    switch form {
    case .normal:
      precondition(
        (1...InformationForm.normalMaximumBodyLength).contains(body.count),
        "the body of a normal frame has between 1 and 255 bytes")
      let length = UInt8(body.count)
      output.append(length)
      output.append(0 &- length)
    case .extended, .extendedLittleEndian:
      precondition(
        (1...0xFFFF).contains(body.count),
        "the body of an extended frame has between 1 and 65535 bytes")
      let high = UInt8(body.count >> 8)
      let low = UInt8(body.count & 0xFF)
      output.append(0xFF)
      output.append(0xFF)
      output.append(form == .extended ? high : low)
      output.append(form == .extended ? low : high)
      output.append(0 &- high &- low)
    }
    output.append(contentsOf: body)
    output.append(HostFrame.dataChecksum(of: body[...]))
  }

  /// The byte (DCS) that makes the sum of a body from the TFI on zero, modulo 256.
  public static func dataChecksum(of body: ArraySlice<UInt8>) -> UInt8 {
    var sum: UInt8 = 0
    for byte in body { sum &+= byte }
    return 0 &- sum
  }
}
