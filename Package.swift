// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where CI=true; a user's newer compiler may warn of more than ours does.
let warningsAreErrors: [SwiftSetting] =
  Context.environment["CI"] == "true" ? [.treatAllWarnings(as: .error)] : []

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + warningsAreErrors

let pureSettings: [SwiftSetting] = settings + [.strictMemorySafety()]

/// A module of the pure ring: standard library only.
func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: pureSettings)
}

/// A module of the app ring or the outer ring.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: [], swiftSettings: settings)
}

let package = Package(
  name: "Retap",
  products: [
    .executable(name: "retap", targets: ["retap"]),
    .library(name: "NFCProtocols", targets: ["NFCProtocols"]),
    .library(name: "PN53x", targets: ["PN53x"]),
    .library(name: "NFCTrace", targets: ["NFCTrace"]),
    .library(name: "TraceFormats", targets: ["TraceFormats"]),
    .library(name: "TagAccess", targets: ["TagAccess"]),
    .library(name: "VirtualCards", targets: ["VirtualCards"]),
    .library(name: "Replay", targets: ["Replay"]),
    .library(name: "USBLink", targets: ["USBLink"]),
    .library(name: "VirtualReaders", targets: ["VirtualReaders"]),
    .library(name: "RetapTesting", targets: ["RetapTesting"]),
  ],
  targets: [
    // Pure ring
    pure("NFCProtocols"),
    pure("Exploration"),
    pure("PN53x", ["NFCProtocols"]),
    pure("NFCTrace", ["NFCProtocols", "PN53x"]),
    pure("VirtualCards", ["NFCProtocols", "Exploration"]),
    pure("TagAccess", ["NFCProtocols", "PN53x"]),
    pure(
      "Replay",
      ["NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards", "Exploration"]),

    // App ring
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    module("TraceFormats", ["NFCProtocols", "PN53x", "NFCTrace", "VirtualCards", "CZlib"]),
    .systemLibrary(
      name: "CLibUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
    module("Reports", ["NFCProtocols", "PN53x", "NFCTrace", "Replay"]),

    // Outer ring
    .systemLibrary(name: "CLinux"),
    module("HostIO", ["NFCProtocols", "CLinux"]),
    module("USBLink", ["NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "HostIO", "CLibUSB"]),
    module(
      "VirtualReaders",
      [
        "NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards", "Replay", "Exploration",
        "HostIO", "CLinux",
      ]),
    module("ProtocolTesting", ["NFCProtocols", "PN53x", "NFCTrace"]),
    module(
      "RetapTesting",
      [
        "NFCProtocols", "NFCTrace", "TraceFormats", "TagAccess", "VirtualCards", "Replay",
        "Reports", "HostIO", "ProtocolTesting",
      ]),
    module(
      "RetapCommand",
      [
        "NFCProtocols", "PN53x", "NFCTrace", "TraceFormats", "TagAccess", "VirtualCards",
        "Replay", "Exploration", "Reports", "HostIO", "USBLink", "VirtualReaders",
      ]),
    .executableTarget(name: "retap", dependencies: ["RetapCommand"], swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "NFCProtocols", "NFCTrace", "PN53x", "TraceFormats", "TagAccess", "VirtualCards", "Replay",
        "Exploration", "HostIO", "USBLink", "VirtualReaders",
      ], swiftSettings: settings),

    // Tests
    .executableTarget(
      name: "ReaderClient", dependencies: ["NFCProtocols", "PN53x", "HostIO", "USBLink"],
      path: "Tests/ReaderClient", swiftSettings: settings),
    tests("NFCProtocolsTests", ["NFCProtocols", "ProtocolTesting"]),
    tests("ExplorationTests", ["Exploration"]),
    tests("PN53xTests", ["PN53x", "NFCProtocols", "ProtocolTesting"]),
    tests("NFCTraceTests", ["NFCTrace", "NFCProtocols", "PN53x", "ProtocolTesting"]),
    tests("VirtualCardsTests", ["VirtualCards", "NFCProtocols", "Exploration", "ProtocolTesting"]),
    tests(
      "TagAccessTests",
      ["TagAccess", "NFCProtocols", "PN53x", "VirtualCards", "ProtocolTesting"]),
    tests(
      "ReplayTests",
      [
        "Replay", "NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards", "Exploration",
        "ProtocolTesting",
      ]),
    tests(
      "TraceFormatsTests",
      ["TraceFormats", "NFCProtocols", "PN53x", "NFCTrace", "VirtualCards", "ProtocolTesting"]),
    tests("ReportsTests", ["Reports", "Replay", "NFCTrace", "NFCProtocols"]),
    tests("HostIOTests", ["HostIO", "NFCProtocols"]),
    tests(
      "USBLinkTests",
      [
        "USBLink", "NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards", "Replay",
        "HostIO", "VirtualReaders", "ProtocolTesting",
      ]),
    tests(
      "VirtualReadersTests",
      [
        "VirtualReaders", "NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards",
        "Replay",
        "Exploration", "HostIO", "ProtocolTesting",
      ]),
    tests(
      "RetapTestingTests",
      ["RetapTesting", "Replay", "TagAccess", "NFCTrace", "NFCProtocols"]),
    tests(
      "RetapCommandTests",
      [
        "RetapCommand", "NFCTrace", "TraceFormats", "Replay", "PN53x", "USBLink", "NFCProtocols",
        "HostIO", "ProtocolTesting",
      ]),
    tests(
      "IntegrationTests",
      ["RetapCommand", "HostIO", "NFCTrace", "TraceFormats", "PN53x", "NFCProtocols"]),
    tests("TidyTests", []),
  ],
  swiftLanguageModes: [.v6]
)
