import NFCProtocols
import Testing

/// The states of ISO/IEC 14443-3 figure 7.
@Suite struct TypeACardActivationTests {
  static func card(_ uid: String, sak: UInt8 = 0x20) throws -> TypeACardActivation {
    var card = TypeACardActivation(
      TypeACardActivation.Identity(
        uid: try UID(hex(uid)), atqa: ATQA(rawValue: 0x0044), sak: SAK(rawValue: sak)))
    card.fieldChanged(isOn: true)
    return card
  }

  static let anticollision1 = RadioFrame(hex("93 20"), technology: .a, crc: .absent)

  func answer(_ reaction: TypeACardActivation.Reaction) -> String? {
    switch reaction {
    case .answered(let frame), .selected(let frame): Hexadecimal.pairs(frame.bytes)
    case .silent: ""
    case .passed: nil
    }
  }

  @Test(
    arguments: [
      (
        "11 22 33 44",
        [("93 20", "11 22 33 44 44"), ("93 70 11 22 33 44 44", "20")]
      ),
      (
        "04 11 22 33 44 55 66",
        [
          ("93 20", "88 04 11 22 BF"), ("93 70 88 04 11 22 BF", "04"),
          ("95 20", "33 44 55 66 44"), ("95 70 33 44 55 66 44", "20"),
        ]
      ),
      (
        "04 11 22 33 44 55 66 77 88 99",
        [
          ("93 20", "88 04 11 22 BF"), ("93 70 88 04 11 22 BF", "04"),
          ("95 20", "88 33 44 55 AA"), ("95 70 88 33 44 55 AA", "04"),
          ("97 20", "66 77 88 99 00"), ("97 70 66 77 88 99 00", "20"),
        ]
      ),
    ] as [(String, [(String, String)])])
  func cascadeOfEveryLength(_ uid: String, _ dialogue: [(String, String)]) throws {
    var card = try Self.card(uid)
    #expect(answer(card.received(TypeACommand.request.frame)) == "44 00")
    for (command, expected) in dialogue {
      let hasCRC = hex(command)[1] == 0x70
      let frame =
        hasCRC
        ? RadioFrame.protected(hex(command), .a) : RadioFrame(hex(command), crc: .absent)
      let whole = hasCRC ? Hexadecimal.pairs(CRC16.a.appended(to: hex(expected))) : expected
      #expect(answer(card.received(frame)) == whole)
    }
    #expect(card.state == .active)
    #expect(card.received(.protected(hex("E0 80"), .a)) == .passed)
  }

  @Test func bitsThatDoNotMatchSendTheCardToRest() throws {
    var card = try Self.card("11 22 33 44")
    _ = card.received(TypeACommand.request.frame)
    // The first four bits of 11 are 1 0 0 0; the answer holds the other 36.
    let fitting = RadioFrame(hex("93 24 01"), lastByteBits: 4, crc: .absent)
    #expect(answer(card.received(fitting)) == "10 22 33 44 44")
    let other = RadioFrame(hex("93 24 03"), lastByteBits: 4, crc: .absent)
    #expect(card.received(other) == .silent)
    #expect(card.state == .idle)
  }

  @Test func nothingIsAnsweredWithoutPowerOrInTheWrongState() throws {
    var card = try Self.card("11 22 33 44")
    #expect(card.received(Self.anticollision1) == .silent)
    #expect(card.received(.protected(hex("E0 80"), .a)) == .silent)
    card.fieldChanged(isOn: false)
    #expect(card.received(TypeACommand.wakeUp.frame) == .silent)
    #expect(card.state == .powerOff)
  }

  @Test func selectWithAnotherUIDOrAWrongCRCSendsTheCardToRest() throws {
    var wrong = RadioFrame.protected(hex("93 70 11 22 33 44 44"), .a)
    wrong.bytes[8] ^= 1
    for frame in [wrong, .protected(hex("93 70 11 22 33 45 45"), .a), .protected(hex("E0 80"), .a)]
    {
      var card = try Self.card("11 22 33 44")
      _ = card.received(TypeACommand.request.frame)
      _ = card.received(Self.anticollision1)
      #expect(card.received(frame) == .silent)
      #expect(card.state == .idle)
    }
  }

  @Test func haltedCardWakesForWUPAOnlyAndFallsBackToHalt() throws {
    var card = try Self.card("11 22 33 44")
    _ = card.received(TypeACommand.request.frame)
    _ = card.received(.protected(hex("93 70 11 22 33 44 44"), .a))
    #expect(card.received(TypeACommand.halt.frame) == .silent)
    #expect(card.state == .halted)
    #expect(card.received(TypeACommand.request.frame) == .silent)
    #expect(answer(card.received(TypeACommand.wakeUp.frame)) == "44 00")
    #expect(card.isStarred)
    // REQA in READY* is an error: back to HALT, not to IDLE.
    #expect(card.received(TypeACommand.request.frame) == .silent)
    #expect(card.state == .halted)
  }

  @Test func selectedCardLeavesForAnyCommandOfActivation() throws {
    for frame in [TypeACommand.request.frame, TypeACommand.wakeUp.frame, Self.anticollision1] {
      var card = try Self.card("11 22 33 44")
      _ = card.received(TypeACommand.request.frame)
      _ = card.received(.protected(hex("93 70 11 22 33 44 44"), .a))
      #expect(card.received(frame) == .silent)
      #expect(card.state == .idle)
    }
  }

  @Test func wrongCRCIsUpToTheSelectedCard() throws {
    var card = try Self.card("11 22 33 44")
    _ = card.received(TypeACommand.request.frame)
    _ = card.received(.protected(hex("93 70 11 22 33 44 44"), .a))
    var frame = RadioFrame.protected(hex("30 04"), .a)
    frame.crc = .bad
    #expect(card.received(frame) == .passed)
  }
}
