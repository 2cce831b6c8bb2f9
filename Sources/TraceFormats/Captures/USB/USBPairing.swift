import NFCTrace

/// Pairs the records of a USB capture into transfers, in the order in which they began.
///
/// An OUT transfer holds its place until it has come back; what follows waits behind it.
struct USBPairing {
  /// IN requests that may be open at once; the oldest is forgotten when there are more.
  static let openLimit = 1_024
  /// Transfers that may wait behind an open one; then it is given up as never having come back.
  static let waitingLimit = 1_024

  private var requests: [USBTransfer] = []
  private var queue: [USBTransfer] = []
  private var head = 0

  /// Takes one record.
  mutating func add(_ record: USBRecord) {
    switch record.phase {
    case .submit: submit(record)
    case .complete, .refused: complete(record)
    case .data: addStage(record)
    }
  }

  /// The next transfer that is complete, in order.
  mutating func next() -> USBTransfer? {
    guard head < queue.count else {
      queue.removeAll(keepingCapacity: true)
      head = 0
      return nil
    }
    if queue[head].isOpen {
      guard queue.count - head > Self.waitingLimit else { return nil }
      giveUp(at: head)
    }
    defer { head += 1 }
    if head > 4_096 {
      queue.removeFirst(head)
      head = 0
    }
    return queue[head]
  }

  /// Tells that there are no more records: open OUT transfers never came back.
  mutating func finish() {
    for index in queue.indices.dropFirst(head) where queue[index].isOpen { giveUp(at: index) }
  }

  private mutating func giveUp(at index: Int) {
    queue[index].isOpen = false
    queue[index].comments.append("its completion is not in the capture")
  }

  private func transfer(_ record: USBRecord) -> USBTransfer {
    USBTransfer(
      identifier: record.identifier, kind: record.kind, device: record.device,
      endpoint: record.endpoint, data: Array(record.data), setup: record.setup,
      outcome: record.outcome, start: record.time,
      comments: record.comment.map { [$0] } ?? [], isInjected: record.isInjected)
  }

  private mutating func submit(_ record: USBRecord) {
    var transfer = transfer(record)
    transfer.outcome = .completed
    // The same number again: the completion of the earlier one was lost.
    if let index = openIndex(record) { giveUp(at: index) }
    requests.removeAll { $0.identifier == record.identifier && $0.device == record.device }
    if record.isInbound {
      transfer.requestedLength = record.length
      if requests.count >= Self.openLimit { requests.removeFirst() }
      requests.append(transfer)
    } else {
      transfer.actualLength = record.length
      transfer.isOpen = true
      queue.append(transfer)
    }
  }

  private mutating func complete(_ record: USBRecord) {
    let index = requests.lastIndex {
      $0.identifier == record.identifier && $0.device == record.device
    }
    if record.isInbound || index != nil {
      var transfer = transfer(record)
      if let index {
        let request = requests.remove(at: index)
        transfer.endpoint = request.endpoint
        transfer.setup = request.setup
        transfer.requestedLength = request.requestedLength
        transfer.comments = request.comments + transfer.comments
        // Data of a separate data stage was kept with the request.
        if transfer.data.isEmpty { transfer.data = request.data }
      }
      if transfer.requestedLength == nil, let setup = transfer.setup {
        transfer.requestedLength = Int(RecordFields(setup[...]).u16(6))
      }
      transfer.actualLength = record.length
      queue.append(transfer)
      return
    }
    guard let index = openIndex(record) else { return }
    queue[index].isOpen = false
    queue[index].outcome = record.outcome
    queue[index].end = record.time
    if let comment = record.comment { queue[index].comments.append(comment) }
  }

  /// The separate data stage of a control transfer.
  private mutating func addStage(_ record: USBRecord) {
    if let index = requests.lastIndex(where: {
      $0.identifier == record.identifier && $0.device == record.device
    }) {
      requests[index].data += record.data
    } else if let index = openIndex(record) {
      queue[index].data += record.data
      queue[index].actualLength = queue[index].data.count
    }
  }

  private func openIndex(_ record: USBRecord) -> Int? {
    queue.indices.dropFirst(head).last {
      queue[$0].isOpen && queue[$0].identifier == record.identifier
        && queue[$0].device == record.device
    }
  }
}
