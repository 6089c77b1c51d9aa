#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record.sh FOLDER RANKS PROGRAM [ARGUMENTS ...]: records an MPI program that was built with smpicc,
# under SimGrid's smpirun, into FOLDER: trace.txt, which lists the files of the ranks, and these.
#
# Work between calls is recorded as measured CPU time x 1 Gflop/s: a flop of the recording is a
# nanosecond of the machine that recorded it. $PLATFORM and $HOSTS are the platform and its hosts
# (`netsim export simgrid` makes both), $OPTIONS more words for smpirun. Unset, it is a plain star of
# as many hosts as there are ranks. What ranks do and how long they compute does not depend on it.
set -euo pipefail
folder=$1 ranks=$2
shift 2
if [ -e "$folder" ]; then
    echo "$folder is there already" >&2
    exit 1
fi
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
if [ -z "${PLATFORM:-}" ]; then
    PLATFORM=$scratch/star.xml HOSTS=$scratch/star.txt
    printf '%s\n' "<?xml version='1.0'?>" \
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
        '<platform version="4.1">' \
        "  <cluster id=\"star\" prefix=\"node\" suffix=\"\" radical=\"0-$((ranks - 1))\"" \
        '    speed="1Gf" bw="12.5MBps" lat="50us"/>' \
        '</platform>' >"$PLATFORM"
    seq -f 'node%.0f' 0 $((ranks - 1)) >"$HOSTS"
fi
# shellcheck disable=SC2086  # OPTIONS are words
smpirun -platform "$PLATFORM" -hostfile "$HOSTS" -np "$ranks" --cfg=smpi/host-speed:1Gf ${OPTIONS:-} \
    --log=root.thresh:error -trace-ti -trace-file "$scratch/trace" "$@"
mkdir "$folder"
for rank in $(seq "$ranks"); do # SimGrid counts files from 1, and has the time in their names
    mv "$scratch"/trace_files/*_rank-"$rank".txt "$folder/rank-$rank.txt"
    echo "rank-$rank.txt"
done >"$folder/trace.txt"
