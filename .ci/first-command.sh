#!/usr/bin/env bash
# Runs the README's first command, the tour of the ledger, in an empty folder.
#
# In a copy of the package without builds, the command must not compile the server, which takes minutes. The program must then
# refuse the commands that need the server, and say how to get them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/Examples/Ledger/.build/debug
is_new=
if [ ! -e "$build" ]; then is_new=yes; fi

tour=$(mktemp -d)
trap 'rm -rf "$tour"' EXIT
cd "$tour"
"$root/Scripts/ledger"
if [ ! -s ledger-tour.sqlite ]; then
    echo "The tour has written no database." >&2
    exit 1
fi
if [ -z "$is_new" ]; then exit 0; fi

for module in \
    AsyncAlgorithms AsyncHTTPClient CLibPQ Configuration HeadraceMacrosPlugin-tool HeadraceSimulation Hummingbird LedgerServer NIOCore \
    SwiftSyntax-tool; do
    if compgen -G "$build/$module.build/*.o" >/dev/null; then
        echo "The first command has compiled $module. To fix, give the dependency on it a trait in Examples/Ledger/Package.swift." >&2
        exit 1
    fi
done
for arguments in "serve --port 0" "token ada"; do
    code=0
    read -ra words <<<"$arguments"
    "$build/ledger" "${words[@]}" 2>failure || code=$?
    if [ "$code" != 1 ] || ! grep -qF -- "--traits Server" failure; then
        echo "'ledger $arguments' without the server ended with $code, and printed: $(cat failure)" >&2
        exit 1
    fi
done
