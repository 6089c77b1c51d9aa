#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The source's hash (cmake/source_id.cmake) changes exactly when a source changes: not with the
# place, the time stamps, git, or what is no source; and the build notices each change.
set -euo pipefail

source=$(cd "${NETSIM_SOURCE_DIR:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# id TREE: the hash of the sources in TREE
id() {
    cmake -D ROOT="$1" -D OUTPUT="$scratch/id.c" -P "$source/cmake/source_id.cmake"
    sed -n 's/^const char campaign_source_id.* "\([0-9a-f]*\)";$/\1/p' "$scratch/id.c"
}

# same WHAT A B, differ WHAT A B
same() { [[ $2 == "$3" ]] || { echo "$1: $2 is not $3"; exit 1; }; }
differ() { [[ $2 != "$3" ]] || { echo "$1: both are $2"; exit 1; }; }

a=$scratch/a b="$scratch/another place"
for tree in "$a" "$b"; do
    mkdir -p "$tree/sim/core" "$tree/models/via" "$tree/tests" "$tree/docs"
    echo 'int a;' >"$tree/sim/core/a.c"
    echo 'int b;' >"$tree/sim/core/b.c"
    echo 'int v;' >"$tree/models/via/v.h"
done
touch -d '2 days ago' "$b/sim/core/a.c"
first=$(id "$a")
[[ ${#first} == 16 ]] || { echo "the hash has ${#first} digits"; exit 1; }
same "another place and another time" "$first" "$(id "$b")"

echo 'int t;' >"$b/tests/t.c"
echo text >"$b/docs/x.md"
echo text >"$b/sim/core/notes.txt"
mkdir "$b/.git"
same "what is no source" "$first" "$(id "$b")"

echo 'int b; ' >"$b/sim/core/b.c"
differ "a blank more" "$first" "$(id "$b")"
echo 'int b;' >"$b/sim/core/b.c"
same "back again" "$first" "$(id "$b")"
mv "$b/sim/core/a.c" "$b/sim/core/c.c"
differ "another name" "$first" "$(id "$b")"
rm "$b/sim/core/c.c"
differ "one less" "$first" "$(id "$b")"
printf 'int b;\n' >"$b/sim/core/a.c"
printf 'int a;\n' >"$b/sim/core/b.c"
differ "contents exchanged" "$first" "$(id "$b")"

# The file is not touched if nothing has changed, or everything would be linked again.
id "$a" >/dev/null
touch -d '2 days ago' "$scratch/id.c"
before=$(stat -c %Y "$scratch/id.c")
id "$a" >/dev/null
same "the time of the file" "$before" "$(stat -c %Y "$scratch/id.c")"

# In the build: of a small project with the tree's own rule, since the whole takes minutes.
project=$scratch/project
mkdir -p "$project/cmake" "$project/sim/core" "$project/models/via"
cp "$source/cmake/source_id.cmake" "$project/cmake"
cp "$a"/sim/core/*.c "$project/sim/core"
cp "$a/models/via/v.h" "$project/models/via"
{
    echo 'cmake_minimum_required(VERSION 3.22)'
    echo 'project(netsim LANGUAGES NONE)'
    sed -n '/^file(GLOB netsim_identity/,/VERBATIM)$/p' "$source/CMakeLists.txt"
    # shellcheck disable=SC2016  # CMake expands it
    echo 'add_custom_target(all_of_it ALL DEPENDS ${source_id})'
} >"$project/CMakeLists.txt"
grep -q add_custom_command "$project/CMakeLists.txt" || { echo "the rule was not found"; exit 1; }
cmake -S "$project" -B "$scratch/build" -G Ninja >/dev/null

# built: what a build makes of the project now
built() {
    ninja --quiet -C "$scratch/build" >/dev/null 2>&1
    sed -n 's/.* "\([0-9a-f]*\)";$/\1/p' "$scratch/build/source_id.c"
}
same "the build" "$first" "$(built)"
echo 'int a = 1;' >"$project/sim/core/a.c"
changed=$(built)
differ "a changed source" "$first" "$changed"
same "the build of it" "$(id "$project")" "$changed"
rm "$project/sim/core/b.c"
same "a source taken away" "$(id "$project")" "$(built)"
echo 'int c;' >"$project/sim/core/c.h"
same "a header more" "$(id "$project")" "$(built)"
