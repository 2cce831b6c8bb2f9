public import HostIO
public import NFCTrace

/// A trace in text form that is written while it happens, event by event.
///
/// Whatever ends the program, the file holds every event that was written, and reads as cut off
/// (`complete: false`) unless `finish` has closed it. Memory does not grow with the trace.
public struct TraceRecording: ~Copyable {
  /// The events written so far.
  public private(set) var eventCount = 0
  /// The bytes written so far.
  public var byteCount: Int { file.length }
  private var file: AppendedFile
  private var encoder: TextTraceEncoder
  private var record: [UInt8] = []

  /// Begins a recording; a file that is there already is left alone.
  public init(path: String, header: TraceHeader) throws(TraceRecordingError) {
    var encoder = TextTraceEncoder()
    var record: [UInt8] = []
    do throws(TraceError) { try encoder.begin(header, into: &record) } catch {
      throw .trace(error)
    }
    file = try Self.makeFile(path, beginning: record)
    self.encoder = encoder
  }

  private static func makeFile(
    _ path: String, beginning: [UInt8]
  ) throws(TraceRecordingError) -> AppendedFile {
    do throws(HostError) {
      var file = try AppendedFile(path: path)
      try file.append(beginning)
      return file
    } catch {
      throw .host(error)
    }
  }

  /// Writes one event.
  ///
  /// - Throws: `host` if the disk is full; the recording can then only be given up, and the file is
  ///   whole up to the event before. `trace` for an event that the form cannot hold.
  public mutating func write(_ event: TraceEvent) throws(TraceRecordingError) {
    do throws(TraceError) { try encoder.encode(event, into: &record) } catch {
      record.removeAll(keepingCapacity: true)
      throw .trace(error)
    }
    try flush()
    eventCount += 1
  }

  /// Closes the trace with its seal, and brings it to the disk.
  public consuming func finish() throws(TraceRecordingError) {
    let ending = TraceEnding(isComplete: true)
    do throws(TraceError) { try encoder.finish(ending, into: &record) } catch {
      throw .trace(error)
    }
    try flush()
    do throws(HostError) { try file.close() } catch { throw .host(error) }
  }

  private mutating func flush() throws(TraceRecordingError) {
    defer { record.removeAll(keepingCapacity: true) }
    do throws(HostError) { try file.append(record) } catch { throw .host(error) }
  }
}

/// Why a recording could not be begun or go on.
public enum TraceRecordingError: Error, Hashable, Sendable {
  /// The file could not be made or written.
  case host(HostError)
  /// An event cannot be said in the text form.
  case trace(TraceError)
}
