import NFCProtocols

/// Follows commands and responses of a card and puts together what was read and written.
struct CardTracer: Sendable {
  private var pending = Pending.other
  /// The data of the response so far, over GET RESPONSE and further frames.
  private var response = TracedBytes()
  /// The data of a chained command so far (ISO/IEC 7816-4, 5.1.1.1).
  private var command = TracedBytes()
  private var image = MemoryImage()
  private var shortFile: UInt8?
  private var isNative = false

  /// What the answer to the last command will hold.
  private enum Pending: Sendable {
    case other
    case binary(offset: Int, isWrapped: Bool)
  }

  // MARK: Memory

  /// Takes bytes of the memory of the card.
  mutating func store(_ bytes: TracedBytes, at address: Int, into views: inout TracedViews) {
    if !image.accepts(bytes, at: address) { flush(into: &views) }
    guard image.accepts(bytes, at: address) else { return views.add(bytes, .frame) }
    image.store(bytes, at: address)
  }

  /// Gives what is known of the memory to look at, and forgets it.
  mutating func flush(into views: inout TracedViews) {
    for view in image.views { views.add(view, .memory) }
    image.removeAll()
  }

  /// The card has gone or another one has come.
  mutating func forget(into views: inout TracedViews) {
    finishResponse(into: &views)
    command.removeAll()
    flush(into: &views)
    shortFile = nil
    pending = .other
  }

  // MARK: APDUs

  /// Takes a command APDU, or a native command of a DESFire.
  mutating func take(command apdu: TracedBytes, into views: inout TracedViews) {
    isNative = APDUText.isNative(apdu.bytes[...])
    if isNative {
      if apdu.bytes.first != 0xAF { finishResponse(into: &views) }
      return views.add(apdu[min(1, apdu.count)..<apdu.count], .commandData)
    }
    guard apdu.count >= 4 else { return views.add(apdu, .frame) }
    let bytes = apdu.bytes
    let goesOn = bytes[1] == 0xC0 || bytes[0] == 0x90 && bytes[1] == 0xAF
    if !goesOn { finishResponse(into: &views) }
    let data = apdu[Self.data(of: bytes)]
    command.append(data)
    // Bit 5 of the class: the data go on in the next command.
    guard bytes[0] & 0x90 != 0x10 || command.count > MemoryImage.maximumLength else { return }
    let whole = command
    command.removeAll()
    if !goesOn { take(bytes, whole, into: &views) }
    if !whole.isEmpty { views.add(whole, .commandData) }
  }

  private mutating func take(
    _ bytes: [UInt8], _ data: TracedBytes, into views: inout TracedViews
  ) {
    pending = .other
    switch bytes[1] {
    case 0xA4:
      flush(into: &views)
      shortFile = nil
    case 0xB0, 0xD6:
      var offset = Int(bytes[2]) << 8 | Int(bytes[3])
      if bytes[2] & 0x80 != 0 {
        // P1 names a file (ISO/IEC 7816-4, 7.2.3).
        select(shortFile: bytes[2] & 0x1F, into: &views)
        offset = Int(bytes[3])
      }
      if bytes[1] == 0xB0 {
        pending = .binary(offset: offset, isWrapped: false)
      } else {
        store(data, at: offset, into: &views)
      }
    case 0xB1:
      if bytes[2] == 0, bytes[3] != 0 { select(shortFile: bytes[3], into: &views) }
      // The offset stands in tag 54, the answer in tag 53.
      guard data.count >= 3, data.bytes[0] == 0x54 else { return }
      let offset = data.bytes[2...].prefix(3).reduce(0) { $0 << 8 | Int($1) }
      pending = .binary(offset: offset, isWrapped: true)
    default: break
    }
  }

  private mutating func select(shortFile file: UInt8, into views: inout TracedViews) {
    if file != shortFile { flush(into: &views) }
    shortFile = file
  }

  /// Where the data of a command stand: behind Lc, in its short or its extended form.
  private static func data(of bytes: [UInt8]) -> Range<Int> {
    guard bytes.count > 5 else { return bytes.count..<bytes.count }
    let isExtended = bytes[4] == 0 && bytes.count > 7
    let start = isExtended ? 7 : 5
    let length = isExtended ? Int(bytes[5]) << 8 | Int(bytes[6]) : Int(bytes[4])
    return start..<min(start + length, bytes.count)
  }

  /// Takes a response APDU, or the answer to a native command.
  mutating func take(response apdu: TracedBytes, into views: inout TracedViews) {
    let bytes = apdu.bytes
    if isNative {
      response.append(apdu[min(1, apdu.count)..<apdu.count])
      if bytes.first != 0xAF || response.count > MemoryImage.maximumLength {
        finishResponse(into: &views)
      }
      return
    }
    guard bytes.count >= 2 else { return views.add(apdu, .frame) }
    response.append(apdu[0..<(bytes.count - 2)])
    let isMoreToCome =
      bytes[bytes.count - 2] == 0x61
      || bytes[bytes.count - 2] == 0x91 && bytes[bytes.count - 1] == 0xAF
    if !isMoreToCome || response.count > MemoryImage.maximumLength {
      finishResponse(into: &views)
    }
  }

  private mutating func finishResponse(into views: inout TracedViews) {
    let whole = response
    response.removeAll()
    defer { pending = .other }
    guard !whole.isEmpty else { return }
    guard case .binary(let offset, let isWrapped) = pending else {
      return views.add(whole, .responseData)
    }
    if isWrapped, let item = TLVItem(whole.bytes, at: 0, end: whole.count), item.tag == 0x53 {
      store(whole[item.value], at: offset, into: &views)
    } else {
      store(whole, at: offset, into: &views)
    }
  }
}
