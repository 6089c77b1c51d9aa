#!/bin/bash
# A sweep as a Slurm job array: each task runs one share of the points into a database of its own,
# and a last job joins them.
#
#   SCENARIO=scenarios/sweeps/descriptor_counts.yaml OUT=sweep TASKS=16 examples/slurm_array.sh
#
# submits both jobs. SWEEP holds further options of `netsim sweep`, for example
# SWEEP="--set lam_via.rdescs=8..256 --seeds 10". A task that was ended by its time limit is simply
# submitted again: what it has finished stays. NETSIM is the program (default: netsim in PATH), and
# must be the same build for all tasks. Options of sbatch come from SBATCH_... variables.
#
# One MPI job instead of an array needs no shards and no merge:
#
#   srun --mpi=pmix -n 64 netsim sweep SCENARIO --out OUT      (or: mpirun -n 64 netsim sweep ...)
#
#SBATCH --job-name=netsim-sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
set -euo pipefail

: "${SCENARIO:?the scenario to sweep}" "${OUT:?directory for the results}"
netsim=${NETSIM:-netsim}
read -ra options <<<"${SWEEP:-}"

if [[ ${1:-} == merge ]]; then
    exec "$netsim" sweep merge "$OUT/sweep.sqlite" "$OUT"/shard-*/
elif [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    # Shards count from 1 to N, tasks from SLURM_ARRAY_TASK_MIN.
    # shellcheck disable=SC2153  # Slurm sets it
    shard=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))
    exec "$netsim" sweep "$SCENARIO" "${options[@]}" --out "$OUT/shard-$SLURM_ARRAY_TASK_ID" \
        --shard "$shard/$SLURM_ARRAY_TASK_COUNT" --jobs "${SLURM_CPUS_PER_TASK:-1}" --quiet
fi

mkdir -p "$OUT"
export SCENARIO OUT NETSIM SWEEP
array=$(sbatch --parsable --array="1-${TASKS:-8}" --output="$OUT/shard-%a.log" "$0")
sbatch --dependency="afterok:${array%%;*}" --output="$OUT/merge.log" "$0" merge
