import NFCTrace

extension TraceFormat {
  /// Logs of NCI controllers.
  static var nciLogs: [TraceFormat] {
    [
      .log(
        name: "nfcsnoop", summary: "snoop blocks of Android's dumpsys nfc", suffixes: ["txt"],
        recognise: { sample in
          LogRecognition.best(of: sample) { line in
            if LogText.index(of: "--- BEGIN:NFCSNOOP_", in: line) != nil { return .certain }
            return LogText.rest(afterPrefix: "== dumpstate: ", in: line) == nil ? .no : .possible
          }
        }
      ) { _ in NFCSnoopParser() },
      .log(
        name: "nci-log", summary: "NCI packets in logcat, linux_libnfc-nci, kernel, AF_NFC text",
        suffixes: ["log", "txt"], recognise: recogniseNCILog
      ) { _ in NCILogParser() },
    ]
  }

  private static func recogniseNCILog(_ sample: FileSample) -> Recognition {
    LogRecognition.best(of: sample) { line in
      if LogText.rest(afterPrefix: "--------- beginning of ", in: line) != nil { return .possible }
      do throws(TraceError) {
        return try NCILogParser.packet(LogLine(number: 1, bytes: line)) == nil ? .no : .certain
      } catch {
        return .likely
      }
    }
  }
}
