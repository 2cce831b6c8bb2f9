import Exploration
public import NFCProtocols

/// A type A card of which only the activation is known: it answers nothing after its selection.
public struct ActivationCard: CardModel {
  /// What it is.
  public let name: String
  /// One line for people.
  public let summary: String
  private var activation: TypeAActivation
  private var decisions: any Decisions

  init(_ image: CardImage, _ identity: TypeAIdentity, _ decisions: any Decisions) {
    name = image.kindName
    summary = image.summary
    activation = TypeAActivation(identity)
    self.decisions = decisions
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .fieldChanged(let isOn):
      activation.fieldChanged(isOn: isOn, decisions: &decisions)
    case .received(let frame):
      switch activation.receive(frame) {
      case .silence: break
      case .answer(let answer), .selected(let answer):
        outputs.append(.send(answer, after: TypeAFrameDelay.afterCommand(frame)))
      case .forCard: activation.leave()
      }
    case .start, .receiving, .sent, .timer, .application, .applicationEnded:
      break
    }
  }
}
