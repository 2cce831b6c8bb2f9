import NFCProtocols
import Testing

@Suite struct ActivationBTests {
  @Test(arguments: [
    ("050000", RequestB()),
    ("050008", RequestB(isWakeUp: true)),
    ("050004", RequestB(slots: 16)),
    ("05201A", RequestB(afi: 0x20, isWakeUp: true, acceptsExtendedATQB: true, slots: 4)),
  ])
  func `REQB and WUPB`(_ text: String, _ request: RequestB) throws {
    #expect(try RequestB(hex(text)) == request)
    #expect(request.bytes == hex(text))
    #expect(try TypeBCommand(hex(text)) == .request(request))
  }

  @Test func `ATQB of a card with basic protocol information`() throws {
    let (atqb, isSame) = try roundTrip(ATQB.self, "50 11223344 00000000 77 81 83")
    #expect(isSame)
    #expect(atqb.pupi == hex("11223344"))
    #expect(atqb.frameSize == 256)
    #expect(atqb.supportsISODEP)
    #expect(atqb.frameWaitingTime.integer == 8)
    #expect(atqb.supportsNAD && atqb.supportsCID)
    #expect(atqb.startUpFrameGuardTime.duration == .zero)
  }

  @Test func `ATQB of a card with extended protocol information`() throws {
    let (atqb, isSame) = try roundTrip(ATQB.self, "50112233440000000000817140")
    #expect(isSame && atqb.startUpFrameGuardInteger == 4)
    #expect(throws: ProtocolError.self) { try ATQB(hex("501122334400000000008171")[0..<11]) }
    #expect(throws: ProtocolError.self) { try ATQB(hex("50112233440000000000817141")) }
    #expect(throws: ProtocolError.self) { try ATQB(hex("5011223344000000000081714000")) }
  }

  @Test func `ATTRIB and its answer`() throws {
    let (attrib, isSame) = try roundTrip(Attrib.self, "1D11223344 00 08 01 01")
    #expect(isSame && attrib.frameSizeIndex == 8 && attrib.cid == 1)
    #expect(Attrib(pupi: hex("11223344"), cid: 1) == attrib)
    let (answer, sameAnswer) = try roundTrip(AttribAnswer.self, "01")
    #expect(sameAnswer && answer.cid == 1)
    #expect(try TypeBCommand(hex("1D1122334400080101")) == .attrib(attrib))
    #expect(throws: ProtocolError.self) { try TypeBCommand(hex("1D112233440008")) }
  }

  @Test func `slot markers, HLTB and what is no command`() throws {
    #expect(try TypeBCommand(hex("15")) == .slotMarker(slot: 2))
    #expect(try TypeBCommand(hex("F5")) == .slotMarker(slot: 16))
    #expect(TypeBCommand.slotMarker(slot: 16).bytes == [0xF5])
    let halt = try TypeBCommand(hex("5011223344"))
    #expect(halt == .halt(pupi: hex("11223344")))
    #expect(halt?.bytes == hex("5011223344"))
    #expect(try TypeBCommand([]) == nil)
    #expect(try TypeBCommand(hex("0E")) == nil)
    #expect(throws: ProtocolError.self) { try TypeBCommand(hex("050005")) }
  }
}
