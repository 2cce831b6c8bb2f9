import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Proxmark3 lists with made-up frames, one for each feature of the layout.
@Suite("Proxmark3 trace lists")
struct ListTests {
  /// A table as the client prints it; the UID is made up.
  static let table = """
    [+] Recorded activity ( 123 bytes )
    [=] ISO14443A - all times are in carrier periods (1/13.56MHz)

          Start |        End | Src | Data (! denotes parity error)              | CRC | Annotation
    ------------+------------+-----+--------------------------------------------+-----+-----------
              0 |       1056 | Rdr |26(7)                                       |     | REQA
           2228 |       4596 | Tag |44  00                                      |     |
         100000 |     100736 | Tag |0a(4)                                       |     |
         200000 |     203000 | Rdr |1B! DA  e5! 57                              |  !! | PWD
    """

  @Test("Ticks become nanoseconds; raw ticks, bits, CRC, annotation are kept")
  func ticks() throws {
    let trace = try decode(Self.table, as: "pm3-list")
    #expect(trace.header?.clock == TraceClock(tickUnit: "1/13.56 MHz", origin: "first record"))
    #expect(
      frameLines(trace.events).string == "R 26\nT 4400\nT 0a\nR 1bdae557\n")
    let frames = trace.events.compactMap(radio)
    #expect(frames.map(\.lastByteBits) == [7, 8, 4, 8])
    #expect(frames.allSatisfy { $0.technology == .a })
    #expect(trace.events.map(\.start.count) == [0, 164_307, 7_374_631, 14_749_263])
    #expect(trace.events[0].end == .carrierCycles(1_056))
    #expect(trace.events[1].sourceTicks == SourceTicks(start: 2_228, length: 2_368))
    #expect(trace.events.map(\.comment) == ["REQA", nil, nil, "PWD"])
    #expect(frames[3].crc == .bad)
    // 1B has four ones, so its odd parity bit is 1: marked wrong, it was 0.
    #expect(frames[3].parity == ParityBits([false, false, true, false]))
    #expect(frames[0].parity == nil)
  }

  @Test("A table in microseconds has one decimal")
  func microseconds() throws {
    let trace = try decode(
      """
              0.0 |       73.2 | Rdr |52(7)      |     | WUPA
          18190.1 |    18966.4 | Rdr |93  20     |     | ANTICOLL
      """, as: "pm3-list")
    #expect(trace.header?.clock.tickUnit == "0.1 us")
    #expect(trace.events.map(\.start.count) == [0, 18_190_100])
    #expect(trace.events.map(\.end?.count) == [73_200, 18_966_400])
    #expect(trace.events[1].sourceTicks == SourceTicks(start: 181_901, length: 7_763))
  }

  @Test("A relative table has gaps and durations")
  func relative() throws {
    let trace = try decode(
      """
            Gap |   Duration | Src | Data (! denotes parity error)  | CRC | Annotation
      ------------+------------+-----+------------------------------+-----+-----------
         123456 |       1056 | Rdr |26(7)                           |     | REQA
           1172 |       2368 | Tag |44  00                          |     |
      4294967286 |        992 | Rdr |52(7)                          |     | WUPA
      """, as: "pm3-list")
    #expect(
      trace.events.map(\.sourceTicks) == [
        SourceTicks(start: 0, length: 1_056), SourceTicks(start: 2_228, length: 2_368),
        SourceTicks(start: 4_586, length: 992),
      ])
    #expect(trace.events[1].start == .carrierCycles(2_228))
  }

  @Test("Continuation rows belong to the frame above; 18 bytes a row, the CRC on the last one")
  func continuation() throws {
    let trace = try decode(
      """
        0 | 100 | Tag |00  01  02  03  04  05  06  07  08  09  0a  0b  0c  0d  0e  0f  10  11   |     |
          |     |     |12  13                                                                   |  ok | READ
      200 | 300 | Rdr |30  04  26  ee                                                           |  ok | READBLOCK(4)
      """, as: "pm3-list")
    #expect(trace.events.count == 2)
    #expect(radio(trace.events[0])?.bytes == (0...0x13).map { UInt8($0) })
    #expect(radio(trace.events[0])?.crc == .good)
    #expect(trace.events[0].comment == "READ")
  }

  @Test("Decrypted rows and frame delays are no frames; notes in angle brackets are empty frames")
  func otherRows() throws {
    let trace = try decode(
      """
            0 |     64 | Rdr |<SOF>                    |     |
         1000 |   2000 | Rdr |60  04  d1  3d           |  ok | AUTH-A(4)
         2000 |   3172 |     |fdt (Frame Delay Time): 1172
         3172 |   8996 | Tag |0c  d5! 42  11           |     |
              |        |  *  |30  04  26  ee           |  ok | READBLOCK(4)
              |        |     |ff  ff                   |     |
        20000 |  20064 | Tag |<empty trace - possible error>
      """, as: "pm3-list")
    #expect(frameLines(trace.events).string == "R \nR 6004d13d\nT 0cd54211\nT \n")
    #expect(trace.events[0].comment == "<SOF>")
    #expect(trace.events[2].comment == "decrypted 30  04  26  ee READBLOCK(4) ff  ff")
    #expect(trace.events[3].comment == "<empty trace - possible error>")
  }

  @Test("Numbers wrap at 2^32; a record may begin before the first one; two zeros are no time")
  func wrappingTimes() throws {
    let trace = try decode(
      """
               0 |        100 | Rdr |26(7) |     |
      4294934496 | 4294935000 | Tag |44  00 |     |
      2000000000 | 2000000100 | Rdr |26(7) |     |
      4294967000 |        200 | Rdr |26(7) |     |
             500 |      66035 | Rdr |26(7) |     |
               0 |          0 | Tag |44  00 |     |
      """, as: "pm3-list")
    let ticks = trace.events.map(\.sourceTicks?.start)
    #expect(ticks == [0, -32_800, 2_000_000_000, 4_294_967_000, 4_294_967_796, 0])
    #expect(trace.events.map(\.isOutOfOrder) == [false, true, false, false, false, false])
    #expect(trace.events[3].sourceTicks?.length == 496)
    // 65,535 is a duration that did not fit.
    #expect(trace.events[4].end == nil)
    #expect(trace.events.map(\.isTimeUnknown) == [false, false, false, false, false, true])
  }

  @Test("CRLF, upper case, colours and a last line without its end change nothing")
  func decoration() throws {
    let plain = try decode(Self.table, as: "pm3-list")
    let windows = Self.table.replacingLineEnds().uppercasingHex()
    #expect(try decode(windows, as: "pm3-list").events == plain.events)
    let coloured = "\u{FEFF}" + Self.table.coloured() + "\n"
    #expect(try decode(coloured, as: "pm3-list").events == plain.events)
  }

  @Test("The technology option names what the list does not, and wins")
  func technologyOption() throws {
    let options = ImportOptions(technology: .v, role: .card)
    let trace = try decode(Self.table, as: "pm3-list", options)
    #expect(radio(trace.events[0])?.technology == .v)
    #expect(trace.header?.role == .card)
  }

  @Test(
    "Wrong rows are bad input with their line",
    arguments: [
      ("  0 | 10 | Rdr |26(7) | |\n  x | 10 | Tag |44 | |", 2),
      ("  0 | 10 | Rdr |2x  | |", 1),
      ("  0 | 10 | Rdr |26(9) | |", 1),
      ("  0 | 10 | Rdr |26(7) 52 | |", 1),
      ("  0 | 10 | Rdr |!26 | |", 1),
      ("  0 | 10 | Red |26 | |", 1),
      ("  0 | 10.0 | Rdr |26 | |", 1),
      ("  0 | 10 | Rdr |26 | |\n\n 0.0 | 1.0 | Tag |44  00 | |", 3),
      ("  0 | 4294967296 | Rdr |26 | |", 1),
    ])
  func badRows(text: String, line: Int) {
    #expect(place(of: text, as: "pm3-list") == .line(line))
  }

  @Test("Pairs of -x: ticks behind 0., offset, link type 264 header")
  func hexList() throws {
    let trace = try decode(
      "0.0000006993\n000000 00 fe 00 01 52 \n0.0000009093\r\n000000 00 FF 00 02 04 03",
      as: "pm3-list-x")
    #expect(frameLines(trace.events).string == "R 52\nT 0403\n")
    #expect(trace.events.map(\.start) == [.zero, .carrierCycles(2_100)])
    #expect(trace.events[1].sourceTicks == SourceTicks(start: 9_093))
    #expect(trace.events.allSatisfy { $0.end == nil && !$0.isTimeUnknown })
  }

  @Test(
    "Wrong pairs of -x are bad input with their line",
    arguments: [
      ("0.0000006993\n0.0000006994\n", 2), ("000000 00 fe 00 01 52", 1),
      ("0.0000006993\n000000 00 fe 00 02 52", 2), ("0.0000006993\n000000 00 fc 00 00", 2),
      ("0.0000006993\n000000 00 fe 0", 2), ("0.0000006993\n000000 01 fe 00 01 52", 2),
    ])
  func badPairs(text: String, line: Int) {
    #expect(place(of: text, as: "pm3-list-x") == .line(line))
  }

  @Test("A frame that fills all rows of the client may be cut: a warning says so")
  func shownLength() throws {
    func list(_ count: Int) -> String {
      "0 | 5 | Rdr |" + String(repeating: "aa  ", count: count) + "|     |"
    }
    #expect(try decode(list(323), as: "pm3-list").warnings.isEmpty)
    #expect(try decode(list(324), as: "pm3-list").warnings.count == 1)
    #expect(try decode(list(32_767), as: "pm3-list").events.count == 1)
    #expect(place(of: list(32_768), as: "pm3-list") == .line(1))
  }
}

