import Foundation
import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// The pcapng encoding seen by readers that know nothing of Retap.
@Suite struct OwnFormatTests {
  private static let names = [
    "type4-ndef-read", "type2-ndef-read", "phone-ndef-read", "terminal-ndef-read",
    "pn533-type2-read",
  ]

  private func bytes(_ path: String) throws -> [UInt8] {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return try [UInt8](Data(contentsOf: folder.appendingPathComponent(path)))
  }

  private func pcapng(of trace: DecodedTrace) throws -> [UInt8] {
    var encoder = PcapngTraceEncoder()
    var output: [UInt8] = []
    try encoder.begin(#require(trace.header), into: &output)
    for event in trace.events { try encoder.encode(event, into: &output) }
    try encoder.finish(#require(trace.ending), into: &output)
    return output
  }

  /// Without our blocks and without any option of a packet.
  private func stripped(_ bytes: [UInt8]) throws -> [UInt8] {
    var reader = PcapngReader()
    reader.append(bytes[...])
    let writer = PcapngWriter()
    var output: [UInt8] = []
    while let item = try reader.next() {
      switch item {
      case .section: writer.section(into: &output)
      case .interface(let interface): writer.interface(interface, into: &output)
      case .packet(let packet):
        writer.packet(
          interface: packet.interface, timestamp: packet.timestamp, data: Array(packet.data),
          originalLength: packet.originalLength, into: &output)
      case .block: break
      }
    }
    return output
  }

  private func list(_ events: [TraceEvent]) -> String {
    var lister = FrameLister()
    var output = TextBuffer()
    for event in events { lister.append(event, to: &output) }
    return output.string
  }

  @Test(arguments: names)
  func framesAreRightWithoutOurOptions(name: String) throws {
    let trace = try DecodedTrace.decode(
      bytes("captures/\(name).retap"), with: TextTraceDecoder())
    let foreign = try stripped(pcapng(of: trace))
    let sample = FileSample(bytes: foreign, isWhole: true)
    let format = try #require(
      TraceFormat.all.max { $0.recognise(sample) < $1.recognise(sample) })
    #expect(format.name != "retap-pcapng")
    let makeDecoder = try #require(format.makeDecoder)
    let decoder = makeDecoder(ImportOptions())
    let read = try DecodedTrace.decode(foreign, with: decoder)
    #expect(list(read.events) == list(trace.events))
    func starts(_ events: [TraceEvent]) -> [Int64] {
      events.filter { if case .radio = $0.content { true } else { false } }.map(\.start.count)
    }
    let origin = starts(trace.events).first ?? 0
    let first = starts(read.events).first ?? 0
    #expect(
      starts(read.events).map { $0 - first } == starts(trace.events).map { $0 - origin })
  }

  @Test func knowsBothEncodings() throws {
    let text = try bytes("captures/compat/v1/sample.retap")
    let pcapng = try bytes("captures/compat/v1/sample.pcapng")
    for (bytes, name) in [(text, "retap"), (pcapng, "retap-pcapng")] {
      let sample = FileSample(bytes: bytes, isWhole: true)
      for format in TraceFormat.all {
        #expect(
          (format.recognise(sample) == .certain) == (format.name == name),
          "\(format.name) takes a file of \(name)")
      }
    }
    let newer = FileSample(bytes: Array("retap 2\n".utf8), isWhole: true)
    #expect(TraceFormat.retapText.recognise(newer) == .certain)
  }
}
