public import NFCProtocols

/// A reader chip as a state machine between a host link and the air: modelled or recorded.
///
/// Like `RadioEndpoint` it takes one input at an instant and returns commands; whoever drives it
/// owns time.
public protocol ChipEndpoint {
  /// Takes one input and appends the commands that it causes to `outputs`, in order.
  mutating func step(_ input: ChipInput, at now: VirtualInstant, into outputs: inout [ChipOutput])
}

/// What can happen to a chip.
public enum ChipInput: Hashable, Sendable {
  /// The chip gets power. Sent once, before everything else.
  case start
  /// The bytes of one OUT transfer, or of one piece of a serial stream, have arrived.
  case host([UInt8])
  /// Something happened on the air: `receiving`, `received` and `sent` of frames, and
  /// `fieldChanged` for a field that is not the chip's own (target mode).
  case radio(RadioInput)
  /// A timer that the chip set has run out.
  case timer(RadioTimer)
}

/// What a chip may ask for.
public enum ChipOutput: Hashable, Sendable {
  /// Hand one IN transfer to the host (an ACK, a response, an error frame); it leaves `after` from
  /// now. Transfers reach the host in the order in which they were put out.
  case host([UInt8], after: Nanoseconds)
  /// Do something on the air: `field`, `send`, `awaitAnswer` and `note` of `RadioOutput`.
  case radio(RadioOutput)
  /// Set a timer, replacing a running one of the same name.
  case setTimer(RadioTimer, at: VirtualInstant)
  /// Cancel a timer; harmless if it is not running.
  case cancelTimer(RadioTimer)
  /// The chip now waits for the field of another reader (target mode), or does so no more.
  ///
  /// A driver brings a terminal near when it hears this; a card in the field needs no such word.
  case listening(isOn: Bool)
}
