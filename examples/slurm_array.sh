#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep as a Slurm job array: each task runs one share of the points into a database of its own,
# and a last job joins them.
#
#   SCENARIO=scenarios/sweeps/descriptor_counts.yaml OUT=sweep TASKS=16 examples/slurm_array.sh
#
# submits both jobs. SWEEP holds further options of `netsim sweep`, for example
# SWEEP="--set lam_via.rdescs=8..256 --seeds 10". NETSIM is the program (default: netsim in PATH),
# and must be the same build for all tasks. Options of sbatch come from SBATCH_... variables.
#
# The last job joins what there is, also after a task that failed or was ended by its time limit;
# `netsim sweep --report OUT/sweep.sqlite` reports how many runs are missing. Give the same
# command again, and only these are run; or one task alone, with the same TASKS:
#
#   SCENARIO=... OUT=sweep TASKS=16 sbatch --array=5 examples/slurm_array.sh
#   OUT=sweep examples/slurm_array.sh merge
#
# One MPI job instead of an array needs no shards and no merge:
#
#   srun --mpi=pmix -n 64 netsim sweep SCENARIO --out OUT      (or: mpirun -n 64 netsim sweep ...)
#
#SBATCH --job-name=netsim-sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
set -euo pipefail

: "${OUT:?directory for the results}"
netsim=${NETSIM:-netsim}

if [[ ${1:-} == merge ]]; then
    exec "$netsim" sweep merge "$OUT/sweep.sqlite" "$OUT"/shard-*/
fi

: "${SCENARIO:?the scenario to sweep}"
tasks=${TASKS:-8}
read -ra options <<<"${SWEEP:-}"

if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    # The number of shares comes from TASKS and not from Slurm, which counts only the tasks of this
    # array: of one that is submitted to repeat a single task, 1.
    exec "$netsim" sweep "$SCENARIO" "${options[@]}" --out "$OUT/shard-$SLURM_ARRAY_TASK_ID" \
        --shard "$SLURM_ARRAY_TASK_ID/$tasks" --jobs "${SLURM_CPUS_PER_TASK:-1}" --quiet
fi

mkdir -p "$OUT"
export SCENARIO OUT NETSIM="$netsim" SWEEP="${SWEEP:-}" TASKS="$tasks"
array=$(sbatch --parsable --array="1-$tasks" --output="$OUT/shard-%a.log" "$0")
sbatch --dependency="afterany:${array%%;*}" --output="$OUT/merge.log" "$0" merge
