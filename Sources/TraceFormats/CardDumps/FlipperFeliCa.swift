import NFCProtocols
import NFCTrace
import VirtualCards

extension FlipperDump {
  /// Block numbers of FeliCa Lite in the order of the file: 14 of the user and REG, then system
  /// blocks (FeliCa Lite-S user's manual, memory map).
  static let liteNumbers: [UInt16] =
    Array(0x00...0x0E) + Array(0x80...0x88) + [0x90, 0x91, 0x92, 0xA0]

  /// MC, the memory configuration; its fourth byte tells if the card answers as an NDEF tag.
  private static let memoryConfiguration: UInt16 = 0x88

  func feliCa() throws(TraceError) -> CardImage {
    let idField = fields.find("Manufacture id")
    let uid = try fields.require("UID").bytes(count: 8...8)
    let idm = try idField?.bytes(count: 8...8) ?? uid
    var image = CardImage(kind: .feliCa, uid: idm)
    image.pmm = try fields.bytes("Manufacture parameter", count: 8...8)
    if fields.find("Blocks total") != nil {
      try readLite(into: &image)
    } else {
      try readStandard(into: &image)
    }
    return image
  }

  /// Lite: `Block N: SF1 SF2` and 16 bytes; a block whose status is not 00 00 is unknown.
  private func readLite(into image: inout CardImage) throws(TraceError) {
    let total = try fields.number("Blocks total", in: 1...Self.liteNumbers.count) ?? 0
    var memory = CardMemory(unitSize: 16, unitCount: total)
    var found = 0
    for (number, field) in fields.numbered("Block") {
      guard number >= 0, number < total else {
        throw field.fault(expected: "a block from 0 to \(total - 1)")
      }
      let bytes = try field.bytes(count: 18...18)
      found += 1
      guard bytes[0] == 0, bytes[1] == 0 else { continue }
      memory.set(number, to: Array(bytes[2...]))
    }
    guard found == total else {
      throw try fields.require("Blocks total").fault(
        expected: "as many Block lines as it tells, but there are \(found)")
    }
    image.memory = memory
    image.feliCaBlocks = Self.liteNumbers.prefix(total).map {
      FeliCaBlockAddress(service: 0x0009, number: $0)
    }
    image.systemCodes = [FeliCaCard.SystemCode.lite]
    if let index = Self.liteNumbers.firstIndex(of: Self.memoryConfiguration), index < total,
      memory[index].dropFirst(3).first == 0x01
    {
      image.systemCodes.append(FeliCaCard.SystemCode.ndef)
    }
  }

  /// Standard: `Block 0000: | Service code 0009 | Block index 00 | Data: … |`.
  private func readStandard(into image: inout CardImage) throws(TraceError) {
    for (_, field) in fields.numbered("System") {
      let code = field.value.prefix { $0 != " " }
      guard let value = UInt16(code, radix: 16), code.utf8.count == 4 else {
        throw field.fault(expected: "a system code of 4 hexadecimal digits")
      }
      image.systemCodes.append(value)
    }
    let blocks = fields.numbered("Block")
    var memory = CardMemory(unitSize: 16, unitCount: blocks.count)
    for (index, block) in blocks.enumerated() {
      let parts = block.field.value.split(separator: "|").map { part in
        part.drop { $0 == " " }
      }
      guard let service = Self.hexadecimal(after: "Service code ", in: parts),
        let number = Self.hexadecimal(after: "Block index ", in: parts),
        let data = parts.first(where: { $0.hasPrefix("Data:") }),
        let content = Hexadecimal.bytes(of: data.dropFirst(5).utf8), content.count == 16
      else {
        throw block.field.fault(expected: "| Service code | Block index | Data: 16 bytes |")
      }
      image.feliCaBlocks.append(FeliCaBlockAddress(service: service, number: number))
      memory.set(index, to: content)
    }
    image.memory = memory
  }

  private static func hexadecimal(after word: String, in parts: [Substring]) -> UInt16? {
    guard let part = parts.first(where: { $0.hasPrefix(word) }) else { return nil }
    return UInt16(part.dropFirst(word.utf8.count).prefix { $0 != " " }, radix: 16)
  }
}
