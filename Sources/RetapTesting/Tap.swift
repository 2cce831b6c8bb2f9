public import NFCProtocols
public import Replay
import Synchronization
public import TagAccess

/// One replay of a recording in a test: the recorded card to read, or the recorded terminal.
///
/// Time is virtual: nothing waits, and work that the code under test would need is declared
/// (`cost`). A tap is played once, from its beginning, in one of the three ways below.
public final class Tap: Sendable {
  @TaskLocal static var bound: Tap?

  /// The recording of the running test.
  ///
  /// - Throws: `TapError.noRecording` in a test without the trait `.replay(…)`.
  public static var current: Tap {
    get throws(TapError) {
      guard let tap = bound else { throw .noRecording }
      return tap
    }
  }

  /// The exchanges of the recording.
  public let script: ReplayScript
  let options: ReplayOptions
  let testName: String
  private let state: Mutex<State>

  private enum State: @unchecked Sendable {
    // Unchecked: a run holds `any TagReading` values, and only ever lives behind the mutex.
    case untouched
    case session(ReaderRun<APDUSession>)
    case ended(ReplayOutcome)
  }

  init(
    _ recording: RecordingFile, layer: ReplayLayer?, options: ReplayOptions, testName: String
  ) throws(TapError) {
    var lifting = TraceLifting(header: recording.header)
    for event in recording.events { lifting.add(event) }
    let preferred = layer.map { [$0] } ?? [.apdu, .radio]
    let scripts = preferred.map { lifting.script($0) }
    guard let script = scripts.first(where: { !$0.entries.isEmpty }) else {
      throw .replay(
        .nothingToReplay(
          found: "no exchanges of a card", expected: "frames or APDUs",
          remedy: "look at the trace with retap show"))
    }
    self.script = script
    self.options = options
    self.testName = testName
    state = Mutex(.untouched)
  }

  // MARK: The test is a reader

  /// Reads the recorded tag with the built-in `TagReader`.
  public func read(
    _ configuration: TagReaderConfiguration? = nil
  ) throws(TapError) -> TagReadResult {
    let reader = TagReader(configuration ?? TagReaderConfiguration([script.technology]))
    let ended = try play(reader: reader)
    switch ended.result {
    case .success(let result)?: return result
    case .failure(let error)?: throw failure ?? .lost(error)
    case nil: throw failure ?? .ended("the reader did not come to an end")
    }
  }

  /// Sets any reader of your own in front of the recorded card and runs it to its end.
  ///
  /// - Returns: The reader as it ended.
  public func play<Reader: RadioEndpoint & Sendable>(
    reader: Reader
  ) throws(TapError) -> Reader {
    let result: Result<Reader, TapError> = state.withLock { state in
      guard case .untouched = state else { return .failure(.alreadyInUse) }
      var run = script.run(reader: reader, options)
      var stop = run.run()
      while Self.goesOn(stop, waitsFor: .reader) && run.card.matcher.divergence == nil {
        stop = run.run()
      }
      let outcome = script.outcome(of: &run, options, stop: stop, failure: nil)
      state = .ended(outcome)
      return .success(run.reader.base)
    }
    return try result.get()
  }

  /// Sends one command APDU to the recorded card and returns its response.
  ///
  /// The card is activated before the first command.
  /// - Parameter cost: The work of the code under test before this command, in virtual time.
  public func transmit(
    _ command: [UInt8], cost: Nanoseconds = .zero
  ) throws(TapError) -> [UInt8] {
    let result: Result<[UInt8], TapError> = state.withLock { state in
      var run: ReaderRun<APDUSession>
      switch state {
      case .untouched:
        let session = APDUSession(TagReaderConfiguration([script.technology]))
        run = script.run(reader: session, options)
      case .session(let going): run = going
      case .ended(let outcome):
        return .failure(Self.failure(of: outcome, tap: self) ?? .alreadyInUse)
      }
      run.answer(.reader, command, after: cost)
      var stop = run.run()
      while Self.goesOn(stop, waitsFor: .reader), run.card.matcher.divergence == nil {
        stop = run.run()
      }
      if case .application(.reader, let response) = stop {
        state = .session(run)
        return .success(response)
      }
      let session = run.reader.base
      let outcome = script.outcome(of: &run, options, stop: stop, failure: nil)
      state = .ended(outcome)
      if let failure = Self.failure(of: outcome, tap: self) { return .failure(failure) }
      if case .failure(let error)? = session.result { return .failure(.lost(error)) }
      return .failure(.ended("the recorded card gave no answer"))
    }
    return try result.get()
  }

