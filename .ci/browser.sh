#!/usr/bin/env bash
# Tests the served pages in a real browser. Installs the required packages (Debian, root).
#   .ci/browser.sh                     all tests of Tests/Browser
#   .ci/browser.sh test_page.Balances  some tests
#   .ci/browser.sh --pictures [DIR]    writes docs/pictures/ledger.png, and pictures at other sizes and in dark mode into DIR
# LEDGER and INSPECTOR_SUBJECT are the paths of the programs. If they aren't set, the script builds the programs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

missing=()
for package in chromium chromium-driver; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" fonts-dejavu-core
fi

environment=$root/.build/browser
if ! cmp -s "$root/Tests/Browser/requirements.txt" "$environment/requirements.txt"; then
    rm -rf "$environment"
    mkdir -p "$(dirname "$environment")"
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$root/Tests/Browser/requirements.txt"
    cp "$root/Tests/Browser/requirements.txt" "$environment/requirements.txt"
fi

if [ -z "${LEDGER:-}" ]; then
    # With the traits of the scripts after this one, so that they don't compile it again.
    "$root/Scripts/build" --package-path "$root/Examples/Ledger" --traits Webhooks --product ledger >&2
    LEDGER=$(swift build --package-path "$root/Examples/Ledger" --traits Webhooks --show-bin-path)/ledger
    export LEDGER
fi

if [ -z "${INSPECTOR_SUBJECT:-}" ]; then
    "$root/Scripts/build" --package-path "$root" --enable-all-traits --product InspectorSubject >&2
    INSPECTOR_SUBJECT=$(swift build --package-path "$root" --enable-all-traits --show-bin-path)/InspectorSubject
    export INSPECTOR_SUBJECT
fi

cd "$root/Tests/Browser"
export PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" = --pictures ]; then
    exec timeout 420 "$environment/bin/python" pictures.py "${@:2}"
fi
exec timeout 700 "$environment/bin/python" -m unittest --verbose "$@"
