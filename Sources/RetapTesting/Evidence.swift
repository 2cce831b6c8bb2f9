import NFCTrace
import Replay
import Testing
import TraceFormats

/// What is attached to a failed test: the report, the run log and the recording.
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
    if let trace = traceText {
      Attachment.record(trace, named: "recording.retap", sourceLocation: sourceLocation)
    }
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
