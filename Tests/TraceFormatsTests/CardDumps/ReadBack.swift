import NFCProtocols
import ProtocolTesting
import Testing
import TraceFormats
import VirtualCards

/// Reads the memory of a card through its radio commands, and names every known unit that comes
/// back otherwise than the image holds it.
func differencesReadingBack(_ image: CardImage) throws -> [String] {
  var reader = CardTerminal(try image.makeCard())
  reader.fieldOn()
  switch image.kind {
  case .type2: return readBackType2(&reader, image)
  case .classic: return readBackClassic(&reader, image)
  case .vicinity: return readBackVicinity(&reader, image)
  case .feliCa: return readBackFeliCa(&reader, image)
  case .typeA, .typeB, .isoDepA, .isoDepB:
    return reader.activateA()?.uid == image.uid ? [] : ["activation"]
  }
}

private func compare(_ image: CardImage, _ unit: Int, _ found: [UInt8]?) -> String? {
  let start = unit * image.memory.unitSize
  guard let found else { return "unit \(unit): no answer" }
  guard found.count == image.memory.unitSize else {
    return "unit \(unit): \(Hexadecimal.pairs(found))"
  }
  for (index, byte) in found.enumerated() {
    let mask = image.memory.knownBits[start + index]
    if (byte ^ image.memory.bytes[start + index]) & mask != 0 {
      return "unit \(unit): \(Hexadecimal.pairs(found))"
    }
  }
  return nil
}

private func readBackType2(_ reader: inout CardTerminal, _ image: CardImage) -> [String] {
  guard reader.activateA()?.uid == image.uid else { return ["activation"] }
  guard case .type2(let product) = image.kind else { return ["kind"] }
  var differences: [String] = []
  for page in 0..<min(image.memory.unitCount, 256) {
    // Password and PACK read as 0 whatever they are.
    if let first = product.configurationPage, page == first + 2 || page == first + 3 { continue }
    let answer = reader.exchange([0x30, UInt8(page)])
    if let found = compare(image, page, answer.map { Array($0.prefix(4)) }) {
      differences.append(found)
      guard reader.activateA() != nil else { return differences + ["activation"] }
    }
  }
  return differences
}

private func readBackClassic(_ reader: inout CardTerminal, _ image: CardImage) -> [String] {
  guard case .classic(let size) = image.kind else { return ["kind"] }
  guard reader.activateA()?.uid == image.uid else { return ["activation"] }
  var differences: [String] = []
  for sector in 0..<size.sectorCount {
    let trailer = ClassicSize.trailer(ofSector: sector)
    let keys = Array(image.memory[trailer])
    guard image.memory.isKnown(trailer) else { continue }
    let head = [UInt8(trailer)]
    guard reader.exchange([0x60] + head + keys[0..<6]) == [0x0A] else {
      differences.append("sector \(sector): key A")
      _ = reader.activateA(wakeUp: 0x52)
      continue
    }
    for block in ClassicSize.firstBlock(ofSector: sector)..<trailer {
      let answer = reader.exchange([0x30, UInt8(block)])
      if let found = compare(image, block, answer) { differences.append(found) }
    }
    // The trailer: key A is never shown, the access bits are.
    let shown = reader.exchange([0x30, UInt8(trailer)]).map { Array($0) }
    if shown.map({ Array($0[6..<10]) }) != Array(keys[6..<10]) {
      differences.append("trailer \(trailer)")
    }
    // Key B, where it is a key.
    if reader.exchange([0x61] + head + keys[10..<16]) != [0x0A] {
      differences.append("sector \(sector): key B")
      _ = reader.activateA(wakeUp: 0x52)
    }
  }
  return differences
}

private func readBackVicinity(_ reader: inout CardTerminal, _ image: CardImage) -> [String] {
  let sent = Array(image.uid.reversed())
  guard reader.exchange([0x26, 0x01, 0x00], .v)?.suffix(8) == sent[...] else {
    return ["inventory"]
  }
  return (0..<image.memory.unitCount).compactMap { block in
    let answer = reader.exchange([0x22, 0x20] + sent + [UInt8(block)], .v)
    return compare(image, block, answer.map { Array($0.dropFirst()) })
  }
}

private func readBackFeliCa(_ reader: inout CardTerminal, _ image: CardImage) -> [String] {
  let polled = reader.exchange([0x06, 0x00, 0xFF, 0xFF, 0x00, 0x00], .f)
  guard polled.map({ Array($0[2..<10]) }) == image.uid else { return ["polling"] }
  return image.feliCaBlocks.enumerated().compactMap { index, address in
    let command =
      [0x06] + image.uid
      + [0x01, UInt8(address.service & 0xFF), UInt8(address.service >> 8), 0x01]
      + [0x00, UInt8(address.number & 0xFF), UInt8(address.number >> 8)]
    let answer = reader.exchange([UInt8(command.count + 1)] + command, .f)
    return compare(image, index, answer.map { Array($0.dropFirst(13)) })
  }
}
