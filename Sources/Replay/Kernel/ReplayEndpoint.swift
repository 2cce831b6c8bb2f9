public import NFCProtocols

/// An endpoint that knows where in the recorded exchanges it stands.
public protocol ReplayEndpoint: RadioEndpoint {
  /// The number (from 1) of the exchange that a frame sent now in `direction` belongs to.
  ///
  /// 0 means that this endpoint cannot tell.
  func exchangeNumber(of direction: Direction) -> Int
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
