#!/usr/bin/env bash
# Runs the tests of the store on PostgreSQL and of the ledger against a private server, and then disturbs several servers of
# the ledger on one database. It uses the test builds of `Scripts/test`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cd "$root"
# Each test has several connections. Without a limit, all tests start at once.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(getconf _NPROCESSORS_ONLN)))
.ci/watched.py 1200 Scripts/postgres .build/debug/headracePackageTests.xctest --testing-library swift-testing \
    --filter HeadracePostgresTests | tee "$log"
# Without a server, the tests are skipped, and the run succeeds.
if grep -q SKIPPED "$log"; then
    echo "The tests of PostgreSQL were skipped although a server should run." >&2
    exit 1
fi

# The same tests of the ledger as on SQLite. A test about files is skipped, with its reason.
ledger=${SHARED_BUILD:-$root/Examples/Ledger/.build}/debug
.ci/watched.py 1200 Scripts/postgres "$ledger/ledgerPackageTests.xctest" --testing-library swift-testing \
    --filter '^(LedgerApplicationTests|LedgerServerTests|ledgerTests)\.'

# The choices are the same in each run of the checks, and random in a run by hand.
LEDGER=$ledger/ledger .ci/watched.py 900 Scripts/postgres .ci/servers.py --seed 21
