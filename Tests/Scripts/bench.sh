#!/usr/bin/env bash
# Builds and runs the benchmarks; the table goes to standard output in Markdown.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release --static-swift-stdlib --product Benchmarks >&2
exec .build/release/Benchmarks .build/release/retap "${1:-5}"
