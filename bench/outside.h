// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of bench/ that run in other simulators.
#ifndef NETSIM_BENCH_OUTSIDE_H
#define NETSIM_BENCH_OUTSIDE_H

#include "bench/bench.h"

enum bench_outside_kind {
    BENCH_NS3_STAR,          // ns3_star.cc
    BENCH_NS3_TCP,           // ns3_tcp.cc
    BENCH_SIMGRID_ALLREDUCE, // simgrid_allreduce.cc
    BENCH_SMPI_PINGPONG,     // smpi_pingpong.cc
};

struct bench_outside;

// Builds the program in the user's cache directory unless it has been built. Returns NULL if its
// simulator or a C++ compiler is not installed, or if the build fails, which has been reported.
// Free with bench_outside_free.
struct bench_outside *bench_outside_new(const struct bench_options *options,
                                        enum bench_outside_kind number);
void bench_outside_free(struct bench_outside *outside);

// Runs the program with these arguments, in the shell's syntax. Returns what it prints; NULL after
// an error. New reference.
json_t *bench_outside_run(const struct bench_outside *outside, const char *arguments);

// Frames or packets that ns-3 delivers per second of processor time while it simulates `seconds`; 0
// after an error. Host I of a star begins I times `step_ns` late, with a cable that is I times
// `cable_ns` longer than that of host 0.
double bench_ns3_frames_per_s(const struct bench_outside *star, int hosts, double seconds,
                              int step_ns, int cable_ns);
double bench_ns3_packets_per_s(const struct bench_outside *tcp, double seconds);

// Messages of ping-pongs that SMPI simulates per second of processor time; 0 after an error.
double bench_smpi_messages_per_s(const struct bench_outside *smpi, int pingpongs);

#endif
