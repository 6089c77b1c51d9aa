// SPDX-License-Identifier: GPL-3.0-or-later
// Groups: their ranks and those of the job, contexts that keep them apart, and collectives, which
// are those of a job of their size with other names for the peers.
#include "sim/mpi/collective.h"
#include "tests/support/suite.h"

#define JOB 20
#define SIZE 7

static const int members[SIZE] = {13, 2, 19, 0, 7, 8, 11}; // by rank of the group

static void test_ranks_and_places(void)
{
    struct mpi_group_set *set = mpi_group_set_new(JOB);
    const struct mpi_group *group = mpi_group_set_add(set, "row", 3, members, SIZE);
    CU_ASSERT_STRING_EQUAL(group->name, "row");
    SUITE_SAME_INTEGER(mpi_group_size(group, JOB), SIZE);
    static const int others[] = {9, 3};
    const struct mpi_group *second = mpi_group_set_add(set, "row", 3, others, 2);
    int count = 0;
    for (int rank = 0; rank < JOB; rank++)
        count += set->of[rank] != NULL;
    SUITE_SAME_INTEGER(count, SIZE + 2);
    CU_ASSERT_PTR_EQUAL(set->of[9], second);
    SUITE_SAME_INTEGER(mpi_group_place(second, 3), 1);
    for (int place = 0; place < SIZE; place++) {
        SUITE_SAME_INTEGER(mpi_group_rank(group, place), members[place]);
        SUITE_SAME_INTEGER(mpi_group_place(group, members[place]), place);
        CU_ASSERT_PTR_EQUAL(set->of[members[place]], group);
    }
    SUITE_SAME_INTEGER(mpi_group_rank(group, RANK_ANY), RANK_ANY);
    mpi_group_set_free(set);
}

static void test_all_of_the_job(void)
{
    SUITE_SAME_INTEGER(mpi_group_size(NULL, JOB), JOB);
    SUITE_SAME_INTEGER(mpi_group_rank(NULL, 5), 5);
    SUITE_SAME_INTEGER(mpi_group_place(NULL, 5), 5);
    // Groups have not changed the numbers of the job's own contexts on the wire.
    SUITE_SAME_INTEGER(mpi_group_context(NULL, CONTEXT_POINT_TO_POINT), CONTEXT_POINT_TO_POINT);
    SUITE_SAME_INTEGER(mpi_group_context(NULL, CONTEXT_COLLECTIVE), CONTEXT_COLLECTIVE);
}

static void test_contexts(void)
{
    bool taken[UINT16_MAX + 1] = {false};
    struct mpi_group group = {0};
    for (group.number = 1; group.number <= GROUPS_MOST; group.number++)
        for (int kind = CONTEXT_POINT_TO_POINT; kind < CONTEXT_KINDS; kind++) {
            int context = mpi_group_context(&group, (enum mpi_context)kind);
            CU_ASSERT_FATAL(context >= CONTEXT_KINDS && context <= UINT16_MAX);
            CU_ASSERT_FALSE(taken[context]);
            taken[context] = true;
            SUITE_SAME_INTEGER(mpi_context_kind(context), kind);
            SUITE_SAME_INTEGER(mpi_context_group(context), group.number);
        }
}

// ---- Collectives ----

static int rule_of(const char *const *rules, int rule)
{
    int last = -1;
    while (rules[last + 1])
        last++;
    return MIN(rule, last);
}

// A library with this rule of each collective, or with its last one.
static struct mpi_library_config library_with(int rule)
{
    return (struct mpi_library_config){
        .barrier = rule_of(mpi_barrier_rules, rule),
        .bcast = rule_of(mpi_bcast_rules, rule),
        .reduce = rule_of(mpi_reduce_rules, rule),
        .allreduce = rule_of(mpi_allreduce_rules, rule),
        .gather = rule_of(mpi_gather_rules, rule),
        .scatter = rule_of(mpi_scatter_rules, rule),
        .allgather = rule_of(mpi_allgather_rules, rule),
        .alltoall = rule_of(mpi_alltoall_rules, rule),
        .reduce_scatter = rule_of(mpi_reduce_scatter_rules, rule),
        .scan = rule_of(mpi_scan_rules, rule),
        .exscan = rule_of(mpi_exscan_rules, rule),
        .gatherv = rule_of(mpi_gatherv_rules, rule),
        .scatterv = rule_of(mpi_scatterv_rules, rule),
        .allgatherv = rule_of(mpi_allgatherv_rules, rule),
        .alltoallv = rule_of(mpi_alltoallv_rules, rule),
        .empty_collectives_send = true,
    };
}

static void expect_same_step(const struct mpi_step *step, const struct mpi_step *wanted)
{
    bool request = step->kind == STEP_SEND || step->kind == STEP_RECV;
    CU_ASSERT_EQUAL(step->kind, wanted->kind);
    CU_ASSERT_EQUAL(step->size, wanted->size);
    CU_ASSERT_EQUAL(step->ends_round, wanted->ends_round);
    CU_ASSERT_EQUAL(step->from.offset, wanted->from.offset);
    CU_ASSERT_EQUAL(step->to.offset, wanted->to.offset);
    if (request)
        SUITE_SAME_INTEGER(step->peer, members[wanted->peer]);
}

// One process, in its group and in a job of the group's size.
static void expect_same_schedule(const struct mpi_group *group,
                                 const struct mpi_library_config *library,
                                 enum mpi_collective collective, int place)
{
    struct mpi_process there = {.rank = members[place], .ranks = JOB, .library = library},
                       alone = {.rank = place, .ranks = SIZE, .library = library};
    struct mpi_schedule schedule, wanted;
    mpi_schedule_init(&schedule);
    mpi_schedule_init(&wanted);
    mpi_collective_build(&schedule, &there, group, collective, 4, 24);
    mpi_collective_build(&wanted, &alone, NULL, collective, 4, 24);
    CU_ASSERT_PTR_EQUAL(schedule.group, group);
    CU_ASSERT_EQUAL(schedule.temporary, wanted.temporary);
    SUITE_SAME_INTEGER(schedule.steps->len, wanted.steps->len);
    CU_ASSERT(wanted.steps->len > 0);
    for (guint i = 0; i < MIN(schedule.steps->len, wanted.steps->len); i++)
        expect_same_step(&g_array_index(schedule.steps, struct mpi_step, i),
                         &g_array_index(wanted.steps, struct mpi_step, i));
    mpi_schedule_clear(&schedule);
    mpi_schedule_clear(&wanted);
}

static void test_collectives(void)
{
    struct mpi_group_set *set = mpi_group_set_new(JOB);
    const struct mpi_group *group = mpi_group_set_add(set, "row", 1, members, SIZE);
    for (int rule = 0; rule < 8; rule++) {
        struct mpi_library_config library = library_with(rule);
        for (int collective = COLLECTIVE_BARRIER; collective < COLLECTIVES; collective++)
            for (int place = 0; place < SIZE; place++)
                expect_same_schedule(group, &library, (enum mpi_collective)collective, place);
    }
    mpi_group_set_free(set);
}

int main(void)
{
    static const struct suite_case cases[] = {{"ranks and places", test_ranks_and_places},
                                              {"all of the job", test_all_of_the_job},
                                              {"contexts", test_contexts},
                                              {"collectives", test_collectives},
                                              {0}};
    return suite_run("mpi: groups", cases);
}
