#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests check_includes.py itself: it must find each kind of violation, where it is, and nothing else.
# (That the real tree passes is the ctest test `check_includes`.)
set -euo pipefail

check=${NETSIM_SOURCE_DIR:-.}/tests/structure/check_includes.py
python=$(python3 -c 'import sys; print(sys.executable)') # not through a slow wrapper each time
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
failures=0
cases=0

# put FILE LINE...: writes a source into the tree
put() {
    mkdir -p "$tree/${1%/*}"
    printf '%s\n' "${@:2}" >"$tree/$1"
}

# A tree in which every arrow that may be drawn is drawn.
put sim/core/engine.h     '#include <stdint.h>'
put sim/core/engine.c     '#include "sim/core/engine.h"' '#include "engine.h"'
put sim/config/units.h    '#include "sim/core/engine.h"'
put sim/net/link.h        '#include "sim/core/engine.h"' '#include "sim/config/units.h"'
put sim/host/cpu.h        '#include "sim/core/engine.h"' '#include "sim/config/units.h"'
put sim/cluster/cluster.h '#include "sim/net/link.h"' '#include "sim/host/cpu.h"'
put sim/mpi/request.h     '#include "sim/host/cpu.h"'
put sim/model/stack.h     '#include "sim/mpi/request.h"' '#include "sim/cluster/cluster.h"'
put sim/run/run.h         '#include "sim/model/stack.h"'
put sim/output/table.h    '#include "sim/model/stack.h"' '#include "sim/core/engine.h"'
put sim/cli/run.h         '#include "sim/output/table.h"'
put sim/cli/bench.c       '#include "bench/hold.h"' '#include "sim/cli/run.h"'
put models/models.h       '#include "sim/model/stack.h"'
put models/via/via.h      '#include "sim/model/stack.h"' '#include "models/models.h"'
put models/via/via.c      '#include "models/via/via.h"' '#include "via.h"'
put models/tcp/tcp.h      '#include "sim/net/link.h"'
put models/registry.c     '#include "sim/model/stack.h"'
put models/mpi_tcp/mpi.c  '#include "models/tcp/tcp.h"'
put models/mpi_tcp/model.c 'const struct model m = {.stands_on = (const char *const[]){"tcp", NULL}};'
put bench/hold.h          '#include "sim/core/engine.h"' '#include "sim/model/stack.h"'
put tests/via/test_via.c  '#include "models/via/via.h"' '#include "models/tcp/tcp.h"'
mv "$tree" "$scratch/good"

good_tree() {
    rm -rf "$tree"
    cp -r "$scratch/good" "$tree"
}

fail() {
    printf 'FAILED: %s\n' "$1"
    printf '%s\n' "$output" | sed 's/^/    /'
    failures=$((failures + 1))
}

run_check() {
    cases=$((cases + 1))
    status=0
    output=$("$python" "$check" "$tree" 2>&1) || status=$?
}

# accepts TITLE
accepts() {
    run_check
    [[ $status -eq 0 ]] || fail "$1: refused"
}

# refuses TITLE FILE:LINE PART-OF-MESSAGE: exactly this one violation
refuses() {
    run_check
    local first count
    first=$(head -n 1 <<<"$output")
    count=$(grep -c '^[^ ]*:[0-9]*: ' <<<"$output" || true)
    [[ $status -eq 1 && $count -eq 1 && $first == "$2: "*"$3"* ]] || fail "$1: wanted $2: ...$3..."
}

good_tree; accepts "the good tree"

# ---- Every arrow between two rooms that is not allowed ------------------------------------------

declare -A header=(
    [sim/core]=sim/core/engine.h [sim/config]=sim/config/units.h [sim/net]=sim/net/link.h
    [sim/program]=sim/program/program.h [sim/scenario]=sim/scenario/case.h
    [sim/host]=sim/host/cpu.h [sim/cluster]=sim/cluster/cluster.h
    [sim/mpi]=sim/mpi/request.h [sim/model]=sim/model/stack.h
    [sim/run]=sim/run/run.h
    [sim/output]=sim/output/table.h [sim/cli]=sim/cli/run.h [bench]=bench/hold.h
    [models/via]=models/via/via.h [models/tcp]=models/tcp/tcp.h
    [models/via/vip]=models/via/vip/vip.h
    [tests]=tests/support/support.h
)
declare -A refused=(
    [sim/core]="sim/config sim/net sim/host sim/cluster sim/mpi sim/model sim/output sim/cli bench models/via tests"
    [sim/config]="sim/program sim/scenario sim/net sim/host sim/cluster sim/mpi sim/model sim/output sim/cli bench models/via tests"
    [sim/program]="sim/scenario sim/net sim/host sim/model models/via"
    [sim/scenario]="sim/host sim/cluster sim/mpi sim/model models/via"
    [sim/net]="sim/program sim/scenario sim/host sim/cluster sim/mpi sim/model sim/output sim/cli bench models/via tests"
    [sim/host]="sim/scenario sim/net sim/cluster sim/mpi sim/model sim/output sim/cli bench models/via tests"
    [sim/cluster]="sim/mpi sim/model sim/output sim/cli bench models/via tests"
    [sim/mpi]="sim/net sim/cluster sim/model sim/output sim/cli bench models/via tests"
    [sim/model]="sim/host sim/run sim/output sim/cli bench models/via tests"
    [sim/output]="sim/net sim/host sim/cluster sim/mpi sim/cli bench models/via tests"
    [sim/cli]="sim/net sim/host sim/cluster sim/mpi models/via models/tcp tests"
    [models/via]="models/tcp sim/run sim/output sim/cli bench tests"
    [models/sctp_cmt]="models/tcp models/via"
    [models/via/mvich]="models/via models/via/vip"
    [models/tcp]="models/via"
    [bench]="sim/host sim/mpi sim/cli models/via tests"
)
for room in "${!refused[@]}"; do
    for other in ${refused[$room]}; do
        good_tree
        put tests/support/support.h ''
        put "$room/bad.c" '#include <stdio.h>' "#include \"${header[$other]}\""
        refuses "$room includes $other" "$room/bad.c:2" "$room includes ${header[$other]}"
    done
