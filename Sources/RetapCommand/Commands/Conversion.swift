import HostIO
import NFCTrace

/// One trace on its way from a file through an encoder.
struct Conversion: ~Copyable {
  private var stream: TraceStream
  private var encoder: any TraceEncoder
  private let path: String

  init(stream: consuming TraceStream, encoder: any TraceEncoder, path: String) {
    self.stream = stream
    self.encoder = encoder
    self.path = path
  }

  /// Writes the whole trace to a file, or to standard output for `-`.
  consuming func write(
    to target: String, console: inout Console
  ) throws(CommandError) -> [TraceWarning] {
    if target == "-" {
      var piece: [UInt8] = []
      while try nextPiece(&piece) { try console.print(piece) }
      showRemarks(of: "standard output", &console)
      return stream.warnings
    }
    // The file is read to its end first where both are the same, since renaming replaces it.
    do throws(HostError) {
      var output = try OutputFile(path: target)
      var piece: [UInt8] = []
      while try next(&piece) { try output.write(piece) }
      try output.commit()
    } catch {
      throw failure ?? .host(error)
    }
    if let failure { throw failure }
    showRemarks(of: target, &console)
    return stream.warnings
  }

  /// True if the encoder gives the very bytes of the file.
  consuming func isUnchanged() throws(CommandError) -> Bool {
    var encoded: [UInt8] = []
    var piece: [UInt8] = []
    while try nextPiece(&piece) { encoded += piece }
    do {
      return try InputFile.readAll(path: path, limit: encoded.count) == encoded
    } catch {
      throw .host(error)
    }
  }

  private func showRemarks(of target: String, _ console: inout Console) {
    for remark in encoder.remarks { console.warn("retap: \(target): \(remark)") }
  }

  private var hasBegun = false
  private var hasEnded = false
  private var failure: CommandError?
  private var batch = TraceBatch()

  private mutating func next(_ piece: inout [UInt8]) throws(HostError) -> Bool {
    do {
      return try nextPiece(&piece)
    } catch {
      failure = error
      throw .outputClosed
    }
  }

  private mutating func nextPiece(_ piece: inout [UInt8]) throws(CommandError) -> Bool {
    piece.removeAll(keepingCapacity: true)
    if hasEnded { return false }
    let hasMore = try stream.next(into: &batch)
    do throws(TraceError) {
      if !hasBegun, let header = batch.header {
        try encoder.begin(header, into: &piece)
        hasBegun = true
      }
      for event in batch.events { try encoder.encode(event, into: &piece) }
      if !hasMore {
        if !hasBegun { try encoder.begin(TraceHeader(), into: &piece) }
        try encoder.finish(stream.ending ?? TraceEnding(isComplete: nil), into: &piece)
        hasEnded = true
      }
    } catch {
      throw .badInput(file: path, error)
    }
    return true
  }
}