/// The frame of a radio event.
func radio(_ event: TraceEvent) -> RadioFrame? {
  guard case .radio(_, let frame) = event.content else { return nil }
  return frame
}

/// Where a text is bad input for a format; `nil` if it is good.
func place(of text: String, as name: String) -> BadInput.Place? {
  place(of: Array(text.utf8), as: name)
}

/// Where bytes are bad input for a format; `nil` if they are good.
func place(of bytes: [UInt8], as name: String) -> BadInput.Place? {
  guard let decoder = TraceFormat.all.first(where: { $0.name == name })?.makeDecoder else {
    return nil
  }
  do throws(TraceError) {
    _ = try DecodedTrace.decode([bytes[...]], with: decoder(ImportOptions()))
    return nil
  } catch {
    guard case .badInput(let input) = error else { return nil }
    // A message without these is no help.
    let parts = [input.found, input.expected, input.remedy]
    return parts.contains("") ? nil : input.place
  }
}

extension String {
  fileprivate func replacingLineEnds() -> String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
  }

  fileprivate func uppercasingHex() -> String {
    split(separator: "|", omittingEmptySubsequences: false).map {
      Hexadecimal.bytes(of: String($0)) != nil && $0.contains("da") ? $0.uppercased() : String($0)
    }.joined(separator: "|")
  }

  fileprivate func coloured() -> String {
    split(separator: "|", omittingEmptySubsequences: false)
      .joined(separator: "\u{1B}[33m|\u{1B}[0;1m")
  }
}
