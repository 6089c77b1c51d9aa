// SPDX-License-Identifier: GPL-3.0-or-later
// Which algorithm each library takes, on both sides of the points where it switches: its schedules
// are those of that algorithm alone. The points are those of the releases' sources, not taken from
// the tables.
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/collective.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <string.h>

// The libraries that the rows are about: by place in `libraries`.
enum { LAM, OLD_MPICH, MPICH, MPICH2, OPENMPI, OPENMPI5, MPICH4, LIBRARIES };

static struct mpi_library_config libraries[LIBRARIES];

static const struct {
    const char *name;
    const char *const *rules;
    size_t rule; // the field
} collectives[COLLECTIVES] = {
#define RULES(field)                                                                               \
    {                                                                                              \
#field, mpi_##field##_rules, offsetof(struct mpi_library_config, field)                    \
    }
    [COLLECTIVE_BARRIER] = RULES(barrier),
    [COLLECTIVE_BCAST] = RULES(bcast),
    [COLLECTIVE_REDUCE] = RULES(reduce),
    [COLLECTIVE_ALLREDUCE] = RULES(allreduce),
    [COLLECTIVE_GATHER] = RULES(gather),
    [COLLECTIVE_SCATTER] = RULES(scatter),
    [COLLECTIVE_ALLGATHER] = RULES(allgather),
    [COLLECTIVE_ALLTOALL] = RULES(alltoall),
    [COLLECTIVE_SCAN] = RULES(scan),
    [COLLECTIVE_EXSCAN] = RULES(exscan),
    [COLLECTIVE_GATHERV] = RULES(gatherv),
    [COLLECTIVE_SCATTERV] = RULES(scatterv),
    [COLLECTIVE_ALLGATHERV] = RULES(allgatherv),
    [COLLECTIVE_ALLTOALLV] = RULES(alltoallv),
    [COLLECTIVE_REDUCE_SCATTER] = RULES(reduce_scatter),
};

struct row {
    int library;
    enum mpi_collective collective;
    int ranks;
    int64_t size; // of the message, or of a block
    const char *algorithm;
    int64_t segment; // of its message; 0: the table's
};

static void read_libraries(void)
{
    topology_defaults(&lam_table, &libraries[LAM]);
    topology_defaults(&mpich_1_2_2_table, &libraries[OLD_MPICH]);
    topology_defaults(&mpich_table, &libraries[MPICH]);
    topology_defaults(&mpich2_table, &libraries[MPICH2]);
    topology_defaults(&openmpi_table, &libraries[OPENMPI]);
    topology_defaults(&openmpi5_table, &libraries[OPENMPI5]);
    topology_defaults(&mpich4_table, &libraries[MPICH4]);
}

static int rule_named(enum mpi_collective collective, const char *name)
{
    const char *const *rules = collectives[collective].rules;
    for (int rule = 0; rules[rule]; rule++)
        if (strcmp(rules[rule], name) == 0)
            return rule;
    return -1;
}

static bool same_step(const struct mpi_step *a, const struct mpi_step *b)
{
    return a->kind == b->kind && a->peer == b->peer && a->size == b->size &&
           a->from.buffer == b->from.buffer && a->from.offset == b->from.offset &&
           a->to.buffer == b->to.buffer && a->to.offset == b->to.offset &&
           a->ends_round == b->ends_round;
}

static bool same_schedule(const GArray *a, const GArray *b)
{
    if (a->len != b->len)
        return false;
    for (guint i = 0; i < a->len; i++)
        if (!same_step(&g_array_index(a, struct mpi_step, i),
                       &g_array_index(b, struct mpi_step, i)))
            return false;
    return true;
}

// Whether all ranks' schedules of the two libraries are the same.
static bool same(const struct row *row, const struct mpi_library_config *a,
                 const struct mpi_library_config *b)
{
    struct mpi_schedule first, second;
    bool equal = true;
    mpi_schedule_init(&first);
    mpi_schedule_init(&second);
    for (int rank = 0; rank < row->ranks; rank++) {
        struct mpi_process process = {.rank = rank, .ranks = row->ranks, .library = a};
        mpi_collective_build(&first, &process, NULL, row->collective, 0, row->size);
        process.library = b;
        mpi_collective_build(&second, &process, NULL, row->collective, 0, row->size);
        equal &= same_schedule(first.steps, second.steps);
    }
    mpi_schedule_clear(&first);
    mpi_schedule_clear(&second);
    return equal;
}

