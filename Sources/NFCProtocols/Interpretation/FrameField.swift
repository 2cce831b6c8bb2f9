/// A named part of a frame or of an APDU, for reports and for masks.
public struct FrameField: Hashable, Sendable {
  /// The name in the words of the standard, for example `PCB` or `NVB`.
  public var name: String
  /// The bytes of the frame that hold the field.
  public var range: Range<Int>
  /// The bits of each byte that belong to the field.
  public var bits: UInt8
  /// What the value means, or an empty text.
  public var meaning: String
  /// The name of the mask that leaves the field free, if there is one.
  public var maskName: String?

  /// Makes a field.
  public init(
    _ name: String, _ range: Range<Int>, bits: UInt8 = 0xFF, meaning: String = "",
    maskName: String? = nil
  ) {
    self.name = name
    self.range = range
    self.bits = bits
    self.meaning = meaning
    self.maskName = maskName
  }

  /// The names of masks.
  public enum Mask {
    /// Random challenges and what depends on them.
    public static let nonce = "nonce"
    /// The block number of ISO/IEC 14443-4.
    public static let blockNumber = "block-number"
    /// Check values.
    public static let crc = "crc"
    /// UID, PUPI, IDm.
    public static let uid = "uid"
    /// The historical bytes of an ATS.
    public static let atsRandom = "ats-random"
    /// NFCID3 of NFC-DEP.
    public static let dep = "dep"
    /// The unpredictable number of EMV.
    public static let unpredictableNumber = "unpredictable-number"
  }
}

extension RadioMeaning {
  /// The named parts of the frame that this is the meaning of, in the order of its bytes.
  public func fields(of frame: RadioFrame) -> [FrameField] {
    let bytes = frame.bytes
    guard !bytes.isEmpty else { return [] }
    var fields = mainFields(of: bytes)
    if checkValue != .absent, bytes.count >= contentEnd + 2, bytes.count >= 2 {
      fields.append(
        FrameField(
          technology == .f ? "CRC" : technology == .a ? "CRC_A" : "CRC_B",
          (bytes.count - 2)..<bytes.count, meaning: checkValue == .good ? "fits" : "does not fit",
          maskName: FrameField.Mask.crc))
    }
    return fields.filter { !$0.range.isEmpty && $0.range.upperBound <= bytes.count }
  }

  private func mainFields(of bytes: [UInt8]) -> [FrameField] {
    switch kind {
    case .informationBlock, .acknowledgeBlock, .negativeAcknowledgeBlock, .waitingTimeExtension,
      .deselect, .parametersBlock:
      blockFields(bytes)
    case .unknown, .empty, .encrypted: [FrameField("data", content)]
    case .reqB, .wupB, .slotMarker, .atqB, .attrib, .attribAnswer, .haltB, .haltBAnswer:
      fieldsB(bytes)
    case .polling, .pollingAnswer, .feliCaCommand, .feliCaAnswer, .dep: fieldsF(bytes)
    case .inventory, .inventoryAnswer, .vicinityCommand, .vicinityAnswer, .vicinityError:
      fieldsV(bytes)
    default: fieldsA(bytes)
    }
  }

