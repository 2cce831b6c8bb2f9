import NFCProtocols
import NFCTrace
import Testing

@Suite struct TimingLintTests {
  private static let ping = Block.information(.zero, [0x00, 0xA4, 0x04, 0x00])
  private static let pong = Block.information(.zero, [0x90, 0x00])

  @Test func `an answer before the minimum frame delay`() {
    var script = LintScript()
    script.activate()
    script.exchange(Self.ping, Self.pong, late: -26)
    #expect(script.summary == ["10 frame-delay"])
    #expect(
      script.findings[0].line
        == "10: card answered 1.9 µs before the minimum frame delay (1236/fc)    "
        + "[14443-3, 6.2.1.1]")
  }

  @Test func `an answer a hair early is within what recorders round to`() {
    var script = LintScript()
    script.activate()
    script.exchange(Self.ping, Self.pong, late: -16)
    #expect(script.findings == [])
  }

  @Test(arguments: [Int64(-128), -112, 16, 32])
  func `an offset that all synchronous answers share is the recorder's`(_ offset: Int64) {
    var script = LintScript()
    script.select(late: offset)
    script.reader(RATS().bytes)
    script.card(ATS().bytes, late: offset)
    #expect(script.findings == [])
    script.exchange(Self.ping, Self.pong, late: offset - 64)
    #expect(script.summary == ["10 frame-delay"])
  }

  @Test func `one synchronous answer that lies off is told, first or later`() {
    var first = LintScript()
    first.reader(TypeACommand.wakeUp.frame)
    first.card(RadioFrame([0x04, 0x00], crc: .absent), late: -100)
    #expect(first.summary == ["2 frame-delay"], "with nothing to compare, at the end")
    first.select()
    #expect(first.summary == ["2 frame-delay"])
    var later = LintScript()
    later.select()
    later.reader(TypeACommand.wakeUp.frame)
    later.card(RadioFrame([0x04, 0x00], crc: .absent), late: -100)
    later.reader(TypeACommand.wakeUp.frame)
    later.card(RadioFrame([0x04, 0x00], crc: .absent), late: 400)
    #expect(later.summary == ["8 frame-delay", "10 frame-delay"])
    #expect(later.findings[1].message.contains("29.4 µs after the only instant allowed"))
  }

  @Test func `a reader that sends too soon after an answer`() {
    var right = LintScript()
    right.select(sak: 0)
    right.reader([0x30, 0x00], after: 1_172)
    #expect(right.findings == [])
    var wrong = LintScript()
    wrong.select(sak: 0)
    wrong.reader([0x30, 0x00], after: 1_000)
    #expect(wrong.summary == ["7 frame-delay"])
    #expect(wrong.findings[0].source == "14443-3, 6.2.1.2")
  }

  @Test func `an answer after the frame waiting time`() {
    // FWI 4: 65,536 periods.
    for (gap, expected) in [(Int64(65_536), []), (65_600, ["10 waiting-time"])] {
      var script = LintScript()
      script.activate()
      script.exchange(Self.ping, Self.pong, late: gap - 1_236)
      #expect(script.summary == expected)
    }
  }

  @Test func `S(WTX) extends the time for one exchange`() {
    let request = Block(.waitingTimeExtension(multiplier: 3, powerLevel: 0))
    var script = LintScript()
    script.activate()
    script.exchange(Self.ping, request)
    script.exchange(request, Self.pong, late: 3 * 65_536 - 1_300)
    #expect(script.findings == [])
    script.exchange(
      .information(.one, [0x00, 0xA4, 0x04, 0x00]), .information(.one, [0x90, 0x00]),
      late: 2 * 65_536)
    #expect(script.summary == ["14 waiting-time"])
    var late = LintScript()
    late.activate()
    late.exchange(Self.ping, request)
    late.exchange(request, Self.pong, late: 4 * 65_536)
    #expect(late.summary == ["12 waiting-time"])
    #expect(late.findings[0].message.contains("FWI 4, WTXM 3"))
  }

  @Test func `an ATS, a PPS answer and a DESELECT answer that come late`() {
    for (late, isFinding) in [(Int64(60_000), false), (70_000, true)] {
      var script = LintScript()
      script.select()
      script.reader(RATS().bytes)
      script.card(ATS(interfaceB: 0x80).bytes, late: late)
      script.reader(PPS().bytes)
      script.card(PPS().answer, late: late)
      script.exchange(Block(.deselect), Block(.deselect), late: late)
      let expected = ["8 activation-time", "10 activation-time", "12 activation-time"]
      #expect(script.summary == (isFinding ? expected : []))
    }
  }

  @Test func `a guard time that the reader does not wait`() {
    // SFGI 1: 8,192 periods.
    for (gap, expected) in [(Int64(8_192), []), (8_000, ["9 start-up-guard"])] {
      var script = LintScript()
      script.activate(interfaceB: 0x41)
      script.reader(Self.ping.bytes, after: gap)
      #expect(script.summary == expected)
    }
  }

  @Test func `requests that follow each other too fast`() {
    for (gap, expected) in [(Int64(7_000), []), (6_900, ["2 request-guard"])] {
      var script = LintScript()
      let request = TypeACommand.request.frame
      script.reader(request)
      // The guard time counts from start to start.
      script.reader(request, after: gap - AirTime.carrierCycles(of: request, .outbound))
      #expect(script.summary == expected)
    }
  }

  @Test func `a type B card has the waiting time of its ATQB`() {
    for (late, expected) in [(Int64(60_000), []), (80_000, ["6 waiting-time"])] {
      var script = LintScript(.b)
      script.reader(RequestB().bytes)
      script.card(ATQB(pupi: [1, 2, 3, 4], frameWaitingTimeInteger: 4).bytes)
      script.reader(Attrib(pupi: [1, 2, 3, 4]).bytes)
      script.card(AttribAnswer().bytes)
      script.exchange(Self.ping, Self.pong, late: late)
      #expect(script.summary == expected)
    }
  }

  @Test func `times that are not known or not exact enough say nothing`() {
    var script = LintScript()
    script.activate()
    script.exchange(Self.ping, Self.pong, late: -600)
    #expect(script.summary == ["10 frame-delay"])
    var coarse = script
    coarse.header.clock.tickUnit = "ms"
    #expect(coarse.findings == [])
    var unknown = script
    for index in unknown.events.indices { unknown.events[index].isTimeUnknown = true }
    #expect(unknown.findings == [])
    var uncertain = script
    for index in uncertain.events.indices {
      uncertain.events[index].uncertainty = .microseconds(50)
    }
    #expect(uncertain.findings == [])
  }

  @Test func `times in whole milliseconds are coarse whatever the unit`() {
    var script = LintScript()
    script.header.clock.tickUnit = nil
    script.activate()
    script.exchange(Self.ping, Self.pong)
    for index in script.events.indices {
      let start = script.events[index].start.count / 1_000_000 * 1_000_000
      script.events[index].start = Nanoseconds(start)
      script.events[index].end = nil
    }
    #expect(script.findings == [])
  }

  @Test func `times at the ends of their range do no harm`() {
    var script = LintScript()
    script.activate()
    script.exchange(Self.ping, Self.pong)
    for (index, time) in [Int64.min, .max, 0, .min, .max, -1].enumerated() {
      script.events[index].start = Nanoseconds(time)
      script.events[index].end = Nanoseconds(index.isMultiple(of: 2) ? .max : .min)
      script.events[index].uncertainty = Nanoseconds(.max)
    }
    #expect(script.findings.allSatisfy { $0.rule == .timeOrder })
  }

  @Test func `a field that goes off ends what was activated`() {
    var script = LintScript()
    script.activate()
    script.events.append(
      TraceEvent(start: .carrierCycles(script.now), .field(FieldChange(isOn: false))))
    script.reader(Block.information(.one, [0x00, 0xA4, 0x04, 0x00]).bytes)
    #expect(script.findings == [])
  }
}
