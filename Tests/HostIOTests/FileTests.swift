import Foundation
import HostIO
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
