import NFCProtocols
import ProtocolTesting
import Testing

/// One line of a dialogue: who sends, the bytes without check value, the words expected.
struct Line: Sendable {
  var direction: Direction
  var text: String
  var bits: UInt8 = 8
  var hasCRC: Bool
  var meaning: String

  static func reader(_ text: String, _ meaning: String, bits: UInt8 = 8) -> Line {
    Line(direction: .outbound, text: text, bits: bits, hasCRC: false, meaning: meaning)
  }
  static func readerCRC(_ text: String, _ meaning: String) -> Line {
    Line(direction: .outbound, text: text, hasCRC: true, meaning: meaning)
  }
  static func card(_ text: String, _ meaning: String, bits: UInt8 = 8) -> Line {
    Line(direction: .inbound, text: text, bits: bits, hasCRC: false, meaning: meaning)
  }
  static func cardCRC(_ text: String, _ meaning: String) -> Line {
    Line(direction: .inbound, text: text, hasCRC: true, meaning: meaning)
  }
}

/// Says every frame and compares the words; the technology is told or must be guessed.
func expectMeanings(_ lines: [Line], _ technology: Technology, isTold: Bool = true) {
  var interpreter = RadioInterpreter()
  for line in lines {
    guard var bytes = Hexadecimal.bytes(of: line.text) else {
      Issue.record("not hexadecimal: \(line.text)")
      return
    }
    if line.hasCRC { CRC16(of: technology).append(to: &bytes) }
    let frame = RadioFrame(
      bytes, lastByteBits: line.bits, technology: isTold ? technology : nil)
    let meaning = interpreter.interpret(line.direction, frame)
    var text = TextBuffer()
    meaning.write(frame, to: &text)
    #expect(text.string == line.meaning, "\(line.text)")
    for field in meaning.fields(of: frame) { #expect(field.range.upperBound <= bytes.count) }
  }
}

@Suite struct RadioInterpreterTests {
  static let desFire: [Line] = [
    .reader("52", "WUPA", bits: 7), .card("44 03", "ATQA  DESFire, 7-byte UID"),
    .reader("93 20", "ANTICOLLISION CL1"), .card("88 04 11 22 BF", "UID CL1  041122 …"),
    .readerCRC("93 70 88 04 11 22 BF", "SELECT CL1  041122 …"),
    .cardCRC("24", "SAK  UID not complete"),
    .reader("95 20", "ANTICOLLISION CL2"), .card("33 44 55 80 A2", "UID CL2  33445580"),
    .readerCRC("95 70 33 44 55 80 A2", "SELECT CL2  33445580"), .cardCRC("20", "SAK  ISO-DEP"),
    .readerCRC("E0 50", "RATS  FSD 64, CID 0"),
    // FWI 8 is 4096/fc · 2^8 = 77.3 ms, ISO/IEC 14443-4 table 5.
    .cardCRC("06 75 77 81 02 80", "ATS  FSC 64, FWI 8 (77.3 ms), SFGI 1"),
    .readerCRC("D0 11 05", "PPS  card 212, reader 212 kbit/s"), .cardCRC("D0", "PPS accepted"),
    .readerCRC("02 00 A4 04 00 07 D2 76 00 00 85 01 01 00", "I(0)"), .cardCRC("02 90 00", "I(0)"),
    .readerCRC("13 00 A4", "I(1)+"), .cardCRC("A3", "R(ACK)1"),
    .readerCRC("B2", "R(NAK)0"), .cardCRC("F2 02", "S(WTX) ×2"), .readerCRC("F2 02", "S(WTX) ×2"),
    .readerCRC("C2", "S(DESELECT)"), .cardCRC("C2", "S(DESELECT)"),
  ]

  @Test(
    "Activation of a DESFire and its blocks, with and without the technology",
    arguments: [
      true, false,
    ])
  func isoDEP(isTold: Bool) { expectMeanings(Self.desFire, .a, isTold: isTold) }

  @Test("A Type 2 tag") func type2() {
    expectMeanings(
      [
        .reader("26", "REQA", bits: 7), .card("44 00", "ATQA  7-byte UID"),
        .reader("93 20", "ANTICOLLISION CL1"), .card("88 04 11 22 BF", "UID CL1  041122 …"),
        .readerCRC("93 70 88 04 11 22 BF", "SELECT CL1  041122 …"),
        .cardCRC("04", "SAK  UID not complete"),
        .readerCRC("95 70 33 44 55 80 A2", "SELECT CL2  33445580"),
        .cardCRC("00", "SAK  Type 2: Ultralight, NTAG"),
        .readerCRC("60", "GET_VERSION"), .cardCRC("00 04 04 02 01 00 0F 03", "version"),
        .readerCRC("30 04", "READ 4"),
        .cardCRC("03 10 D1 01 0C 55 01 61 62 63 64 65 66 67 68 69", "data from 4"),
        .readerCRC("3A 04 06", "FAST_READ 4 to 6"),
        .readerCRC("1B FF FF FF FF", "PWD_AUTH"), .cardCRC("80 80", "PACK"),
        .readerCRC("A2 04 01 02 03 04", "WRITE 4"), .card("0A", "ACK", bits: 4),
        .readerCRC("30 F0", "READ 240"), .card("00", "NAK 0, invalid argument", bits: 4),
        .readerCRC("3C 00", "READ_SIG"), .readerCRC("39 02", "READ_CNT 2"),
        .cardCRC("05 00 00", "counter 5"),
        .readerCRC("50 00", "HLTA"),
      ], .a)
  }

  @Test("MIFARE Classic: plain up to the third authentication frame, then encrypted")
  func classic() {
    expectMeanings(
      [
        .reader("52", "WUPA", bits: 7), .card("04 00", "ATQA  4-byte UID"),
        .readerCRC("93 70 01 02 03 04 04", "SELECT CL1  01020304"),
        .cardCRC("08", "SAK  Classic 1K"),
        .readerCRC("60 08", "AUTH A block 8"), .card("11 22 33 44", "nonce nT"),
        .reader("20 0D 25 13 4B 39 7A D1", "nR, aR"), .card("43 CD B2 8F", "aT, encryption begins"),
        .reader("D1 C5 A5 29", "encrypted"), .card("23 90 AA D6 06", "encrypted"),
        .reader("26", "REQA", bits: 7),
      ], .a)
  }

  @Test("Type B", arguments: [true, false])
  func typeB(isTold: Bool) {
    expectMeanings(
      [
        .readerCRC("05 00 00", "REQB  AFI 00, 1 slot"),
        .cardCRC(
          "50 11 22 33 44 00 00 00 00 80 81 71", "ATQB  PUPI 11223344, FSC 256, FWI 7 (38.7 ms)"),
        .readerCRC("1D 11 22 33 44 00 05 01 01", "ATTRIB  FSD 64, CID 1"),
        .cardCRC("01", "ATTRIB accepted, CID 1"),
        .readerCRC("0A 01 00 A4 04 00", "I(0)"),
        .readerCRC("50 11 22 33 44", "HLTB"), .cardCRC("00", "HLTB accepted"),
        .readerCRC("05 00 0A", "WUPB  AFI 00, 4 slots"),
      ], .b, isTold: isTold)
  }

  @Test("FeliCa and NFC-DEP", arguments: [true, false])
  func feliCa(isTold: Bool) {
    expectMeanings(
      [
        .readerCRC("06 00 FF FF 01 0F", "Polling  SC FFFF, asks for the system code"),
        .cardCRC(
          "14 01 01 FE 11 22 33 44 55 66 01 02 03 04 05 06 07 08 12 FC",
          "Polling answer  IDm 01FE112233445566"),
        .readerCRC(
          "10 06 01 FE 11 22 33 44 55 66 01 0B 00 01 80 82",
          "Read Without Encryption  service 000B, block 82"),
        .cardCRC(
          "0C 07 01 FE 11 22 33 44 55 66 01 B2", "Read Without Encryption  status 01 B2"),
        .readerCRC("05 D4 0A 00 00", "RLS_REQ"),
      ], .f, isTold: isTold)
  }

  @Test("ISO/IEC 15693", arguments: [true, false])
  func vicinity(isTold: Bool) {
    expectMeanings(
      [
        .readerCRC("26 01 00", "Inventory, 1 slot"),
        .cardCRC("00 00 11 22 33 44 55 66 04 E0", "UID E004665544332211"),
        .readerCRC("22 20 11 22 33 44 55 66 04 E0 05", "Read single block 5"),
        .cardCRC("00 E1 40 0E 01", "ok, 4 bytes"),
        .readerCRC("22 23 11 22 33 44 55 66 04 E0 01 1A", "Read multiple blocks 1 to 27"),
        .cardCRC("01 0F", "error 0F, no information"),
        .readerCRC("22 2B 11 22 33 44 55 66 04 E0", "Get system information"),
      ], .v, isTold: isTold)
  }

  @Test("Blocks are told without an activation, but a WRITE of a Type 2 tag is none")
  func withoutActivation() {
    expectMeanings(
      [
        .readerCRC("0A 00 00 A4 04 00", "I(0)"), .cardCRC("0A 00 6E 00", "I(0)"),
        .readerCRC("BA 00", "R(NAK)0"), .readerCRC("CA 00", "S(DESELECT)"),
        .readerCRC("A2 04 01 02 03 04", "WRITE 4"), .readerCRC("1B 01 02 03 04", "PWD_AUTH"),
      ], .a)
  }

  /// AB DA has the form of R(ACK) with a CID, and F2 01 that of S(WTX).
  @Test("The password answer of a Type 2 tag is no block", arguments: [true, false])
  func passwordAnswer(isActivationSeen: Bool) {
    let activation: [Line] = [
      .reader("26", "REQA", bits: 7), .card("44 00", "ATQA  7-byte UID"),
      .readerCRC("95 70 33 44 55 80 A2", "SELECT CL2  33445580"),
      .cardCRC("00", "SAK  Type 2: Ultralight, NTAG"),
    ]
    expectMeanings(
      (isActivationSeen ? activation : []) + [
        .readerCRC("1B DA E5 57 96", "PWD_AUTH"), .cardCRC("AB DA", "PACK"),
        .readerCRC("1B DA E5 57 96", "PWD_AUTH"), .cardCRC("F2 01", "PACK"),
      ], .a)
  }

  @Test("ATQA says no more than it tells")
  func valuesOfATQA() {
    for (text, meaning) in [
      ("44 00", "ATQA  7-byte UID"), ("42 00", "ATQA  7-byte UID"), ("04 00", "ATQA  4-byte UID"),
      ("81 00", "ATQA  10-byte UID"), ("C1 00", "ATQA  reserved UID size"),
    ] {
      expectMeanings([.reader("26", "REQA", bits: 7), .card(text, meaning)], .a)
    }
  }

  @Test("A check value that does not fit is told where frames have one")
  func wrongCRC() {
    expectMeanings(
      [
        .readerCRC("30 04", "READ 4"), .reader("30 04 26 EF", "READ 4  CRC does not fit"),
      ], .a)
  }

  @Test("No frames make the interpreter, its words or its fields trap")
  func anyFrames() {
    var random = TestGenerator(seed: 264)
    var interpreter = RadioInterpreter()
    var assembler = APDUAssembler()
    var messages = NDEFAssembler()
    let starts: [UInt8] = [
      0x93, 0x95, 0x60, 0x30, 0xE0, 0x02, 0x13, 0xA2, 0xF2, 0xC2, 0x05, 0x50, 0x1D, 0x06, 0x26,
      0x22,
    ]
    for round in 0..<20_000 {
      let count = random.below(24)
      var bytes = (0..<count).map { _ in UInt8(random.below(256)) }
      if count > 0, round % 3 > 0 { bytes[0] = starts[random.below(starts.count)] }
      let technology = Technology.allCases[random.below(4)]
      if round % 2 == 0 { CRC16(of: technology).append(to: &bytes) }
      let frame = RadioFrame(
        bytes, lastByteBits: random.below(5) == 0 ? 4 : 8,
        technology: random.below(3) == 0 ? nil : technology)
      let direction: Direction = random.below(2) == 0 ? .outbound : .inbound
      let meaning = interpreter.interpret(direction, frame)
      var text = TextBuffer()
      meaning.write(frame, to: &text)
      for field in meaning.fields(of: frame) {
        #expect(field.range.upperBound <= bytes.count)
      }
      _ = assembler.add(direction, meaning, bytes)
      _ = messages.add(meaning, bytes, isType2: true)
      let slice = bytes.dropFirst(random.below(3))
      APDUText.writeCommand(slice, to: &text)
      APDUText.writeResponse(slice, to: &text)
      messages.command(slice)
      _ = messages.response(slice)
      NDEFSummary.write(bytes, to: &text)
      _ = APDUText.commandFields(slice)
      _ = APDUText.responseFields(slice)
      #expect(!text.bytes.isEmpty)
    }
  }
}
