#!/usr/bin/env bash
# Compiles the sources of HeadraceSwiftUI against stand-ins of SwiftUI and SwiftData, and runs applications with them.
#
# It shares the build folder of the tutorial's client (`.ci/clients.sh`), which has the same traits. If that client is built,
# this script compiles the stand-ins and the tests only.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
start=$SECONDS
package=(--package-path "$root/Tests/ApplePlatforms" --scratch-path "$root/.build/clients/Desk")
"$root/Scripts/build" --quiet "${package[@]}" --build-tests
swift test --quiet "${package[@]}" --skip-build
echo "Apple's platforms, with stand-ins: $((SECONDS - start)) s"
