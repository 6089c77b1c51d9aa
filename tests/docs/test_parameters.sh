#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/parameters.md is what `netsim describe --format markdown` prints.
set -euo pipefail

page=${NETSIM_SOURCE_DIR:-.}/docs/parameters.md
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT

"$NETSIM" describe --format markdown >"$printed"
if ! diff -u "$page" "$printed"; then
    echo "docs/parameters.md is out of date; this command makes it anew:"
    echo "    ./netsim describe --format markdown >docs/parameters.md"
    exit 1
fi
echo "docs/parameters.md: $(grep -c '^| `' "$page") parameters, all as described"
