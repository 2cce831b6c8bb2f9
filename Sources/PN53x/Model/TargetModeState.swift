import NFCProtocols

/// Where a chip stands that is a target: from TgInitAsTarget to the next command of an initiator.
struct TargetModeState: Sendable {
  /// What became of the link with the initiator.
  enum Phase: Hashable, Sendable {
    /// Nobody has activated the chip yet; TgInitAsTarget is at work.
    case waiting
    /// The initiator speaks frames that the host answers.
    case frames(FrameKind)
    /// The initiator speaks blocks, the chip answers them (PICC mode of the PN532).
    case card
    /// The initiator has taken leave; the status that says so.
    case released(UInt8)
    /// The initiator's field is gone.
    case fieldLost
  }

  /// How frames stand on the air.
  enum FrameKind: UInt8, Hashable, Sendable {
    /// Type A as it is.
    case typeA
    /// NFC-DEP at 106 kbit/s: F0 in front of each frame.
    case dep106
    /// FeliCa and NFC-DEP at 212 and 424 kbit/s.
    case feliCa
  }

  let parameters: TargetModeParameters
  /// True if the chip answers RATS and blocks by itself.
  let emulatesCard: Bool
  var generalBytes: [UInt8]
  var activation: TypeACardActivation
  var phase = Phase.waiting
  /// The mode byte of the activation.
  var mode = ActivatedMode(rawValue: 0)
  /// A frame of the initiator that the host has not asked for yet.
  var frame: (status: UInt8, content: [UInt8])?
  /// The block protocol, in PICC mode.
  var card: IsoDepTarget?
  /// A command that the host has not fetched yet, or not all of it.
  var command: [UInt8]?
  /// Parts of a response that the host gives with TgSetMetaData.
  var response: [UInt8] = []
  /// When the last frame of the initiator ended, and its last bit for the grid of delays.
  var receivedEnd = VirtualInstant.start
  var receivedLastBit = false
  var isSending = false

  init(_ parameters: TargetModeParameters, emulatesCard: Bool, sensRes: UInt16) {
    self.parameters = parameters
    self.emulatesCard = emulatesCard
    generalBytes = parameters.generalBytes
    guard let uid = try? UID([UID.randomPrefix] + parameters.nfcid1) else {
      preconditionFailure("one byte and three make a UID")
    }
    activation = TypeACardActivation(
      TypeACardActivation.Identity(
        uid: uid, atqa: ATQA(rawValue: sensRes),
        // A chip has one level: the bit that says "more levels" would mean nothing.
        sak: SAK(rawValue: parameters.selRes & ~SAK.cascade.rawValue)))
  }

  /// True while TgInitAsTarget is at work.
  var isWaiting: Bool { phase == .waiting }
  /// Mode bit 1: the chip is a DEP target only.
  var isDEPOnly: Bool { parameters.mode & 0x02 != 0 }
  /// Mode bit 2: the chip is an ISO/IEC 14443-4 card only.
  var isCardOnly: Bool { parameters.mode & 0x04 != 0 }

  /// The ATS of PICC mode, which nobody can change, and historical bytes of the host's.
  ///
  /// FSC 64, FWI 9, SFGI 2, NAD and CID. Quirk: firmware-notes/pn53x/picc-mode.md.
  var answerToSelect: ATS {
    ATS(
      frameSizeIndex: 5, interfaceA: 0x33, interfaceB: 0x92, interfaceC: 0x03,
      historicalBytes: Array(parameters.historicalBytes.prefix(Self.maximumHistoricalBytes)))
  }

  /// The most historical bytes: an ATS fits in the smallest frame of most readers, 64 bytes.
  static let maximumHistoricalBytes = 48

  /// The polling response of the FeliCa side.
  func pollingResponse(requestCode: UInt8) -> [UInt8] {
    let content = [0x01] + parameters.feliCa[..<16]
    let system = requestCode == 0x01 ? Array(parameters.feliCa[16...]) : []
    return [UInt8(truncatingIfNeeded: 1 + content.count + system.count)] + content + system
  }

  /// True if a polling request is for this target.
  func answersPolling(_ request: [UInt8]) -> Bool {
    guard request.count == 6, request[0] == 6, request[1] == 0x00 else { return false }
    return zip(request[2...3], parameters.feliCa[16...]).allSatisfy { $0 == 0xFF || $0 == $1 }
  }

  /// The ATR_RES that the chip gives by itself.
  var attributeResponse: [UInt8] {
    // DID 0, no further speeds, TO 0E, LR 254 bytes, general bytes present.
    let options: UInt8 = generalBytes.isEmpty ? 0x30 : 0x32
    return [0xD5, 0x01] + parameters.nfcid3 + [0x00, 0x00, 0x00, 0x0E, options] + generalBytes
  }
}
