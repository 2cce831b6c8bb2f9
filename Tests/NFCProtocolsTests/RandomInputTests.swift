import NFCProtocols
import ProtocolTesting
import Testing

/// No decoder traps, whatever it is given; what decodes gives its own bytes back.
@Suite struct RandomInputTests {
  private static let rounds = 6_000

  /// Random bytes, half of them with a plausible first byte so that decoders get further.
  private static func inputs(seed: UInt64, starts: [UInt8], _ body: ([UInt8]) -> Void) {
    var generator = TestGenerator(seed: seed)
    for round in 0..<rounds {
      var bytes = generator.bytes(generator.below(round % 50 == 0 ? 300 : 24))
      if !bytes.isEmpty, !starts.isEmpty, generator.below(2) == 0 {
        bytes[0] = starts[generator.below(starts.count)]
      }
      if bytes.count > 1, generator.below(3) == 0 { bytes[1] = UInt8(bytes.count & 0xFF) }
      body(bytes)
    }
  }

  private static func verify<Value: ByteCodable>(
    _ type: Value.Type, seed: UInt64, starts: [UInt8] = [], isCanonical: Bool = true
  ) {
    inputs(seed: seed, starts: starts) { bytes in
      guard let value = try? Value(bytes) else { return }
      if isCanonical {
        #expect(value.bytes == bytes)
      } else {
        #expect((try? Value(value.bytes))?.bytes == value.bytes)
      }
      // A slice that does not begin at 0 gives the same.
      let shifted = [0xFF] + bytes
      #expect((try? Value(shifted[1...]))?.bytes == value.bytes)
    }
  }

  @Test func `activation values`() {
    Self.verify(ATQA.self, seed: 1)
    Self.verify(SAK.self, seed: 2)
    Self.verify(CascadeLevel.Part.self, seed: 3)
    Self.verify(RequestB.self, seed: 4, starts: [0x05])
    Self.verify(Attrib.self, seed: 5, starts: [0x1D])
    Self.verify(AttribAnswer.self, seed: 6)
    Self.verify(ATQB.self, seed: 7, starts: [0x50])
    Self.verify(RATS.self, seed: 8, starts: [0xE0])
    Self.verify(PPS.self, seed: 9, starts: [0xD0, 0xD1])
    Self.inputs(seed: 10, starts: [1, 2, 3, 4, 5, 6, 7]) { bytes in
      var whole = bytes
      if !whole.isEmpty { whole[0] = UInt8(whole.count & 0xFF) }
      if let ats = try? ATS(whole) { #expect(ats.bytes == whole) }
    }
  }

  @Test func `blocks and APDUs`() {
    Self.verify(Block.self, seed: 11, starts: [0x02, 0x0B, 0x13, 0xA2, 0xB2, 0xC2, 0xF2, 0xF0])
    Self.verify(CommandAPDU.self, seed: 12, starts: [0x00, 0x80, 0x90])
    Self.verify(ResponseAPDU.self, seed: 13)
    Self.inputs(seed: 14, starts: [0]) { bytes in
      if let command = try? CommandAPDU(bytes, mode: .lenient) {
        #expect((try? CommandAPDU(command.bytes)) != nil)
      } else {
        #expect(bytes.count < 4)
      }
    }
  }

  @Test func `NDEF and its containers`() {
    let starts: [UInt8] = [0xD1, 0x91, 0xB1, 0xD0, 0xD4, 0xC1]
    Self.verify(NDEFMessage.self, seed: 15, starts: starts, isCanonical: false)
    Self.verify(Type2Capability.self, seed: 16, starts: [0xE1])
    Self.verify(Type3Attributes.self, seed: 17)
    Self.verify(Type4CapabilityFile.self, seed: 18, starts: [0x00])
    Self.verify(Type5Capability.self, seed: 19, starts: [0xE1, 0xE2])
    Self.verify(ReservedAreaControl.self, seed: 20)
    Self.inputs(seed: 21, starts: [0x03, 0x01, 0xFD]) { bytes in
      _ = try? TagTLV.blocks(in: bytes[...])
      _ = try? TagTLV.firstNDEF(in: bytes[...])
      for name in ["T", "U", "Sp"] {
        let payload = NDEFRecord(.wellKnown, type: Array(name.utf8), payload: bytes)
        _ = try? payload.content()
      }
    }
  }

  @Test func `FeliCa, ISO 15693, Type 2 and Classic`() {
    Self.inputs(seed: 22, starts: []) { bytes in
      guard bytes.count > 1 else { return }
      var whole = bytes
      whole[0] = UInt8(whole.count & 0xFF)
      whole[1] &= 0x0F
      if let command = try? FeliCaCommand(whole) { #expect(command.bytes == whole) }
      if let response = try? FeliCaResponse(whole) { #expect(response.bytes == whole) }
    }
    Self.verify(VicinityRequest.self, seed: 23, starts: [0x26, 0x02, 0x22, 0x36])
    Self.verify(VicinityResponse.self, seed: 24)
    Self.verify(VicinityInventory.self, seed: 25)
    Self.verify(VicinitySystemInformation.self, seed: 26, starts: [0x0F, 0x04, 0x00])
    Self.verify(Type2Version.self, seed: 27)
    Self.verify(MifareValueBlock.self, seed: 28)
    Self.inputs(seed: 29, starts: [0x30, 0xA2, 0x60, 0x1B]) { bytes in
      if let command = try? Type2Command(bytes) { #expect(command.bytes == bytes) }
      if let command = try? MifareClassicCommand(bytes) { #expect(command.bytes == bytes) }
      if let command = try? TypeBCommand(bytes) { #expect(command.bytes == bytes) }
    }
  }

  @Test func `frames of any length and bit count`() {
    var generator = TestGenerator(seed: 30)
    let states: [CRCState?] = [nil, .good, .bad, .absent, .notCaptured]
    for _ in 0..<Self.rounds {
      var bytes = generator.bytes(generator.below(12))
      if !bytes.isEmpty, generator.below(2) == 0 {
        bytes[0] = [0x93, 0x95, 0x97, 0x26, 0x52][generator.below(5)]
      }
      let frame = RadioFrame(
        bytes, lastByteBits: UInt8(1 + generator.below(8)), crc: states[generator.below(5)])
      _ = try? TypeACommand(frame)
      _ = FourBitAnswer(frame)
      #expect(frame.content().count <= frame.bytes.count)
      for technology in Technology.allCases {
        var other = frame
        other.technology = technology
        #expect(AirTime.carrierCycles(of: other, .outbound) > 0)
        #expect(AirTime.carrierCycles(of: other, .inbound) > 0)
      }
    }
  }
}
