// SPDX-License-Identifier: GPL-3.0-or-later
// A job over the VIA RPI that a test drives and looks into: it runs until a time, and the records
// of processes, peers and descriptors can be read in between.
#ifndef NETSIM_TESTS_SUPPORT_RPI_BENCH_H
#define NETSIM_TESTS_SUPPORT_RPI_BENCH_H

#include "models/via/lam_via/rpi.h"
#include "models/via/vip/provider.h"
#include "sim/model/job.h"
#include "tests/support/program_run.h"

struct rpi_bench {
    struct compiled compiled;
    struct sim *sim;
    struct cluster *cluster;
    struct job *job;
    struct mpi_process **processes; // the job's
    struct op_source *source;
    struct interpreter *interpreters[TEST_MOST_RANKS];
    int ranks;
    struct trace *trace;
    GPtrArray *lines;
};

struct rpi_bench *rpi_bench_new(const struct test_program *program);
void rpi_bench_free(struct rpi_bench *bench);

// Runs until that many milliseconds of simulated time, or to the end if 0. Programs start after
// about 1 ms.
void rpi_bench_run(struct rpi_bench *bench, double until_ms);

// Runs to the end and fails the running case unless all ranks have ended with balanced books.
void rpi_bench_finish(struct rpi_bench *bench);

// Fails the running case if something of a rank's is still in use once its program has ended:
// requests, descriptors, queues, what the area holds unread.
void rpi_bench_expect_quiet(const struct rpi_bench *bench, int rank);

bool rpi_bench_ended(const struct rpi_bench *bench, int rank);

static inline struct rpi_process *rpi_bench_process(const struct rpi_bench *bench, int rank)
{
    return rpi_process_of(bench->processes[rank]);
}

// A rank's state of a peer.
static inline struct rpi_process_peer *rpi_bench_peer(const struct rpi_bench *bench, int rank,
                                                      int peer)
{
    return rpi_peer_of(rpi_bench_process(bench, rank), peer);
}

// The content of an envelope that a completed receive or send descriptor carried.
struct rpi_envelope rpi_bench_envelope(const struct vip_descriptor *descriptor);

// Processor time that was spent on a stage ("copy", "pin") so far, on the cores that run processes:
// the interrupt handler's is left out.
sim_time rpi_bench_process_time(const struct rpi_bench *bench, int rank, const char *stage);

#endif
