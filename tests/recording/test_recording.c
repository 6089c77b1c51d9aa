// SPDX-License-Identifier: GPL-3.0-or-later
// The scratch file of a recording: cursors return the calls that a reader puts, whatever the order
// of ranks; memory per rank does not depend on its number of calls; a scratch file that can't be
// written is an error.
#include "sim/recording/recording.h"
#include "tests/support/suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/allocations.h"

#define RANK_BYTES 5120 // of memory, at building and at reading

// ---- Calls by chance ----

// A call and the data that it points at.
struct kept_call {
    struct recorded_call call;
    int awaited[70];
    int64_t *blocks, *receive_blocks;
};

static void kept_free(gpointer data)
{
    struct kept_call *kept = data;
    g_free(kept->blocks);
    g_free(kept->receive_blocks);
    g_free(kept);
}

// Small numbers more often than large ones, and the ends of the range now and then.
static int64_t any_number(GRand *random)
{
    int64_t wide = (int64_t)((uint64_t)g_rand_int(random) << 32 | g_rand_int(random));
    switch (g_rand_int_range(random, 0, 8)) {
    case 0:
        return INT64_MAX;
    case 1:
        return INT64_MIN;
    case 2:
        return -1;
    case 3:
        return wide;
    default:
        return g_rand_int_range(random, 0, 300);
    }
}

static int any_int(GRand *random)
{
    return (int)CLAMP(any_number(random), INT_MIN, INT_MAX);
}

static bool chance(GRand *random)
{
    return g_rand_boolean(random);
}

static int64_t *any_blocks(GRand *random, int count)
{
    int64_t *blocks = g_new(int64_t, count);
    for (int i = 0; i < count; i++)
        blocks[i] = any_number(random);
    return blocks;
}

static struct kept_call *any_call(GRand *random)
{
    struct kept_call *kept = g_new0(struct kept_call, 1);
    struct recorded_call *call = &kept->call;
    *call = recorded_call((enum op_code)g_rand_int_range(random, 0, OP_CODES),
                          g_rand_int_range(random, 0, INT_MAX));
    int *numbers[] = {&call->communicator, &call->peer, &call->source, &call->root, &call->request};
    int64_t *wide[] = {&call->tag, &call->size, &call->receive_tag, &call->receive_size};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (chance(random))
            *numbers[i] = any_int(random);
    for (size_t i = 0; i < G_N_ELEMENTS(wide); i++)
        if (chance(random))
            *wide[i] = any_number(random);
    call->work = chance(random) ? g_rand_double_range(random, 0, 1e12) : 0;
    call->seconds = chance(random) ? g_rand_double(random) : 0;
    call->awaits_all = chance(random);
    if (chance(random)) {
        call->awaited_count = g_rand_int_range(random, 1, G_N_ELEMENTS(kept->awaited));
        call->awaited = kept->awaited;
        for (int i = 0; i < call->awaited_count; i++)
            kept->awaited[i] = any_int(random);
    }
    if (g_rand_int_range(random, 0, 10) == 0) { // more than a block of the file has room for
        call->block_count = g_rand_int_range(random, 1, 600);
        call->blocks = kept->blocks = any_blocks(random, call->block_count);
        if (chance(random))
            call->receive_blocks = kept->receive_blocks = any_blocks(random, call->block_count);
    }
    return kept;
}

static bool same_list(const void *one, const void *other, size_t bytes)
{
    return !one == !other && (!one || memcmp(one, other, bytes) == 0);
}

static bool same_call(const struct recorded_call *one, const struct recorded_call *other)
{
    size_t blocks = (size_t)one->block_count * sizeof(int64_t);
    return one->code == other->code && one->line == other->line &&
           one->communicator == other->communicator && one->peer == other->peer &&
           one->tag == other->tag && one->size == other->size && one->source == other->source &&
           one->receive_tag == other->receive_tag && one->receive_size == other->receive_size &&
           one->root == other->root && one->work == other->work && one->seconds == other->seconds &&
           one->request == other->request && one->awaited_count == other->awaited_count &&
           one->awaits_all == other->awaits_all && one->block_count == other->block_count &&
           same_list(one->awaited, other->awaited, (size_t)one->awaited_count * sizeof(int)) &&
           same_list(one->blocks, other->blocks, blocks) &&
           same_list(one->receive_blocks, other->receive_blocks, blocks);
}