static void check(const struct row *rows)
{
    read_libraries();
    for (const struct row *row = rows; row->algorithm; row++) {
        struct mpi_library_config wanted = libraries[row->library];
        int rule = rule_named(row->collective, row->algorithm);
        CU_ASSERT_FATAL(rule >= 0);
        memcpy((char *)&wanted + collectives[row->collective].rule, &rule, sizeof rule);
        wanted.segment = row->segment ? row->segment : wanted.segment;
        if (!same(row, &libraries[row->library], &wanted)) {
            CU_FAIL("another algorithm");
            fprintf(stderr, "library %d, %s among %d, %lld B: not %s\n", row->library,
                    collectives[row->collective].name, row->ranks, (long long)row->size,
                    row->algorithm);
        }
    }
}

// MPICH2 1.0.5, mpiimpl.h and src/mpi/coll.
static void test_mpich2(void)
{
    static const struct row rows[] = {
        {MPICH2, COLLECTIVE_BARRIER, 8, 0, "dissemination", 0},
        {MPICH2, COLLECTIVE_BCAST, 8, 12287, "binomial", 0},
        {MPICH2, COLLECTIVE_BCAST, 7, 1 << 20, "binomial", 0},
        {MPICH2, COLLECTIVE_BCAST, 8, 12288, "scatter_allgather", 0},
        {MPICH2, COLLECTIVE_BCAST, 8, 524287, "scatter_allgather", 0},
        {MPICH2, COLLECTIVE_BCAST, 8, 524288, "scatter_ring", 0},
        {MPICH2, COLLECTIVE_BCAST, 9, 12288, "scatter_ring", 0},
        {MPICH2, COLLECTIVE_REDUCE, 6, 2048, "binomial", 0},
        {MPICH2, COLLECTIVE_REDUCE, 6, 2049, "rabenseifner", 0},
        {MPICH2, COLLECTIVE_ALLREDUCE, 6, 2048, "folded_doubling", 0},
        {MPICH2, COLLECTIVE_ALLREDUCE, 6, 2049, "rabenseifner", 0},
        {MPICH2, COLLECTIVE_GATHER, 6, 100, "binomial", 0},
        {MPICH2, COLLECTIVE_SCATTER, 6, 100, "binomial", 0},
        // By the bytes of all blocks.
        {MPICH2, COLLECTIVE_ALLGATHER, 8, 65535, "recursive_doubling", 0},
        {MPICH2, COLLECTIVE_ALLGATHER, 8, 65536, "ring", 0},
        {MPICH2, COLLECTIVE_ALLGATHER, 5, 16383, "bruck", 0},
        {MPICH2, COLLECTIVE_ALLGATHER, 5, 16384, "ring", 0},
        {MPICH2, COLLECTIVE_ALLGATHERV, 8, 65535, "recursive_doubling", 0},
        {MPICH2, COLLECTIVE_ALLGATHERV, 8, 65536, "ring", 0},
        {MPICH2, COLLECTIVE_ALLGATHERV, 5, 16383, "bruck", 0},
        {MPICH2, COLLECTIVE_ALLGATHERV, 5, 16384, "ring", 0},
        // By the bytes of one.
        {MPICH2, COLLECTIVE_ALLTOALL, 8, 256, "bruck", 0},
        {MPICH2, COLLECTIVE_ALLTOALL, 7, 256, "linear", 0},
        {MPICH2, COLLECTIVE_ALLTOALL, 8, 257, "linear", 0},
        {MPICH2, COLLECTIVE_ALLTOALL, 8, 32768, "linear", 0},
        {MPICH2, COLLECTIVE_ALLTOALL, 8, 32769, "pairs", 0},
        {MPICH2, COLLECTIVE_REDUCE_SCATTER, 4, 131071, "recursive_halving", 0},
        {MPICH2, COLLECTIVE_REDUCE_SCATTER, 4, 131072, "pairwise", 0},
        {MPICH2, COLLECTIVE_SCAN, 5, 100, "recursive_doubling", 0},
        {MPICH2, COLLECTIVE_EXSCAN, 5, 100, "recursive_doubling", 0},
        {MPICH2, COLLECTIVE_GATHERV, 5, 100, "linear", 0},
        {MPICH2, COLLECTIVE_SCATTERV, 5, 100, "linear", 0},
        {MPICH2, COLLECTIVE_ALLTOALLV, 5, 100, "linear", 0},
        {0},
    };
    check(rows);
}

