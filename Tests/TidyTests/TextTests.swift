import Foundation
import Testing

/// Rules on the text of all files.
struct TextTests {
  /// The longest file that is still one idea; see "Small files" in ARCHITECTURE.md.
  private static let maximumLines = 450

  @Test func linesAreShortAndEndCleanly() {
    for file in Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests") {
      for (number, line) in file.lines.enumerated() {
        let place = "\(file.path):\(number + 1)"
        #expect(line.utf8.last != 0x20 && !line.utf8.contains(0x09), "\(place): blanks")
        // Tests hold foreign logs word for word, in multi-line strings.
        let isFree = file.path.hasPrefix("Tests/") || line.utf8.contains(0x22)
        #expect(isFree || line.utf8.count <= 100 || line.count <= 100, "\(place): over 100 columns")
      }
    }
  }

  @Test func openEndsHaveAReason() {
    for word in ["TO" + "DO", "FIX" + "ME"] {
      for file in Repository.swiftFiles(below: "Sources")
      where file.text.contains(word) {
        for (number, line) in file.lines.enumerated() where line.contains(word) {
          #expect(
            line.contains("\(word)("), "\(file.path):\(number + 1): \(word)(reason) is the form")
        }
      }
    }
  }

  @Test func filesAreShort() {
    for file in Repository.swiftFiles(below: "Sources") {
      #expect(file.lines.count <= Self.maximumLines, "\(file.path): \(file.lines.count) lines")
    }
  }

  @Test func nothingIsCalledAfterNothing() {
    for file in Repository.swiftFiles(below: "Sources") {
      let name = file.path.split(separator: "/").last ?? ""
      for word in ["Manager", "Helper", "Util", "Misc"] {
        #expect(!name.contains(word), "\(file.path)")
        guard file.text.contains(word) else { continue }
        for kind in ["struct", "class", "enum", "protocol", "actor"] {
          #expect(!file.text.contains("\(kind) \(word)"), "\(file.path) declares a \(word)")
        }
      }
    }
  }

  @Test func everyCaptureIsListedWithItsOrigin() throws {
    let folder = Repository.root.appendingPathComponent("captures")
    let list = Repository.text("captures/README.md")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where name.hasSuffix(".retap") || name.hasSuffix(".pcapng") {
      #expect(list.contains(name), "captures/README.md does not name \(name)")
    }
  }
}
