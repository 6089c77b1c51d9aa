#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The launcher, in a tree of a few empty sources, with tools that only note that they were called: when it builds,
# where, and its message when it can't.
# shellcheck disable=SC2016  # the tools expand what is quoted here
set -euo pipefail

unset NETSIM_PRESET NETSIM_BUILD_DIR NETSIM_NO_INSTALL
source=$(cd "${NETSIM_SOURCE_DIR:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree="$scratch/a tree"
failures=0

fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

tool() { # NAME LINE...: a program in PATH
    { printf '#!/bin/sh\n'; printf '%s\n' "${@:2}"; } >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# Substitutes of the compiler and its friends: `ninja' makes a program that prints "ran".
mkdir "$scratch/bin"
tool cc :
tool pkg-config :
tool cmake '[ "$1" != --version ] || { echo "cmake version ${CMAKE_IS-9.9.9}"; exit; }' \
    'while [ $# -gt 0 ]; do [ "$1" != -B ] || build=$2; shift; done' \
    'echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$build/CMakeCache.txt"' ': >"$build/build.ninja"'
tool ninja "echo built >>'$scratch/builds'" \
    'while [ $# -gt 0 ]; do [ "$1" != -C ] || build=$2; shift; done' \
    'printf "#!/bin/sh\necho ran \"\$@\"\n" >"$build/netsim"; chmod +x "$build/netsim"'
for name in apt-get sudo; do
    tool $name "echo $name >>'$scratch/installs'" 'exit 1'
done

mkdir -p "$tree"/{sim/core,models,bench,cmake}
cp "$source/netsim" "$source/CMakeLists.txt" "$source/CMakePresets.json" "$tree/"
touch "$tree/sim/core/engine.c" "$tree/sim/core/engine.h"

# run: calls the launcher; sets $status and $output
run() {
    status=0
    output=$(PATH="$scratch/bin:$PATH" "$tree/netsim" run x 2>&1) || status=$?
}

# runs TITLE BUILDS: it builds so many times, and runs
runs() {
    : >"$scratch/builds"
    run
    [[ $status -eq 0 && $output == *"ran run x" ]] || fail "$1: ended with $status: $output"
    [[ $(wc -l <"$scratch/builds") -eq $2 ]] || fail "$1: built $(wc -l <"$scratch/builds") times"
}

# refuses TITLE PART...: it ends with 1 and prints each part
refuses() {
    run
    [[ $status -eq 1 ]] || fail "$1: ended with $status: $output"
    for part in "${@:2}"; do
        [[ $output == *"$part"* ]] || fail "$1: \"$part\" is not in: $output"
    done
}

# ---- When it builds -----------------------------------------------------------------------------

runs "the first call" 1
runs "nothing changed" 0
echo '// more' >>"$tree/sim/core/engine.c"
runs "a source that changed" 1
touch -d '2001-01-01' "$tree/sim/core/engine.h"
runs "a source put back from long ago" 1
runs "nothing changed since" 0
rm "$tree/sim/core/engine.h"
runs "a source that was taken away" 1
touch -d '2100-01-01' "$tree/sim/core/engine.c"
runs "a source dated in the future" 1
runs "nothing changed, but a source is dated in the future" 0
touch -d '2100-01-01' "$tree/netsim"
runs "the launcher itself, dated in the future" 1
runs "nothing changed, but the launcher is dated in the future" 0
touch "$tree/models/new.c"
runs "a new source beside one dated in the future" 1
mv "$tree" "$scratch/moved"
tree=$scratch/moved
runs "a tree that was moved" 1
runs "nothing changed since it was moved" 0

# Tests that need not the program leave it as it is, and the next command builds it.
mkdir "$tree/tests"
echo 'import sys; print("tests_net" if "--targets" in sys.argv else "tested")' >"$tree/tests/run_suite.py"
echo '// more' >>"$tree/sim/core/engine.c"
output=$(PATH="$scratch/bin:$PATH" "$tree/netsim" test -R net 2>/dev/null) || true
[[ $output == tested ]] || fail "a named test: $output"
runs "the program, after tests that do not run it" 1
runs "nothing changed since" 0
rm -r "$tree/tests"

# ---- Where --------------------------------------------------------------------------------------

rm -r "$tree/build"
: >"$tree/build" # even root can't make a directory here
refuses "a tree that can't be written" "$tree/build can't be written" "NETSIM_BUILD_DIR"
export NETSIM_BUILD_DIR=$scratch/elsewhere
runs "a build elsewhere" 1
runs "nothing changed elsewhere" 0
[[ -x $scratch/elsewhere/netsim && ! -s $tree/build ]] || fail "elsewhere is not elsewhere"
unset NETSIM_BUILD_DIR
rm "$tree/build"

# ---- What it lacks ------------------------------------------------------------------------------

export CMAKE_IS=3.18.4
refuses "an old CMake" "CMake 3.18.4 is too old: netsim needs 3.22 or newer"
CMAKE_IS=3.22.0
runs "a CMake that is just new enough" 1
unset CMAKE_IS

rm -r "$tree/build"
tool pkg-config '[ "$2" != gsl ]'
export NETSIM_NO_INSTALL=1
: >"$scratch/installs"
refuses "what may not be installed" "libgsl-dev" "random streams" "NETSIM_NO_INSTALL"
[[ ! -s $scratch/installs ]] || fail "NETSIM_NO_INSTALL=1, and yet: $(cat "$scratch/installs")"

unset NETSIM_NO_INSTALL

# A release without the package of OTF2: apt-get knows it only by name.
tool pkg-config '[ "$2" != otf2 ]'
tool apt-cache '[ "$2" != libopen-trace-format2-dev ]'
tool apt-get "echo \"\$*\" >>'$scratch/installs'" 'case $* in *trace-format2*) exit 1 ;; esac'
tool sudo 'shift; exec "$@"'
: >"$scratch/installs"
run
[[ $status -eq 0 && $output == *"ran run x" ]] || fail "a release without OTF2: ended with $status: $output"
for part in "this release has no package for these" "libopen-trace-format2-dev | reads recorded programs"; do
    [[ $output == *"$part"* ]] || fail "a release without OTF2: \"$part\" is not in: $output"
done
grep -q ' update$' "$scratch/installs" || fail "a release without OTF2: no update before it is given up"
: >"$scratch/installs"
runs "the next call on a release without OTF2" 0
[[ ! -s $scratch/installs ]] || fail "OTF2 was tried again: $(cat "$scratch/installs")"

if [[ $failures -gt 0 ]]; then
    printf '%d failures\n' "$failures"
    exit 1
fi
echo "all as expected"
