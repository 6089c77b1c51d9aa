// SPDX-License-Identifier: GPL-3.0-or-later
// Every rule that a library may have has an answer, and those of LAM/MPI are as the study of its
// schedules found them.
#include "models/mpi_profiles/profiles.h"
#include "sim/flow/smpi_collectives.h"
#include "sim/mpi/collective.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <string.h>

static struct smpi_collective one_of(const GArray *all, enum mpi_collective collective)
{
    return g_array_index(all, struct smpi_collective, collective);
}

static void test_lam(void)
{
    static const struct {
        enum mpi_collective collective;
        const char *few, *many; // up to four processes, and beyond
    } wanted[] = {
        {COLLECTIVE_BARRIER, "ompi_basic_linear", "ompi_tree"},
        {COLLECTIVE_BCAST, "flattree", "binomial_tree"},
        {COLLECTIVE_REDUCE, "ompi_basic_linear", "binomial"},
        {COLLECTIVE_ALLREDUCE, "redbcast", "redbcast"},
        {COLLECTIVE_GATHER, "ompi_basic_linear", "ompi_basic_linear"},
        {COLLECTIVE_ALLGATHER, "GB", "GB"},
        {COLLECTIVE_ALLTOALL, "basic_linear", "basic_linear"},
    };
    struct mpi_library_config library;
    topology_defaults(&lam_table, &library);
    GArray *few = smpi_collectives(&library, 4), *many = smpi_collectives(&library, 5);
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        SUITE_SAME_TEXT(one_of(few, wanted[i].collective).algorithm, wanted[i].few);
        SUITE_SAME_TEXT(one_of(many, wanted[i].collective).algorithm, wanted[i].many);
    }
    CU_ASSERT(!one_of(many, COLLECTIVE_ALLGATHERV).algorithm);
    CU_ASSERT(one_of(many, COLLECTIVE_ALLGATHERV).note != NULL);
    g_array_unref(few);
    g_array_unref(many);
}

static void check_library(const struct param_table *table)
{
    struct mpi_library_config library;
    topology_defaults(table, &library);
    for (int ranks = 2; ranks <= 9; ranks++) {
        GArray *all = smpi_collectives(&library, ranks);
        SUITE_SAME_INTEGER(all->len, COLLECTIVES);
        for (guint i = 0; i < all->len; i++) {
            const struct smpi_collective *one = &g_array_index(all, struct smpi_collective, i);
            CU_ASSERT(one->algorithm || one->note);
            CU_ASSERT(!one->algorithm || one->option);
            CU_ASSERT(!one->note || strcmp(one->note, "SMPI has nothing like it") != 0);
            CU_ASSERT(strcmp(one->rule, "by_processes") != 0);
        }
        g_array_unref(all);
    }
}

static void test_all_libraries(void)
{
    check_library(&lam_table);
    check_library(&mpich_1_2_2_table);
    check_library(&mpich_table);
    check_library(&mpich2_table);
    check_library(&openmpi_table);
}

// Each rule of each list, whether or not a library has it.
static void test_all_rules(void)
{
    static const struct {
        const char *const *rules;
        size_t field;
        enum mpi_collective collective;
    } lists[] = {
#define RULES(name, which) {mpi_##name##_rules, offsetof(struct mpi_library_config, name), which}
        RULES(barrier, COLLECTIVE_BARRIER),
        RULES(bcast, COLLECTIVE_BCAST),
        RULES(reduce, COLLECTIVE_REDUCE),
        RULES(allreduce, COLLECTIVE_ALLREDUCE),
        RULES(gather, COLLECTIVE_GATHER),
        RULES(scatter, COLLECTIVE_SCATTER),
        RULES(allgather, COLLECTIVE_ALLGATHER),
        RULES(alltoall, COLLECTIVE_ALLTOALL),
        RULES(reduce_scatter, COLLECTIVE_REDUCE_SCATTER),
        RULES(allgatherv, COLLECTIVE_ALLGATHERV),
        RULES(alltoallv, COLLECTIVE_ALLTOALLV),
    };
    // SMPI has nothing like these: the exporter names them.
    static const char *const unknown[] = {
        "allgatherv gatherv_each",       "alltoall scattered_batches",
        "alltoallv scattered_batches",   "allreduce linear",
        "allreduce rabenseifner_halves", "bcast binary",
        "bcast binomial_near",           "bcast knomial",
        "reduce rabenseifner_halves",    NULL};
    struct mpi_library_config library;
    topology_defaults(&lam_table, &library);
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        for (int rule = 0; lists[i].rules[rule]; rule++)
            for (int ranks = 6; ranks <= 8; ranks += 2) {
                memcpy((char *)&library + lists[i].field, &rule, sizeof rule);
                GArray *all = smpi_collectives(&library, ranks);
                struct smpi_collective one = one_of(all, lists[i].collective);
                char *name = g_strdup_printf("%s %s", one.name, one.rule);
                CU_ASSERT((one.algorithm == NULL) == g_strv_contains(unknown, name));
                g_free(name);
                g_array_unref(all);
            }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"LAM", test_lam},
        {"all libraries", test_all_libraries},
        {"all rules", test_all_rules},
        {0},
    };
    return suite_run("flow: collectives of SMPI", cases);
}
