/// Writes pcapng blocks in either byte order.
public struct PcapngWriter: Sendable {
  /// The byte order of the section.
  public var byteOrder: PcapngByteOrder

  /// An option of a block.
  public struct Option: Sendable {
    /// The code; bit 15 marks codes for local use.
    public var code: UInt16
    /// The value.
    public var value: [UInt8]

    /// Makes an option.
    public init(code: UInt16, value: [UInt8]) {
      precondition(value.count <= Self.longestValue, "an option has up to 65,535 bytes")
      self.code = code
      self.value = value
    }

    /// Longest value in bytes.
    public static let longestValue = 65_535

    /// `opt_comment`.
    public static func comment(_ text: String) -> Option {
      Option(code: 1, value: Array(text.utf8))
    }
  }

  /// Makes a writer.
  public init(byteOrder: PcapngByteOrder = .little) { self.byteOrder = byteOrder }

  /// Writes a section header.
  public func section(options: [Option] = [], into output: inout [UInt8]) {
    block(PcapngReader.sectionHeader, into: &output) { output in
      output.append32(PcapngReader.byteOrderMagic, byteOrder)
      output.append16(1, byteOrder)
      output.append16(0, byteOrder)
      // The length of the section is not known in advance.
      output.append(UInt64.max, count: 8, byteOrder)
      write(options, into: &output)
    }
  }

  /// Writes the description of an interface.
  public func interface(
    _ interface: PcapngInterface, options: [Option] = [], into output: inout [UInt8]
  ) {
    var options = options
    if interface.resolution != 6 { options.append(Option(code: 9, value: [interface.resolution])) }
    if interface.offsetSeconds != 0 {
      var value: [UInt8] = []
      value.append(UInt64(bitPattern: interface.offsetSeconds), count: 8, byteOrder)
      options.append(Option(code: 14, value: value))
    }
    block(PcapngReader.interfaceDescription, into: &output) { output in
      output.append16(interface.linkType, byteOrder)
      output.append16(0, byteOrder)
      output.append32(interface.snapLength, byteOrder)
      write(options, into: &output)
    }
  }

  /// Writes an enhanced packet.
  public func packet(
    interface: Int, timestamp: UInt64, data: [UInt8], originalLength: Int? = nil,
    options: [Option] = [], into output: inout [UInt8]
  ) {
    block(PcapngReader.enhancedPacket, into: &output) { output in
      output.append32(UInt32(interface), byteOrder)
      output.append32(UInt32(truncatingIfNeeded: timestamp >> 32), byteOrder)
      output.append32(UInt32(truncatingIfNeeded: timestamp), byteOrder)
      output.append32(UInt32(data.count), byteOrder)
      output.append32(UInt32(originalLength ?? data.count), byteOrder)
      let start = output.count
      output.append(contentsOf: data)
      output.pad(from: start)
      write(options, into: &output)
    }
  }

  /// Writes a block of any type around a body, which is padded.
  public func block(
    _ type: UInt32, into output: inout [UInt8], body: (inout [UInt8]) -> Void
  ) {
    let start = output.count
    output.append32(type, byteOrder)
    output.append32(0, byteOrder)
    body(&output)
    output.pad(from: start)
    let length = UInt32(output.count + 4 - start)
    output.append32(length, byteOrder)
    output.put32(length, at: start + 4, byteOrder)
  }

  private func write(_ options: [Option], into output: inout [UInt8]) {
    guard !options.isEmpty else { return }
    for option in options {
      output.append16(option.code, byteOrder)
      output.append16(UInt16(option.value.count), byteOrder)
      let start = output.count
      output.append(contentsOf: option.value)
      output.pad(from: start)
    }
    output.append32(0, byteOrder)
  }
}
