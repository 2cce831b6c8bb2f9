import Reports
import Testing

@Suite struct JUnitTests {
  @Test func countsTimesAndTextsStandInTheirPlaces() {
    let report = JUnitReport(
      suite: "retap test",
      cases: [
        .init("a.retap", milliseconds: 12, .passed),
        .init("b.retap", milliseconds: 1_988, .failed(message: "a < b", detail: "\"x\" & y\u{1}")),
        .init("c.retap", milliseconds: 0, .errored(message: "torn")),
        .init("d.txt", milliseconds: 0, .skipped(message: "not a trace")),
      ])
    #expect(
      report.xml == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="4" failures="1" errors="1" skipped="1">
          <testsuite name="retap test" tests="4" failures="1" errors="1" skipped="1" time="2.000">
            <testcase classname="retap test" name="a.retap" time="0.012">
            </testcase>
            <testcase classname="retap test" name="b.retap" time="1.988">
              <failure message="a &lt; b">&quot;x&quot; &amp; y</failure>
            </testcase>
            <testcase classname="retap test" name="c.retap" time="0.000">
              <error message="torn"/>
            </testcase>
            <testcase classname="retap test" name="d.txt" time="0.000">
              <skipped message="not a trace"/>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }
}