  // MARK: The test is a card

  /// Presents a card to the recorded terminal and runs to the end of the recording.
  ///
  /// - Returns: The card as it ended.
  public func present<Card: EmulatedCard>(
    _ card: Card, configuration: CardEmulatorConfiguration = CardEmulatorConfiguration()
  ) throws(TapError) -> Card {
    let result: Result<Card, TapError> = state.withLock { state in
      guard case .untouched = state else { return .failure(.alreadyInUse) }
      let emulator = CardEmulator(card, configuration: configuration)
      var run = script.run(card: emulator, options)
      var stop = run.run()
      while Self.goesOn(stop, waitsFor: .reader) && run.reader.matcher.divergence == nil {
        stop = run.run()
      }
      let outcome = script.outcome(of: &run, options, stop: stop, failure: nil)
      state = .ended(outcome)
      if let failure = Self.failure(of: outcome, tap: self) { return .failure(failure) }
      guard let ended = run.card.base.application as? Card else {
        return .failure(.ended("the emulator lost its card"))
      }
      return .success(ended)
    }
    return try result.get()
  }

  // MARK: The end

  /// True if the run has more to do before whoever drives it is concerned.
  private static func goesOn(_ stop: RunStop, waitsFor side: RunSide) -> Bool {
    switch stop {
    case .application(let speaker, _): speaker != side
    case .finished(let finished): finished != side
    case .idle, .budgetExhausted: false
    }
  }

  /// What the ended run says is wrong, if anything.
  private var failure: TapError? {
    state.withLock { state in
      if case .ended(let outcome) = state { return Self.failure(of: outcome, tap: self) }
      return nil
    }
  }

  private static func failure(of outcome: ReplayOutcome, tap: Tap) -> TapError? {
    switch outcome.verdict {
    case .agreed: nil
    case .diverged(let divergence):
      .diverged(report: tap.report(outcome, divergence))
    case .failed, .exhausted: .ended(outcome.line)
    }
  }

  private func report(_ outcome: ReplayOutcome, _ divergence: Divergence) -> String {
    let describer = ScriptDescriber(script)
    return DivergenceReport(
      outcome, divergence, repeatCommand: "swift test --filter \(filter)",
      describe: { describer.describe($0, $1, at: $2) }
    ).text
  }

  private var filter: String { String(testName.prefix { $0 != "(" }) }

  /// Ends a session that is still open and says what the run came to.
  func close() -> TapEnding {
    state.withLock { state in
      if case .session(var run) = state {
        run.endApplication(.reader)
        var stop = run.run()
        while Self.goesOn(stop, waitsFor: .reader) { stop = run.run() }
        state = .ended(script.outcome(of: &run, options, stop: stop, failure: nil))
      }
      guard case .ended(let outcome) = state else {
        return TapEnding(
          outcome: nil,
          problem: "the test never talked to its recording: use Tap.current.read(), "
            + "transmit(_:) or present(_:)")
      }
      let problem: String? =
        switch outcome.verdict {
        case .agreed: nil
        case .diverged(let divergence): report(outcome, divergence)
        case .failed, .exhausted: outcome.line
        }
      return TapEnding(outcome: outcome, problem: problem)
    }
  }
}

/// What a run came to, and what is wrong with it if anything.
struct TapEnding: Sendable {
  var outcome: ReplayOutcome?
  var problem: String?
}
