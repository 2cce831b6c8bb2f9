import NFCProtocols
import NFCTrace
import PN53x
import Testing

/// Where personal data are found: every layer, whole and in pieces.
@Suite struct FinderTests {
  private let record: [PersonalDataKind] = [.trackData, .cardNumber, .expiryDate, .holderName]
  private let readRecord = hex("00 B2 01 0C 00")

  @Test func dataObjectsOfACard() {
    let trace = SampleTrace([
      .apdu(.outbound, readRecord), .apdu(.inbound, TestCard.record + hex("90 00")),
    ])
    let findings = trace.findings()
    #expect(findings.map(\.kind) == record)
    #expect(findings.map(\.event) == [2, 2, 2, 2])
    #expect(findings.map(\.location) == ["tag 57", "tag 5A", "tag 5F24", "tag 5F20"])
    #expect(findings.map(\.masked) == ["…0010", "…0010", "6 digits", "D… (8 characters)"])
  }

  @Test("a response in two parts: 61 xx and GET RESPONSE")
  func getResponse() {
    let (first, second) = (TestCard.record.prefix(20), TestCard.record.dropFirst(20))
    let trace = SampleTrace([
      .apdu(.outbound, readRecord), .apdu(.inbound, first + hex("61 20")),
      .apdu(.outbound, hex("00 C0 00 00 20")), .apdu(.inbound, second + hex("90 00")),
    ])
    #expect(trace.findings().map(\.kind) == record)
  }

  @Test("blocks of ISO-DEP with chaining: the number lies across two of them")
  func chainedBlocks() {
    let response = TestCard.record + hex("90 00")
    func block(_ pcb: UInt8, _ content: some Collection<UInt8>) -> RadioFrame {
      .protected([pcb] + content, .a)
    }
    let trace = SampleTrace([
      .radio(.outbound, .protected(hex("E0 80"), .a)),
      .radio(.inbound, .protected(hex("05 78 80 70 02"), .a)),
      .radio(.outbound, block(0x02, readRecord)),
      .radio(.inbound, block(0x12, response[..<8])),
      .radio(.outbound, block(0xA3, [])),
      .radio(.inbound, block(0x13, response[8..<30])),
      // Not understood by the card, so the last block comes again.
      .radio(.outbound, block(0xB2, [])),
      .radio(.inbound, block(0x13, response[8..<30])),
      .radio(.outbound, block(0xA2, [])),
      .radio(.inbound, block(0x02, response[30...])),
    ])
    #expect(trace.findings().map(\.kind) == record)
    let (redacted, _) = trace.redacted()
    #expect(redacted.findings().isEmpty)
    #expect(redacted.events[5].content == redacted.events[7].content)
    #expect(redacted.events[5].content != trace.events[5].content)
    #expect(redacted.lint() == trace.lint())
  }

  private func frame(_ body: [UInt8]) -> [UInt8] {
    HostFrame.information(body, body.count > 255 ? .extended : .normal).encoded()
  }

  private let listed = hex("D5 4B 01 01 00 04 20 04 08 12 34 56 05 78 80 70 02")

  private func exchange(_ body: [UInt8], _ answer: [UInt8]) -> [TraceEvent.Content] {
    let ack = HostFrame.ack.encoded()
    return [
      .link(LinkTransfer(.outbound, frame(body))), .link(LinkTransfer(.inbound, ack)),
      .link(LinkTransfer(.inbound, frame(answer))),
    ]
  }

