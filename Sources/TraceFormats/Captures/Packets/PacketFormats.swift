import NFCProtocols

extension TraceFormat {
  /// pcap and pcapng of other programs.
  static var packetCapture: TraceFormat {
    TraceFormat(
      name: "pcap",
      summary: "pcap or pcapng of other programs: ISO 14443 (264), USB (220, 189, 249)",
      suffixes: ["pcap", "pcapng", "cap"],
      recognise: recognisePackets,
      makeDecoder: { PacketCaptureDecoder($0) })
  }

  /// The export of NFCGate.
  static var nfcGate: TraceFormat {
    TraceFormat(
      name: NFCGateEncoder.formatName,
      summary: "NFCGate export; written: APDUs and raw tag commands",
      suffixes: ["nfcgate.pcapng"],
      recognise: recogniseNFCGate,
      makeDecoder: { PacketCaptureDecoder($0) },
      makeEncoder: { _ in NFCGateEncoder() })
  }

  /// usbmon text.
  static var usbMonText: TraceFormat {
    TraceFormat(
      name: "usbmon-text", summary: "usbmon text (1u), data cut at 32 bytes",
      suffixes: ["txt", "mon"],
      recognise: recogniseUSBMonText,
      makeDecoder: { USBMonTextDecoder($0) })
  }

  private static func recognisePackets(_ sample: FileSample) -> Recognition {
    let bytes = sample.bytes[...]
    guard bytes.count >= 4 else { return .no }
    let isSections = RecordFields(bytes).u32(0) == SectionReader.sectionHeader
    return isSections || ClassicCaptureReader.magic(bytes) != nil ? .likely : .no
  }

  /// The rigid beginning: 28 bytes of section, two interfaces of 20 bytes.
  private static func recogniseNFCGate(_ sample: FileSample) -> Recognition {
    let bytes = sample.bytes[...]
    guard bytes.count >= 68 else { return .no }
    let fields = RecordFields(bytes, isBigEndian: true)
    let isSection =
      fields.u32(0) == SectionReader.sectionHeader && fields.u32(4) == 28
      && fields.u32(8) == 0x1A2B_3C4D
    let isFirst =
      fields.u32(28) == 1 && fields.u32(32) == 20 && UInt32(fields.u16(36)) == LinkType.iso14443
    let isSecond =
      fields.u32(48) == 1 && fields.u32(52) == 20 && UInt32(fields.u16(56)) == LinkType.user0
    return isSection && isFirst && isSecond ? .certain : .no
  }

  private static func recogniseUSBMonText(_ sample: FileSample) -> Recognition {
    let lines = sample.bytes.prefix(8_192).split(separator: 0x0A).prefix(8)
    let records = lines.filter { !$0.isEmpty && $0.first != 0x23 }
    guard let first = records.first else { return .no }
    return USBMonTextLine.isLikely(first) ? .certain : .no
  }
}
