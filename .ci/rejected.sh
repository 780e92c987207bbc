#!/usr/bin/env bash
# Type-checks the files of Tests/Rejected, which must not compile. The errors must match the comments in these files exactly.
# Needs a build of the package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

plugin=.build/debug/HeadraceMacrosPlugin-tool#HeadraceMacrosPlugin
for file in Tests/Rejected/*.swift; do
    swiftc -typecheck -parse-as-library -swift-version 6 -I .build/debug/Modules -load-plugin-executable "$plugin" \
        -Xfrontend -verify -Xfrontend -verify-ignore-unrelated "$file"
done
