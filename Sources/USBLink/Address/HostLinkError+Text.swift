public import HostIO
import NFCProtocols

extension HostLinkError {
  /// What went wrong, as one sentence without a full stop.
  public var reason: String {
    switch self {
    case .notFound(let address): "\(address): no reader answers to this address"
    case .badAddress(let address, let reason): "'\(address)' is no address of a reader: \(reason)"
    case .noPermission(let path): "\(path): this user may not open it"
    case .busy(let address, let holder):
      "\(address): in use by \(holder ?? "another program that this user may not see")"
    case .gone: "the reader has gone"
    case .timedOut(let step, let waited):
      "\(step) did not end within \(waited.count / 1_000_000) ms"
    case .failed(let step, let reason): "\(step): \(reason)"
    }
  }

  /// What to try next, or `nil` if there is nothing better than trying again.
  public var remedy: String? {
    switch self {
    case .notFound: "retap devices lists the readers that are there, retap doctor what is wrong"
    case .badAddress: "an address like \(ReaderAddress.examples)"
    case .noPermission(let path):
      path.hasPrefix("/dev/tty")
        ? "sudo usermod -aG dialout $USER, then log in again"
        : UdevRule.installation.split(separator: "\n").joined(separator: "\n       ")
    case .busy(_, let holder): Self.release(holder ?? "")
    case .gone: "plug it in again; if it does so often: another cable or another socket"
    case .timedOut: "plug the reader out and in again; a PN533 that was reset needs that"
    case .failed: "retap doctor"
    }
  }

  /// What makes a program let a reader go.
  private static func release(_ holder: String) -> String {
    if holder.contains("pcscd") { return "sudo systemctl stop pcscd.socket pcscd.service" }
    if holder.contains("neard") { return "sudo systemctl stop neard" }
    if holder.contains("kernel driver") { return "sudo modprobe -r pn533_usb" }
    if holder.isEmpty { return "sudo retap doctor, which may look at all programs" }
    return "end that program, or give another reader's address (retap devices)"
  }

  /// The lines for people: what went wrong and what to try.
  public var message: String { remedy.map { "\(reason)\n  try: \($0)" } ?? reason }
}
