public import NFCTrace

/// Takes the exchanges of all layers out of a trace, in one pass over its events.
public struct TraceLifting: Sendable {
  private var radio: RadioLifting
  private var apdus: APDULifting
  private var chip = ChipLifting()
  private var index = 0

  /// Makes a lifting for a trace with this header.
  public init(header: TraceHeader) {
    radio = RadioLifting(header: header)
    apdus = APDULifting(header: header)
  }

  /// Takes the next event.
  public mutating func add(_ event: TraceEvent) {
    radio.add(event, index: index)
    apdus.add(event, index: index)
    chip.add(event, index: index)
    index += 1
  }

  /// The exchanges of one layer; they may be none.
  public func script(_ layer: ReplayLayer) -> ReplayScript {
    switch layer {
    case .radio: radio.finish()
    case .apdu: apdus.finish()
    case .chip: chip.finish()
    }
  }

  /// The lowest layer that the trace holds exchanges of: what a trace is played against itself at.
  public func lowestScript() throws(ReplayError) -> ReplayScript {
    for layer in [ReplayLayer.chip, .radio, .apdu] {
      let script = script(layer)
      if !script.entries.isEmpty { return script }
    }
    throw .nothingToReplay(
      found: "\(index) events without a command", expected: "at least one command",
      remedy: "look at the trace with retap show")
  }
}
