// SPDX-License-Identifier: GPL-3.0-or-later
// The profile of a recording: ranks of communicators are those of the job in the matrix, sizes have
// exact quantiles, sums that are too large stay at the largest, and receives from any rank leave
// open what is matched.
#include "sim/flatten/recorded_profile.h"
#include "sim/program/communicator.h"
#include "tests/support/suite.h"

#include <string.h>

#define RANKS 5

// ---- Recordings ----

// Calls of ranks, among them two communicators: the odd ranks backwards, and the first two.
static struct recording_builder *begin(void)
{
    static const int odd[] = {3, 1}, first[] = {0, 1}, rest[] = {4, 2};
    struct recording_builder *builder = recording_builder_new("made", "TI", RANKS, RECORDED_FLOPS);
    GPtrArray *list = communicators_new();
    g_array_append_vals(communicator_add_group(communicator_add(list, "odd")), odd, 2);
    struct communicator *parts = communicator_add(list, "parts");
    g_array_append_vals(communicator_add_group(parts), first, 2);
    g_array_append_vals(communicator_add_group(parts), rest, 2);
    recording_builder_communicators(builder, list);
    return builder;
}

static void put(struct recording_builder *builder, int rank, enum op_code code, int communicator,
                int peer, int64_t size)
{
    struct recorded_call call = recorded_call(code, 1);
    call.communicator = communicator;
    call.peer = peer;
    call.size = size;
    if (operation_table[code].class == CALL_SENDRECV) {
        call.source = peer;
        call.receive_size = size;
    }
    recording_builder_put(builder, rank, &call);
}

