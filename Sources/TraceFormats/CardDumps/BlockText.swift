import NFCTrace
import VirtualCards

/// One block of hexadecimal digits a line: `.eml`.
struct BlockText {
  private let lines: [(line: DumpLine, content: PartlyKnownBytes)]
  private let lastLine: DumpLine

  init(_ bytes: [UInt8]) throws(TraceError) {
    var found: [(line: DumpLine, content: PartlyKnownBytes)] = []
    var last = DumpLine(number: 1, text: "")
    for line in DumpLine.split(bytes) {
      if line.text.isEmpty || line.text.hasPrefix("#") { continue }
      last = line
      guard let content = PartlyKnownBytes(line.text), !content.bytes.isEmpty else {
        throw line.fault(
          "\"\(line.text.prefix(40))\"", expected: "pairs of hexadecimal digits",
          remedy: "remove or repair the line")
      }
      if let first = found.first, first.content.bytes.count != content.bytes.count {
        throw line.fault(
          "\(content.bytes.count) bytes", expected: "\(first.content.bytes.count) bytes, as before",
          remedy: "all lines must hold one block of the same size")
      }
      found.append((line, content))
    }
    lines = found
    lastLine = last
  }

  func image() throws(TraceError) -> CardImage {
    let width = lines.first?.content.bytes.count ?? 0
    switch width {
    case 16:
      guard ClassicSize(blockCount: lines.count) != nil else {
        throw lastLine.fault(
          "\(lines.count) blocks of 16 bytes", expected: "20, 64, 128 or 256 blocks",
          remedy: "the file is cut, or it is no MIFARE Classic")
      }
      return ClassicDump.image(blocks: memory(unitSize: 16))
    case 4:
      // 14 lines of prefix may stand in front of the pages.
      guard (4...(Type2Dump.greatestPageCount + 14)).contains(lines.count) else {
        throw lastLine.fault(
          "\(lines.count) pages of 4 bytes",
          expected: "4 to \(Type2Dump.greatestPageCount) pages",
          remedy: "the file is cut, or it is no Type 2 card")
      }
      return try type2()
    default:
      throw lastLine.fault(
        "\(lines.count) lines of \(width) bytes", expected: "lines of 4 or of 16 bytes",
        remedy: "only Type 2 and MIFARE Classic cards are known in this form")
    }
  }

  private func type2() throws(TraceError) -> CardImage {
    let all = memory(unitSize: 4)
    guard all.knownUnitCount == all.unitCount else {
      return Type2Dump.image(pages: all, version: nil)
    }
    do throws(TraceError) {
      return try Type2Dump(all.bytes).image()
    } catch {
      guard case .badInput(var bad) = error else { throw error }
      bad.place = .line(lastLine.number)
      throw .badInput(bad)
    }
  }

  private func memory(unitSize: Int) -> CardMemory {
    var memory = CardMemory(unitSize: unitSize, unitCount: lines.count)
    for (index, entry) in lines.enumerated() {
      memory.set(index, to: entry.content.bytes, knownBits: entry.content.knownBits)
    }
    return memory
  }
}

/// Text of MIFARE Classic Tool: `+Sector: N`, then the blocks of the sector; `-` is unknown.
struct ClassicToolText {
  private var sectors: [(number: Int, line: DumpLine, blocks: [PartlyKnownBytes])] = []

  init(_ bytes: [UInt8]) throws(TraceError) {
    for line in DumpLine.split(bytes) where !line.text.isEmpty && !line.text.hasPrefix("#") {
      if line.text.hasPrefix("+") {
        try begin(line)
        continue
      }
      guard let content = PartlyKnownBytes(line.text), content.bytes.count == 16 else {
        throw line.fault(
          "\"\(line.text.prefix(40))\"", expected: "32 hexadecimal digits or -",
          remedy: "remove or repair the line")
      }
      guard let last = sectors.indices.last else {
        throw line.fault(
          "a block", expected: "+Sector: and a number first", remedy: "name the sector")
      }
      sectors[last].blocks.append(content)
    }
    for sector in sectors {
      let expected = sector.number < 32 ? 4 : 16
      guard sector.blocks.count == expected else {
        throw sector.line.fault(
          "\(sector.blocks.count) blocks in sector \(sector.number)", expected: "\(expected)",
          remedy: "a sector is given whole, unknown digits as -")
      }
    }
  }

  private mutating func begin(_ line: DumpLine) throws(TraceError) {
    let parts = line.text.split(separator: ":")
    let number = parts.last.flatMap { Int($0.filter { $0 != " " }) }
    guard parts.first == "+Sector", parts.count == 2, let number, (0..<40).contains(number) else {
      throw line.fault(
        "\"\(line.text.prefix(40))\"", expected: "+Sector: and a number from 0 to 39",
        remedy: "repair the line")
    }
    guard !sectors.contains(where: { $0.number == number }) else {
      throw line.fault(
        "sector \(number) again", expected: "each sector once", remedy: "remove one of both")
    }
    sectors.append((number, line, []))
  }

  func image() throws(TraceError) -> CardImage {
    let size = size
    var memory = CardMemory(unitSize: 16, unitCount: size.blockCount)
    for sector in sectors {
      let first = ClassicSize.firstBlock(ofSector: sector.number)
      for (index, block) in sector.blocks.enumerated() {
        memory.set(first + index, to: block.bytes, knownBits: block.knownBits)
      }
    }
    return ClassicDump.image(blocks: memory)
  }

  /// By the SAK in block 0 where it names a size, else the smallest size with the highest sector.
  private var size: ClassicSize {
    let highest = sectors.map(\.number).max() ?? 0
    let bySector = ClassicSize.allCases.first { $0.sectorCount > highest } ?? .fourK
    guard let block0 = sectors.first(where: { $0.number == 0 })?.blocks.first,
      block0.knownBits[5] == 0xFF,
      let told = ClassicSize.allCases.first(where: { $0.sak == block0.bytes[5] & 0x7F })
    else { return bySector }
    return told.sectorCount > highest ? told : bySector
  }
}