// Open MPI 1.2, coll_tuned_decision_fixed.c and coll/basic.
static void test_openmpi(void)
{
    static const struct row rows[] = {
        {OPENMPI, COLLECTIVE_BARRIER, 8, 0, "recursive_doubling", 0},
        {OPENMPI, COLLECTIVE_BARRIER, 6, 0, "dissemination", 0},
        {OPENMPI, COLLECTIVE_BCAST, 6, 2047, "binomial", 0},
        {OPENMPI, COLLECTIVE_BCAST, 6, 2048, "split_binary", 1024},
        {OPENMPI, COLLECTIVE_BCAST, 6, 370727, "split_binary", 1024},
        {OPENMPI, COLLECTIVE_BCAST, 6, 370728, "split_binary", 8192},
        {OPENMPI, COLLECTIVE_BCAST, 2, 370728, "pipeline", 131072},
        {OPENMPI, COLLECTIVE_BCAST, 4, 1171315, "split_binary", 8192},
        {OPENMPI, COLLECTIVE_BCAST, 4, 1171316, "pipeline", 131072},
        {OPENMPI, COLLECTIVE_BCAST, 13, 6000000, "pipeline", 65536},
        {OPENMPI, COLLECTIVE_BCAST, 13, 4000000, "pipeline", 16384},
        {OPENMPI, COLLECTIVE_BCAST, 20, 1000000, "pipeline", 8192},
        {OPENMPI, COLLECTIVE_REDUCE, 9, 1024, "linear", 0},
        {OPENMPI, COLLECTIVE_REDUCE, 19, 511, "linear", 0},
        {OPENMPI, COLLECTIVE_REDUCE, 19, 512, "binary", 0},
        {OPENMPI, COLLECTIVE_REDUCE, 7, 1025, "binomial", 0},
        {OPENMPI, COLLECTIVE_REDUCE, 7, 20479, "binomial", 0},
        {OPENMPI, COLLECTIVE_REDUCE, 12, 2048, "binary", 1024},
        {OPENMPI, COLLECTIVE_REDUCE, 12, 40000, "pipeline", 1024},
        {OPENMPI, COLLECTIVE_REDUCE, 8, 100000, "pipeline", 32768},
        {OPENMPI, COLLECTIVE_REDUCE, 4, 1 << 20, "pipeline", 65536},
        {OPENMPI, COLLECTIVE_ALLREDUCE, 6, 9999, "folded_doubling", 0},
        {OPENMPI, COLLECTIVE_ALLREDUCE, 6, 10000, "ring", 0},
        {OPENMPI, COLLECTIVE_ALLGATHER, 8, 6249, "recursive_doubling", 0},
        {OPENMPI, COLLECTIVE_ALLGATHER, 8, 6250, "neighbours", 0},
        {OPENMPI, COLLECTIVE_ALLGATHER, 5, 9999, "bruck", 0},
        {OPENMPI, COLLECTIVE_ALLGATHER, 5, 10000, "ring", 0},
        {OPENMPI, COLLECTIVE_ALLTOALL, 13, 199, "bruck", 0},
        {OPENMPI, COLLECTIVE_ALLTOALL, 12, 199, "linear", 0},
        {OPENMPI, COLLECTIVE_ALLTOALL, 13, 200, "linear", 0},
        {OPENMPI, COLLECTIVE_ALLTOALL, 4, 2999, "linear", 0},
        {OPENMPI, COLLECTIVE_ALLTOALL, 4, 3000, "pairwise", 0},
        {OPENMPI, COLLECTIVE_REDUCE_SCATTER, 4, (2 << 20) - 1, "recursive_halving", 0},
        {OPENMPI, COLLECTIVE_REDUCE_SCATTER, 4, 2 << 20, "reduce_scatterv", 0},
        {OPENMPI, COLLECTIVE_SCAN, 4, 100, "linear", 0},
        {OPENMPI, COLLECTIVE_ALLGATHERV, 4, 100, "gatherv_each", 0},
        {OPENMPI, COLLECTIVE_ALLTOALLV, 4, 100, "in_order", 0},
        {0},
    };
    check(rows);
}

