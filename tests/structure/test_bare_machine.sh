#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The help and the refusals of tests/bare_machine.sh; .ci/run runs it.
set -euo pipefail

source=${NETSIM_SOURCE_DIR:-.}
script=$source/tests/bare_machine.sh
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

# ends CODE PART ARGUMENT...: checks the exit code and a part of the output
ends() {
    local output code=0
    output=$("$script" "${@:3}" 2>&1) || code=$?
    if [[ $code -ne $1 || $output != *"$2"* ]]; then
        printf 'FAILED: %s: ended with %d:\n%s\n' "${*:3}" "$code" "$output"
        exit 1
    fi
}

for option in --help -h; do
    for part in ./netsim --user --blanks --tarball --command mmdebstrap; do
        ends 0 "$part" "$option"
    done
done
ends 1 "unrecognized option '--frob'" --frob
ends 1 "tests/bare_machine.sh [OPTION ...] [TREE]" one two
ends 1 "there is no $empty/nothing" "$empty/nothing"
ends 1 "$empty is no tree of netsim" "$empty"
if [[ $(id -u) -ne 0 ]]; then
    ends 1 "only root can make a machine" "$source"
fi
echo "all as expected"
