#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The example of docs/adding-a-fabric.md is whole: its files, put into a copy of the tree, compile
# without a warning, keep the include rules, and do what the page shows.
set -euo pipefail

source=$(cd "${NETSIM_SOURCE_DIR:-.}" && pwd)
page=$source/docs/adding-a-fabric.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
mkdir "$tree"

cd "$source"
tar -c CMakeLists.txt CMakePresets.json cmake sim models bench scenarios tests/structure tests/support tests/docs |
    tar -x -C "$tree"

python3 - "$source/tests/docs" "$page" "$tree" <<'END'
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import console

page, tree = sys.argv[2:]
with open(page, encoding="utf-8") as file:
    found = dict(console.files(file.read()))
if "models/registry.c" not in found or len(found) != 3:
    sys.exit(f"{page}: three files were expected, not {sorted(found)}")

# The line that the page adds to the registry, after the one that it shows before it.
registry = os.path.join(tree, "models/registry.c")
before, added = found.pop("models/registry.c").splitlines()
with open(registry, encoding="utf-8") as file:
    there = file.read().splitlines()
places = [i for i, line in enumerate(there) if line.rstrip("\\ ") == before[1:].rstrip()]
if len(places) != 1 or not added.startswith("+"):
    sys.exit(f"{page}: {before!r} is not one line of models/registry.c, or nothing is added")
there[places[0]:places[0] + 1] = [before[1:] + " \\", added[1:] + there[places[0]][len(before[1:].rstrip()):]]
with open(registry, "w", encoding="utf-8") as file:
    file.write("\n".join(there) + "\n")

# A fabric has its own parts, and no more: lines of code, without blank lines and comments.
MOST_LINES = 110
code = [line for line in found["models/wire/wire.c"].splitlines()
        if line.strip() and not line.lstrip().startswith("//")]
if len(code) > MOST_LINES:
    sys.exit(f"{page}: the example takes {len(code)} lines of C, more than {MOST_LINES}")

for path, content in found.items():
    os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
    with open(os.path.join(tree, path), "w", encoding="utf-8") as file:
        file.write(content)
END

python3 "$tree/tests/structure/check_includes.py" "$tree"

log=$scratch/log
if ! { cmake -S "$tree" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
           -DBUILD_TESTING=OFF -DNETSIM_WERROR=ON && ninja -C "$scratch/build" netsim; } \
       >"$log" 2>&1; then
    tail -n 50 "$log"
    exit 1
fi

NETSIM=$scratch/build/netsim NETSIM_SOURCE_DIR=$tree python3 "$tree/tests/docs/console.py" \
    "${@}" "$page"
