import NFCProtocols
import NFCTrace
import Replay
import Testing
import TraceFormats

/// What is attached to a failed test: the report, the run log, the timeline and the recording.
struct Evidence {
  var recording: RecordingFile
  var ending: TapEnding

  /// Attaches everything to the running test.
  func attach(_ sourceLocation: SourceLocation) {
    if let problem = ending.problem {
      Attachment.record(problem, named: "divergence.txt", sourceLocation: sourceLocation)
    }
    if let outcome = ending.outcome {
      let log = String(decoding: outcome.log.text, as: UTF8.self)
      Attachment.record(log, named: "run-log.txt", sourceLocation: sourceLocation)
    }
    Attachment.record(timeline, named: "timeline.txt", sourceLocation: sourceLocation)
    if let trace = traceText {
      Attachment.record(trace, named: "recording.retap", sourceLocation: sourceLocation)
    }
  }

  /// What `retap show` would say of the recording.
  private var timeline: String {
    var interpreter = TraceInterpreter(header: recording.header)
    var interpretation = Interpretation()
    let writer = TimelineWriter(showsNumbers: true)
    var text = TextBuffer(capacity: 65_536)
    for (index, event) in recording.events.enumerated() {
      interpreter.interpret(event, into: &interpretation)
      writer.write(event, interpretation, number: index + 1, to: &text)
    }
    return text.string
  }

  /// The recording in the text form of Retap, whatever it was read from.
  private var traceText: String? {
    guard let format = TraceFormat.all.first(where: { $0.name == "retap" }),
      var encoder = format.makeEncoder?(ExportOptions())
    else { return nil }
    var output: [UInt8] = []
    do throws(TraceError) {
      try encoder.begin(recording.header, into: &output)
      for event in recording.events { try encoder.encode(event, into: &output) }
      try encoder.finish(TraceEnding(isComplete: true), into: &output)
    } catch {
      return nil
    }
    return String(decoding: output, as: UTF8.self)
  }
}
