extension PassiveTarget {
  /// Reads `count` targets of one modulation.
  static func list(
    _ reader: inout BodyReader, count: Int, modulation: PassiveModulation, on chip: Chip
  ) throws(PN53xError) -> [PassiveTarget] {
    var targets: [PassiveTarget] = []
    for index in 0..<count {
      let number = try reader.byte(.targetNumber)
      var data = try PassiveTargetData(&reader, modulation, on: chip)
      if case .typeA(var target) = data, target.isISODEP {
        target.ats = answerToSelect(
          &reader, isLast: index == count - 1, followingNumber: number &+ 1)
        data = .typeA(target)
      }
      targets.append(PassiveTarget(number: number, data: data))
    }
    try reader.end()
    return targets
  }

  /// The ATS, if one stands here: nothing in the reply says whether the chip has sent RATS.
  ///
  /// After the last target, whatever is left is the ATS. In front of another target it must end
  /// where that target's number stands.
  private static func answerToSelect(
    _ reader: inout BodyReader, isLast: Bool, followingNumber: UInt8
  ) -> [UInt8]? {
    guard let length = reader.next.map(Int.init), length >= 1, length <= reader.remaining else {
      return nil
    }
    if isLast {
      guard length == reader.remaining else { return nil }
    } else {
      let following = reader.position + length
      guard following < reader.bytes.endIndex, reader.bytes[following] == followingNumber else {
        return nil
      }
    }
    return try? reader.bytes(length, .targetData)
  }

  func encode(on chip: Chip, into output: inout [UInt8]) {
    output.append(number)
    data.encode(on: chip, into: &output)
  }
}

extension PassiveTargetData {
  init(
    _ reader: inout BodyReader, _ modulation: PassiveModulation, on chip: Chip
  ) throws(PN53xError) {
    switch modulation {
    case .typeA106:
      self = .typeA(try TypeATarget(&reader, on: chip))
    case .feliCa212, .feliCa424:
      self = .feliCa(try FeliCaTarget(&reader))
    case .typeB106, .typeB212, .typeB424, .typeB848:
      self = .typeB(try TypeBTarget(&reader))
    case .jewel106:
      self = .jewel(
        JewelTarget(
          sensRes: try reader.bytes(2, .targetData), identifier: try reader.bytes(4, .targetData)))
    case .barcode106:
      throw .unexpectedValue(
        offset: reader.position, found: modulation.rawValue, expected: .modulation)
    }
  }

  func encode(on chip: Chip, into output: inout [UInt8]) {
    switch self {
    case .typeA(let target): target.encode(on: chip, into: &output)
    case .feliCa(let target): target.encode(into: &output)
    case .typeB(let target): target.encode(into: &output)
    case .jewel(let target):
      output.append(contentsOf: target.sensRes)
      output.append(contentsOf: target.identifier)
    }
  }
}
