#!/usr/bin/env bash
# Builds and runs small client packages. Each must print the expected lines, and must fetch and compile exactly the packages and
# modules on its list, so that clients don't wait for unused dependencies. `--record` writes the lists.
#
# Failures are repeated at the end. The complete output of each build and test run is in .build/clients/*.log.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builds=$root/.build/clients
# The packages share the compiled dependencies. SHARED_BUILD names a folder that has more of them.
scratch=${SHARED_BUILD:-$builds/packages}
mkdir -p "$builds"
# A product that was not built has no list.
shopt -s nullglob
failures=$builds/failures.log
: >"$failures"

# Progress lines of the package manager and of the test runner, and their warnings about files of dependencies.
progress='^(Fetching|Fetched|Updating|Updated|Computing|Computed|Creating working copy|Working copy of|Cloning|Building for'
progress+="|Build complete|Planning build|\[[0-9]+/[0-9]+\]|◇ |↳ |Test Suite '|[[:space:]]+Executed [0-9]+ tests)"
remarks="^(warning: '(swift-distributed-tracing|GRDB.swift)': found [0-9]+ file\(s\) which are unhandled|    /.*/checkouts/)"

# Prints a message, and repeats it at the end.
fail() {
    echo "*** $1" | tee -a "$failures" >&2
}

# Runs a command and prints its output without progress lines. If it fails, its first errors are repeated at the end.
run() {
    local name=$1 log=$builds/$1.log code=0
    shift
    "$@" 2>&1 | tee "$log" | sed -u -E "\\#$progress#d; \\#$remarks#d" || code=$?
    if [ "$code" = 0 ]; then return 0; fi
    {
        echo "*** $name: exit code $code of: $*"
        grep -E 'error:|Fatal error|recorded an issue|failed after' "$log" | awk '!seen[$0]++' | head -n 40
    } >>"$failures"
    return "$code"
}

# Prints the fetched dependencies of a client, and the modules of its product and of the macros, one for each line.
#
# All packages share a build folder, which has modules of other packages, too. So the modules come from the lists of the linker:
# they have the objects of exactly the modules that a build of the product in an empty folder compiles.
contents() {
    python3 - "$2/Package.resolved" <<'PINS'
import json, os, sys
if os.path.exists(sys.argv[1]):
    pins = json.load(open(sys.argv[1]))["pins"]
    for name in sorted(pin["location"].rsplit("/", 1)[1].removesuffix(".git") for pin in pins):
        print("fetched ", name)
PINS
    local lists=("$scratch/debug/$1.product"/*.LinkFileList)
    if grep -q '"swift-syntax"' "$2/Package.resolved" 2>/dev/null; then
        lists+=("$scratch"/debug/HeadraceMacrosPlugin-tool.product/*.LinkFileList)
    fi
    cat "${lists[@]}" </dev/null | sed -n 's|.*/\([^/]*\)\.build/.*|compiled \1|p' | sort -u
}

# Builds the product of a client, and compares its contents and its output.
client() {
    local folder=$root/Tests/Clients/$1 product=$2 expected=$3 start=$SECONDS
    rm -f "$folder/Package.resolved"
    run "$1" "$root/Scripts/build" --quiet --package-path "$folder" --scratch-path "$scratch" --product "$product" || return 0
    local seconds=$((SECONDS - start))

    if [ "${record:-}" = yes ]; then contents "$product" "$folder" >"$folder/contents.txt"; fi
    local difference
    if ! difference=$(diff "$folder/contents.txt" <(contents "$product" "$folder")); then
        fail "$1: '<' is expected and missing, '>' is present and not expected.
$difference"
    fi
    local printed
    printed=$(cd "$(mktemp -d)" && "$scratch/debug/$product") || fail "$1: exit code $? of $product"
    if [ "$printed" != "$expected" ]; then
        fail "$1 printed '$printed' instead of '$expected'."
    fi
    echo "$1: built in $seconds s; $(grep -c compiled "$folder/contents.txt") modules"
}

# The command within which the tests run.
within=()

# Runs the tests of a package, by default in the client's folder. Further arguments are options of the package manager.
tests() {
    local package=(--package-path "${2:-$root/Tests/Clients/$1}" --scratch-path "$scratch" "${@:3}") start=$SECONDS
    run "$1-tests-build" "$root/Scripts/build" --quiet "${package[@]}" --build-tests || return 0
    local seconds=$((SECONDS - start))
    run "$1-tests" "${within[@]}" swift test --quiet "${package[@]}" --skip-build || return 0
    echo "$1: tests built in $seconds s, and passed"
}

if [ "${1:-}" = --record ]; then record=yes; fi
client Stations stations-client 2
client Commands commands-client 2
# The README's first command has compiled the modules with the same traits.
scratch=$root/Examples/Ledger/.build client SQLiteDomain domain-client 2

# An application with its own tables, on SQLite and on PostgreSQL. It doesn't need the macros.
within=("$root/Scripts/postgres")
tests ExistingApp "$root/Examples/ExistingApp" --enable-all-traits
within=()
if grep SKIPPED "$builds/ExistingApp-tests.log"; then fail "ExistingApp: the test on PostgreSQL was skipped."; fi
# Its README's commands, with the program of the tests.
export SHOP=$scratch/debug/shop
run ExistingApp-order "$root/Examples/ExistingApp/order.sh" || true
run ExistingApp-psql "$root/Scripts/postgres" "$root/Examples/ExistingApp/order-by-psql.sh" || true
for mails in order:2 psql:1; do
    if [ "$(grep -c 'To Ada: ' "$builds/ExistingApp-${mails%:*}.log")" != "${mails#*:}" ]; then
        fail "ExistingApp: ${mails%:*} sent other mails than ${mails#*:}."
    fi
done
unset SHOP

client Desk desk 'BookIsOut(title: "Ulysses", reader: "Ada")
["Ulysses: Ada"]
Enjoy '\''Ulysses'\'', Ada!
["Emma: in", "Ulysses: Ada"]'

# The tests of the tutorial and of a client with OpenCombine, and the samples of other packages.
tests Desk
tests PublishedModels
tests Samples

# The first example, and a package that the README's command makes.
tests ToDo "$root/Examples/ToDo"
new=$(mktemp -d)
(cd "$new" && "$root/Scripts/new" Shop >/dev/null) || fail "Scripts/new can't make a package."
cmp -s "$root/SKILL.md" "$new/Shop/SKILL.md" || fail "Scripts/new doesn't copy SKILL.md."
for link in $(grep -oE '\]\([^)]+\)' "$new/Shop/README.md" | sed 's/^](//; s/)$//'); do
    if [ ! -e "$new/Shop/$link" ]; then fail "The README of a new package links to $link, which doesn't exist."; fi
done
if grep -n 'todo[./T]' "$new/Shop/README.md"; then fail "The README of a new package names the example."; fi
tests Shop "$new/Shop"
for taken in Shop Headrace main 7up a/b; do
    if (cd "$new" && "$root/Scripts/new" "$taken" >/dev/null 2>&1); then fail "Scripts/new accepts the name '$taken'."; fi
done
rm -rf "$new"

# A service that was written by following only the README and the articles.
tests Seats

# The stand-ins of Apple's platforms use the same build folder and the same traits.
run ApplePlatforms "$root/.ci/apple.sh" || true

# A server with its devices, which also keeps its notes in PostgreSQL.
tests Notes "$root/Examples/Notes" --enable-all-traits

if [ -s "$failures" ]; then
    printf '\n'
    cat "$failures" >&2
    exit 1
fi