static struct recorded_profile *end(struct recording_builder *builder)
{
    char *error;
    struct recording *recording = recording_builder_end(builder, true, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(recording);
    struct recorded_profile *profile = recorded_profile_new(recording);
    recording_unref(recording);
    return profile;
}

// "0>1 2x30 " for each pair.
static char *text_of(const struct traffic *traffic)
{
    GString *text = g_string_new(NULL);
    for (int rank = 0; rank < traffic->ranks; rank++)
        for (guint i = 0; i < traffic->rows[rank]->len; i++) {
            const struct traffic_cell *cell = traffic_cell(traffic->rows[rank], i);
            g_string_append_printf(text, "%d>%d %" G_GUINT64_FORMAT "x%" G_GINT64_FORMAT " ", rank,
                                   cell->peer, cell->messages, cell->bytes);
        }
    return g_string_free(text, FALSE);
}

static void expect_traffic(const struct traffic *traffic, const char *expected)
{
    char *text = text_of(traffic);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// ---- Tests ----

static void test_communicators(void)
{
    struct recording_builder *builder = begin();
    uint64_t unreceived = 9, unsent = 9;
    put(builder, 1, OP_SEND, 0, 0, 10);    // to rank 3
    put(builder, 3, OP_IRECV, 0, 1, 10);   // from rank 1
    put(builder, 2, OP_SENDRECV, 1, 0, 7); // with rank 4
    put(builder, 4, OP_SENDRECV, 1, 1, 7); // with rank 2
    put(builder, 0, OP_ISEND, NO_COMMUNICATOR, 4, 3);
    put(builder, 0, OP_ISEND, NO_COMMUNICATOR, 4, 4);
    put(builder, 4, OP_RECV, NO_COMMUNICATOR, 0, 4);
    put(builder, 0, OP_ISEND, 1, 1, 1);
    struct recorded_profile *profile = end(builder);
    expect_traffic(&profile->sent, "0>1 1x1 0>4 2x7 1>3 1x10 2>4 1x7 4>2 1x7 ");
    expect_traffic(&profile->received, "2>4 1x7 3>1 1x10 4>0 1x4 4>2 1x7 ");
    CU_ASSERT(recorded_profile_unmatched(profile, &unreceived, &unsent));
    SUITE_SAME_INTEGER(unreceived, 2);
    SUITE_SAME_INTEGER(unsent, 0);
    SUITE_SAME_INTEGER(profile->rank[0].peers, 2);
    SUITE_SAME_INTEGER(profile->calls, 8);
    recorded_profile_free(profile);
}

static void test_collectives_of_groups(void)
{
    struct recording_builder *builder = begin();
    for (int place = 0; place < 2; place++) // the root is rank 1 of the job
        put(builder, place == 0 ? 3 : 1, OP_ALLTOALL, 0, OPERATION_ANY, 100);
    struct recorded_call call = recorded_call(OP_BCAST, 1);
    call.communicator = 0;
    call.root = 1;
    call.size = 50;
    recording_builder_put(builder, 1, &call);
    recording_builder_put(builder, 3, &call);
    struct recorded_profile *profile = end(builder);
    SUITE_SAME_INTEGER(profile->operations[OP_ALLTOALL].bytes, 400);
    SUITE_SAME_INTEGER(profile->operations[OP_BCAST].bytes, 50);
    SUITE_SAME_INTEGER(profile->operations[OP_BCAST].calls, 2);
    SUITE_SAME_INTEGER(profile->operations[OP_BCAST].ranks, 2);
    CU_ASSERT(!profile->operations[OP_BARRIER].sized);
    recorded_profile_free(profile);
}

static void test_any_source(void)
{
    struct recording_builder *builder = begin();
    uint64_t unreceived, unsent;
    put(builder, 0, OP_SEND, NO_COMMUNICATOR, 1, 8);
    put(builder, 1, OP_RECV, NO_COMMUNICATOR, OPERATION_ANY, 8);
    struct recorded_profile *profile = end(builder);
    CU_ASSERT(!recorded_profile_unmatched(profile, &unreceived, &unsent));
    SUITE_SAME_INTEGER(profile->rank[1].from_any, 1);
    expect_traffic(&profile->received, "");
    recorded_profile_free(profile);
}

static void test_large_sums(void)
{
    struct recording_builder *builder = begin();
    for (int i = 0; i < 3; i++)
        put(builder, 0, OP_SEND, NO_COMMUNICATOR, 1, INT64_MAX / 2);
    struct recorded_profile *profile = end(builder);
    CU_ASSERT(profile->rank[0].bytes == INT64_MAX);
    CU_ASSERT(profile->operations[OP_SEND].bytes == INT64_MAX);
    CU_ASSERT(traffic_find(&profile->sent, 0, 1)->bytes == INT64_MAX);
    CU_ASSERT_PTR_NULL(traffic_find(&profile->sent, 0, 2));
    CU_ASSERT_PTR_NULL(traffic_find(&profile->sent, 3, 0));
    recorded_profile_free(profile);
}

static void test_quantiles(void)
{
    struct size_counts counts;
    size_counts_init(&counts);
    for (int size = 100; size > 0; size--)
        size_counts_add(&counts, size, 1);
    size_counts_sort(&counts);
    static const struct {
        double share;
        int64_t size;
    } expected[] = {{0, 1}, {0.01, 1}, {0.011, 2}, {0.5, 50}, {0.9, 90}, {0.901, 91}, {1, 100}};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        SUITE_SAME_INTEGER(size_counts_quantile(&counts, expected[i].share), expected[i].size);
    size_counts_clear(&counts);
}

static void test_classes(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 9, 1023, 1024, 1025, INT64_C(1) << 61};
    uint64_t classes[SIZE_CLASSES] = {0};
    struct size_counts counts;
    size_counts_init(&counts);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        int class = size_class(sizes[i]);
        CU_ASSERT(sizes[i] <= size_class_most(class));
        CU_ASSERT(class == 0 || sizes[i] > (class == 1 ? 0 : size_class_most(class - 1)));
        size_counts_add(&counts, sizes[i], i + 1);
    }
    size_counts_sort(&counts);
    size_counts_classes(&counts, classes);
    SUITE_SAME_INTEGER(classes[size_class(0)], 1);
    SUITE_SAME_INTEGER(classes[size_class(4)], 4 + 5);
    SUITE_SAME_INTEGER(classes[size_class(1024)], 9 + 10);
    CU_ASSERT(size_class(INT64_MAX) == SIZE_CLASSES);
    size_counts_clear(&counts);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"peers of communicators are ranks of the job", test_communicators},
        {"collectives of groups", test_collectives_of_groups},
        {"receives from any rank", test_any_source},
        {"sums that are too large", test_large_sums},
        {"quantiles of sizes", test_quantiles},
        {"classes of sizes", test_classes},
        {NULL, NULL},
    };
    return suite_run("workload: what is in a recording", cases);
}
