import Glibc
import HostIO
import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing
import USBLink

@Suite struct TraceRecordingTests {
  private static func path() -> String {
    "/tmp/retap-recording-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).retap"
  }

  private static let events = (0..<20).map { number in
    TraceEvent(
      start: .milliseconds(Int64(number)),
      .link(
        LinkTransfer(
          number % 2 == 0 ? .outbound : .inbound,
          [UInt8](repeating: UInt8(number), count: number * 3))))
  }

  private static func read(_ path: String) throws -> [UInt8] {
    try #require(try InputFile.readAll(path: path, limit: 1 << 20))
  }

  /// Records all events; without `isFinished` as a program does that is killed behind the last.
  private static func record(isFinished: Bool) throws -> [UInt8] {
    let path = path()
    defer { unlink(path) }
    let header = TraceHeader(role: .reader, madeBy: "test")
    var recording = try TraceRecording(path: path, header: header)
    for event in events {
      try recording.write(event)
      let count = recording.byteCount
      let size = try read(path).count
      #expect(size == count, "every event is in the file at once")
    }
    if isFinished {
      try recording.finish()
    } else {
      _ = consume recording
    }
    return try read(path)
  }

  @Test func aFinishedRecordingIsComplete() throws {
    let decoded = try DecodedTrace.decode(
      try Self.record(isFinished: true), with: TextTraceDecoder())
    #expect(decoded.events == Self.events)
    #expect(decoded.ending?.isComplete == true)
    #expect(decoded.warnings.isEmpty)
  }

  @Test("cut at any byte, everything before the last unfinished record is read and it says so")
  func cutAnywhere() throws {
    let whole = try Self.record(isFinished: false)
    let start = try #require(whole.firstRange(of: [0x0A, 0x0A])?.upperBound)
    var wholeLines = 0
    for end in start...whole.count {
      if end > start, whole[end - 1] == 0x0A { wholeLines += 1 }
      let decoded = try DecodedTrace.decode(Array(whole[..<end]), with: TextTraceDecoder())
      #expect(decoded.ending?.isComplete == false)
      // A line without its end counts if it can be read all the same.
      #expect(decoded.events.count == wholeLines || decoded.events.count == wholeLines + 1)
      #expect(decoded.events.prefix(wholeLines) == Self.events.prefix(wholeLines))
    }
    #expect(wholeLines == Self.events.count)
  }

  @Test("a disk that is full ends the recording with a reason")
  func fullDisk() {
    #expect(
      throws: TraceRecordingError.host(
        .cannotWrite(path: "/dev/full", reason: "No space left on device"))
    ) { _ = try TraceRecording(path: "/dev/full", header: TraceHeader()) }
  }

  @Test("an older recording is never overwritten")
  func existingFile() throws {
    let path = Self.path()
    defer { unlink(path) }
    let first = try TraceRecording(path: path, header: TraceHeader())
    try first.finish()
    let before = try Self.read(path)
    #expect(throws: TraceRecordingError.self) {
      _ = try TraceRecording(path: path, header: TraceHeader())
    }
    #expect(try Self.read(path) == before)
  }
}

extension [UInt8] {
  fileprivate func firstRange(of wanted: [UInt8]) -> Range<Int>? {
    (0...(count - wanted.count)).first { self[$0..<($0 + wanted.count)] == wanted[...] }
      .map { $0..<($0 + wanted.count) }
  }
}
