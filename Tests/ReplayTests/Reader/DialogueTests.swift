import NFCProtocols
import PN53x
import ProtocolTesting
import Replay
import Testing
import VirtualCards

/// What unmodified libnfc and nfcpy said to a prototype, said to the model.
///
/// Only the host side is authentic; the prototype's answers are what those programs accepted.
/// Left out: dialogues in which the card is taken away at some moment of the wall clock.
@Suite(.enabled(if: SharedFolder.isExpected, "needs the folder 'shared' beside the checkout"))
struct DialogueTests {
  static let names = [
    "pn532-hsu_libnfc_nfc-anticol_ul", "pn532-hsu_libnfc_nfc-list_none",
    "pn532-hsu_libnfc_nfc-list_t4", "pn532-hsu_libnfc_nfc-list_ul",
    "pn532-hsu_libnfc_nfc-mfultralight-read_ul", "pn532-hsu_libnfc_nfc-mfultralight-write_ul",
    "pn532-hsu_libnfc_nfc-scan-device", "pn532-hsu_nfcpy_read_t4", "pn532-hsu_nfcpy_read_ul",
    "pn532-hsu_nfcpy_sense_none", "pn532-hsu_nfcpy_listen_none",
    "pn533-usb_libnfc_nfc-anticol_t4", "pn533-usb_libnfc_nfc-list_none",
    "pn533-usb_libnfc_nfc-list_t4", "pn533-usb_libnfc_nfc-poll_none",
    "pn533-usb_nfcpy_read_t4", "pn533-usb_nfcpy_read_ul", "pn533-usb_nfcpy_write_ul",
    "pn533-usb_nfcpy_sense_none", "pn533-usb_nfcpy_listen_none",
  ]

  private func card(_ name: String) throws -> (any RadioEndpoint)? {
    let message = SampleCards.message
    if name.contains("_t4") {
      var image = CardImage.type4(uid: SampleCards.uid, ndefMessage: message)
      image.atqa = [0x44, 0x03]
      return try image.makeCard()
    }
    guard name.contains("_ul") else { return nil }
    let pages: [UInt8] =
      [
        0x04, 0x11, 0x22, 0xBF, 0x33, 0x44, 0x55, 0x66, 0x44, 0x48, 0, 0, 0xE1, 0x10, 0x06, 0, 3,
        12,
      ]
      + message + [0xFE]
    let rest = [UInt8](repeating: 0, count: 64 - pages.count)
    return try CardImage(
      kind: .type2(.ultralight), uid: SampleCards.uid,
      memory: CardMemory(unitSize: 4, bytes: pages + rest)
    ).makeCard()
  }

  private func frames(_ bytes: [[UInt8]]) -> [HostFrame] {
    var decoder = HostFrameDecoder()
    var events: [HostFrameEvent] = []
    for piece in bytes { decoder.decode(piece, into: &events) }
    return events.compactMap { event in
      if case .frame(let frame) = event { return frame }
      return nil
    }
  }

  @Test(arguments: names)
  func answersComeInTheSameOrder(_ name: String) throws {
    let lines = try RecordedDialogue.lines(name)
    let isUSB = name.hasPrefix("pn533")
    var reader = SimulatedReader(
      chip: ChipModel(isUSB ? .pn533(latency: .zero) : .pn532(latency: .zero)),
      card: try card(name))
    var expected: [[UInt8]] = []
    var played: [[UInt8]] = []
    for (index, line) in lines.enumerated() {
      guard line.isHost else {
        expected.append(line.bytes)
        continue
      }
      let deadline = reader.now + .seconds(1)
      while frames(played).count < frames(expected).count, let next = reader.nextInstant,
        next <= deadline
      {
        reader.advance(to: next)
        played += reader.takeDeliveries().map(\.bytes)
      }
      // A pause in which the recorded chip said nothing passes here as well.
      if index > 0, lines[index - 1].isHost {
        reader.advance(to: reader.now + (line.at - lines[index - 1].at))
        played += reader.takeDeliveries().map(\.bytes)
      }
      if line.card == "none" {
        reader.removeCard(at: reader.now)
      } else {
        reader.host(line.bytes, at: reader.now)
      }
      reader.advance(to: reader.now)
      played += reader.takeDeliveries().map(\.bytes)
    }
    reader.advance(to: reader.now + .seconds(1))
    played += reader.takeDeliveries().map(\.bytes)
    compare(frames(expected), frames(played), name)
  }

  /// The prototype made register values and what its cards say up; states and lengths are not.
  private func isInvented(_ ours: [UInt8], _ theirs: [UInt8]) -> Bool {
    switch ours[1] {
    case 0x07: ours.count == theirs.count
    case 0x43: ours.count == theirs.count && ours[2] == theirs[2] && ours[2] == 0
    default: false
    }
  }

  private func compare(_ expected: [HostFrame], _ played: [HostFrame], _ name: String) {
    #expect(played.count == expected.count, "\(name): number of frames")
    for (index, pair) in zip(expected, played).enumerated() {
      let (theirs, ours) = (pair.0.body, pair.1.body)
      guard ours.prefix(2) == theirs.prefix(2) else {
        Issue.record(
          "frame \(index + 1): \(Hexadecimal.pairs(ours)), not \(Hexadecimal.pairs(theirs))")
        return
      }
      #expect(
        ours == theirs || isInvented(ours, theirs),
        "frame \(index + 1): \(Hexadecimal.pairs(ours)), not \(Hexadecimal.pairs(theirs))")
    }
  }
}
