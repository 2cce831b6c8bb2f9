public import NFCProtocols

/// An endpoint that knows where in the recorded exchanges it stands.
public protocol ReplayEndpoint: RadioEndpoint {
  /// The number (from 1) of the exchange that a frame sent now in `direction` belongs to.
  ///
  /// 0 means that this endpoint cannot tell.
  func exchangeNumber(of direction: Direction) -> Int

  /// The number of the exchange that a limit set now belongs to; 0 for activation and DESELECT
  /// where these are below matching.
  func exchangeNumber(of limit: TimeLimit) -> Int

  /// When the answer that this endpoint is about to give begins, as far as it knows it already.
  var answerDue: VirtualInstant? { get }
}

extension ReplayEndpoint {
  /// The exchange of the command that goes out.
  public func exchangeNumber(of limit: TimeLimit) -> Int { exchangeNumber(of: .outbound) }

  /// Most endpoints send an answer as soon as they have it.
  public var answerDue: VirtualInstant? { nil }
}

extension TimeLimit {
  /// True if the limit is for frames that carry no APDU: activation and DESELECT.
  var isBelowAPDUs: Bool { kind == .activation || kind == .frameDelayTime }
}

/// Code that a run tests: an endpoint that knows nothing of any recording.
public struct CodeUnderTest<Base: RadioEndpoint>: ReplayEndpoint {
  /// The endpoint itself.
  public var base: Base

  /// Wraps an endpoint.
  public init(_ base: Base) { self.base = base }

  /// Passes the input on.
  @inlinable
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    base.step(input, at: now, into: &outputs)
  }

  /// Always 0: code under test cannot tell.
  public func exchangeNumber(of direction: Direction) -> Int { 0 }
}

extension CodeUnderTest: Sendable where Base: Sendable {}