// ---- Calls are read as they were written ----

// Takes all calls of all ranks, the ranks in a random mixture, and holds them against `kept`.
static void expect_kept(struct recording *recording, GPtrArray **kept, GRand *random)
{
    int ranks = recording_ranks(recording), wrong = 0;
    struct recording_cursor **cursors = g_new(struct recording_cursor *, ranks);
    guint *taken = g_new0(guint, ranks), left = 0;
    for (int rank = 0; rank < ranks; rank++) {
        cursors[rank] = recording_cursor_new(recording, rank);
        SUITE_SAME_INTEGER((long long)recording_calls(recording, rank), kept[rank]->len);
        left += kept[rank]->len;
    }
    while (left > 0) {
        int rank = g_rand_int_range(random, 0, ranks);
        struct recorded_call call;
        bool more = recording_cursor_next(cursors[rank], &call);
        wrong += more != (taken[rank] < kept[rank]->len);
        if (!more || taken[rank] >= kept[rank]->len)
            continue;
        const struct kept_call *expected = g_ptr_array_index(kept[rank], taken[rank]++);
        wrong += !same_call(&call, &expected->call);
        left--;
    }
    for (int rank = 0; rank < ranks; rank++) {
        struct recorded_call call;
        wrong += recording_cursor_next(cursors[rank], &call);
        recording_cursor_free(cursors[rank]);
    }
    SUITE_SAME_INTEGER(wrong, 0);
    g_free(cursors);
    g_free(taken);
}

