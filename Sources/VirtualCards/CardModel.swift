public import NFCProtocols

/// A card as a state machine on the card side of the air.
///
/// A model begins without power and answers nothing before `fieldChanged(isOn: true)`. Answers
/// leave after the frame delay that its technology prescribes plus the declared processing time.
///
/// No model belongs to an actor, so it may be handed to the thread that plays a reader.
public protocol CardModel: RadioEndpoint, SendableMetatype {
  /// What it is, in a word or three: `NTAG213`.
  var name: String { get }
  /// One line for people: name, UID, size and the like.
  var summary: String { get }
}

/// Why no model can be made of an image.
public enum CardImageError: Error, Hashable, Sendable {
  /// The image lacks something that every card of its kind has.
  case missing(what: String, remedy: String)
  /// Cards of this kind are read from files, but there is no model of them.
  case notModelled(kind: String)
}
