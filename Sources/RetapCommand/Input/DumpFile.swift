import HostIO
import NFCProtocols
import TraceFormats
import VirtualCards

/// A card dump: the state of a card, as other tools store it.
struct DumpFile {
  var path: String
  var format: CardDumpFormat
  var image: CardImage

  /// Reads `path` if it looks more like a card dump than like any trace.
  ///
  /// - Returns: `nil` if it is no dump.
  /// - Throws: `CommandError.badInput` if it is one and damaged.
  static func read(_ path: String) throws(CommandError) -> DumpFile? {
    // A pipe can be read only once, and what comes out of one is a trace.
    guard path != "-", FileKind(path).isRegular else { return nil }
    let content: [UInt8]?
    do throws(HostError) {
      content = try InputFile.readAll(path: path, limit: CardDump.greatestByteCount)
    } catch {
      throw .host(error)
    }
    guard let bytes = content else { return nil }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let sample = FileSample(bytes: bytes, isWhole: true, name: name, fileSize: bytes.count)
    guard let match = CardDump.recognise(sample) else { return nil }
    let start = FileSample(
      bytes: Array(bytes.prefix(TraceFormat.sampleLength)),
      isWhole: bytes.count <= TraceFormat.sampleLength, name: name, fileSize: bytes.count)
    let asTrace =
      TraceFormat.all.filter { $0.makeDecoder != nil }
      .map { $0.recognise(start) }.max() ?? .no
    guard match.recognition > asTrace else { return nil }
    do {
      let image = try CardDump.read(bytes, name: name)
      return DumpFile(path: path, format: match.format, image: image)
    } catch {
      throw .badInput(file: path, error)
    }
  }

  /// The page that `retap info` shows.
  var text: String {
    """
    \(path)
      format  \(format.rawValue): \(format.summary)
      card    \(image.summary)

    """
  }

  /// The object that `retap info --json` writes.
  func write(into json: inout JSONLineWriter) {
    json.beginObject()
    json.member("file", path)
    json.member("format", format.rawValue)
    json.beginObject("card")
    json.member("kind", image.kindName)
    json.member("uid", hex: image.uid)
    json.member("summary", image.summary)
    json.endObject()
    json.endObject()
    json.endLine()
  }
}