  @Test("InDataExchange: the answer in two frames (MI), the second in two USB transfers")
  func hostFrames() {
    let response = TestCard.record + hex("90 00")
    var contents = exchange(hex("D4 4A 01 00"), listed)
    contents += exchange(
      hex("D4 40 01") + readRecord, hex("D5 41 40") + response.prefix(14))
    var rest = exchange(hex("D4 40 01"), hex("D5 41 00") + response.dropFirst(14))
    if case .link(let transfer) = rest.removeLast() {
      rest += [
        .link(LinkTransfer(.inbound, Array(transfer.bytes.prefix(12)))),
        .link(LinkTransfer(.inbound, Array(transfer.bytes.dropFirst(12)))),
      ]
    }
    let trace = SampleTrace(contents + rest)
    #expect(trace.lint().isEmpty)
    #expect(trace.findings().map(\.kind) == record)
    let (redacted, entries) = trace.redacted()
    #expect(entries.count == 4)
    #expect(redacted.findings().isEmpty)
    #expect(redacted.lint().isEmpty)
    #expect(redacted.bytes.count == trace.bytes.count)
  }

  @Test("InCommunicateThru with the CRC made by the host: both checksums are renewed")
  func communicateThru() {
    let response = [0x02] + TestCard.record + hex("90 00")
    var contents = exchange(hex("D4 4A 01 00"), listed)
    contents += exchange(
      hex("D4 42") + CRC16.a.appended(to: [0x02] + readRecord),
      hex("D5 43 00") + CRC16.a.appended(to: response))
    let trace = SampleTrace(contents)
    #expect(trace.findings().map(\.kind) == record)
    let (redacted, _) = trace.redacted()
    #expect(redacted.findings().isEmpty)
    #expect(redacted.lint() == trace.lint())
    guard case .link(let transfer) = redacted.events[5].content else { return }
    #expect(CRC16.a.check(transfer.bytes[8..<(transfer.bytes.count - 2)]))
  }

  @Test("an ACR122U: pseudo-APDUs in CCID messages, and APDUs of the card itself")
  func ccid() throws {
    func message(_ direction: Direction, _ type: UInt8, _ data: [UInt8]) -> TraceEvent.Content {
      let bytes = CCIDMessage(type: .init(rawValue: type), data: data).bytes
      return .link(LinkTransfer(direction, bytes, payload: .ccid))
    }
    func wrapped(_ body: [UInt8]) throws -> TraceEvent.Content {
      message(.outbound, 0x6F, try ACR122Envelope.wrap(body))
    }
    let answer = hex("D5 41 00") + TestCard.record + hex("90 00")
    let trace = SampleTrace([
      try wrapped(hex("D4 4A 01 00")), message(.inbound, 0x80, listed + hex("90 00")),
      try wrapped(hex("D4 40 01") + readRecord), message(.inbound, 0x80, answer + hex("90 00")),
      message(.outbound, 0x6F, readRecord),
      message(.inbound, 0x80, TestCard.record + hex("90 00")),
    ])
    #expect(trace.findings().map(\.kind) == record + record)
    let (redacted, entries) = trace.redacted()
    #expect(entries.map(\.events) == [[4, 6], [4, 6], [4, 6], [4, 6]])
    #expect(redacted.findings().isEmpty)
  }

  @Test("a controller behind NCI: the answer in two segments")
  func nci() {
    let response = TestCard.record + hex("90 00")
    func packet(_ direction: Direction, _ bytes: [UInt8]) -> TraceEvent.Content {
      .link(LinkTransfer(direction, bytes, transport: .i2c, payload: .nci))
    }
    let trace = SampleTrace([
      packet(.inbound, hex("61 05 14 01 02 04 00 FF 01 09 04 00 04 08 12 34 56 01 20 00 00 00 00")),
      packet(.outbound, [0x00, 0x00, 5] + readRecord),
      packet(.inbound, [0x10, 0x00, 16] + response.prefix(16)),
      packet(.inbound, [0x00, 0x00, UInt8(response.count - 16)] + response.dropFirst(16)),
    ])
    #expect(trace.findings().map(\.kind) == record)
    #expect(trace.redacted().trace.findings().isEmpty)
    #expect(trace.findings(identifiers: true).first?.kind == .uid)
  }

