import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// NCI text: packets of the NCI specification, made-up times.
@Suite("Logs of NCI packets")
struct NCILogTests {
  static let logcat = """
    --------- beginning of main
    12-31 23:59:59.900   900  902 D NxpNciX : len =   4 > 20000101
    12-31 23:59:59.900   900  902 D NxpTml  : PN54X - I2C Write successful.....
    01-01 00:00:00.100   900  901 D NxpNciR : len =   6 > 400003001001
    """

  @Test("logcat: X to the chip, R from it, other tags passed over, over the turn of a year")
  func logcat() throws {
    let trace = try decode(Self.logcat, as: "nci-log")
    #expect(frameLines(trace.events).string == "H 20000101\nC 400003001001\n")
    #expect(trace.events.map(\.start.count) == [0, 200_000_000])
    #expect(transfers(trace).allSatisfy { $0.payload == .nci })
  }

  @Test(
    "The other prefixes of logcat and of linux_libnfc-nci",
    arguments: [
      ("D/NxpNciX(  920): len =   4 > 20000101", true),
      ("2024-01-02 19:01:48.201123   920  3943 D NxpNciX : len =   4 > 20000101", false),
      ("1732960000.123   920  3943 D NxpNciX : len =   4 > 20000101", false),
      ("3:564:942 - NxpNciX:     len =   4 > 20000101", false),
    ])
  func prefixes(line: String, isUnknown: Bool) throws {
    let trace = try decode(line, as: "nci-log")
    #expect(frameLines(trace.events).string == "H 20000101\n")
    #expect(trace.events.map(\.isTimeUnknown) == [isUnknown])
  }

  @Test("linux_libnfc-nci counts seconds, milliseconds, microseconds")
  func linuxTimes() throws {
    let trace = try decode(
      "3:564:942 - NxpNciX:     len =   1 > 20\n4:5:1 - NxpNciR:     len =   1 > 40",
      as: "nci-log")
    #expect(trace.events.map(\.start.count) == [0, 440_059_000])
  }

  @Test("Kernel lines have a name in front of the bytes; without the HAL they are the packets")
  func kernelLines() throws {
    let trace = try decode(
      """
      07-24 18:54:26.172     0     0 E nfc write: DATA:                 0000051000000000
      07-24 18:54:26.192     0     0 W i2c_write: allow after maximum wait
      07-24 18:54:26.193     0     0 E nfc nRead: CORE_CONN_CREDITS_NTF  600603010001
      [   12.345678] nfc nRead: 60 06 03 01 00 01
      nfc write: failed
      """, as: "nci-log")
    #expect(
      frameLines(trace.events).string == "H 0000051000000000\nC 600603010001\nC 600603010001\n")
    #expect(trace.events.map(\.comment) == ["DATA", "CORE_CONN_CREDITS_NTF", nil])
    #expect(trace.events.map(\.start.count).prefix(2) == [0, 21_000_000])
    #expect(trace.events[2].isTimeUnknown)
  }

  @Test("Where HAL and kernel log the same packets, each counts once")
  func doubled() throws {
    let trace = try decode(
      """
      07-24 18:54:26.172     0     0 E nfc write: DATA:     00000310A004
      07-24 18:54:26.173   903  3890 D NxpNciX : len =   6 > 00000310A004
      07-24 18:54:26.193     0     0 E nfc nRead: DATA:     0A1400
      07-24 18:54:26.194   903  3889 D NxpNciR : len =   3 > 0A1400
      """, as: "nci-log")
    #expect(frameLines(trace.events).string == "H 00000310a004\nC 0a1400\n")
    #expect(trace.warnings.count == 1)
  }

  @Test("Kernel packets are held back up to a bound, then taken as they are")
  func heldPackets() throws {
    let line = "nfc write: DATA: 000000\n"
    let count = NCILogParser.maximumHeldPackets
    let hal = "NxpNciX : len = 3 > 000000\n"
    let below = String(repeating: line, count: count) + hal
    #expect(try decode(below, as: "nci-log").events.count == 1)
    let above = String(repeating: line, count: count + 1) + hal
    #expect(try decode(above, as: "nci-log").events.count == count + 1)
  }

  @Test("AF_NFC raw tool: length, bytes, words; payloads other than NCI are named")
  func rawSocket() throws {
    let trace = try decode(
      """
      capturing NCI frames
        #1    TX NCI  len=4  20 00 01 01   CMD CORE_RESET
        #2    RX NCI  len=5   40 02 02 00 00
        #3    RX LLCP  len=2   00 00   SYMM
      """, as: "nci-log")
    #expect(frameLines(trace.events).string == "H 20000101\nC 4002020000\n")
    #expect(trace.events.map(\.comment) == ["CMD CORE_RESET", nil, "LLCP: SYMM"])
    #expect(trace.events.allSatisfy { $0.isTimeUnknown })
  }

  @Test("A line that logcat cut short keeps its bytes and its stated length")
  func cutLine() throws {
    let trace = try decode("NxpNciR : len = 6 > 40000300", as: "nci-log")
    #expect(transfers(trace).map(\.originalLength) == [6])
  }

  @Test(
    "Wrong lines are bad input with their line",
    arguments: [
      ("NxpNciX : len = 4 > 2000010", 1), ("\nNxpNciX : len = 1 > 2000", 2),
      ("NxpNciX : len = 4 20000101", 1), ("  #1  TX NCI len=4  20 00 01", 1),
      ("  #1  TX NCI len=4  20 00 01 zz", 1), ("nfc write: 200", 1), ("logcat\n", 1),
    ])
  func badLines(text: String, line: Int) {
    #expect(place(of: text, as: "nci-log") == .line(line))
  }
}
