import NFCProtocols
import PN53x

/// Follows the events of a trace and says what each one is, on every layer it touches.
///
/// Frames on the air get their meaning, ISO-DEP is joined to APDUs, host frames are taken apart and
/// what they carry is lifted, NDEF messages are told when they were read as a whole.
public struct TraceInterpreter: Sendable {
  var radio: RadioInterpreter
  var assembler = APDUAssembler()
  var messages = NDEFAssembler()
  var chip = ChipInterpreter()
  var controller = NCIInterpreter()
  var reassembler = LinkReassembler()
  var linkMessages: [LinkMessage] = []
  /// True if the last command was no APDU, so that its answer has no status word.
  var isNativeExchange = false
  /// True if the last frame of the reader was an APDU without a block around it.
  var isBareExchange = false
  /// True if a field event or an assumption of one came before.
  var isFieldKnown = false
  private let isLowFrequency: Bool

  /// Makes an interpreter for the events of one trace, in their order.
  public init(header: TraceHeader?) {
    isLowFrequency = header?.isLowFrequency ?? false
    radio = RadioInterpreter(defaultTechnology: header?.technology)
  }

  /// Says what an event is; afterwards `output` holds the entries of this event only.
  public mutating func interpret(_ event: TraceEvent, into output: inout Interpretation) {
    output.removeAll()
    interpretNext(event.content, into: &output)
  }

  /// Says what events are; afterwards `output` holds the entries of these events only.
  public mutating func interpret(
    _ events: borrowing Span<TraceEvent>, into output: inout Interpretation
  ) {
    output.removeAll()
    for index in events.indices { interpretNext(events[index].content, into: &output) }
  }

  private mutating func interpretNext(
    _ content: TraceEvent.Content, into output: inout Interpretation
  ) {
    interpret(content, into: &output)
    output.endEvent()
  }

  private mutating func interpret(
    _ content: TraceEvent.Content, into output: inout Interpretation
  ) {
    switch content {
    case .radio(let direction, _) where isLowFrequency:
      if !isFieldKnown { tellLowFrequency(into: &output) }
      let start = output.words.bytes.count
      output.add(.radio, direction, .event, wordsFrom: start)
    case .radio(let direction, let frame):
      if !isFieldKnown { assumeField(into: &output) }
      radioFrame(direction, frame, .event, isLifted: false, into: &output)
    case .link(let transfer):
      link(transfer, into: &output)
    case .apdu(let direction, let bytes):
      apdu(direction, bytes[...], .event, isLifted: false, into: &output)
    case .field(let change):
      field(change, into: &output)
    case .application(let direction, let text):
      let start = output.words.bytes.count
      output.words.append(text)
      output.add(.application, direction, .none, wordsFrom: start)
    }
  }

  private mutating func tellLowFrequency(into output: inout Interpretation) {
    isFieldKnown = true
    let start = output.words.bytes.count
    output.words.append("low frequency, 125 kHz: frames are not interpreted")
    output.add(.radio, nil, .none, wordsFrom: start)
  }

  private mutating func assumeField(into output: inout Interpretation) {
    isFieldKnown = true
    let start = output.words.bytes.count
    output.words.append("field on  (assumed: no field event is recorded before this)")
    output.add(.radio, nil, .none, wordsFrom: start, fieldIsOn: true)
  }

  private mutating func field(_ change: FieldChange, into output: inout Interpretation) {
    isFieldKnown = true
    radio.fieldChanged()
    assembler.forget()
    messages.forget()
    let start = output.words.bytes.count
    output.words.append(change.isOn ? "field on" : "field off")
    if let technology = change.technology {
      output.words.append(ascii: 0x20)
      output.words.append(ascii: technology.letter)
    }
    output.add(.radio, nil, .none, wordsFrom: start, fieldIsOn: change.isOn)
  }

  mutating func radioFrame(
    _ direction: Direction, _ frame: RadioFrame, _ source: Interpretation.Source,
    isLifted: Bool, into output: inout Interpretation
  ) {
    let meaning = radio.interpret(direction, frame)
    let start = output.words.bytes.count
    if meaning.kind == .unknown, isBareAPDU(direction, frame) {
      apdu(direction, frame.bytes[...], source, isLifted: isLifted, into: &output)
      return
    }
    meaning.write(frame, to: &output.words)
    let completion = assembler.add(direction, meaning, frame.bytes)
    if case .inFrame(let range) = completion {
      output.words.append("  ")
      if direction == .outbound { isNativeExchange = APDUText.isNative(frame.bytes[range]) }
      write(direction, frame.bytes[range], into: &output.words)
    }
    let isFault =
      meaning.checkValue == .bad || frame.isCollision
      || meaning.kind == .shortAnswer && meaning.first != 0x0A || meaning.kind == .vicinityError
    output.add(
      .radio, direction, source, wordsFrom: start, isLifted: isLifted, isFault: isFault)
    switch completion {
    case .nothing:
      if meaning.kind != .informationBlock,
        messages.add(meaning, frame.bytes, isType2: radio.isType2)
      {
        message(direction, into: &output)
      }
    case .inFrame(let range):
      let place: Interpretation.Source =
        source == .event ? .part(range) : keep(Array(frame.bytes[range]), in: &output)
      apdu(
        direction, frame.bytes[range], place, isLifted: true, isRepetition: true, into: &output)
    case .joined:
      let whole = assembler.joined
      apdu(direction, whole[...], keep(whole, in: &output), isLifted: true, into: &output)
    }
  }

  func keep(_ bytes: [UInt8], in output: inout Interpretation) -> Interpretation.Source {
    output.lifted.append(bytes)
    return .lifted(output.lifted.count - 1)
  }

  mutating func apdu(
    _ direction: Direction, _ bytes: ArraySlice<UInt8>, _ source: Interpretation.Source,
    isLifted: Bool, isRepetition: Bool = false, into output: inout Interpretation
  ) {
    let start = output.words.bytes.count
    if direction == .outbound { isNativeExchange = APDUText.isNative(bytes) }
    write(direction, bytes, into: &output.words)
    output.add(
      .apdu, direction, source, wordsFrom: start, isLifted: isLifted, isRepetition: isRepetition,
      isFault: direction == .inbound && !isNativeExchange && APDUText.isError(bytes))
    switch direction {
    case .outbound: messages.command(bytes)
    case .inbound:
      if messages.response(bytes) { message(direction, into: &output) }
    }
  }

  private func write(
    _ direction: Direction, _ apdu: ArraySlice<UInt8>, into words: inout TextBuffer
  ) {
    switch direction {
    case .outbound: APDUText.writeCommand(apdu, to: &words)
    case .inbound where isNativeExchange: APDUText.writeNativeResponse(apdu, to: &words)
    case .inbound: APDUText.writeResponse(apdu, to: &words)
    }
  }

  /// True for an APDU in a frame by itself, as sources give it that take blocks apart (NFCGate).
  private mutating func isBareAPDU(_ direction: Direction, _ frame: RadioFrame) -> Bool {
    guard frame.crc == .notCaptured, !radio.isTransmissionProtocolActive else { return false }
    if direction == .outbound { isBareExchange = !APDUText.isNative(frame.bytes[...]) }
    return isBareExchange && frame.bytes.count >= 2
  }

  private func message(_ direction: Direction, into output: inout Interpretation) {
    let start = output.words.bytes.count
    NDEFSummary.write(messages.message, to: &output.words)
    output.add(
      .ndef, direction, keep(messages.message, in: &output), wordsFrom: start, isLifted: true)
  }
}
