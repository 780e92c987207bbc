#!/usr/bin/env bash
# Writes the symbol graphs of all modules to a folder. It uses the modules of the test build, so it takes seconds.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$1
graphs=$2

# The module maps of the C modules that the imported modules use. Those of swift-nio and of the libraries of HeadraceHummingbird are generated.
maps=()
for map in "$build"/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap \
    "$build"/checkouts/swift-atomics/Sources/_AtomicsShims/include/module.modulemap \
    "$build"/checkouts/swift-numerics/Sources/_NumericsShims/include/module.modulemap \
    "$build"/checkouts/swift-system/Sources/CSystem/include/module.modulemap \
    "$build"/checkouts/swift-nio/Sources/CNIOWindows/include/module.modulemap \
    "$build"/debug/CNIO*.build/module.modulemap "$build"/debug/CAsyncHTTPClient.build/module.modulemap \
    "$build"/debug/CSimulationEscapes.build/module.modulemap; do
    case $map in *-tool.build/*) continue ;; esac
    if [ -e "$map" ]; then maps+=(-Xcc "-fmodule-map-file=$map"); fi
done

for folder in "$root"/Sources/*; do
    module=$(basename "$folder")
    # The plugin, HeadraceJSON, the tool, and the C libraries have no public symbols, and HeadraceSwiftUI has none on Linux.
    case $module in CLibPQ | CSimulationEscapes | HeadraceJSON | HeadraceMacrosPlugin | HeadraceSwiftUI | HeadraceTool*) continue ;; esac
    swift-symbolgraph-extract -module-name "$module" -I "$build/debug/Modules" -output-dir "$graphs" \
        "${maps[@]}" \
        -Xcc "-fmodule-map-file=$root/Sources/CLibPQ/module.modulemap" -Xcc "-I$(pg_config --includedir)" \
        -target "$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)",/\1/p')" \
        -minimum-access-level public -skip-synthesized-members
done
