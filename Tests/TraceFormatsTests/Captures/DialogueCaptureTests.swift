import Foundation
import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// usbmon captures of real clients and of the real Linux kernel, beside their text.
@Suite(.enabled(if: SharedFolder.isExpected, "no shared folder beside this checkout"))
struct DialogueCaptureTests {
  static let dialogues = [
    "pn533-usb_libnfc_nfc-anticol_t4", "pn533-usb_libnfc_nfc-list_none",
    "pn533-usb_libnfc_nfc-list_t4", "pn533-usb_libnfc_nfc-poll_none",
    "pn533-usb_libnfc_nfc-poll_t4-removed", "pn533-usb_nfcpy_listen_none",
    "pn533-usb_nfcpy_read_t4", "pn533-usb_nfcpy_read_ul", "pn533-usb_nfcpy_sense_none",
    "pn533-usb_nfcpy_write_ul",
  ]

  private func decode(_ path: String) throws -> DecodedTrace {
    let bytes = try SharedFolder.bytes("dialogues/" + path)
    let format = try #require(CaptureDecoding.format(of: bytes))
    #expect(format.name == "pcap")
    return try CaptureDecoding.decode(bytes, as: format)
  }

  /// What went over the bulk endpoints, one line a transfer, against the simulator's own log.
  @Test(arguments: dialogues)
  func transfersAreThoseOfTheLog(_ name: String) throws {
    let trace = try decode(name + ".pcap")
    let log = String(
      decoding: try SharedFolder.bytes("dialogues/\(name).log"), as: UTF8.self)
    func lines(_ mark: String) -> [String] {
      log.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count >= 3, words[1] == mark.prefix(1), words[2] == mark.suffix(2) else {
          return nil
        }
        return words.count > 3 ? String(words[3]) : ""
      }
    }
    func transfers(_ direction: Direction) -> [String] {
      trace.events.compactMap(\.transfer)
        .filter {
          $0.transport == .usbBulk && $0.direction == direction && $0.outcome == .completed
        }
        .map { transfer in
          var buffer = TextBuffer()
          buffer.append(compactHex: transfer.bytes)
          return buffer.string
        }
    }
    #expect(transfers(.outbound) == lines("> 04"))
    #expect(transfers(.inbound).filter { !$0.isEmpty } == lines("< 84").filter { !$0.isEmpty })
  }

  /// How the kernel ended transfers when a client let them time out, the device stalled or left.
  @Test(arguments: [
    ("10-libusb-timeout-unlink", [LinkTransfer.Outcome.cancelled]),
    ("11-libusb-stall-proto", [.stall, .failed(status: -71)]),
  ])
  func faultsOfTheKernel(_ name: String, _ outcomes: [LinkTransfer.Outcome]) throws {
    let trace = try decode("usbmon-vhci/\(name).pcap")
    let found = Set(trace.events.compactMap(\.transfer).map(\.outcome))
    #expect(found.isSuperset(of: outcomes))
    #expect(trace.header?.reader?.address?.hasPrefix("usb:") ?? false)
  }

  @Test(arguments: [
    "01-enumerate", "02-kernel-pn533_usb-probe", "04-kernel-unbind", "05-libnfc-nfc-list",
    "06-libnfc-scan-device", "07-libnfc-nfc-list-notag", "08-usbip-detach",
    "12-libusb-server-drop", "13-libusb-usbip-detach",
  ])
  func bulkTransfersAreThoseOfTheText(_ name: String) throws {
    let trace = try decode("usbmon-vhci/\(name).pcap")
    let found = trace.events.compactMap(\.transfer)
      .filter { $0.transport == .usbBulk && $0.direction == .inbound }
      .map { transfer in
        var buffer = TextBuffer()
        buffer.append(compactHex: transfer.bytes)
        return buffer.string
      }
    let text = String(
      decoding: try SharedFolder.bytes("dialogues/usbmon-vhci/\(name).txt"), as: UTF8.self)
    // ` 0.621854 C bulk dev2 ep84 st=0 len=6  0000ff00ff00`
    var completions: [String] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 6, words[1] == "C", words[2] == "bulk", words[4] == "ep84" else {
        continue
      }
      completions.append(words.count > 7 ? words[7] : "")
    }
    #expect(found == completions)
  }
}
