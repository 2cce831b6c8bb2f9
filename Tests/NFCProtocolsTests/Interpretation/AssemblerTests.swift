import NFCProtocols
import Testing

@Suite struct AssemblerTests {
  /// The APDUs that a dialogue of blocks carries.
  private func apdus(_ dialogue: [(Direction, String)]) -> [String] {
    var interpreter = RadioInterpreter()
    var assembler = APDUAssembler()
    var found: [String] = []
    for (direction, text) in dialogue {
      guard let content = Hexadecimal.bytes(of: text) else { continue }
      let bytes = CRC16.a.appended(to: content)
      let meaning = interpreter.interpret(direction, RadioFrame(bytes, technology: .a))
      switch assembler.add(direction, meaning, bytes) {
      case .nothing: break
      case .inFrame(let range): found.append(Hexadecimal.pairs(Array(bytes[range])))
      case .joined: found.append(Hexadecimal.pairs(assembler.joined))
      }
    }
    return found
  }

  static let activation: [(Direction, String)] = [
    (.outbound, "E0 80"), (.inbound, "05 78 80 70 02"),
  ]

  @Test("Chains in both directions are joined")
  func chains() {
    #expect(
      apdus(
        Self.activation + [
          (.outbound, "12 00 A4"), (.inbound, "A2"), (.outbound, "03 04 00"),
          (.inbound, "13 6F 00"), (.outbound, "A2"), (.inbound, "02 90 00"),
        ]) == ["00 A4 04 00", "6F 00 90 00"])
  }

  @Test("A block that is sent again after R(NAK) or silence counts once")
  func retransmissions() {
    #expect(
      apdus(
        Self.activation + [
          (.outbound, "02 00 B0 00 00 02"), (.outbound, "B2"), (.inbound, "02 00 0F 90 00"),
          (.outbound, "B2"), (.inbound, "02 00 0F 90 00"),
          (.outbound, "03 00 B0 00 00 02"), (.outbound, "03 00 B0 00 00 02"),
          (.inbound, "03 00 0F 90 00"),
        ]) == [
          "00 B0 00 00 02", "00 0F 90 00", "00 B0 00 00 02", "00 0F 90 00",
        ])
  }

  @Test("The same command twice in a row is two commands when it was answered")
  func repeatedCommand() {
    #expect(
      apdus(
        Self.activation + [
          (.outbound, "02 00 B0"), (.inbound, "02 90 00"), (.outbound, "03 00 B0"),
          (.inbound, "03 90 00"), (.outbound, "02 00 B0"), (.inbound, "02 90 00"),
        ]
      ).count == 6)
  }

  @Test("WTX between command and answer changes nothing")
  func waitingTimeExtension() {
    #expect(
      apdus(
        Self.activation + [
          (.outbound, "02 00 88"), (.inbound, "F2 01"), (.outbound, "F2 01"),
          (.inbound, "02 90 00"),
        ]) == ["00 88", "90 00"])
  }

  static let hello = "D1 01 08 54 02 65 6E 68 65 6C 6C 6F"

  @Test("Text and addresses in words")
  func words() {
    var text = TextBuffer()
    NDEFSummary.write(Hexadecimal.bytes(of: Self.hello) ?? [], to: &text)
    #expect(text.string == "NDEF Text en \"hello\"")
    text.removeAll()
    let two = "91 01 0C 55 04 65 78 61 6D 70 6C 65 2E 6F 72 67 51 01 04 54 02 65 6E 61"
    NDEFSummary.write(Hexadecimal.bytes(of: two) ?? [], to: &text)
    #expect(text.string == "NDEF URI https://example.org  + Text en \"a\"")
  }

  @Test("A Type 4 file is complete when NLEN bytes were read")
  func type4() {
    var assembler = NDEFAssembler()
    var found: [String] = []
    for (command, response) in [
      ("00 A4 00 0C 02 E1 04", "90 00"), ("00 B0 00 00 02", "00 0C 90 00"),
      ("00 B0 00 02 06", "D1 01 08 54 02 65 90 00"),
      ("00 B0 00 08 06", "6E 68 65 6C 6C 6F 90 00"),
      // The capability container is no message.
      ("00 A4 00 0C 02 E1 03", "90 00"),
      ("00 B0 00 00 0F", "00 0F 20 00 3B 00 34 04 06 E1 04 00 32 00 00 90 00"),
    ] {
      assembler.command(hex(command)[...])
      if assembler.response(hex(response)[...]) {
        found.append(Hexadecimal.pairs(assembler.message))
      }
    }
    #expect(found == [Self.hello])
  }

  @Test("A Type 2 tag: the TLV is found behind others and over two READs")
  func type2() {
    var interpreter = RadioInterpreter()
    var assembler = NDEFAssembler()
    var found: [String] = []
    for (direction, text) in [
      (.outbound, "30 04"), (.inbound, "03 0C D1 01 08 54 02 65 6E 68 65 6C 6C 6F FE 00"),
      (.outbound, "30 04"), (.inbound, "01 03 A0 0C 34 03 0C D1 01 08 54 02 65 6E 68 65"),
      (.outbound, "30 08"), (.inbound, "6C 6C 6F FE 00 00 00 00 00 00 00 00 00 00 00 00"),
    ] as [(Direction, String)] {
      let bytes = CRC16.a.appended(to: Hexadecimal.bytes(of: text) ?? [])
      let meaning = interpreter.interpret(direction, RadioFrame(bytes, technology: .a))
      if assembler.add(meaning, bytes, isType2: true) {
        found.append(Hexadecimal.pairs(assembler.message))
      }
    }
    #expect(found == [Self.hello, Self.hello])
  }

  @Test(
    "APDUs in words",
    arguments: [
      ("00 A4 04 00 07 D2 76 00 00 85 01 01 00", "SELECT D2760000850101 (NDEF Type 4)"),
      ("00 A4 00 0C 02 E1 03", "SELECT file E103 (capability container)"),
      ("00 B0 00 02 20", "READ BINARY at 2, 32 bytes"),
      ("00 D6 00 00 02 00 0C", "UPDATE BINARY at 0, 2 bytes"),
      ("80 A8 00 00 02 83 00 00", "GET PROCESSING OPTIONS"),
      ("90 5A 00 00 03 56 34 12 00", "DESFire SelectApplication 123456"),
      ("90 AF 00 00 00", "DESFire AdditionalFrame"),
      ("70 00 40 00", "Plus FirstAuthenticate block 4000"),
      ("00 B2 01 0C 00", "READ RECORD 1 SFI 1"), ("00 84 00 00 08", "GET CHALLENGE"),
      ("00 F7 01 02", "APDU 00F70102"), ("60", "DESFire GetVersion"),
    ])
  func commands(text: String, words: String) {
    var buffer = TextBuffer()
    APDUText.writeCommand((Hexadecimal.bytes(of: text) ?? [])[...], to: &buffer)
    #expect(buffer.string == words)
  }

  @Test(
    "Responses in words",
    arguments: [
      ("90 00", "90 00 ok"), ("6A 82", "6A 82 not found"), ("00 0F 90 00", "90 00 ok, 2 bytes"),
      ("91 AF", "91 AF more frames"), ("63 C2", "63 C2 wrong, tries left"), ("", "no status word"),
    ])
  func responses(text: String, words: String) {
    var buffer = TextBuffer()
    APDUText.writeResponse((Hexadecimal.bytes(of: text) ?? [])[...], to: &buffer)
    #expect(buffer.string == words)
  }
}
