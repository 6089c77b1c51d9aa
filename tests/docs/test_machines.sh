#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/machines.md is what `netsim describe machine --format markdown` prints.
set -euo pipefail

page=${NETSIM_SOURCE_DIR:-.}/docs/machines.md
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT

"$NETSIM" describe machine --format markdown >"$printed"
if ! diff -u "$page" "$printed"; then
    echo "docs/machines.md is out of date; this command makes it anew:"
    echo "    ./netsim describe machine --format markdown >docs/machines.md"
    exit 1
fi
echo "docs/machines.md: $(grep -c '^## ' "$page") machines, all as described"
