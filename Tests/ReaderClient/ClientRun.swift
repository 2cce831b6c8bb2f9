import Glibc
import HostIO
import NFCProtocols
import PN53x
import USBLink

/// Writes one line at once: whoever reads it may be waiting for it.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// The steps of the client and what it holds meanwhile.
struct ClientRun: ~Copyable {
  private let address: String
  private let interruption: Interruption?
  private var session: ReaderSession<USBReaderLink>?
  private var link: USBReaderLink?

  init(address: String) {
    self.address = address
    interruption = try? Interruption()
  }

  /// Does one step, `name` or `name:argument`, and prints what came of it.
  mutating func perform(_ step: String) {
    let parts = step.split(separator: ":", maxSplits: 1).map(String.init)
    let argument = parts.count > 1 ? parts[1] : ""
    do throws(ReaderSessionError) {
      switch parts[0] {
      case "open": try open()
      case "identify": try identify()
      case "close": close()
      case "interrupt": interrupt(after: argument)
      case "watch": try watch(argument)
      case "link", "send", "events": try perform(link: parts[0], argument)
      default: try perform(command: parts[0], argument)
      }
    } catch {
      say("\(parts[0]): \(Self.word(error)): \(error.message.split(separator: "\n")[0])")
    }
  }

  /// The kind of an error in one word.
  private static func word(_ error: ReaderSessionError) -> String {
    switch error {
    case .interrupted: "interrupted"
    case .command(let failure):
      failure.link == .ended ? "ended" : failure.link == .cancelled ? "cancelled" : "failed"
    case .link(let error): word(error)
    }
  }

  private static func word(_ error: HostLinkError) -> String {
    switch error {
    case .notFound: "not-found"
    case .badAddress: "bad-address"
    case .noPermission: "no-permission"
    case .busy: "busy"
    case .gone: "gone"
    case .timedOut: "timed-out"
    case .failed: "failed"
    }
  }

  // MARK: Sessions

  private func opened() throws(ReaderSessionError) -> USBReaderLink {
    do throws(HostLinkError) {
      return try USBReaderLink(ReaderAddress(address), interruption: interruption)
    } catch {
      throw .link(error)
    }
  }

  private mutating func open() throws(ReaderSessionError) {
    session = nil
    let link = try opened()
    let reader = link.reader
    var new = ReaderSession(link, reader.configuration, descriptors: reader.descriptors)
    try new.open()
    say("open: \(reader.title)")
    session = consume new
  }

  private func identify() throws(ReaderSessionError) {
    let link = try opened()
    let configuration = link.reader.configuration
    var new = ReaderSession(link, configuration)
    let version = try new.identify()
    say("identify: \(version.version).\(version.revision)")
  }

  private mutating func close() {
    link = nil
    guard let session = session.take() else { return say("close: nothing was open") }
    say("close: \(session.close().map(Self.word) ?? "done")")
  }

  private func interrupt(after milliseconds: String) {
    guard let interruption, let delay = UInt32(milliseconds) else { return }
    // The process may end first; then nobody is left to be woken.
    _ = WakingThread.start(interruption, after: delay)
    say("interrupt: in \(delay) ms")
  }

  private mutating func perform(
    command name: String, _ argument: String
  ) throws(ReaderSessionError) {
    guard session != nil else { return say("\(name): nothing is open") }
    switch name {
    case "firmware":
      let response = try session?.perform(.getFirmwareVersion)
      if case .firmwareVersion(let version) = response {
        say("firmware: \(version.version).\(version.revision)")
      }
    case "poll":
      // For ever, or until it is interrupted, or until the time is over.
      let endless = RFConfigurationItem.maximumRetries(atr: 0, psl: 1, passiveActivation: 0xFF)
      _ = try session?.perform(.rfConfiguration(endless))
      let timing: CommandTiming? = Int64(argument).map { .patience(.milliseconds($0)) }
      let response = try session?.perform(
        .inListPassiveTarget(maximum: 1, .typeA106, initiatorData: []), timing)
      if case .passiveTargets(let targets) = response { say("poll: \(targets.count)") }
    case "echo":
      let bytes = (0..<(Int(argument) ?? 0)).map { UInt8($0 & 0xFF) }
      let response = try session?.perform(.diagnose(test: 0, parameters: bytes))
      if case .diagnose(let content) = response {
        say("echo: \(content.dropFirst().elementsEqual(bytes) ? "same" : "other") bytes")
      }
    case "exchanges":
      for _ in 0..<(Int(argument) ?? 1) { _ = try session?.perform(.getFirmwareVersion) }
      say("exchanges: \(argument)")
    case "series":
      var series = Series(left: Int(argument) ?? 1)
      try session?.run(&series)
      say("series: \(argument), \(series.failures) failed")
    default: say("\(name): unknown step")
    }
  }

  /// The same command again and again, from inside the link's event handling.
  private struct Series: SessionAgenda {
    var left: Int
    var failures = 0

    mutating func begin(at now: VirtualInstant) -> SessionMove {
      guard left > 0 else { return .done }
      left -= 1
      return .inputs([.perform(.getFirmwareVersion, .within(.milliseconds(250)))])
    }

    mutating func completed(_ outcome: CommandOutcome, at now: VirtualInstant) -> SessionMove {
      if case .failure = outcome.result { failures += 1 }
      return begin(at: now)
    }
  }

  // MARK: The bare link

  private mutating func perform(
    link step: String, _ argument: String
  ) throws(ReaderSessionError) {
    if step == "link" {
      link = try opened()
      return say("link: \(link?.reader.title ?? "")")
    }
    guard link != nil else { return say("\(step): nothing is open") }
    do throws(HostLinkError) {
      if step == "send" {
        try link?.send(Self.bytes(argument))
      } else {
        try printEvents(for: .milliseconds(Int64(argument) ?? 0))
      }
    } catch {
      throw .link(error)
    }
  }

  private mutating func printEvents(for time: Nanoseconds) throws(HostLinkError) {
    let deadline = MonotonicClock.now() + time
    while let event = try link?.nextEvent(until: deadline) {
      switch event.kind {
      case .sent: say("events: sent")
      case .received(let bytes): say("events: received \(Hexadecimal.pairs(bytes))")
      case .stalled: say("events: stalled")
      case .interrupted: say("events: interrupted")
      }
    }
    say("events: end")
  }

  private static func bytes(_ text: String) -> [UInt8] {
    if let count = Int(text) { return [UInt8](repeating: 0, count: count) }
    var digits = text.utf8.makeIterator()
    var bytes: [UInt8] = []
    while let high = digits.next(), let low = digits.next() {
      bytes.append(UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) ?? 0)
    }
    return bytes
  }

  // MARK: Plugging

  /// Waits for a number of changes.
  private func watch(_ argument: String) throws(ReaderSessionError) {
    do throws(HostLinkError) {
      var watch = try ReaderWatch(interruption: interruption)
      say("watch: begins")
      for _ in 0..<(Int(argument) ?? 1) {
        switch try watch.next(until: nil) {
        case .arrived(let device): say("watch: arrived \(device.identity.text)")
        case .left(let device): say("watch: left \(device.identity.text)")
        case .interrupted: say("watch: interrupted")
        case nil: say("watch: nothing")
        }
      }
    } catch {
      throw .link(error)
    }
  }
}