done

# ---- The rules' special cases -------------------------------------------------------------------

good_tree; put models/registry.c '#include "models/via/via.h"'
refuses "the registry includes no model" models/registry.c:1 "a model includes only those that it stands on"

good_tree; put models/mpi_tcp/mpi.c '#include "models/via/via.h"'
refuses "a model that it does not stand on" models/mpi_tcp/mpi.c:1 "models/mpi_tcp/model.c, stands_on"

good_tree; put sim/cli/bad.c '#include "models/models.h"'
refuses "sim includes the models' common header" sim/cli/bad.c:1 "sim/ never includes models/"

good_tree; put sim/physics/new.c '#include "sim/core/engine.h"'
refuses "a new room" sim/physics/new.c:1 "no room that this check knows"

good_tree; put sim/loose.c ''
refuses "a file in no room" sim/loose.c:1 "no room that this check knows"

# ---- Ways to write an include -------------------------------------------------------------------

good_tree; put sim/core/bad.c '#include "../net/link.h"'
refuses "relative path" sim/core/bad.c:1 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c '#include "sim/core/../net/link.h"'
refuses "detour" sim/core/bad.c:1 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c '#include <sim/net/link.h>'
refuses "angle brackets" sim/core/bad.c:1 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c '  #  include/**/"sim/net/link.h" // why'
refuses "blanks and comments" sim/core/bad.c:1 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c "#include \\" '"sim/net/link.h"'
refuses "continued line" sim/core/bad.c:2 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c 'const char *a = "sim/*";' '#include "sim/net/link.h"' '/* */'
refuses "a string that looks like a comment" sim/core/bad.c:2 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c "#error don't /* " "*/ #include <a.h>" '#include "sim/net/link.h"'
refuses "an apostrophe in a message" sim/core/bad.c:3 "sim/core includes sim/net/link.h"

good_tree; put sim/core/bad.c '#define WHAT "sim/net/link.h"' '#include WHAT'
refuses "a macro" sim/core/bad.c:2 "include of a macro"

good_tree; put sim/core/bad.h '#include "sim/net/not_yet.h"'
refuses "a file that does not exist" sim/core/bad.h:1 "sim/core includes sim/net/not_yet.h"

good_tree
put sim/core/fine.c '// #include "sim/net/link.h"' '/*' '#include "sim/net/link.h"' '*/' \
    'const char *a = "#include \"sim/net/link.h\"";' '#include <sys/net/link.h>'
accepts "no include at all"

# ---- Circles ------------------------------------------------------------------------------------

good_tree; put sim/net/a.h '#include "sim/net/a.h"'
refuses "itself" sim/net/a.h:1 "circle of includes: sim/net/a.h -> sim/net/a.h"

good_tree
put sim/net/a.h '#include "sim/net/b.h"'
put sim/net/b.h '#include <stdio.h>' '#include "a.h"'
refuses "two" sim/net/b.h:2 "circle of includes: sim/net/a.h -> sim/net/b.h -> sim/net/a.h"

good_tree
put models/via/a.h '#include "models/via/b.h"'
put models/via/b.h '#include "models/via/c.h"'
put models/via/c.h '#include "models/via/via.h"' '#include "models/via/a.h"'
refuses "three" models/via/c.h:2 "models/via/a.h -> models/via/b.h -> models/via/c.h"

good_tree
put tests/support/a.h '#include "tests/support/b.h"'
put tests/support/b.h '#include "tests/support/a.h"'
refuses "in the tests" tests/support/b.h:1 "circle of includes"

good_tree
put sim/net/a.h '#include "sim/net/b.h"' '#include "sim/net/c.h"'
put sim/net/b.h '#include "sim/net/d.h"'
put sim/net/c.h '#include "sim/net/d.h"'
put sim/net/d.h ''
accepts "two ways to one header"

# ---- Nothing to check ---------------------------------------------------------------------------

rm -rf "$tree"
run_check
[[ $status -eq 1 && $output == *"nothing was checked"* ]] || fail "an empty tree passes"

printf '%d cases, %d failed\n' "$cases" "$failures"
[[ $failures -eq 0 ]]
