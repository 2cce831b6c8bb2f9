public import Replay
public import Testing

/// Hands a test the other side of a recording: a card to read, or a terminal to serve.
///
/// ```swift
/// @Test(.replay("captures/type4-ndef-read.retap"))
/// func readsTheTag() throws {
///   let tag = try Tap.current.read()
///   #expect(tag.ndef?.records.count == 1)
/// }
/// ```
/// The test fails if its code and the recording disagree, even if it has no expectation of its
/// own; the report, the run log and the recording's timeline are attached to the failure.
public struct ReplayTrait: TestTrait, TestScoping, Sendable {
  let path: String
  let layer: ReplayLayer?
  let options: Result<ReplayOptions, TapError>
  let testFile: String
  let sourceLocation: SourceLocation

  /// Runs the test with `Tap.current` bound to the recording, then judges the run.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let recording = try RecordingFile.read(path, near: testFile)
    let tap = try Tap(recording, layer: layer, options: options.get(), testName: test.name)
    var thrown: (any Error)?
    do {
      try await Tap.$bound.withValue(tap) { try await function() }
    } catch {
      thrown = error
    }
    let ending = tap.close()
    if let problem = ending.problem {
      Issue.record(Comment(rawValue: problem), sourceLocation: sourceLocation)
      Evidence(recording: recording, ending: ending).attach(sourceLocation)
    } else if thrown != nil {
      Evidence(recording: recording, ending: ending).attach(sourceLocation)
    }
    // A divergence was recorded above with its report; saying it twice would only bury it.
    if let thrown, !(thrown is TapError && ending.problem != nil) { throw thrown }
  }
}

extension Trait where Self == ReplayTrait {
  /// Plays a recording to the test.
  ///
  /// - Parameters:
  ///   - path: The recording, from the package's folder or from the test file's or one above it.
  ///   - layer: What is compared: `.radio` frames or `.apdu`s. By default APDUs where the
  ///     recording holds any, else frames.
  ///   - faults: Faults in the text form of the command line, for example `late(14,+6.2ms)`.
  ///   - masks: Fields that may differ, for example `uid,nonce`.
  ///   - policy: A looser way of matching, for example `repeats`.
  public static func replay(
    _ path: String, layer: ReplayLayer? = nil, faults: String = "", masks: String = "",
    policy: String = "strict", testFile: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> ReplayTrait {
    ReplayTrait(
      path: path, layer: layer,
      options: Result { () throws(TapError) in
        try TapError.translating { () throws(ReplayError) in
          ReplayOptions(
            policy: try MatchPolicy.parse(policy),
            masks: masks.isEmpty ? .none : try MaskSet.parse(masks),
            faults: faults.isEmpty ? [] : try FaultText.parse(faults))
        }
      },
      testFile: testFile, sourceLocation: sourceLocation)
  }
}
