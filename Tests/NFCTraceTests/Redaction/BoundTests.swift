import NFCProtocols
import Testing

@testable import NFCTrace

/// Bounds and odd input of what redaction is made of.
@Suite struct RedactionBoundTests {
  @Test func memoryEndsAtItsBound() {
    var image = MemoryImage()
    let byte = TracedBytes([1], event: 0)
    #expect(image.accepts(byte, at: MemoryImage.maximumLength - 1))
    #expect(!image.accepts(byte, at: MemoryImage.maximumLength))
    #expect(!image.accepts(byte, at: -1))
    image.store(byte, at: 4)
    #expect(image.accepts(byte, at: 4))
    #expect(!image.accepts(TracedBytes([2], event: 1), at: 4))
  }

  @Test("stretches that touch become one, whatever their order; copies are places too")
  func stretches() {
    var image = MemoryImage()
    image.store(TracedBytes([4, 5], event: 1), at: 4)
    image.store(TracedBytes([9], event: 2), at: 9)
    image.store(TracedBytes([2, 3, 4], event: 3), at: 2)
    #expect(image.views.map(\.bytes) == [[2, 3, 4, 5], [9]])
    let places = image.views[0][2..<3].runs.map(\.place)
    #expect(
      places == [
        TracePlace(event: 3, part: .bytes, offset: 2, count: 1),
        TracePlace(event: 1, part: .bytes, offset: 0, count: 1),
      ])
  }

  @Test("lengths of data objects that lie are no data objects")
  func dataObjects() {
    #expect(TLVItem([0x5A, 0x02, 1], at: 0, end: 3) == nil)
    #expect(TLVItem([0x5A, 0x84, 1, 1, 1, 1], at: 0, end: 6) == nil)
    #expect(TLVItem([0x9F], at: 0, end: 1) == nil)
    #expect(TLVItem([0x9F, 0xFF, 0xFF, 0xFF, 1], at: 0, end: 5) == nil)
    #expect(TLVItem([0x5A, 0x82, 0xFF, 0xFF], at: 0, end: 4, allowsCut: true)?.value == 4..<4)
    #expect(TLVItem.list([0x00, 0x5A, 0x01, 0x07, 0xFF], in: 0..<5)?.map(\.value) == [3..<4])
  }

  @Test("templates in templates, deeper than any card has them")
  func deepTemplates() {
    var value = object("5A", hex(TestCard.number))
    for _ in 0..<7 { value = object("70", value) }
    #expect(CardDataRule.find(in: TracedBytes(value, event: 0), allowsCut: false).count == 1)
    value = object("70", value)
    #expect(CardDataRule.find(in: TracedBytes(value, event: 0), allowsCut: false).isEmpty)
  }
}
