import Foundation
import Testing

/// The layers of ARCHITECTURE.md, held against `Package.swift` and against every import.
struct LayeringTests {
  private static let pureRing = [
    "NFCProtocols", "PN53x", "NFCTrace", "TagAccess", "VirtualCards", "Replay", "Exploration",
  ]

  /// What a module may import from outside the package.
  private static let outsideImports: [String: [String]] = [
    "TraceFormats": ["FoundationEssentials"],
    "HostIO": ["Glibc", "Synchronization"],
    "USBLink": ["Glibc", "Synchronization"],
    "VirtualReaders": ["Glibc", "Synchronization"],
    "RetapCommand": ["Glibc", "FoundationEssentials", "Synchronization"],
    "ProtocolTesting": ["Foundation", "Testing"],
    "RetapTesting": ["Foundation", "Testing", "Synchronization"],
  ]

  @Test func everyPureModuleIsDeclaredPure() {
    let targets = Repository.targets()
    for module in Self.pureRing {
      #expect(targets[module]?.ring == "pure", "\(module) must be declared with pure(…)")
    }
    let declared = targets.filter { $0.value.ring == "pure" }.keys.sorted()
    #expect(declared == Self.pureRing.sorted())
  }

  @Test func pureModulesDependOnPureModulesOnly() {
    for (module, target) in Repository.targets() where target.ring == "pure" {
      for dependency in target.dependencies {
        #expect(Self.pureRing.contains(dependency), "\(module) depends on \(dependency)")
      }
    }
  }

  @Test func modulesImportOnlyWhatTheyDeclare() {
    let targets = Repository.targets()
    for (module, target) in targets where target.ring != "tests" {
      let allowed = target.dependencies + (Self.outsideImports[module] ?? [])
      for file in Repository.swiftFiles(below: "Sources/\(module)") {
        for name in imports(of: file) {
          #expect(allowed.contains(name), "\(file.path) imports \(name)")
        }
      }
    }
  }

  @Test func theMapInArchitectureIsTheMapOfThePackage() {
    let map = Repository.text("ARCHITECTURE.md")
    for (module, target) in Repository.targets() where target.ring != "tests" {
      let row = map.split(separator: "\n").first { $0.hasPrefix("| `\(module)` |") }
      guard let row else {
        Issue.record("ARCHITECTURE.md has no row for \(module)")
        continue
      }
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let named = cells.last?.matches(of: #/\w+/#).map { String($0.output) } ?? []
      #expect(named.sorted() == target.dependencies.sorted(), "row of \(module)")
    }
  }

  private func imports(of file: Repository.SourceFile) -> [String] {
    file.lines.compactMap { line in
      guard let match = line.wholeMatch(of: #/(?:@testable |public |internal )?import (\w+).*/#)
      else { return nil }
      return String(match.output.1)
    }
  }
}