// Open MPI 5.0.9, coll_base_*.c: what algorithms do with messages of fewer elements (of 8 B) than
// they cut them for, or for other numbers of processes. test_collective_recorded.c has the points.
static void test_openmpi5(void)
{
    static const struct row rows[] = {
        {OPENMPI5, COLLECTIVE_ALLREDUCE, 3, 7, "folded_doubling", 0},
        {OPENMPI5, COLLECTIVE_ALLREDUCE, 3, 4096, "ring", 0},
        {OPENMPI5, COLLECTIVE_ALLREDUCE, 40, 255, "linear", 0},
        {OPENMPI5, COLLECTIVE_ALLREDUCE, 40, 256, "rabenseifner_halves", 0},
        {OPENMPI5, COLLECTIVE_REDUCE, 3, 7, "linear", 0},
        {OPENMPI5, COLLECTIVE_BCAST, 17, 1 << 20, "scatter_allgather", 0},
        {OPENMPI5, COLLECTIVE_ALLGATHER, 8, 100, "recursive_doubling", 0},
        {OPENMPI5, COLLECTIVE_ALLGATHER, 9, 100, "bruck", 0},
        {OPENMPI5, COLLECTIVE_ALLGATHER, 33, 1024, "ring", 0},
        {OPENMPI5, COLLECTIVE_ALLGATHER, 34, 1024, "neighbours", 0},
        {0},
    };
    check(rows);
}

// MPICH 4.3.2, maint/tuning/coll/mpir/generic.json; an element has 8 B.
static void test_mpich4(void)
{
    static const struct row rows[] = {
        {MPICH4, COLLECTIVE_BARRIER, 6, 0, "dissemination", 0},
        {MPICH4, COLLECTIVE_BCAST, 7, 1 << 20, "binomial", 0},
        {MPICH4, COLLECTIVE_BCAST, 8, 12288, "binomial", 0},
        {MPICH4, COLLECTIVE_BCAST, 8, 12289, "scatter_allgather", 0},
        {MPICH4, COLLECTIVE_BCAST, 8, 524288, "scatter_allgather", 0},
        {MPICH4, COLLECTIVE_BCAST, 8, 524289, "scatter_ring", 0},
        {MPICH4, COLLECTIVE_BCAST, 9, 12289, "scatter_ring", 0},
        {MPICH4, COLLECTIVE_ALLREDUCE, 1, 8, "folded_doubling", 0},
        {MPICH4, COLLECTIVE_ALLREDUCE, 4, 31, "folded_doubling", 0},
        {MPICH4, COLLECTIVE_ALLREDUCE, 7, 31, "folded_doubling", 0},
        {MPICH4, COLLECTIVE_ALLREDUCE, 7, 32, "rabenseifner", 0},
        {MPICH4, COLLECTIVE_ALLREDUCE, 8, 63, "folded_doubling", 0},
        {MPICH4, COLLECTIVE_ALLREDUCE, 8, 64, "rabenseifner", 0},
        {MPICH4, COLLECTIVE_REDUCE, 4, 2048, "binomial", 0},
        {MPICH4, COLLECTIVE_REDUCE, 4, 2049, "rabenseifner", 0},
        {MPICH4, COLLECTIVE_REDUCE, 512, 4095, "binomial", 0},
        {MPICH4, COLLECTIVE_REDUCE, 512, 4096, "rabenseifner", 0},
        {MPICH4, COLLECTIVE_GATHER, 6, 100, "binomial", 0},
        {MPICH4, COLLECTIVE_SCATTER, 6, 100, "binomial", 0},
        {MPICH4, COLLECTIVE_ALLGATHER, 8, 65535, "recursive_doubling", 0},
        {MPICH4, COLLECTIVE_ALLGATHER, 8, 65536, "ring", 0},
        {MPICH4, COLLECTIVE_ALLGATHER, 5, 16383, "bruck", 0},
        {MPICH4, COLLECTIVE_ALLGATHER, 5, 16384, "ring", 0},
        {MPICH4, COLLECTIVE_ALLGATHERV, 8, 65535, "recursive_doubling", 0},
        {MPICH4, COLLECTIVE_ALLGATHERV, 8, 65536, "ring", 0},
        {MPICH4, COLLECTIVE_ALLGATHERV, 5, 16383, "bruck", 0},
        {MPICH4, COLLECTIVE_ALLGATHERV, 5, 16384, "ring", 0},
        {MPICH4, COLLECTIVE_ALLTOALL, 8, 256, "bruck", 0},
        {MPICH4, COLLECTIVE_ALLTOALL, 7, 256, "scattered", 0},
        {MPICH4, COLLECTIVE_ALLTOALL, 8, 257, "scattered", 0},
        {MPICH4, COLLECTIVE_ALLTOALL, 40, 257, "scattered_batches", 0},
        {MPICH4, COLLECTIVE_ALLTOALL, 8, 32768, "scattered", 0},
        {MPICH4, COLLECTIVE_ALLTOALL, 8, 32769, "pairs", 0},
        {MPICH4, COLLECTIVE_REDUCE_SCATTER, 4, 131071, "recursive_halving", 0},
        {MPICH4, COLLECTIVE_REDUCE_SCATTER, 4, 131072, "pairwise", 0},
        {MPICH4, COLLECTIVE_SCAN, 5, 100, "recursive_doubling", 0},
        {MPICH4, COLLECTIVE_EXSCAN, 5, 100, "recursive_doubling", 0},
        {MPICH4, COLLECTIVE_GATHERV, 5, 100, "linear", 0},
        {MPICH4, COLLECTIVE_SCATTERV, 5, 100, "linear", 0},
        {MPICH4, COLLECTIVE_ALLTOALLV, 5, 100, "scattered_batches", 0},
        {0},
    };
    check(rows);
}

