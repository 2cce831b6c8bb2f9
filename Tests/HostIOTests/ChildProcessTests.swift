import HostIO
import NFCProtocols
import Testing

struct ChildProcessTests {
  @Test func linesGoBothWaysAndTheExitCodeIsKept() throws {
    var child = try ChildProcess(shell: "read a; echo got $a; printf last; exit 3")
    let result1 = child.write(Array("hello\n".utf8))
    #expect(result1)
    let result2 = child.readLine(timeout: .seconds(10))
    #expect(result2 == .line(Array("got hello".utf8)))
    let result3 = child.readLine(timeout: .seconds(10))
    #expect(result3 == .line(Array("last".utf8)))
    let result4 = child.readLine(timeout: .seconds(10))
    #expect(result4 == .closed)
    let result5 = child.wait(timeout: .seconds(10))
    #expect(result5 == .exited(3))
  }

  @Test func aSilentChildTimesOutAndIsKilled() throws {
    var child = try ChildProcess(shell: "sleep 100")
    let result6 = child.readLine(timeout: .milliseconds(5))
    #expect(result6 == .timedOut)
    let result7 = child.wait(timeout: .milliseconds(5))
    #expect(result7 == .killedAfterTimeout)
  }

  @Test func aKilledChildTellsItsSignal() throws {
    let child = try ChildProcess(shell: "kill -9 $$")
    let result8 = child.wait(timeout: .seconds(10))
    #expect(result8 == .signalled(9))
  }

  @Test func writingToAChildThatIsGoneIsNoFault() throws {
    var child = try ChildProcess(shell: "exec 0<&-; echo closed; sleep 100")
    let result9 = child.readLine(timeout: .seconds(10))
    #expect(result9 == .line(Array("closed".utf8)))
    let result10 = child.write(Array("x\n".utf8))
    #expect(!result10)
  }

  @Test func anEndlessLineIsCutOff() throws {
    var child = try ChildProcess(shell: "yes x | tr -d '\\n'")
    let result11 = child.readLine(timeout: .seconds(20))
    #expect(result11 == .tooLong)
  }
}
