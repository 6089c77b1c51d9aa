#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record_otf2.sh FOLDER RANKS PROGRAM [ARGUMENTS ...]: records an MPI program that was built with
# mpicc, under the MPI of mpicc and mpirun, into FOLDER, as an OTF2 archive: traces.otf2 and what
# belongs to it.
#
# The recorder (examples/mpi/otf2_record) is built and loaded into the program, which is not
# changed. Time is processor time of each rank in ns. $OPTIONS are more words for mpirun, as
# --oversubscribe for more ranks than processors.
set -euo pipefail
folder=$1 ranks=$2
shift 2
[ ! -e "$folder" ] || { echo "$folder exists" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../examples/mpi/otf2_record
[ -d "$source" ] || source=$here/../../doc/netsim/examples/mpi/otf2_record # installed
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
mpicc -O2 -shared -fPIC "$source"/*.c -o "$scratch/recorder.so" -lopen-trace-format2
# The program alone has the recorder, whichever words an mpirun has for the environment.
# shellcheck disable=SC2086  # OPTIONS are words
mpirun -np "$ranks" ${OPTIONS:-} env OTF2_RECORD="$folder" LD_PRELOAD="$scratch/recorder.so" "$@"
