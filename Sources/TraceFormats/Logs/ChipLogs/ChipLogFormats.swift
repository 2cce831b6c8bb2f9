import NFCTrace

extension TraceFormat {
  /// Logs of programs and drivers that talk to a PN53x.
  static var chipLogs: [TraceFormat] {
    [
      .log(
        name: "libnfc-log", summary: "libnfc debug log (LIBNFC_LOG_LEVEL=3)", suffixes: ["log"],
        recognise: recogniseLibnfcLog
      ) { _ in LibnfcLogParser() },
      .log(
        name: "libnfc-output", summary: "output of libnfc programs (nfc-anticol, test dumps)",
        suffixes: ["dump", "txt"], role: .reader, recognise: recogniseLibnfcOutput
      ) { _ in LibnfcToolParser() },
      .log(
        name: "nfcpy-log", summary: "nfcpy transport log (-d nfc.clf -v)", suffixes: ["log"],
        recognise: { sample in
          LogRecognition.best(of: sample) { line in
            NfcpyLogParser.transfer(line) == nil ? .no : .certain
          }
        }
      ) { _ in NfcpyLogParser() },
      .log(
        name: "pn533-dyndbg", summary: "kernel debug lines of pn533 and port100 (dyndbg=+p)",
        suffixes: ["log"],
        recognise: { sample in
          LogRecognition.best(of: sample) { line in
            KernelLogParser.row(line) == nil ? .no : .certain
          }
        }
      ) { _ in KernelLogParser() },
    ]
  }

  private static func recogniseLibnfcLog(_ sample: FileSample) -> Recognition {
    LogRecognition.best(of: sample) { line in
      guard let (_, source, _, hex) = LibnfcLogParser.transfer(line) else {
        // The first pages of a log may hold no transfer at all.
        return LogText.index(of: "libnfc.", in: line) == nil ? .no : .possible
      }
      if source != .bare { return .certain }
      return LogText.isHexPairs(hex) ? .likely : .no
    }
  }

  private static func recogniseLibnfcOutput(_ sample: FileSample) -> Recognition {
    LogRecognition.best(of: sample) { line in
      guard let (form, text) = LibnfcToolParser.payload(line) else { return .no }
      var bits = BitString()
      guard bits.append(text), !bits.bytes.isEmpty else { return .no }
      return form == .bits ? .certain : .likely
    }
  }
}
