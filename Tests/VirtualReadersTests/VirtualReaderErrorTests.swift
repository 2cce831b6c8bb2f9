import Testing
import VirtualReaders

struct VirtualReaderErrorTests {
  @Test func anErrorKeepsItsStepAndReason() {
    let error = VirtualReaderError.failed(step: "open", reason: "No such file or directory")
    #expect(error != .failed(step: "open", reason: ""))
  }
}
