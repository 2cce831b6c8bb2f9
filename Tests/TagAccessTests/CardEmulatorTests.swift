import NFCProtocols
import Testing

@testable import TagAccess

@Suite struct CardEmulatorTests {
  static func session(
    _ change: (inout TagReaderConfiguration) -> Void = { _ in }
  ) -> APDUSession {
    var configuration = TagReaderConfiguration([.a])
    change(&configuration)
    return APDUSession(configuration)
  }

  /// Byte-exact join of commands and responses of all lengths at frame limits (S14).
  @Test(arguments: [
    1, 55, 119, 183, 247, 252, 253, 254, 255, 256, 261, 262, 263, 524, 525, 4_000,
  ])
  func commandsAndResponsesOfAllLengths(_ count: Int) throws {
    let command = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for (fsdi, fsci) in [(8, 8), (0, 2), (2, 0), (5, 8), (12, 12)] as [(UInt8, UInt8)] {
      var configuration = CardEmulatorConfiguration()
      configuration.ats = ATS(frameSizeIndex: fsci, interfaceC: 0x02)
      for cid in [nil, 3] as [UInt8?] {
        var air = Air(
          Self.session {
            $0.frameSizeIndex = fsdi
            $0.cid = cid
          },
          CardEmulator(configuration: configuration))
        var received: [[UInt8]] = []
        var answers: [[UInt8]] = []
        air.respond = { bytes in
          received.append(bytes)
          return (bytes + [0x90, 0x00], .milliseconds(1))
        }
        air.nextCommand = { response in
          answers.append(response)
          return answers.count < 3 ? command : nil
        }
        air.run(firstCommand: command)
        #expect(received == [command, command, command])
        #expect(answers == Array(repeating: command + [0x90, 0x00], count: 3))
        #expect((try air.reader.result?.get().identifier) != nil)
      }
    }
  }

  @Test func emptyCommandIsPassedOn() {
    var air = Air(Self.session(), CardEmulator(EchoCard()))
    var answers: [[UInt8]] = []
    air.nextCommand = {
      answers.append($0)
      return nil
    }
    air.run(firstCommand: [])
    #expect(answers == [hex("90 00")])
  }

  @Test func bitRateIsAgreedByPPS() throws {
    var configuration = CardEmulatorConfiguration()
    configuration.ats = ATS(interfaceA: 0x33)
    var air = Air(
      Self.session { $0.divisors = PPS.Divisors(cardToReader: 2, readerToCard: 1) },
      CardEmulator(EchoCard(), configuration: configuration))
    air.run(firstCommand: hex("01"))
    #expect(air.frames.contains { $0.hasPrefix("> D0 11 09") })
    #expect(air.frames.contains { $0.hasPrefix("< D0") })
    #expect((try air.reader.result?.get()) != nil)

    // A rate that the ATS does not offer gets no answer.
    air = Air(
      Self.session { $0.divisors = PPS.Divisors(cardToReader: 3, readerToCard: 3) },
      CardEmulator(EchoCard(), configuration: configuration))
    air.run(firstCommand: hex("01"))
    #expect(air.reader.result?.failure?.step == .pps)
  }

  @Test func uidChangesWithEachPowerUp() throws {
    let uids = try [hex("08 01 02 03"), hex("08 04 05 06")].map { try UID($0) }
    var card = CardEmulator(
      EchoCard(), configuration: CardEmulatorConfiguration(uids: uids))
    for expected in ["< 08 01 02 03 08", "< 08 04 05 06 0F", "< 08 01 02 03 08"] {
      var air = Air(Self.session(), card)
      air.run(firstCommand: hex("01"))
      #expect(air.frames[3] == expected)
      card = air.card
    }
    #expect(card.sessions == 3)
  }

  @Test func deselectedCardWakesOnlyForWUPA() {
    var air = Air(Self.session { $0.ending = .nothing }, CardEmulator(EchoCard()))
    air.run(firstCommand: hex("01"))
    var outputs: [RadioOutput] = []
    var card = air.card
    let deselect = RadioFrame.protected(hex("C2"), .a)
    card.step(.received(deselect), at: air.now, into: &outputs)
    #expect(outputs.contains(.note(.deselected)))
    outputs = []
    card.step(.received(TypeACommand.request.frame), at: air.now, into: &outputs)
    #expect(outputs.isEmpty)
    card.step(.received(TypeACommand.wakeUp.frame), at: air.now, into: &outputs)
    #expect(outputs.count == 1)
  }

  @Test func cardInASessionIgnoresREQA() {
    var air = Air(Self.session { $0.ending = .nothing }, CardEmulator(EchoCard()))
    air.run(firstCommand: hex("01"))
    var card = air.card
    var outputs: [RadioOutput] = []
    card.step(.received(TypeACommand.request.frame), at: air.now, into: &outputs)
    #expect(outputs.isEmpty)
    card.step(.received(.protected(hex("03 02"), .a)), at: air.now, into: &outputs)
    #expect(outputs.count == 1)
  }

  // MARK: NDEF application

  @Test(arguments: [
    ("00 A4 04 00 07 D2 76 00 00 85 01 01 00", "90 00"),
    ("00 A4 04 00 07 D2 76 00 00 85 01 01", "90 00"),
    ("00 A4 04 00 07 D2 76 00 00 85 01 00 00", "6A 82"),
    ("00 A4 00 0C 02 E1 03", "6A 82"),
    ("00 B0 00 00 0F", "69 85"),
    ("90 60 00 00 00", "6E 00"),
    ("00 CA 00 00 00", "6D 00"),
    ("00", "67 00"),
  ])
  func ndefCardNeverStaysSilent(_ command: String, _ answer: String) {
    var card = NDEFCard(bytes: TagReaderTests.message)
    card.activated()
    #expect(card.respond(to: hex(command)).bytes == hex(answer))
  }

  @Test func ndefCardIsReadAtItsBounds() {
    var card = NDEFCard(bytes: TagReaderTests.message, fileSize: 18)
    for select in ["00 A4 04 00 07 D2 76 00 00 85 01 01 00", "00 A4 00 0C 02 E1 04"] {
      #expect(card.respond(to: hex(select)).bytes == hex("90 00"))
    }
    #expect(card.respond(to: hex("00 B0 00 11 01")).bytes == hex("67 90 00"))
    #expect(card.respond(to: hex("00 B0 00 12 01")).bytes == hex("6B 00"))
    #expect(card.respond(to: hex("00 B0 80 00 01")).bytes == hex("6B 00"))
    #expect(card.respond(to: hex("00 B0 00 10 10")).bytes == hex("72 67 90 00"))
    #expect(card.respond(to: hex("00 D6 00 00 02 00 00")).bytes == hex("69 82"))
  }

  @Test func writableNDEFCardTakesAMessage() {
    var card = NDEFCard(bytes: [], fileSize: 64, isWritable: true)
    for command in [
      "00 A4 04 00 07 D2 76 00 00 85 01 01 00", "00 A4 00 0C 02 E1 04",
      "00 D6 00 02 03 D0 00 00", "00 D6 00 00 02 00 03",
    ] {
      #expect(card.respond(to: hex(command)).bytes == hex("90 00"))
    }
    #expect(card.message == hex("D0 00 00"))
    #expect(card.respond(to: hex("00 D6 00 3F 02 00 00")).bytes == hex("6B 00"))
  }
}
