#!/usr/bin/env bash
# The main job on shipped captures: offline, a few seconds. Each command can be pasted.
set -uo pipefail
cd "$(dirname "$0")/../.."
tool=${1:-.build/debug/retap}
failed=0

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || step() { printf '\n%s\n' "$*"; }

# run EXPECTED-CODE ARGUMENTS…: shows the command and its output, and minds its exit code.
run() {
  local expected=$1 code
  shift
  printf '$ retap'
  for word in "$@"; do
    case $word in *[\(\ \;]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  "$tool" "$@"
  code=$?
  if [ "$code" -ne "$expected" ]; then
    echo "demo: exit code $code, expected $expected" >&2
    failed=1
  fi
}

step '1. What was recorded: a reader takes an NDEF message from a Type 4 tag'
run 0 show captures/type4-ndef-read.retap --events 13..22

step '2. The recording is the card: tag-reading code reads it, on a virtual clock'
run 0 replay captures/type4-ndef-read.retap --read

step '3. The recording is the terminal: it drives a card emulation'
run 0 replay captures/terminal-ndef-read.retap --emulate --work 2ms

step '4. The same from a slower phone (34.4 ms an answer), its last answer 5 ms later still: too late'
run 1 replay captures/terminal-ndef-read.retap --emulate --work 34.4ms --faults 'late(7,+5ms)'

step '5. Two runs are one run: equal hashes of the run log'
first=$("$tool" replay captures/terminal-ndef-read.retap --quiet)
second=$("$tool" replay captures/terminal-ndef-read.retap --quiet)
echo "$first"
echo "$second"
[ "$first" = "$second" ] && [ -n "$first" ] || { echo 'demo: the two runs differ' >&2; failed=1; }

exit $failed
