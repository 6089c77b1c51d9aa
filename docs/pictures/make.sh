#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the pictures of README.md, docs/lessons.md and docs/what_ifs.md anew, each with the command that is shown for it:
#
#     docs/pictures/make.sh
#
# NETSIM names the program if it is not the launcher of this tree. Needs python3-matplotlib.
set -eu

folder=$(cd "$(dirname "$0")" && pwd)
netsim=${NETSIM:-$folder/../../netsim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$netsim" plot pingpong_cluster1 --figure 6.1 --quiet --out "$folder/pingpong_cluster1.png"
"$netsim" plot bcast_cluster1 --figure 6.7 --quiet --out "$folder/bcast_cluster1.png"
"$netsim" plot grim_injection --figure grim.fig.4_6 --quiet --out "$folder/grim_injection.png"
"$netsim" plot armci_copy_and_send --figure armci.fig.3_4 --quiet --out "$folder/armci_copy_and_send.png"
"$netsim" sweep sweeps/descriptor_counts --quiet --out "$work/descriptor_counts"
"$netsim" plot "$work/descriptor_counts" --quiet --out "$folder/descriptor_counts.png"
"$netsim" explain pingpong_cluster1 --series "VIA RPI" --series "LAM TCP" \
    --plot "$folder/explain.png" >/dev/null

"$netsim" sweep sweeps/incast_pause --draws 20 --quiet --out "$work/incast_pause"
"$netsim" plot "$work/incast_pause" --quiet --out "$folder/incast_pause.png"
"$netsim" diagram pingpong_cluster1 --series "VIA RPI" --out "$folder/diagram.svg"
"$netsim" diagram pingpong_cluster1 --series "LAM TCP" --size "4 KiB" --out "$folder/diagram_tcp.svg"
"$netsim" diagram gm_allsize --series latency --size "4 KiB" --out "$folder/diagram_gm.svg"
"$netsim" diagram portals_pingpong_system1 --series interrupt --out "$folder/diagram_portals.svg"
"$netsim" diagram sctp_streams_loss --series "loss on stream 1" --message 2 --out "$folder/diagram_sctp.svg"

# Those of docs/what_ifs.md.
seeds= # if others than the sweep's own
what_if() { # the sweep, and the options of its picture
    name=$1
    shift
    "$netsim" sweep "sweeps/$name" --draws 20 ${seeds:+--seeds "$seeds"} --quiet --out "$work/$name"
    "$netsim" plot "$work/$name" "$@" --quiet --out "$folder/$name.png"
}
what_if streams_loss
what_if failover_buffer --metric mean_rate_Mb_per_s
what_if retransmission_policies --x drop_probability --metric mean_rate_Mb_per_s
what_if ddp_segment --x size --metric latency_us
what_if eager_threshold --x size
what_if unequal_rails --metric rate_Mb_per_s --linear xy
seeds=3
what_if loss_under_mpi_long_tasks --x drop_probability --metric farm_mean_us