// LAM 7, lam_basic; MPICH 1.2.5, intra_fns_new.c; the functions that it replaced.
static void test_older(void)
{
    static const struct row rows[] = {
        {LAM, COLLECTIVE_REDUCE_SCATTER, 5, 100, "reduce_scatterv", 0},
        {LAM, COLLECTIVE_SCAN, 5, 100, "linear", 0},
        {LAM, COLLECTIVE_EXSCAN, 5, 100, "linear", 0},
        {LAM, COLLECTIVE_GATHERV, 5, 100, "linear", 0},
        {LAM, COLLECTIVE_SCATTERV, 5, 100, "linear", 0},
        {LAM, COLLECTIVE_ALLGATHERV, 5, 100, "gatherv_each", 0},
        {LAM, COLLECTIVE_ALLTOALLV, 5, 100, "in_order", 0},
        {MPICH, COLLECTIVE_REDUCE_SCATTER, 4, 128, "recursive_doubling", 0},
        {MPICH, COLLECTIVE_REDUCE_SCATTER, 4, 129, "pairwise", 0},
        {MPICH, COLLECTIVE_ALLGATHERV, 4, 65536, "recursive_doubling", 0},
        {MPICH, COLLECTIVE_ALLGATHERV, 4, 65537, "ring", 0},
        {MPICH, COLLECTIVE_ALLTOALLV, 4, 100, "linear", 0},
        {OLD_MPICH, COLLECTIVE_REDUCE_SCATTER, 4, 128, "reduce_scatterv", 0},
        {OLD_MPICH, COLLECTIVE_SCAN, 4, 128, "linear", 0},
        {OLD_MPICH, COLLECTIVE_ALLGATHERV, 4, 128, "ring", 0},
        {0},
    };
    check(rows);
}

// Without bytes MPICH2 leaves at once, or passes over the block; the others send.
static void test_empty(void)
{
    read_libraries();
    static const struct {
        enum mpi_collective collective;
        bool lam_sends, mpich2_sends;
    } rows[] = {
        {COLLECTIVE_BCAST, true, false},          {COLLECTIVE_ALLTOALL, true, false},
        {COLLECTIVE_ALLGATHER, true, false},      {COLLECTIVE_SCAN, true, false},
        {COLLECTIVE_REDUCE_SCATTER, true, false}, {COLLECTIVE_GATHERV, true, false},
        {COLLECTIVE_ALLTOALLV, true, false},      {COLLECTIVE_BARRIER, true, true},
    };
    struct mpi_schedule schedule;
    mpi_schedule_init(&schedule);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct mpi_process process = {.rank = 1, .ranks = 4, .library = &libraries[LAM]};
        mpi_collective_build(&schedule, &process, NULL, rows[i].collective, 0, 0);
        CU_ASSERT_EQUAL(schedule.steps->len > 0, rows[i].lam_sends);
        process.library = &libraries[MPICH2];
        mpi_collective_build(&schedule, &process, NULL, rows[i].collective, 0, 0);
        CU_ASSERT_EQUAL(schedule.steps->len > 0, rows[i].mpich2_sends);
    }
    mpi_schedule_clear(&schedule);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"MPICH2 1.0.5", test_mpich2},
        {"Open MPI 1.2", test_openmpi},
        {"Open MPI 5.0", test_openmpi5},
        {"MPICH 4", test_mpich4},
        {"LAM 7, MPICH 1.2", test_older},
        {"no bytes", test_empty},
        {0},
    };
    return suite_run("mpi: rules of collectives", cases);
}
