import NFCProtocols

/// The activation of one tag, technology by technology, as a dialogue of frames.
struct TagActivation: Sendable {
  /// What follows an answer.
  enum Move: Hashable, Sendable {
    case request(FrameRequest)
    /// The tag is active; `quiet` is the guard time that it asks for.
    case done(quiet: Nanoseconds)
  }

  let configuration: TagReaderConfiguration
  private(set) var tag = TagIdentity(.a, identifier: [])
  /// The parameters of the block protocol if the tag speaks it.
  private(set) var isoDep: IsoDepParameters?
  private(set) var timings = IsoDepTimings()
  private var level = CascadeLevel.one
  private var parts: [CascadeLevel.Part] = []
  private var pending: FrameRequest?

  init(_ configuration: TagReaderConfiguration) { self.configuration = configuration }

  /// The frame that looks for a tag of a technology.
  mutating func poll(_ technology: Technology) -> FrameRequest {
    tag = TagIdentity(technology, identifier: [])
    isoDep = nil
    level = .one
    parts = []
    let limits = configuration.limits
    let frame: RadioFrame
    let duration: Nanoseconds
    switch technology {
    case .a:
      let command: TypeACommand = configuration.wakesHaltedCards ? .wakeUp : .request
      frame = command.frame
      duration = limits.typeAFixedDelay
    case .b:
      frame =
        TypeBCommand.request(
          RequestB(
            afi: configuration.applicationFamily, isWakeUp: configuration.wakesHaltedCards)
        ).frame
      duration = limits.typeBRequest
    case .f:
      frame =
        FeliCaCommand.polling(
          systemCode: FeliCaCommand.anySystem, requestCode: Self.systemCodeRequest, timeSlots: 0
        ).frame
      duration = FeliCaTiming.pollingLimit(slots: 1)
    case .v:
      frame = VicinityRequest.inventory().frame
      duration = limits.vicinityAnswer
    }
    return remember(
      FrameRequest(
        step: .poll(technology), frame: frame, limit: TimeLimit(.frameDelayTime, duration),
        attempts: 1))
  }

  /// Request code 1 of Polling: the tag is to name its system code.
  private static let systemCodeRequest: UInt8 = 1

  /// Takes the answer to the last request.
  mutating func answered(_ frame: RadioFrame) throws(TagAccessError) -> Move {
    guard let request = pending else {
      preconditionFailure("an answer was given to an activation that asked nothing")
    }
    switch request.step {
    case .poll(.a): return try typeAFound(frame, request)
    case .poll(.b): return try typeBFound(frame, request)
    case .poll(.f): return try felicaFound(frame, request)
    case .poll(.v): return try vicinityFound(frame, request)
    case .anticollision: return try partLearnt(frame, request)
    case .select: return try selected(frame, request)
    case .rats: return try ratsAnswered(frame, request)
    case .pps: return try ppsAnswered(frame, request)
    case .attrib: return try attribAnswered(frame, request)
    default: preconditionFailure("activation has no such step")
    }
  }

  private mutating func remember(_ request: FrameRequest) -> FrameRequest {
    pending = request
    return request
  }

  private mutating func request(
    _ step: TagAccessError.Step, _ frame: RadioFrame, _ limit: TimeLimit
  ) -> Move {
    .request(
      remember(
        FrameRequest(
          step: step, frame: frame, limit: limit, attempts: configuration.activationAttempts)))
  }

  // MARK: Type A

  private var fixedDelay: TimeLimit {
    TimeLimit(.frameDelayTime, configuration.limits.typeAFixedDelay)
  }

