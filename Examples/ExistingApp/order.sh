#!/usr/bin/env bash
# Places an order on SQLite, ships it, and delivers both events, in a new folder.
set -euo pipefail
cd "$(dirname "$0")"
# SHOP names a program that is built already.
[ -n "${SHOP:-}" ] || ../../Scripts/build
shop=${SHOP:-$PWD/.build/debug/shop}
cd "$(mktemp -d)"

"$shop" order Ada tea
"$shop" ship 1
"$shop" deliver
"$shop" mails
