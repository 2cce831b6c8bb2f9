extension TraceFormat {
  /// Binary captures: Proxmark3, pcap and pcapng of others, USB, Chameleon.
  static var captureFormats: [TraceFormat] {
    [proxmark, packetCapture, nfcGate, usbMonText, chameleonMini, chameleonUltra]
  }
}
