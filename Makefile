# make demo    set up what is missing, build, and run the main job on shipped captures
# make test    set up what is missing, build, and run all tests
# make lint    style of all Swift files
# make release one stripped binary for machines without Swift: .build/retap-<system>
# make bench   speed, as ratios in one run (docs/benchmarks.md)
# make purity  the pure ring compiled without concurrency
# make check   what CI runs: test and lint

SWIFT ?= swift
SHELL := /bin/bash
DEBUG_TOOL = .build/debug/retap
RELEASE_TOOL = .build/release/retap
STATIC = --static-swift-stdlib
PURE_MODULES = NFCProtocols Exploration PN53x NFCTrace VirtualCards TagAccess Replay

.PHONY: demo test check lint format build release bench purity setup clean

demo: build
	@Tests/Scripts/demo.sh $(DEBUG_TOOL)

test: setup
	$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	$(SWIFT) test --skip-build --disable-xctest $(SWIFT_FLAGS)

check: test lint purity

build: setup
	@$(SWIFT) build --product retap $(SWIFT_FLAGS)

# What the build needs beyond Swift. Nothing is installed that is there already.
setup:
	@bash .ci/setup

lint:
	$(SWIFT) format lint --strict --configuration .swift-format -r Sources Tests Package.swift

format:
	$(SWIFT) format format -i --configuration .swift-format -r Sources Tests Package.swift

release: setup
	$(SWIFT) build -c release --product retap $(STATIC)
	@out=.build/retap-$$(uname -s | tr A-Z a-z)-$$(uname -m); \
	  cp $(RELEASE_TOOL) $$out && strip $$out && ls -l $$out

bench: release
	@Tests/Scripts/bench.sh

# Each pure module must compile where Task and clocks are not in scope at all.
purity: setup
	@bash .ci/purity $(PURE_MODULES)

clean:
	rm -rf .build