  @Test("a Type 2 tag: an address across two READ, and read twice")
  func type2() throws {
    let uri = Array("anna.muster@example.org".utf8)
    let message = [0xD1, 0x01, UInt8(uri.count + 1), 0x55, 0x06] + uri
    var memory = [0x03, UInt8(message.count)] + message + [0xFE]
    while memory.count % 16 != 0 { memory.append(0) }
    func read(_ page: Int) -> [TraceEvent.Content] {
      let data = Array(memory[((page - 4) * 4)..<((page - 4) * 4 + 16)])
      return [
        .radio(.outbound, .protected([0x30, UInt8(page)], .a)),
        .radio(.inbound, .protected(data, .a)),
      ]
    }
    let trace = SampleTrace(read(4) + read(8) + read(4))
    #expect(trace.findings().map(\.kind) == [.email])
    let (redacted, _) = trace.redacted()
    #expect(redacted.findings().isEmpty)
    #expect(redacted.events[1].content == redacted.events[5].content)
    #expect(!redacted.bytes.holds(Array("anna".utf8)))
    #expect(!redacted.bytes.holds(Array("muste".utf8)))
    #expect(redacted.lint() == trace.lint())
  }

  @Test("a contact in a file that was read in pieces of fifteen bytes")
  func contact() {
    let card = """
      BEGIN:VCARD\r\nVERSION:3.0\r\nN:Muster;Anna\r\nFN:Anna Muster\r\nTEL;TYPE=cell:+41 79 555 01 \
      02\r\nEMAIL:anna@example.org\r\nEND:VCARD\r\n
      """
    let type = Array("text/vcard".utf8)
    let message = [0xD2, UInt8(type.count), UInt8(card.utf8.count)] + type + card.utf8
    let file = [0, UInt8(message.count)] + message
    var contents: [TraceEvent.Content] = [.apdu(.outbound, hex("00 A4 00 0C 02 E1 04"))]
    for start in stride(from: 0, to: file.count, by: 15) {
      contents.append(.apdu(.outbound, hex("00 B0 00") + [UInt8(start), 15]))
      let end = min(start + 15, file.count)
      contents.append(.apdu(.inbound, file[start..<end] + hex("90 00")))
    }
    let trace = SampleTrace(contents)
    #expect(trace.findings().map(\.kind) == [.contact, .contact, .phone, .email])
    let (redacted, _) = trace.redacted()
    #expect(redacted.findings().isEmpty)
    #expect(!redacted.bytes.holds(Array("Muster".utf8)))
  }

  @Test("DG1 of a passport that was read in pieces, cut off before its end")
  func passport() {
    let zone = Array(
      MachineReadableZoneTests.specimens[0].utf8.filter { $0 != 0x0A })
    let file = object("61", object("5F1F", zone))
    var contents: [TraceEvent.Content] = [.apdu(.outbound, hex("00 A4 02 0C 02 01 01"))]
    for start in stride(from: 0, to: file.count, by: 32) {
      contents.append(.apdu(.outbound, hex("00 B0 00") + [UInt8(start), 32]))
      contents.append(.apdu(.inbound, file[start..<min(start + 32, file.count)] + hex("90 00")))
    }
    let trace = SampleTrace(contents)
    #expect(trace.findings().map(\.kind) == [.machineReadableZone])
    #expect(trace.findings().map(\.location) == ["tag 5F1F"])
    #expect(trace.redacted().trace.findings().isEmpty)
  }

  @Test("words of a program: a number in groups, a track, an address; header and comments too")
  func words() throws {
    let trace = try SampleTrace(
      """
      # asked by carol@example.org
      1 apdu > 00 A4 04 00        ; card 4111 1111 1111 1111
      2 app "read ;4111111111111111=22122010000? and tel:+41795550102"
      3 app "ids 4111111111111112 A4111111111111111 1732959999843056"
      """)
    #expect(trace.findings().map(\.kind) == [.email, .cardNumber, .trackData, .phone])
    #expect(trace.redacted().trace.findings().isEmpty)
  }
}
