#!/usr/bin/env bash
# Compiles the sources of HeadraceSwiftUI against stand-ins of SwiftUI and SwiftData, and runs applications with them.
#
# It shares the build folder of the clients (`.ci/clients.sh`), which runs it after the packages with the same traits. There, it
# compiles the stand-ins and the tests only.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
start=$SECONDS
package=(--package-path "$root/Tests/ApplePlatforms" --scratch-path "${SHARED_BUILD:-$root/.build/clients/packages}")
"$root/Scripts/build" --quiet "${package[@]}" --build-tests
swift test --quiet "${package[@]}" --skip-build
echo "Apple's platforms, with stand-ins: $((SECONDS - start)) s"
