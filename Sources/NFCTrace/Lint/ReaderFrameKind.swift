import NFCProtocols

/// What a frame of the reader is, as far as the rules tell frames apart.
enum ReaderFrameKind: Equatable {
  /// REQA, WUPA, REQB, WUPB, polling or inventory.
  case request
  /// ANTICOLLISION; `isWhole` if it asks for all of the UID part.
  case anticollision(isWhole: Bool)
  /// SELECT.
  case select
  /// RATS.
  case rats
  /// PPS.
  case pps
  /// ATTRIB.
  case attrib
  /// An AUTH command of MIFARE Classic.
  case authenticate
  /// A block of ISO/IEC 14443-4.
  case block
  /// Anything else.
  case other

  init(_ seen: LintFrame, inSession: Bool) {
    let bytes = seen.frame.bytes
    self = .other
    guard let first = bytes.first else { return }
    switch seen.technology {
    case .a:
      self = Self.typeA(seen.frame, first, inSession: inSession)
    case .b:
      if first == RequestB.prefix, bytes.count <= 5 {
        self = .request
      } else if first == Attrib.prefix, bytes.count >= 9 {
        self = .attrib
      } else if inSession {
        self = .block
      }
    case .f, .v:
      break
    }
  }

  private static func typeA(
    _ frame: RadioFrame, _ first: UInt8, inSession: Bool
  ) -> ReaderFrameKind {
    let bytes = frame.bytes
    if frame.bitCount == 7 {
      return first == TypeACommand.requestByte || first == TypeACommand.wakeUpByte
        ? .request : .other
    }
    if !inSession || bytes.count <= 9, CascadeLevel(rawValue: first) != nil, bytes.count >= 2 {
      if bytes[1] == TypeACommand.selectNVB { return bytes.count >= 7 ? .select : .other }
      if (0x20...0x67).contains(bytes[1]), bytes.count <= 7 {
        return .anticollision(isWhole: bytes[1] == 0x20 && bytes.count == 2)
      }
    }
    let content = frame.content(assuming: .a)
    if inSession {
      if (try? PPS(content)) != nil { return .pps }
      return .block
    }
    if first == RATS.prefix, content.count == 2 { return .rats }
    if first == 0x60 || first == 0x61, content.count == 2 { return .authenticate }
    return .other
  }

  /// True if all cards answer at the same instant.
  var isSynchronous: Bool {
    switch self {
    case .request, .anticollision, .select: true
    default: false
    }
  }

  /// False for the frames of type A that have no CRC.
  var carriesCRC: Bool {
    if case .anticollision = self { return false }
    return true
  }
}
