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

  /// The lowest layer that holds the whole trace: what it is played against itself at.
  ///
  /// Frames on the air come before APDUs, unless there are more APDUs than frames: then only the
  /// activation was written down at the lower layer.
  public func lowestScript() throws(ReplayError) -> ReplayScript {
    let chip = script(.chip)
    if !chip.entries.isEmpty { return chip }
    let radio = script(.radio)
    let apdus = script(.apdu)
    let lowest = radio.entries.count >= apdus.entries.count ? radio : apdus
    if !lowest.entries.isEmpty { return lowest }
    throw .nothingToReplay(
      found: "\(index) events without a command", expected: "at least one command",
      remedy: "look at the trace with retap show")
  }
}
