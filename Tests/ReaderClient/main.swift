// A program that uses a reader as told on its command line, one step a word, one line a result.
// Tests run it as a child, with a virtual reader in front of it or none:
//
//   reader-client usb: open firmware poll:2000 close

var client = ClientRun(address: CommandLine.arguments.dropFirst().first ?? "usb:")
for step in CommandLine.arguments.dropFirst(2) { client.perform(step) }