  private mutating func typeAFound(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame, hasCRC: false)
    tag.atqa = try request.decoded(bytes) { (bytes) throws(ProtocolError) in try ATQA(bytes) }
    return anticollision()
  }

  private mutating func anticollision() -> Move {
    request(
      .anticollision(level: level.index + 1),
      TypeACommand.anticollision(level, .none).frame, fixedDelay)
  }

  private mutating func partLearnt(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame, hasCRC: false)
    let part = try request.decoded(bytes) { (bytes) throws(ProtocolError) in
      try CascadeLevel.Part(bytes)
    }
    parts.append(part)
    return self.request(
      .select(level: level.index + 1), TypeACommand.select(level, part).frame, fixedDelay)
  }

  private mutating func selected(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    let sak = try request.decoded(bytes) { (bytes) throws(ProtocolError) in try SAK(bytes) }
    if !sak.isUIDComplete {
      guard let next = level.next else {
        throw request.error(
          .unexpectedAnswer(Array(bytes), expected: "a SAK without bit 3 at cascade level 3"))
      }
      level = next
      return anticollision()
    }
    let known = parts
    let uid = try request.decoded(bytes) { (_) throws(ProtocolError) in try UID(joining: known) }
    tag.identifier = uid.bytes
    tag.sak = sak
    guard sak.supportsISODEP else { return .done(quiet: .zero) }
    let rats = RATS(
      frameSizeIndex: configuration.frameSizeIndex, cid: configuration.cid ?? 0)
    return self.request(
      .rats, .protected(rats.bytes, .a, kilobitsPerSecond: 106),
      TimeLimit(.activation, configuration.limits.activation))
  }

  private mutating func ratsAnswered(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    let ats = try request.decoded(bytes) { (bytes) throws(ProtocolError) in try ATS(bytes) }
    tag.ats = ats
    isoDep = IsoDepParameters(
      technology: .a, cardFrameSize: ats.frameSize,
      deviceFrameSize: FrameSize.bytes(ofIndex: configuration.frameSizeIndex),
      cid: ats.supportsCID ? configuration.cid : nil)
    timings = IsoDepTimings(
      ats.frameWaitingTime, waitingTimeMargin: configuration.waitingTimeMargin)
    timings.deviceFrameDelay = configuration.limits.pauseA
    if let divisors = configuration.divisors {
      let pps = PPS(cid: configuration.cid ?? 0, divisors: divisors)
      return self.request(
        .pps, .protected(pps.bytes, .a, kilobitsPerSecond: 106),
        TimeLimit(.activation, configuration.limits.activation))
    }
    return .done(quiet: ats.startUpFrameGuardTime.duration)
  }

  private mutating func ppsAnswered(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    let expected = PPS(cid: configuration.cid ?? 0).answer
    guard bytes.elementsEqual(expected) else {
      throw request.error(
        .unexpectedAnswer(Array(bytes), expected: Hexadecimal.pairs(expected)))
    }
    if let divisors = configuration.divisors {
      isoDep?.kilobitsPerSecond = 106 << UInt16(divisors.readerToCard)
    }
    return .done(quiet: tag.ats?.startUpFrameGuardTime.duration ?? .zero)
  }

  // MARK: Type B

  private mutating func typeBFound(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    let atqb = try request.decoded(bytes) { (bytes) throws(ProtocolError) in try ATQB(bytes) }
    tag.atqb = atqb
    tag.identifier = atqb.pupi
    guard atqb.supportsISODEP else { return .done(quiet: .zero) }
    let attrib = Attrib(
      pupi: atqb.pupi, frameSizeIndex: configuration.frameSizeIndex,
      cid: atqb.supportsCID ? configuration.cid ?? 0 : 0)
    timings = IsoDepTimings(
      atqb.frameWaitingTime, waitingTimeMargin: configuration.waitingTimeMargin)
    timings.deviceFrameDelay = configuration.limits.pauseB
    return self.request(
      .attrib, TypeBCommand.attrib(attrib).frame,
      TimeLimit(
        .frameWaitingTime, atqb.frameWaitingTime.duration + configuration.waitingTimeMargin))
  }

  private mutating func attribAnswered(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    _ = try request.decoded(bytes) { (bytes) throws(ProtocolError) in try AttribAnswer(bytes) }
    guard let atqb = tag.atqb else {
      preconditionFailure("ATTRIB was sent without an ATQB")
    }
    isoDep = IsoDepParameters(
      technology: .b, cardFrameSize: atqb.frameSize,
      deviceFrameSize: FrameSize.bytes(ofIndex: configuration.frameSizeIndex),
      cid: atqb.supportsCID ? configuration.cid : nil)
    return .done(quiet: atqb.startUpFrameGuardTime.duration)
  }

  // MARK: FeliCa and ISO/IEC 15693

  private mutating func felicaFound(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    let response = try request.decoded(bytes) { (bytes) throws(ProtocolError) in
      try FeliCaResponse(bytes)
    }
    guard case .polling(let idm, let pmm, let data) = response else {
      throw request.error(.unexpectedAnswer(Array(bytes), expected: "an answer to Polling"))
    }
    tag.identifier = idm.bytes
    tag.pmm = pmm
    if data.count == 2 { tag.systemCode = UInt16(data[0]) << 8 | UInt16(data[1]) }
    return .done(quiet: .zero)
  }

  private mutating func vicinityFound(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Move {
    let bytes = try request.content(of: frame)
    let inventory = try request.decoded(bytes) { (bytes) throws(ProtocolError) in
      try VicinityResponse(bytes).inventory()
    }
    tag.identifier = inventory.uid.reversed()
    tag.dsfid = inventory.dsfid
    return .done(quiet: .zero)
  }
}

extension FrameRequest {
  /// The command without its CRC.
  var command: [UInt8] { Array(frame.content()) }

  func error(_ problem: TagAccessError.Problem) -> TagAccessError {
    TagAccessError(step, command: command, problem)
  }

  /// The bytes of an answer in front of its CRC, which is always computed if it is there.
  func content(
    of answer: RadioFrame, hasCRC: Bool = true
  ) throws(TagAccessError) -> ArraySlice<UInt8> {
    if answer.isCollision { throw error(.collision) }
    if answer.isTruncated || answer.lastByteBits != 8 || answer.crc == .bad {
      throw error(.damagedAnswer(answer.bytes))
    }
    guard hasCRC, answer.crc != .notCaptured else { return answer.bytes[...] }
    guard CRC16(of: frame.technology ?? .a).check(answer.bytes) else {
      throw error(.damagedAnswer(answer.bytes))
    }
    return answer.bytes.dropLast(CRC16.byteCount)
  }

  func decoded<Value>(
    _ bytes: ArraySlice<UInt8>,
    _ decode: (ArraySlice<UInt8>) throws(ProtocolError) -> Value
  ) throws(TagAccessError) -> Value {
    do {
      return try decode(bytes)
    } catch {
      throw self.error(.malformed(error, Array(bytes)))
    }
  }
}
