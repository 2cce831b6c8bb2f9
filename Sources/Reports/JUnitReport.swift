/// A report in the form of JUnit's XML, which every CI system shows.
public struct JUnitReport: Sendable {
  /// The name of the suite.
  public var suite: String
  /// The cases in their order.
  public var cases: [Case]

  /// Makes a report.
  public init(suite: String, cases: [Case] = []) {
    self.suite = suite
    self.cases = cases
  }

  /// One case.
  public struct Case: Hashable, Sendable {
    /// Its name, for example the path of a trace.
    public var name: String
    /// How long it took, in milliseconds.
    public var milliseconds: Int64
    /// How it ended.
    public var result: Result
    /// Further text, shown where the system shows the output of a case.
    public var output: String

    /// Makes a case.
    public init(_ name: String, milliseconds: Int64, _ result: Result, output: String = "") {
      self.name = name
      self.milliseconds = milliseconds
      self.result = result
      self.output = output
    }
  }

  /// How a case ended.
  public enum Result: Hashable, Sendable {
    /// Well.
    case passed
    /// With a verdict against the code; a line and the whole report.
    case failed(message: String, detail: String)
    /// Without a verdict, because something was wrong with the input or with us.
    case errored(message: String)
    /// Not at all.
    case skipped(message: String)
  }

  /// The report as XML.
  public var xml: String {
    var failures = 0
    var errors = 0
    var skipped = 0
    var total: Int64 = 0
    for item in cases {
      total += item.milliseconds
      switch item.result {
      case .passed: break
      case .failed: failures += 1
      case .errored: errors += 1
      case .skipped: skipped += 1
      }
    }
    let counts =
      "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n"
    text +=
      "  <testsuite name=\"\(Self.escaped(suite))\" \(counts) time=\"\(Self.seconds(total))\">\n"
    for item in cases { text += Self.text(of: item, suite: suite) }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func text(of item: Case, suite: String) -> String {
    var text = "    <testcase classname=\"\(escaped(suite))\" name=\"\(escaped(item.name))\""
    text += " time=\"\(seconds(item.milliseconds))\">\n"
    switch item.result {
    case .passed: break
    case .failed(let message, let detail):
      text += "      <failure message=\"\(escaped(message))\">\(escaped(detail))</failure>\n"
    case .errored(let message):
      text += "      <error message=\"\(escaped(message))\"/>\n"
    case .skipped(let message):
      text += "      <skipped message=\"\(escaped(message))\"/>\n"
    }
    if !item.output.isEmpty {
      text += "      <system-out>\(escaped(item.output))</system-out>\n"
    }
    return text + "    </testcase>\n"
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let fraction = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  /// Text with the five characters of XML 1.0 replaced, and control characters it forbids left out.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
