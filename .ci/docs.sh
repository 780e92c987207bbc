#!/usr/bin/env bash
# Builds the documentation of all modules together, because modules link to each other. Fails on any warning.
#
# It uses the modules of the test build, so it takes seconds. It prints the share of documented symbols. With a second argument, it
# keeps the rendered web site in that folder, with llms.txt: see Scripts/docs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/.build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
site=${2:-$work/out}
mkdir "$work/graphs" "$work/Headrace.docc"

"$root/.ci/symbol-graphs.sh" "$build" "$work/graphs"
cp "$root"/Sources/*/*.docc/* "$work/Headrace.docc"
# HeadraceSwiftUI has no symbols on Linux, so its page can't link to any.
rm "$work/Headrace.docc/HeadraceSwiftUI.md"

docc convert "$work/Headrace.docc" --additional-symbol-graph-dir "$work/graphs" --output-dir "$site" --transform-for-static-hosting \
    --fallback-display-name Headrace --fallback-bundle-identifier headrace \
    --warnings-as-errors --experimental-documentation-coverage --coverage-summary-level brief

# The list of the articles for language models. Each of its links must lead to a page.
"$root/.ci/llms.py" "$site"

# Every public symbol must have a summary.
python3 - "$site/documentation-coverage.json" <<'CHECK'
import json
import sys

entries = [entry for entry in json.load(open(sys.argv[1])) if entry["kind"]["isSymbol"]]
# Symbols that the compiler makes can't have a comment.
made = {"$current", "init(from:)", "init(rawValue:)"}
missing = [entry["title"] for entry in entries if not entry["hasAbstract"] and entry["title"] not in made]
if missing:
    sys.exit("Without documentation: " + ", ".join(missing))
CHECK
