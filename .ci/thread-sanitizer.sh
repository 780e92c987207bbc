#!/usr/bin/env bash
# Runs the concurrent tests under ThreadSanitizer, and fails on any report.
#
#     .ci/thread-sanitizer.sh                  builds, and runs the tests
#     .ci/thread-sanitizer.sh --build FOLDER   builds in an empty folder
#     .ci/thread-sanitizer.sh --test FOLDER    runs the tests of that build
#
# ThreadSanitizer doesn't detect `Synchronization.Mutex` on Linux, because the library that uses the futex isn't instrumented. Two
# bodies of `withLock` on one mutex look like a race. ThreadSanitizer does detect pthread mutexes. So this script tests a copy of
# the package, and adds a `Mutex` with a pthread mutex to each module that uses `Mutex`. The declaration in the module shadows
# the imported `Mutex`, and the sources stay unchanged. Each remaining report is a race.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tested='^Headrace(Core|Resilience|Resolution|Commands|Flux|Services|Stations|Storage|Domain|Relay|Projections|SQLite|Inspector|Hummingbird|Client|Testing|Workflows)Tests'
copy=${2:-}
if [ $# = 0 ]; then
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
fi
if [ ! -d "$copy" ]; then
    echo "There is no folder '$copy'. To fix, create an empty folder, and build in it with --build." >&2
    exit 64
fi
build=(--package-path "$copy" --sanitize=thread --disable-default-traits --traits SQLite,Hummingbird)

if [ "${1:-}" != --test ]; then
    cp -R "$root"/{Package.swift,Sources,Tests} "$copy"
    for module in "$copy"/{Sources,Tests}/*; do
        if grep -rqw Mutex "$module"; then cp "$root/.ci/Mutex.swift" "$module"; fi
    done
    # The other tests aren't run, so they aren't compiled.
    for module in "$copy"/Tests/*Tests; do
        if ! [[ $(basename "$module") =~ $tested$ ]]; then
            find "$module" -name '*.swift' -delete
            : >"$module/Empty.swift"
        fi
    done
    "$root/Scripts/build" --quiet "${build[@]}" --build-tests
fi
if [ "${1:-}" = --build ]; then exit 0; fi

# The tests run one at a time, because parallel tests on few processors exceed their time limits. The tests for races start
# tasks or threads. Only the plain test run has the tests that kill processes, because they depend on time, the power
# failures, the long tests with one task, and the tests of Foundation's URLSession, which isn't instrumented.
#
# Reports go to files, to include reports from the child processes of exit tests. Backtraces are off, because the program that
# prints them waits for ever for a child that ThreadSanitizer has ended. `swift test` turns them on, so this script runs the
# tests without `swift test`.
tests=$(swift build "${build[@]}" --show-bin-path)/headracePackageTests.xctest
options="log_path=$copy/report suppressions=$root/.ci/thread-sanitizer.txt"
status=0
(
    cd "$copy"
    TSAN_OPTIONS=$options SWIFT_BACKTRACE=enable=no \
        "$root/.ci/watched.py" 2400 "$tests" --testing-library swift-testing --no-parallel \
        --filter "$tested" \
        --skip 'CrashTests|DamageTests|PowerFailureTests|FailedSyncTests|StoreContractTests|RandomGraphTests|LiveClientTests|aMillionQueuedActionsTakeLessThan200BytesEach'
) || status=$?

if cat "$copy"/report.* 2>/dev/null; then
    echo "ThreadSanitizer has reported the problems above." >&2
    if [ -n "${WATCHED_REPORT:-}" ]; then cat "$copy"/report.* | sed -n 1,200p >>"$WATCHED_REPORT"; fi
    exit 1
fi
exit "$status"