static void expect_returned(GRand *random, int ranks, int calls)
{
    struct recording_builder *builder =
        recording_builder_new("some/trace.txt", "TI", ranks, RECORDED_FLOPS);
    GPtrArray **kept = g_new(GPtrArray *, ranks);
    bool computes = false;
    for (int rank = 0; rank < ranks; rank++)
        kept[rank] = g_ptr_array_new_with_free_func(kept_free);
    for (int i = 0; i < calls; i++) {
        int rank = g_rand_int_range(random, 0, ranks);
        struct kept_call *call = any_call(random);
        recording_builder_put(builder, rank, &call->call);
        g_ptr_array_add(kept[rank], call);
        computes = computes || call->call.work > 0;
    }
    recording_builder_file(builder, ranks - 1, "some/rank-last.txt");
    char *error;
    struct recording *recording = recording_builder_end(builder, true, &error);
    CU_ASSERT_PTR_NULL(error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(recording);
    SUITE_SAME_INTEGER(recording_computes(recording), computes);
    SUITE_SAME_TEXT(recording_file(recording, ranks - 1), "some/rank-last.txt");
    if (ranks > 1)
        SUITE_SAME_TEXT(recording_file(recording, 0), "some/trace.txt");
    expect_kept(recording, kept, random);
    expect_kept(recording, kept, random); // a recording may be taken many times
    recording_unref(recording);
    for (int rank = 0; rank < ranks; rank++)
        g_ptr_array_unref(kept[rank]);
    g_free(kept);
}

static void test_returned(void)
{
    GRand *random = g_rand_new_with_seed(1);
    for (int i = 0; i < 60; i++)
        expect_returned(random, g_rand_int_range(random, 1, 9), g_rand_int_range(random, 0, 400));
    expect_returned(random, 1, 5000);
    expect_returned(random, 5000, 9000);
    g_rand_free(random);
}

// A cursor outlives what its maker holds of the recording.
static void test_references(void)
{
    struct recording_builder *builder = recording_builder_new("t", "TI", 1, RECORDED_TIME);
    const struct recorded_call put = recorded_call(OP_BARRIER, 7);
    char *error;
    recording_builder_put(builder, 0, &put);
    struct recording *recording = recording_builder_end(builder, true, &error);
    SUITE_SAME_INTEGER(recording_work(recording), RECORDED_TIME);
    CU_ASSERT_FALSE(recording_computes(recording));
    CU_ASSERT_PTR_NULL(recording_communicators(recording));
    struct recording_cursor *cursor = recording_cursor_new(recording, 0);
    recording_unref(recording_ref(recording));
    recording_unref(recording);
    struct recorded_call call;
    CU_ASSERT(recording_cursor_next(cursor, &call) && same_call(&call, &put));
    recording_cursor_free(cursor);
    recording_cursor_free(NULL);
    recording_unref(NULL);
}

static void test_given_up(void)
{
    struct recording_builder *builder = recording_builder_new("t", "TI", 3, RECORDED_FLOPS);
    const struct recorded_call put = recorded_call(OP_BARRIER, 1);
    char *error;
    recording_builder_put(builder, 1, &put);
    CU_ASSERT_PTR_NULL(recording_builder_end(builder, false, &error));
    CU_ASSERT_PTR_NULL(error);
}

// ---- Memory ----

#define MEMORY_RANKS 400

// Bytes that are asked for while a recording of so many calls per rank is built and taken. Freed
// memory is counted all the same: this is an upper bound of the memory used.
static uint64_t bytes_asked(int calls)
{
    uint64_t before = allocations.bytes;
    struct recording_builder *builder =
        recording_builder_new("t", "TI", MEMORY_RANKS, RECORDED_FLOPS);
    for (int i = 0; i < calls * MEMORY_RANKS; i++) {
        struct recorded_call call = recorded_call(OP_SEND, i);
        call.peer = i % MEMORY_RANKS;
        call.size = (int64_t)i * i;
        recording_builder_put(builder, i % MEMORY_RANKS, &call);
    }
    char *error;
    struct recording *recording = recording_builder_end(builder, true, &error);
    struct recording_cursor *cursors[MEMORY_RANKS];
    struct recorded_call call;
    for (int rank = 0; rank < MEMORY_RANKS; rank++)
        cursors[rank] = recording_cursor_new(recording, rank);
    for (int i = 0; i < calls * MEMORY_RANKS; i++)
        CU_ASSERT(recording_cursor_next(cursors[i % MEMORY_RANKS], &call));
    for (int rank = 0; rank < MEMORY_RANKS; rank++)
        recording_cursor_free(cursors[rank]);
    recording_unref(recording);
    return allocations.bytes - before;
}

static void test_memory(void)
{
    uint64_t few = bytes_asked(1), many = bytes_asked(1500);
#if !defined(__SANITIZE_ADDRESS__)
    CU_ASSERT(few > (uint64_t)MEMORY_RANKS * sizeof(void *)); // it is counted at all
#endif
    CU_ASSERT(many <= (uint64_t)MEMORY_RANKS * RANK_BYTES);
    CU_ASSERT(many <= few + 4096);
}

// ---- A disk that takes nothing ----

// In a child, for GLib looks up the directory of temporary files once, and limits stay. Returns the
// error of recording_builder_end; g_free.
static char *error_with(const char *directory, rlim_t most)
{
    int ends[2];
    char text[1000] = "";
    CU_ASSERT_FATAL(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {most, most};
        g_setenv("TMPDIR", directory, TRUE);
        signal(SIGXFSZ, SIG_IGN);
        if (most != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(1);
        struct recording_builder *builder = recording_builder_new("t", "TI", 2, RECORDED_FLOPS);
        for (int i = 0; i < 5000; i++) {
            const struct recorded_call call = recorded_call(OP_BARRIER, i);
            recording_builder_put(builder, i % 2, &call);
        }
        char *error;
        struct recording *recording = recording_builder_end(builder, true, &error);
        if (error && write(ends[1], error, strlen(error)) < 0)
            _exit(1);
        _exit(recording || !error);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    CU_ASSERT(got >= 0 && WIFEXITED(status));
    return g_strdup(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "it was written");
}

static void test_unwritable(void)
{
    char *missing = error_with("/nowhere/at/all", RLIM_INFINITY), *full = error_with("/tmp", 4096);
    SUITE_SAME_TEXT(missing, "the recording's scratch file in /nowhere/at/all cannot be written: "
                             "No such file or directory");
    SUITE_SAME_TEXT(full, "the recording's scratch file in /tmp cannot be written: File too large");
    g_free(missing);
    g_free(full);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a scratch file that cannot be written is an error", test_unwritable},
        {"what is put comes out, whatever the order of ranks", test_returned},
        {"a cursor holds its recording", test_references},
        {"a recording that is given up", test_given_up},
        {"memory does not grow with the calls", test_memory},
        {NULL, NULL},
    };
    return suite_run("recording: scratch file", cases);
}
