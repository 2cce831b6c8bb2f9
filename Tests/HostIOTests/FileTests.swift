import Foundation
import HostIO
import NFCProtocols
import Synchronization
import Testing

struct FileTests {
  private let folder = NSTemporaryDirectory() + "retap-\(UUID().uuidString)"

  @Test func aFileAppearsOnlyWhenCommitted() throws {
    try Folder.make(folder)
    let path = folder + "/out.bin"
    do {
      var abandoned = try OutputFile(path: path)
      try abandoned.write([1, 2, 3])
    }
    #expect(try Folder.names(in: folder).isEmpty)
    var file = try OutputFile(path: path)
    try file.write([1, 2, 3])
    #expect(!FileManager.default.fileExists(atPath: path))
    try file.commit()
    #expect(try Folder.names(in: folder) == ["out.bin"])
    #expect(try InputFile.readAll(path: path, limit: 3) == [1, 2, 3])
    #expect(try InputFile.readAll(path: path, limit: 2) == nil)
  }

  @Test func foldersAndMissingFilesAreTypedErrors() {
    #expect(throws: HostError.cannotRead(path: "/", reason: "Is a directory")) {
      _ = try InputFile(path: "/").size
    }
    #expect(throws: HostError.cannotRead(path: "/missing", reason: "No such file or directory")) {
      _ = try InputFile(path: "/missing").size
    }
    #expect(throws: HostError.cannotWrite(path: "/missing/x", reason: "No such file or directory"))
    {
      _ = try OutputFile(path: "/missing/x").path
    }
  }

  @Test func everyItemIsWorkedOnOnce() {
    let sums = Mutex([Int](repeating: 0, count: 100))
    WorkerThreads.run(count: 100, threads: 4) { item in sums.withLock { $0[item] += item } }
    #expect(sums.withLock { $0 } == Array(0..<100))
    WorkerThreads.run(count: 0, threads: 4) { _ in Issue.record("there is nothing to do") }
  }
}

/// Outputs that are no ordinary file, and folders with loops.
struct SpecialFileTests {
  private let folder = NSTemporaryDirectory() + "retap-\(UUID().uuidString)"

  @Test func aLinkIsFollowedAndStays() throws {
    try Folder.make(folder)
    let (target, link) = (folder + "/target", folder + "/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
    var file = try OutputFile(path: link)
    try file.write([7])
    try file.commit()
    #expect(try InputFile.readAll(path: target, limit: 9) == [7])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target")
    #expect(try Folder.regularFiles(below: folder) == [link, target])
  }

  @Test func aPipeIsWrittenToAndStaysAPipe() throws {
    try Folder.make(folder)
    let path = folder + "/pipe"
    var reader = try ChildProcess(shell: "mkfifo '\(path)' && echo made && cat '\(path)'")
    let first = reader.readLine(timeout: .seconds(10))
    #expect(first == .line(Array("made".utf8)))
    var file = try OutputFile(path: path)
    try file.write(Array("through\n".utf8))
    try file.commit()
    let second = reader.readLine(timeout: .seconds(10))
    #expect(second == .line(Array("through".utf8)))
    #expect(FileKind(path).isSpecial)
    #expect(try Folder.regularFiles(below: folder).isEmpty)
  }

  @Test func aLoopOfLinksIsWalkedOnce() throws {
    try Folder.make(folder + "/inner")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/inner/self", withDestinationPath: folder)
    var file = try OutputFile(path: folder + "/inner/trace")
    try file.write([1])
    try file.commit()
    #expect(try Folder.regularFiles(below: folder) == [folder + "/inner/trace"])
  }
}