  private func fieldsA(_ bytes: [UInt8]) -> [FrameField] {
    typealias Mask = FrameField.Mask
    let body = FrameField("data", content)
    switch kind {
    case .reqA, .wupA, .magicWakeUp: return [FrameField("command", 0..<1)]
    case .atqA: return [FrameField("ATQA", 0..<2)]
    case .anticollision:
      return [
        FrameField("SEL", 0..<1, meaning: "cascade level \(first)"), FrameField("NVB", 1..<2),
        FrameField("UID part", content, maskName: Mask.uid),
      ]
    case .select:
      return [
        FrameField("SEL", 0..<1, meaning: "cascade level \(first)"), FrameField("NVB", 1..<2),
        FrameField("UID part", 2..<6, maskName: Mask.uid),
        FrameField("BCC", 6..<7, maskName: Mask.uid),
      ]
    case .anticollisionAnswer:
      return [
        FrameField("UID part", 0..<min(4, bytes.count), maskName: Mask.uid),
        FrameField("BCC", 4..<max(4, min(5, bytes.count)), maskName: Mask.uid),
      ]
    case .sak: return [FrameField("SAK", 0..<1)]
    case .rats: return [FrameField("start byte", 0..<1), FrameField("FSDI, CID", 1..<2)]
    case .ats: return answerToSelectFields(bytes)
    case .pps: return [FrameField("PPSS", 0..<1), FrameField("PPS0, PPS1", 1..<contentEnd)]
    case .nonce: return [FrameField("nT", content, maskName: Mask.nonce)]
    case .readerAnswer:
      return [
        FrameField("nR", 0..<4, maskName: Mask.nonce),
        FrameField("aR", 4..<8, maskName: Mask.nonce),
      ]
    case .cardAnswer: return [FrameField("aT", content, maskName: Mask.nonce)]
    case .authenticateContinue, .authenticateDone:
      return [
        FrameField("code", 0..<1), FrameField("encrypted nonce", content, maskName: Mask.nonce),
      ]
    case .memoryData, .compatibleWriteData, .versionAnswer, .signatureAnswer, .counterAnswer,
      .passwordAnswer, .shortAnswer:
      return [FrameField(kind == .signatureAnswer ? "signature" : "data", 0..<max(1, contentEnd))]
    case .write, .incrementCounter, .passwordAuthenticate:
      return [
        FrameField("command", 0..<1), FrameField("address", 1..<contentStart), body,
      ]
    default:
      return [FrameField("command", 0..<1), FrameField("parameters", 1..<max(1, end(bytes)))]
    }
  }

  /// The end of what is in front of the check value.
  private func end(_ bytes: [UInt8]) -> Int {
    checkValue == .absent ? bytes.count : bytes.count - 2
  }

  private func answerToSelectFields(_ bytes: [UInt8]) -> [FrameField] {
    var fields = [FrameField("TL", 0..<1)]
    guard contentEnd > 1 else { return fields }
    let format = bytes[1]
    fields.append(FrameField("T0", 1..<2, meaning: "FSCI \(format & 0x0F)"))
    var place = 2
    for (bit, name) in [(0x10, "TA(1)"), (0x20, "TB(1)"), (0x40, "TC(1)")] as [(UInt8, String)]
    where format & bit != 0 && place < contentEnd {
      let meaning =
        bit == 0x20 ? "FWI \(bytes[place] >> 4), SFGI \(bytes[place] & 0x0F)" : ""
      fields.append(FrameField(name, place..<(place + 1), meaning: meaning))
      place += 1
    }
    fields.append(
      FrameField("historical bytes", place..<contentEnd, maskName: FrameField.Mask.atsRandom))
    return fields
  }

  private func blockFields(_ bytes: [UInt8]) -> [FrameField] {
    let hasNumber =
      kind == .informationBlock || kind == .acknowledgeBlock || kind == .negativeAcknowledgeBlock
    var fields = [
      FrameField(
        "PCB", 0..<1, bits: hasNumber ? 0x01 : 0xFF,
        meaning: hasNumber ? "block number \(first)" : "",
        maskName: hasNumber ? FrameField.Mask.blockNumber : nil)
    ]
    let hasCID = bytes[0] & BlockType.cidFollows != 0
    if hasCID {
      fields.append(FrameField("CID", 1..<2, meaning: "\(bytes[min(1, bytes.count - 1)] & 0x0F)"))
    }
    let header = hasCID ? 2 : 1
    if kind == .informationBlock {
      fields.append(FrameField("NAD", header..<max(header, contentStart)))
      fields.append(FrameField("INF", content))
    } else if kind == .waitingTimeExtension {
      fields.append(FrameField("WTXM", content, bits: 0x3F, meaning: "\(first)"))
    } else if kind == .parametersBlock {
      fields.append(FrameField("parameters", content))
    }
    return fields
  }
}
