#!/usr/bin/env bash
# Imports each journal of ../shared/data with the ledger, and compares the balances and the statements with those of hledger.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
shared=$root/../shared

if [ ! -x "$shared/tools/compare-balances" ]; then
    echo "*** SKIPPED: no folder '../shared' was found, so no real journal was compared with hledger. ***"
    exit 0
fi

ledger=${LEDGER:-$root/Examples/Ledger/.build/debug/ledger}
books=$(mktemp -d)
trap 'rm -rf "$books"' EXIT
for journal in "$shared"/data/*.journal; do
    rm -f "$books"/*
    "$ledger" import "$journal" --database "$books/books.sqlite"
    "$ledger" balance --format csv --database "$books/books.sqlite" \
        | "$shared/tools/compare-balances" "$journal"
    "$root/.ci/reports.py" "$ledger" "$journal" "$books/books.sqlite"
    "$ledger" import "$journal" --database "$books/books.sqlite" | grep -q ': 0 transactions posted'
done

# Imports all journals into one database, and compares it with one journal that includes them.
rm -f "$books"/*
for journal in "$shared"/data/*.journal; do
    echo "include $(realpath "$journal")"
done >"$books/all.journal"
"$ledger" import "$shared"/data/*.journal --database "$books/books.sqlite" >/dev/null
"$ledger" balance --format csv --database "$books/books.sqlite" \
    | "$shared/tools/compare-balances" "$books/all.journal"
