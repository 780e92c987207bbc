#!/usr/bin/env bash
# Runs all benchmarks one at a time, counts instructions and allocations, and exits with 1 if a figure exceeds its bound.
#
#     Benchmarks/check.sh [--scratch-path PATH]
#
# A bound is the target, or, if the target is missed, the best result with a tolerance. The benchmark states it beside the
# figure. The import has no bound, but must run. Don't run other programs at the same time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$root/Benchmarks/.build
if [ "${1:-}" = --scratch-path ]; then scratch=$2; fi

beyond=()
while read -r name arguments; do
    "$root/Scripts/build" --quiet -c release --package-path "$root/Benchmarks" --scratch-path "$scratch" --product "$name" >&2 </dev/null
    printf '\n=== %s %s\n' "$name" "$arguments"
    # shellcheck disable=SC2086 -- they are several arguments
    "$scratch/release/$name" $arguments </dev/null || beyond+=("$name $arguments")
done <<'LIST'
dispatch-benchmark --check
dispatch-benchmark --contended --check
flux-benchmark --check
services-benchmark --check
services-benchmark --concurrent --check
station-benchmark --check
unit-of-work-benchmark --check
commit-benchmark --check
relay-benchmark --check
inspector-benchmark --check
import-benchmark --rounds 3
LIST

printf '\n=== count\n'
"$root/Benchmarks/count.py" --check --scratch-path "$scratch" </dev/null || beyond+=("count")

if [ ${#beyond[@]} -gt 0 ]; then
    printf 'Exceeds its bound: %s\n' "${beyond[@]}" >&2
    exit 1
fi
