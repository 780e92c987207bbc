#!/usr/bin/env bash
# Builds the image of the ledger, imports a journal in it, and serves from it. Without a container engine, or without the base
# images, it prints a line with SKIPPED.
#
# The engine is docker or podman, or the value of the variable CONTAINER_ENGINE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=${CONTAINER_ENGINE:-}
for candidate in docker podman; do
    if [ -z "$engine" ] && "$candidate" info >/dev/null 2>&1; then engine=$candidate; fi
done
if [ -z "$engine" ]; then
    echo "SKIPPED: the image of the ledger wasn't built, because no container engine runs here." >&2
    exit 0
fi
# A failure to fetch an image isn't a failure of the Dockerfile.
for image in $(awk '/^FROM/ { print $2 }' Examples/Ledger/Dockerfile); do
    if ! "$engine" image inspect "$image" >/dev/null 2>&1 && ! "$engine" pull --quiet "$image"; then
        echo "SKIPPED: the image of the ledger wasn't built, because $engine can't fetch $image." >&2
        exit 0
    fi
done

# Extra arguments for the engine, such as --isolation=chroot for podman on a machine where containers have no namespaces.
read -ra options <<<"${CONTAINER_BUILD_OPTIONS:-}"
tag=headrace-ledger-check
"$engine" build "${options[@]}" --file Examples/Ledger/Dockerfile --tag "$tag" .

# The image is used within another build, because a port of a container isn't reachable everywhere.
"$engine" build "${options[@]}" - <<CHECK
FROM $tag
WORKDIR /tmp
RUN ledger tour && ledger balance --database ledger-tour.sqlite
# The server prints its address when it is ready, and ends with 0 after SIGTERM.
RUN ledger serve --port 0 >served & server=\$!; \
    timeout 60 sh -c 'until grep -q http served; do sleep 0.1; done' && kill -TERM \$server && wait \$server
CHECK
echo "The image imports a journal and serves the ledger."
