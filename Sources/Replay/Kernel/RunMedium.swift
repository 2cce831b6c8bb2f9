/// What lies between the two sides of a run.
public enum RunMedium: Hashable, Sendable {
  /// The air: one speaks at a time, frames take their air time, nothing works without a field.
  case air
  /// A link between host and chip: both may speak, a frame carries one transfer and takes no time.
  case link
}
