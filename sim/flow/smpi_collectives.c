// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/smpi_collectives.h"

#include "sim/mpi/collective.h"

#include <string.h>

#define SELECTOR                                                                                   \
    "SMPI's choice by size and processes has points of its own, and other algorithms where hosts " \
    "have several ranks"
#define ONLY "SMPI has one algorithm: all messages at once"
#define NO_CHOICE "SMPI has no choice by size; this is the rule's algorithm for long messages"
#define OLDER "SMPI chooses as an older Open MPI does"

// Rules that are no choice by processes; those with such a choice are resolved before.
struct row {
    const char *rule, *algorithm, *note;
};

static const struct row barriers[] = {
    {"linear", "ompi_basic_linear", NULL},
    {"binomial", "ompi_tree", NULL},
    {"recursive_doubling", "ompi_recursivedoubling", NULL},
    {"dissemination", "ompi_bruck", NULL},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row bcasts[] = {
    {"linear", "flattree", NULL},
    {"binomial", "binomial_tree", NULL},
    {"scatter_allgather", "scatter_rdb_allgather", NULL},
    {"scatter_ring", "scatter_LR_allgather", NULL},
    {"small_and_few", "scatter_rdb_allgather", NO_CHOICE},
    {"small_or_few", "mpich", SELECTOR},
    {"by_size", "mpich", SELECTOR},
    {"pipeline", "ompi_pipeline", "the segments are SMPI's"},
    {"split_binary", "ompi_split_bintree", "the segments are SMPI's"},
    {"segmented", "ompi", SELECTOR},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row reduces[] = {
    {"linear", "ompi_basic_linear", NULL},
    {"binomial", "binomial", NULL},
    {"rabenseifner", "scatter_gather", NULL},
    {"by_size", "mpich", SELECTOR},
    {"pipeline", "ompi_pipeline", "the segments are SMPI's"},
    {"binary", "ompi_binary", "the segments are SMPI's"},
    {"segmented", "ompi", SELECTOR},
    {"binomial_in_segments", "ompi_binomial", "the segments are SMPI's"},
    {"in_order_binary", "ompi_in_order_binary", "the segments are SMPI's"},
    {"by_size_and_count", "mpich", SELECTOR},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row allreduces[] = {
    {"reduce_bcast", "redbcast", NULL},
    {"recursive_doubling", "rdb", "differs unless the ranks are a power of two"},
    {"folded_doubling", "rdb", NULL},
    {"rabenseifner", "rab_rdb", NULL},
    {"by_size", "mpich", SELECTOR},
    {"ring", "lr", NULL},
    {"doubling_or_ring", "ompi", SELECTOR},
    {"by_size_and_count", "mpich", SELECTOR},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row gathers[] = {
    {"linear", "ompi_basic_linear", NULL},
    {"binomial", "ompi_binomial", NULL},
    {"linear_sync", "ompi_linear_sync", "the segments are SMPI's"},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row scatters[] = {
    {"linear", "ompi_basic_linear", NULL},
    {"binomial", "ompi_binomial", NULL},
    {"linear_at_once", "ompi_linear_nb", NULL},
    {"measured", "ompi", OLDER},
    {0},
};
// SMPI's `ring` of an allgather sends every rank its block directly.
static const struct row allgathers[] = {
    {"gather_bcast", "GB", NULL},
    {"ring", "NTSLR", NULL},
    {"recursive_doubling", "rdb", NULL},
    {"bruck", "bruck", NULL},
    {"neighbours", "ompi_neighborexchange", NULL},
    {"by_size", "mpich", SELECTOR},
    {"by_size_or_neighbours", "ompi", SELECTOR},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row alltoalls[] = {
    {"linear", "basic_linear", NULL},
    {"pairwise", "ring", NULL},
    {"recursive_doubling", "rdb", NULL},
    {"by_size", "ring", NO_CHOICE},
    {"pairs", "pair", "fails unless the ranks are a power of two"},
    {"bruck", "bruck", NULL},
    {"by_block", "mpich", SELECTOR},
    {"by_block_or_pairwise", "ompi", SELECTOR},
    {"scattered", "mvapich2_scatter_dest", NULL},
    {"by_block_in_batches", "mpich", SELECTOR},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row reduce_scatters[] = {
    {"reduce_scatterv", "default", "its scatterv is SMPI's"},
    {"recursive_halving", "ompi_basic_recursivehalving", NULL},
    {"pairwise", "mpich_pair", NULL},
    {"recursive_doubling", "mpich_rdb", NULL},
    {"by_size", "mpich", SELECTOR},
    {"doubling_or_pairwise", "mpich_pair", NO_CHOICE},
    {"halving_or_scatterv", "ompi", SELECTOR},
    {"ring", "ompi_ring", NULL},
    {"butterfly", "ompi_butterfly", NULL},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row allgathervs[] = {
    {"gatherv_bcast", "GB", NULL},
    {"gatherv_each", NULL, "SMPI has no allgatherv that gathers at each rank in turn"},
    {"ring", "mpich_ring", NULL},
    {"recursive_doubling", "mpich_rdb", NULL},
    {"bruck", "ompi_bruck", NULL},
    {"by_size", "mpich", SELECTOR},
    {"doubling_or_ring", "mpich_ring", NO_CHOICE},
    {"neighbours", "ompi_neighborexchange", NULL},
    {"measured", "ompi", OLDER},
    {0},
};
static const struct row alltoallvs[] = {
    {"linear", "ompi_basic_linear", NULL},
    {"in_order", "ompi_basic_linear", "in which ranks do not all begin with rank 0"},
    {"pairwise", "ring", NULL},
    {"measured", "ompi", OLDER},
    {0},
};

struct table {
    const char *name;
    const char *const *rules;
    size_t field; // of struct mpi_library_config
    const char *option;
    const struct row *rows; // NULL: SMPI has one algorithm
};

#define TABLE(collective, rows)                                                                    \
    {                                                                                              \
#collective, mpi_##collective##_rules, offsetof(struct mpi_library_config, collective),    \
            "smpi/" #collective, rows                                                              \
    }
#define ALONE(collective)                                                                          \
    {                                                                                              \
#collective, mpi_##collective##_rules, offsetof(struct mpi_library_config, collective),    \
            NULL, NULL                                                                             \
    }

static const struct table tables[COLLECTIVES] = {
    [COLLECTIVE_BARRIER] = TABLE(barrier, barriers),
    [COLLECTIVE_BCAST] = TABLE(bcast, bcasts),
    [COLLECTIVE_REDUCE] = TABLE(reduce, reduces),
    [COLLECTIVE_ALLREDUCE] = TABLE(allreduce, allreduces),
    [COLLECTIVE_GATHER] = TABLE(gather, gathers),
    [COLLECTIVE_SCATTER] = TABLE(scatter, scatters),
    [COLLECTIVE_ALLGATHER] = TABLE(allgather, allgathers),
    [COLLECTIVE_ALLTOALL] = TABLE(alltoall, alltoalls),
    [COLLECTIVE_REDUCE_SCATTER] = TABLE(reduce_scatter, reduce_scatters),
    [COLLECTIVE_SCAN] = ALONE(scan),
    [COLLECTIVE_EXSCAN] = ALONE(exscan),
    [COLLECTIVE_GATHERV] = ALONE(gatherv),
    [COLLECTIVE_SCATTERV] = ALONE(scatterv),
    [COLLECTIVE_ALLGATHERV] = TABLE(allgatherv, allgathervs),
    [COLLECTIVE_ALLTOALLV] = TABLE(alltoallv, alltoallvs),
};

// The choice of a rule that depends on the number of ranks alone.
static const char *chosen(const char *rule, const struct mpi_library_config *library, int ranks)
{
    bool two = (ranks & (ranks - 1)) == 0; // a power of two
    if (strcmp(rule, "by_processes") == 0)
        return ranks <= library->linear_processes ? "linear" : "binomial";
    if (strcmp(rule, "by_power") == 0)
        return two ? "recursive_doubling" : "dissemination";
    if (strcmp(rule, "pairs") == 0 && !two)
        return "pairwise";
    return rule;
}

static struct smpi_collective collective_of(const struct table *table,
                                            const struct mpi_library_config *library, int ranks)
{
    int rule;
    memcpy(&rule, (const char *)library + table->field, sizeof rule);
    struct smpi_collective found = {.name = table->name,
                                    .rule = chosen(table->rules[rule], library, ranks),
                                    .option = table->option,
                                    .note = table->rows ? NULL : ONLY};
    for (const struct row *row = table->rows; row && row->rule; row++)
        if (strcmp(row->rule, found.rule) == 0) {
            found.algorithm = row->algorithm;
            found.note = row->note;
            return found;
        }
    if (table->rows)
        found.note = "SMPI has nothing like it";
    return found;
}

GArray *smpi_collectives(const struct mpi_library_config *library, int ranks)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct smpi_collective));
    for (int i = 0; i < COLLECTIVES; i++) {
        struct smpi_collective one = collective_of(&tables[i], library, ranks);
        g_array_append_val(all, one);
    }
    return all;
}
