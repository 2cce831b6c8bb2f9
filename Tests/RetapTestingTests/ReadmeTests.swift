import NFCProtocols
import Replay
import RetapTesting
import TagAccess
import Testing

// The Swift examples of README.md, word for word.

@Test(.replay("captures/type4-ndef-read.retap"))
func readsTheTicket() throws {
  let tag = try Tap.current.read()
  #expect(tag.ndef?.records.count == 2)
}

@Test(.replay("captures/phone-ndef-read.retap"))
func selectsTheApplicationFirst() throws {
  let tap = try Tap.current
  let select: [UInt8] = [
    0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
  ]
  #expect(try tap.transmit(select) == [0x90, 0x00])
  // The recording goes on: what is never asked for would fail the test as left over.
  for entry in tap.script.entries.dropFirst() { _ = try tap.transmit(entry.command.bytes) }
}

/// Knows the NDEF application and nothing else.
struct PassCard: EmulatedCard {
  var application: NDEFCard

  mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
    var answer = application.respond(to: command)
    answer.processing = .milliseconds(3)  // declared work, in virtual time
    return answer
  }
}

@Test(.replay("captures/terminal-ndef-apdus.retap"))
func servesTheTerminal() throws {
  let pass = NDEFMessage([.uri("https://example.org/pass/7")])
  _ = try Tap.current.present(PassCard(application: NDEFCard(pass)))
}
