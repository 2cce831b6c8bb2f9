public import NFCProtocols
public import PN53x

/// A target that the chip holds under a number, as InListPassiveTarget has found it.
public struct SelectedTarget: Hashable, Sendable {
  /// The number.
  public var number: UInt8
  /// What the target said of itself.
  public var tag: TagIdentity
  /// FWT if the chip speaks ISO-DEP with the target; `nil` if it was not activated for that.
  public var waitingTime: Nanoseconds?
  /// The target as the chip told it.
  public var data: PassiveTargetData

  /// Reads a target as the chip told it.
  ///
  /// - Throws: `ProtocolError` if the bytes of the target break the rules of its technology.
  public init(_ target: PassiveTarget) throws(ProtocolError) {
    number = target.number
    data = target.data
    switch target.data {
    case .typeA(let found):
      tag = TagIdentity(.a, identifier: found.uid)
      tag.atqa = ATQA(rawValue: found.sensRes)
      tag.sak = SAK(rawValue: found.selRes)
      if let bytes = found.ats {
        let ats = try ATS(bytes[...])
        tag.ats = ats
        waitingTime = ats.frameWaitingTime.duration
      }
    case .typeB(let found):
      let atqb = try ATQB(found.atqb[...])
      tag = TagIdentity(.b, identifier: atqb.pupi)
      tag.atqb = atqb
      if atqb.supportsISODEP { waitingTime = atqb.frameWaitingTime.duration }
    case .feliCa(let found):
      tag = TagIdentity(.f, identifier: found.nfcid2)
      tag.pmm = try PMm(found.pad)
      tag.systemCode = found.systemCode
    case .jewel(let found):
      tag = TagIdentity(.a, identifier: found.identifier)
    }
  }

  /// True if the chip speaks ISO-DEP with the target.
  public var hasISODEP: Bool { waitingTime != nil }
}

extension PassiveModulation {
  /// The technology of targets with this modulation.
  public var technology: Technology {
    switch self {
    case .typeA106, .jewel106, .barcode106: .a
    case .typeB106, .typeB212, .typeB424, .typeB848: .b
    case .feliCa212, .feliCa424: .f
    }
  }
}
