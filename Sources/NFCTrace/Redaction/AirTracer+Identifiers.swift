import NFCProtocols

extension AirTracer {
  /// Appends the identifiers of cards that a frame holds.
  mutating func identify(
    _ meaning: RadioMeaning, _ traced: TracedBytes, _ views: inout TracedViews
  ) {
    let content = meaning.content.clamped(to: 0..<traced.count)
    switch meaning.kind {
    case .reqA, .wupA:
      uidParts.removeAll()
    case .select where content.count == 5:
      select(traced[content], into: &views)
    case .anticollisionAnswer:
      anticollisionAnswer(meaning, traced[content], &views)
    case .anticollision where meaning.second > 0x20 && traced.count > 2:
      let bits = Int(meaning.second >> 4) * 8 - 16 + Int(meaning.second & 0x0F)
      views.anticollisions.append(
        AnticollisionStep(content: traced[2..<traced.count], bitsBefore: 0, bits: bits))
    case .atqB where content.count >= 5:
      views.identifiers.append(traced[1..<5])
    case .attrib where content.count >= 4, .haltB where content.count >= 4:
      views.identifiers.append(traced[content.lowerBound..<(content.lowerBound + 4)])
    case .pollingAnswer where content.count >= 8:
      views.identifiers.append(traced[content.lowerBound..<(content.lowerBound + 8)])
    case .feliCaCommand where traced.count >= 10, .feliCaAnswer where traced.count >= 10:
      views.identifiers.append(traced[2..<10])
    case .inventoryAnswer where content.count == 8:
      views.identifiers.append(traced[content])
    case .vicinityCommand where content.lowerBound >= 10:
      views.identifiers.append(traced[(content.lowerBound - 8)..<content.lowerBound])
    default: break
    }
  }

  private func anticollisionAnswer(
    _ meaning: RadioMeaning, _ content: TracedBytes, _ views: inout TracedViews
  ) {
    if content.count == 5 {
      addBlockCheck(content, &views)
      // A UID of four bytes is a single part; parts of longer ones are told by SELECT.
      if meaning.first == 1, content.bytes[0] != UID.cascadeTag {
        views.identifiers.append(content[0..<4])
      }
    } else if !content.isEmpty {
      // The answer to a longer NVB begins where the command ended.
      let bits = content.count * 8
      views.anticollisions.append(
        AnticollisionStep(content: content, bitsBefore: 40 - bits, bits: bits))
    }
  }

  /// Takes a part of a UID with its BCC; the cascade tag 88 says that the UID goes on.
  private mutating func select(_ part: TracedBytes, into views: inout TracedViews) {
    addBlockCheck(part, &views)
    guard part.bytes[0] != UID.cascadeTag else { return uidParts.append(part[1..<4]) }
    uidParts.append(part[0..<4])
    views.identifiers.append(uidParts)
    uidParts.removeAll()
  }

  private func addBlockCheck(_ part: TracedBytes, _ views: inout TracedViews) {
    guard part.bytes.reduce(0, ^) == 0 else { return }
    // In front of the CRC of the frame, which covers it.
    let place = views.checksums.firstIndex { $0.check.runs.first?.place.event == part.event }
    views.checksums.insert(
      ChecksumSpan(kind: .blockCheck, covered: part[0..<4], check: part[4..<5]),
      at: place ?? views.checksums.count)
  }
}
