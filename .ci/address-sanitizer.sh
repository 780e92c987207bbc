#!/usr/bin/env bash
# Runs all tests under AddressSanitizer, and fails on any report. Takes about ten minutes on two cores.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The tests that kill processes depend on time, so only the plain test run has them. Leaks aren't detected, because SQLite and
# the runtime keep some memory until the process ends.
ASAN_OPTIONS=detect_leaks=0 swift test --package-path "$root" --scratch-path "$root/.build/address-sanitizer" \
    --sanitize=address --disable-default-traits --traits SQLite,Lifecycle --skip CrashTests
