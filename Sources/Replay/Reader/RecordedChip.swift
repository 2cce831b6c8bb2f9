public import NFCProtocols
public import PN53x

/// The chip of a recording in a simulated reader: `ReplayedChip` as a `ChipEndpoint`.
public struct RecordedChip: ChipEndpoint, Sendable {
  /// The recorded chip, with the comparison so far.
  public private(set) var base: ReplayedChip
  private var scratch: [RadioOutput] = []

  /// Wraps a recorded chip.
  public init(_ base: ReplayedChip) { self.base = base }

  /// Makes the chip of a script of the layer `chip`.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none,
    isForgiving: Bool = false
  ) {
    base = ReplayedChip(script, policy: policy, masks: masks, isForgiving: isForgiving)
  }

  /// Notes exchanges that the host never asked for.
  public mutating func close(at now: VirtualInstant) { base.close(at: now) }

  /// Takes one input; what happens on the air is not recorded and ignored.
  public mutating func step(
    _ input: ChipInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch input {
    case .start: pass(.start, at: now, into: &outputs)
    case .host(let bytes): pass(.received(RadioFrame(bytes)), at: now, into: &outputs)
    case .timer(let timer): pass(.timer(timer), at: now, into: &outputs)
    case .radio: break
    }
  }

  private mutating func pass(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    var batch: [RadioOutput] = []
    swap(&batch, &scratch)
    base.step(input, at: now, into: &batch)
    for output in batch {
      switch output {
      case .send(let frame, let after):
        outputs.append(.host(frame.bytes, after: after))
        // The next part of the answer counts from here; a repeated response has no next part.
        if after == .zero { pass(.sent, at: now, into: &outputs) }
      case .setTimer(let timer, let instant): outputs.append(.setTimer(timer, at: instant))
      case .cancelTimer(let timer): outputs.append(.cancelTimer(timer))
      case .note(let note): outputs.append(.radio(.note(note)))
      case .field, .awaitAnswer, .application, .finished: break
      }
    }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &scratch)
  }
}
