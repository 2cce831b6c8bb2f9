import NFCProtocols
import Testing
import VirtualCards

@testable import TagAccess

@Suite struct TagReaderTests {
  /// A URI record, "https://example.org" (NFC Forum URI RTD 1.0, prefix 04 "https://").
  static let message = hex("D1 01 0C 55 04 65 78 61 6D 70 6C 65 2E 6F 72 67")

  static func reader(
    _ technologies: [Technology] = [.a],
    _ change: (inout TagReaderConfiguration) -> Void = { _ in }
  ) -> TagReader {
    var configuration = TagReaderConfiguration(technologies)
    change(&configuration)
    return TagReader(configuration)
  }

  /// The frames of a whole session with an emulated Type 4 tag, each known from the standards.
  @Test func type4TagOfAnEmulatedPhone() throws {
    var air = Air(Self.reader(), CardEmulator(NDEFCard(bytes: Self.message)))
    air.run()
    let contents = air.frames.map { $0.split(separator: " ").dropLast(2).joined(separator: " ") }
    #expect(air.frames[0..<4] == ["> 26", "< 04 00", "> 93 20", "< 08 11 22 33 08"])
    #expect(
      contents[4...] == [
        "> 93 70 08 11 22 33 08", "< 20",
        "> E0 80", "< 05 78 80 71 00",
        "> 02 00 A4 04 00 07 D2 76 00 00 85 01 01 00", "< 02 90 00",
        "> 03 00 A4 00 0C 02 E1 03", "< 03 90 00",
        "> 02 00 B0 00 00 0F",
        "< 02 00 0F 20 00 FF 00 FF 04 06 E1 04 01 00 00 FF 90 00",
        "> 03 00 A4 00 0C 02 E1 04", "< 03 90 00",
        "> 02 00 B0 00 00 02", "< 02 00 10 90 00",
        "> 03 00 B0 00 02 10", "< 03 " + Hexadecimal.pairs(Self.message) + " 90 00",
        "> C2", "< C2",
      ])
    let result = try #require(try air.reader.result?.get())
    #expect(result.raw == Self.message)
    #expect(result.ndef?.records.count == 1)
    #expect(result.tag.identifier == [0x08, 0x11, 0x22, 0x33])
    #expect(result.tag.hasRandomIdentifier)
    #expect(result.tag.ats?.bytes == hex("05 78 80 71 00"))
    #expect(air.hasFinished)
    #expect(air.fieldOffAt.count == 1)
    // The field is on for the guard time before the first command.
    #expect(air.delays[0] == .microseconds(5_100))
    // FDT of REQA (last bit 0) and SELECT; SFGT of SFGI 1 between ATS and the first block.
    #expect(air.delays[1] == .carrierCycles(1_172))
    #expect(air.delays[8] == .carrierCycles(8_192))
    #expect(air.limits.filter { $0.kind == .frameWaitingTime }.count == 6)
  }

  @Test func type2Tag() throws {
    let image = try CardImage.ntag(
      .ntag213, uid: hex("04 11 22 33 44 55 66"), ndefMessage: Self.message)
    var air = Air(Self.reader(), try Type2Card(image))
    air.run()
    let result = try #require(try air.reader.result?.get())
    #expect(result.raw == Self.message)
    #expect(result.tag.identifier == hex("04 11 22 33 44 55 66"))
    #expect(result.tag.tagType == .type2)
    // Two cascade levels, then READ of the container with 12 bytes of data, and one more.
    #expect(
      air.frames.filter { $0.hasPrefix("> 30") }.map { $0.prefix(7) } == ["> 30 03", "> 30 07"])
    #expect(air.frames.last?.hasPrefix("> 50 00") == true)
  }

  @Test func type3Tag() throws {
    let image = try CardImage.type3(
      idm: hex("02 FE 11 22 33 44 55 66"), ndefMessage: [UInt8](repeating: 0, count: 0))
    var air = Air(Self.reader([.f]), try FeliCaCard(image))
    air.run()
    let empty = try #require(try air.reader.result?.get())
    #expect(empty.raw == [] && empty.ndef == nil)

    let long = NDEFMessage([NDEFRecord(.media, type: hex("61 2F 62"), payload: Array(0..<150))])
    let full = try CardImage.type3(
      idm: hex("02 FE 11 22 33 44 55 66"), ndefMessage: long.bytes)
    air = Air(Self.reader([.f]), try FeliCaCard(full))
    air.run()
    let result = try #require(try air.reader.result?.get())
    #expect(result.ndef == long)
    #expect(result.tag.systemCode == 0x12FC)
    // 157 bytes are ten blocks; the tag allows four at once.
    #expect(air.frames.filter { $0.hasPrefix(">") }.count == 5)
  }

  @Test func type5Tag() throws {
    let image = try CardImage.type5(
      uid: hex("E0 04 01 50 11 22 33 44"), ndefMessage: Self.message)
    var air = Air(Self.reader([.v]), try Type5Card(image))
    air.run()
    let result = try #require(try air.reader.result?.get())
    #expect(result.raw == Self.message)
    #expect(result.tag.technology == .v)
    #expect(result.tag.identifier.first == 0xE0 || result.tag.identifier.last == 0xE0)
  }

  @Test(arguments: [0, 1, 13, 14, 252, 253, 254, 255, 256, 600, 5_000])
  func messageOfAnyLengthThroughSmallFrames(_ count: Int) throws {
    let message = NDEFMessage([
      NDEFRecord(
        .media, type: hex("61 2F 62"), payload: (0..<count).map { UInt8($0 & 0xFF) })
    ])
    for index in [0, 2, 8] as [UInt8] {
      var configuration = CardEmulatorConfiguration()
      configuration.ats = ATS(frameSizeIndex: index)
      var air = Air(
        Self.reader { $0.frameSizeIndex = index },
        CardEmulator(NDEFCard(message), configuration: configuration))
      air.run()
      #expect(try air.reader.result?.get().ndef == message)
    }
  }

  @Test func technologiesArePolledInOrderWithTheGuardTimeBetween() throws {
    let image = try CardImage.type5(
      uid: hex("E0 04 01 50 11 22 33 44"), ndefMessage: Self.message)
    var air = Air(Self.reader([.a, .b, .f, .v]), try Type5Card(image))
    air.run()
    let polls = air.frames.prefix(4).map { $0.prefix(7) }
    #expect(polls == ["> 26", "> 05 00", "> 06 00", "> 26 01"])
    #expect(try air.reader.result?.get().raw == Self.message)
    #expect(air.delays[1] >= .microseconds(5_100))
  }

  @Test func typeBCard() throws {
    let card = ScriptedCard(
      [
        ("05 00 00", "50 11 22 33 44 00 00 00 00 00 81 71"),
        ("1D 11 22 33 44 00 08 01 00", "00"),
        ("02 00 A4 04 00 07 D2 76 00 00 85 01 01 00", "02 6A 82"),
        ("C2", "C2"),
      ], .b)
    var air = Air(Self.reader([.b]), card)
    air.run()
    let result = try #require(try air.reader.result?.get())
    // The card answered soundly that it has no NDEF application.
    #expect(result.ndef == nil && result.raw == nil)
    #expect(result.tag.identifier == hex("11 22 33 44"))
    #expect(result.tag.tagType == .type4)
  }

  // MARK: Wrong answers, each told with step and command

  @Test func noTagAtAll() {
    var air = Air(Self.reader([.a, .b, .f, .v]) { $0.pollingRounds = 2 }, ScriptedCard([]))
    air.run()
    #expect(air.frames.count == 8)
    #expect(air.reader.result?.failure?.problem == .noTag)
    #expect(air.hasFinished)
  }

  @Test(arguments: [
    ("ATQA", ["04!"], TagAccessError.Step.poll(.a)),
    ("BCC", ["04 00!", "11 22 33 44 00!"], .anticollision(level: 1)),
    ("SAK CRC", ["04 00!", "11 22 33 44 44!", "20 00 00!"], .select(level: 1)),
    ("ATS length", ["04 00!", "11 22 33 44 44!", "20", "07 78 80 71 00"], .rats),
    (
      "SAK asks for a level without cascade tag", ["04 00!", "11 22 33 44 44!", "04"],
      .anticollision(level: 2)
    ),
  ])
  func wrongAnswerInActivation(
    _ name: String, _ answers: [String], _ step: TagAccessError.Step
  ) throws {
    let commands = ["26", "93 20", "93 70 11 22 33 44 44", "E0 80"]
    var air = Air(
      Self.reader(), ScriptedCard(zip(commands, answers).map { ($0, $1) }))
    air.run()
    #expect(air.reader.result?.failure?.step == step)
  }

  @Test func collisionIsToldAsSuch() {
    struct Collider: RadioEndpoint {
      mutating func step(
        _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
      ) {
        guard case .received = input else { return }
        outputs.append(
          .send(RadioFrame([0x44, 0x03], isCollision: true), after: .microseconds(90)))
      }
    }
    var air = Air(Self.reader(), Collider())
    air.run()
    #expect(air.reader.result?.failure?.problem == .collision)
  }

  @Test func refusedCommandIsToldWithItsStatus() {
    struct Locked: EmulatedCard {
      mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
        EmulatedAnswer(command[1] == 0xA4 ? hex("90 00") : hex("69 82"))
      }
    }
    var air = Air(Self.reader(), CardEmulator(Locked()))
    air.run()
    let error = air.reader.result?.failure
    #expect(error?.step == .readCapability)
    #expect(error?.command == hex("00 B0 00 00 0F"))
    #expect(error?.problem == .refused(.securityStatusNotSatisfied))
    #expect(error?.message.contains("6982") == true)
  }

  @Test func messageThatIsNoNDEFIsToldWithItsPlace() {
    var air = Air(Self.reader(), CardEmulator(NDEFCard(bytes: hex("D1 01 FF 55"))))
    air.run()
    let error = air.reader.result?.failure
    #expect(error?.step == .decodeMessage)
    guard case .malformed(_, hex("D1 01 FF 55")) = error?.problem else {
      Issue.record("expected a malformed message, found \(String(describing: error))")
      return
    }
  }

  @Test func type2TagThatRefusesToBeRead() throws {
    struct Refusing: RadioEndpoint {
      var activation = ScriptedCard([
        ("26", "44 00!"), ("93 20", "88 04 11 22 BF!"), ("93 70 88 04 11 22 BF", "04"),
        ("95 20", "33 44 55 66 44!"), ("95 70 33 44 55 66 44", "00"),
      ])
      mutating func step(
        _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
      ) {
        if case .received(let frame) = input, frame.bytes.first == 0x30 {
          outputs.append(.send(FourBitAnswer.invalidArgument.frame, after: .microseconds(90)))
        } else {
          activation.step(input, at: now, into: &outputs)
        }
      }
    }
    var air = Air(Self.reader(), Refusing())
    air.run()
    #expect(air.reader.result?.failure?.problem == .refusedByTag(0x0))
    #expect(air.reader.result?.failure?.command == hex("30 03"))
  }

  @Test func type4ReaderTakesShortPiecesAndRefusesEmptyOnes() throws {
    var reading = Type4Reading(maximumReadLength: 255)
    #expect(reading.begin().bytes == hex("00 A4 04 00 07 D2 76 00 00 85 01 01 00"))
    _ = try reading.answered(hex("90 00"))
    _ = try reading.answered(hex("90 00"))
    // The container comes in two pieces.
    let first = try reading.answered(hex("00 0F 20 00 0A 90 00"))
    #expect(first == .request(TagRequest(.readCapability, hex("00 B0 00 05 0A"))))
    _ = try reading.answered(hex("00 FF 04 06 E1 04 01 00 00 FF 90 00"))
    #expect(
      try reading.answered(hex("90 00"))
        == .request(TagRequest(.readLength, hex("00 B0 00 00 02"))))
    // MLe is 10.
    #expect(
      try reading.answered(hex("00 10 90 00"))
        == .request(TagRequest(.readMessage, hex("00 B0 00 02 0A"))))
    #expect(throws: TagAccessError.self) { try reading.answered(hex("90 00")) }
  }
}

extension Result {
  /// The failure, if it is one.
  var failure: Failure? {
    if case .failure(let failure) = self { return failure }
    return nil
  }
}
