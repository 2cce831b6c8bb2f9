/// Joins the information fields of I-blocks into APDUs; repeated blocks count once.
///
/// An APDU that fits into one block is named by its place in the frame and not copied.
public struct APDUAssembler: Sendable {
  /// The APDU that was last joined from a chain.
  public private(set) var joined: [UInt8] = []
  private var outbound: [UInt8] = []
  private var inbound: [UInt8] = []

  /// The longest APDU in bytes that is joined: an extended one with all its lengths (65,544).
  public static let maximumLength = 65_544

  /// Makes an assembler between two APDUs.
  public init() {}

  /// What a block completes.
  public enum Completion: Hashable, Sendable {
    /// No APDU: the frame carries none, is a repetition, or more follows.
    case nothing
    /// An APDU that stands in the frame at these bytes.
    case inFrame(Range<Int>)
    /// The end of a chain; the APDU is in `joined`.
    case joined
  }

  /// Takes the next frame with its meaning.
  public mutating func add(
    _ direction: Direction, _ meaning: RadioMeaning, _ bytes: [UInt8]
  ) -> Completion {
    guard meaning.kind == .informationBlock else {
      if meaning.kind.endsExchange { forget() }
      return .nothing
    }
    guard !meaning.isRetransmission, meaning.checkValue != .bad else { return .nothing }
    let isChaining = meaning.second == 1
    switch direction {
    case .outbound:
      if !inbound.isEmpty { inbound.removeAll(keepingCapacity: true) }
      return Self.add(meaning, isChaining, bytes, to: &outbound, joined: &joined)
    case .inbound:
      return Self.add(meaning, isChaining, bytes, to: &inbound, joined: &joined)
    }
  }

  private static func add(
    _ meaning: RadioMeaning, _ isChaining: Bool, _ bytes: [UInt8], to pieces: inout [UInt8],
    joined: inout [UInt8]
  ) -> Completion {
    if !isChaining, pieces.isEmpty {
      return meaning.content.isEmpty ? .nothing : .inFrame(meaning.content)
    }
    guard pieces.count + meaning.content.count <= maximumLength else {
      pieces.removeAll()
      return .nothing
    }
    pieces.append(contentsOf: bytes[meaning.content])
    guard !isChaining else { return .nothing }
    swap(&joined, &pieces)
    pieces.removeAll(keepingCapacity: true)
    return .joined
  }

  /// Forgets pieces of unfinished APDUs.
  public mutating func forget() {
    if !outbound.isEmpty { outbound.removeAll(keepingCapacity: true) }
    if !inbound.isEmpty { inbound.removeAll(keepingCapacity: true) }
  }
}

extension RadioMeaning.Kind {
  /// True for frames after which an unfinished chain will not go on.
  public var endsExchange: Bool {
    switch self {
    case .reqA, .wupA, .reqB, .wupB, .haltA, .haltB, .rats, .attrib, .deselect: true
    default: false
    }
  }
}
