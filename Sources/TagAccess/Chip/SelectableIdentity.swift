import NFCProtocols

/// What a type A card says of itself during activation, and the frames that bring it there.
struct SelectableIdentity: Hashable, Sendable {
  var atqa = ATQA(rawValue: 0x0004)
  var sak = SAK(rawValue: 0x20)
  var uid = CardEmulatorConfiguration.exampleUID
  /// Request, anticollision and SELECT, as a chip answers them for the card.
  var selection: [RadioFrame] = []

  init() {}

  /// Plays an activation to a card, which is left without a field.
  ///
  /// A card with a longer UID will show only a part of it: the chip knows UIDs of four bytes that
  /// begin with 08.
  init(of card: inout some RadioEndpoint, at now: VirtualInstant) {
    Self.step(&card, .fieldChanged(isOn: true), at: now)
    let request = TypeACommand.request.frame
    selection.append(request)
    if let answer = Self.ask(&card, request, at: now), let found = try? ATQA(answer.bytes) {
      atqa = found
    }
    var parts: [CascadeLevel.Part] = []
    var level: CascadeLevel? = .one
    while let current = level {
      level = nil
      let anticollision = TypeACommand.anticollision(current, .none).frame
      selection.append(anticollision)
      guard let answer = Self.ask(&card, anticollision, at: now),
        let part = try? CascadeLevel.Part(answer.bytes)
      else { break }
      parts.append(part)
      let select = TypeACommand.select(current, part).frame
      selection.append(select)
      guard let answer = Self.ask(&card, select, at: now),
        let found = try? SAK(answer.content())
      else { break }
      if found.isUIDComplete { sak = found } else { level = current.next }
    }
    if let whole = try? UID(joining: parts) { uid = whole.bytes }
    Self.step(&card, .fieldChanged(isOn: false), at: now)
  }

  private static func step(
    _ card: inout some RadioEndpoint, _ input: RadioInput, at now: VirtualInstant
  ) {
    var ignored: [RadioOutput] = []
    card.step(input, at: now, into: &ignored)
  }

  private static func ask(
    _ card: inout some RadioEndpoint, _ frame: RadioFrame, at now: VirtualInstant
  ) -> RadioFrame? {
    var answers: [RadioOutput] = []
    card.step(.received(frame), at: now, into: &answers)
    for case .send(let answer, _) in answers { return answer }
    return nil
  }
}
