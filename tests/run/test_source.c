// SPDX-License-Identifier: GPL-3.0-or-later
// A source that is no program: it makes up one call after the other as a reader of traces would,
// numbers requests by itself, and has groups of processes. Ranks do the source's calls, and no
// memory grows with their number.
//
// Under AddressSanitizer, which has a malloc of its own, memory is not counted.
#include "sim/core/engine.h"
#include "sim/flatten/flatten.h"
#include "sim/program/operations.h"
#include "sim/run/run.h"
#include "tests/support/allocations.h"
#include "tests/support/compiled.h"
#include "tests/support/flat_reference.h"
#include "tests/support/suite.h"

#define RANKS 6
#define STEPS 5 // calls of a round

// Rounds of: a send to the right and a receive from the left are started; the ranks of one parity,
// a group in descending order, broadcast and sum up; both are waited for, the receive first.
struct stream {
    struct op_source base;
    int rounds;
    bool forgets;                 // the same numbers in each round, and no waiting
    struct mpi_group_set *groups; // by parity
    int64_t calls[RANKS];         // so far
    // Of the last call:
    struct transfer_arguments transfer;
    struct collective_arguments collective;
    struct compute_arguments compute;
    int awaited[2];
};

static void transfer(struct stream *stream, struct op_call *call, enum op_code code, int peer,
                     int round)
{
    stream->transfer = (struct transfer_arguments){
        .common = {.peer = peer, .size = round * 37 % 5000, .buffer = OPERATION_ANY},
        .tag = round % 3,
    };
    call->kind = &operation_table[code];
    call->arguments = &stream->transfer;
    call->request = 2 * (stream->forgets ? 0 : round) + (code == OP_IRECV);
    call->own_buffer = code == OP_IRECV;
}

static void collective(struct stream *stream, struct op_call *call, int rank, int round)
{
    stream->collective = (struct collective_arguments){
        .common = {.peer = OPERATION_ANY, .size = 100 + round % 7, .buffer = OPERATION_ANY},
        .root = round % 3,
        .receive_buffer = OPERATION_ANY,
    };
    call->kind = &operation_table[round % 2 ? OP_BCAST : OP_ALLREDUCE];
    call->arguments = &stream->collective;
    call->group = stream->groups->of[rank];
    call->own_buffer = 2;
}

static enum source_next stream_next(struct op_source *base, int rank, struct op_call *call)
{
    static const struct source_mark nowhere;
    struct stream *stream = container_of(base, struct stream, base);
    int round = (int)(stream->calls[rank] / STEPS);
    *call = (struct op_call){.mark = &nowhere, .request = CALL_NO_REQUEST};
    if (round == stream->rounds)
        return SOURCE_END;
    switch (stream->calls[rank]++ % STEPS) {
    case 0:
        transfer(stream, call, OP_ISEND, (rank + 1) % RANKS, round);
        break;
    case 1:
        transfer(stream, call, OP_IRECV, (rank + RANKS - 1) % RANKS, round);
        break;
    case 2:
        collective(stream, call, rank, round);
        break;
    case 3:
        stream->compute = (struct compute_arguments){.time = rank * TIME_US};
        call->kind = &operation_table[OP_COMPUTE];
        call->arguments = &stream->compute;
        break;
    default:
        stream->transfer = (struct transfer_arguments){0};
        call->kind = &operation_table[OP_WAITALL];
        call->arguments = &stream->transfer;
        stream->awaited[0] = 2 * round + 1;
        stream->awaited[1] = 2 * round;
        call->awaited = stream->awaited;
        call->awaited_count = stream->forgets ? 0 : 2;
        break;
    }
    return SOURCE_CALL;
}

static struct stream stream_of(int rounds)
{
    static const int ranks[2][3] = {{4, 2, 0}, {5, 3, 1}};
    struct stream stream = {.base = {.next = stream_next}, .rounds = rounds};
    stream.groups = mpi_group_set_new(RANKS);
    for (int i = 0; i < 2; i++)
        mpi_group_set_add(stream.groups, i ? "odd" : "even", i + 1, ranks[i], 3);
    return stream;
}

static void stream_clear(struct stream *stream)
{
    mpi_group_set_free(stream->groups);
}

static const char scenario[] = "schema: 1\nname: t\nstack: lam_tcp\nnic: eepro100\n"
                               "hosts: [{name: node, count: 6}]\nswitches: [{name: switch}]\n"
                               "links: [{from: node, to: switch, rate: 100 Mb/s}]\n"
                               "workload: {ranks: 6, program: [{ranks: all, do: [barrier]}]}\n";

// Runs the stream on all ranks. Returns how many bytes were asked for meanwhile.
static uint64_t run_stream(const struct scenario_case *test_case, int rounds,
                           struct mpi_observer *observer)
{
    struct stream stream = stream_of(rounds);
    struct run_options options = {.observer = observer, .source = &stream.base};
    uint64_t before = allocations.bytes;
    struct series_result *result = run_case(&model_registry, test_case, 0, 1, &options);
    uint64_t bytes = allocations.bytes - before;
    SUITE_SAME_TEXT(sim_status_name(result->status), "completed");
    SUITE_SAME_INTEGER((long long)result->ledger.open, 0);
    series_result_free(result);
    stream_clear(&stream);
    return bytes;
}

static void test_what_is_done(void)
{
    struct compiled compiled = compiled_new(scenario, NULL);
    struct call_log *log = call_log_new();
    run_stream(compiled.test_case, 20, &log->observer);
    struct stream stream = stream_of(20);
    struct flatten *flatten =
        flatten_new(&stream.base, RANKS, scenario_section_values(compiled.test_case, "lam"));
    GString *complaints = g_string_new(NULL);
    int64_t compared = flat_reference_compare(flatten, RANKS, log, true, complaints);
    SUITE_SAME_TEXT(complaints->str, "");
    CU_ASSERT(compared > 20 * RANKS * 6);
    g_string_free(complaints, TRUE);
    flatten_free(flatten);
    stream_clear(&stream);
    call_log_free(log);
    compiled_free(&compiled);
}

// Ranks of an unfolded program may be asked in any order, also within a collective.
static void test_any_order(void)
{
    struct compiled compiled = compiled_new(scenario, NULL);
    const struct mpi_library_config *library = scenario_section_values(compiled.test_case, "lam");
    struct stream alone = stream_of(10), together = stream_of(10);
    struct flatten *one = flatten_new(&alone.base, RANKS, library),
                   *all = flatten_new(&together.base, RANKS, library);
    GString *texts[2][RANKS];
    struct flat_op op;
    for (int rank = 0; rank < RANKS; rank++) {
        texts[0][rank] = g_string_new(NULL);
        texts[1][rank] = g_string_new(NULL);
        while (flatten_next(one, rank, &op) == SOURCE_CALL)
            flat_reference_append(texts[0][rank], &op);
    }
    GRand *random = g_rand_new_with_seed(5);
    bool over[RANKS] = {false};
    for (int left = RANKS; left > 0;) {
        int rank = g_rand_int_range(random, 0, RANKS);
        if (over[rank])
            continue;
        over[rank] = flatten_next(all, rank, &op) != SOURCE_CALL;
        if (over[rank])
            left--;
        else
            flat_reference_append(texts[1][rank], &op);
    }
    for (int rank = 0; rank < RANKS; rank++) {
        CU_ASSERT(texts[0][rank]->len > 500);
        SUITE_SAME_TEXT(texts[1][rank]->str, texts[0][rank]->str);
        g_string_free(texts[0][rank], TRUE);
        g_string_free(texts[1][rank], TRUE);
    }
    g_rand_free(random);
    flatten_free(one);
    flatten_free(all);
    stream_clear(&alone);
    stream_clear(&together);
    compiled_free(&compiled);
}

// A request without a name is named by its number.
static void test_open_request(void)
{
    struct compiled compiled = compiled_new(scenario, NULL);
    struct stream stream = stream_of(2);
    struct run_options options = {.source = &stream.base};
    stream.forgets = true;
    struct series_result *result = run_case(&model_registry, compiled.test_case, 0, 1, &options);
    SUITE_SAME_TEXT(sim_status_name(result->status), "failed");
    SUITE_CONTAINS(json_string_value(json_object_get(result->reason, "text")),
                   ": request 0 is still open");
    series_result_free(result);
    stream_clear(&stream);
    compiled_free(&compiled);
}

static void test_memory(void)
{
    struct compiled compiled = compiled_new(scenario, NULL);
    run_stream(compiled.test_case, 100, NULL);
    uint64_t some = run_stream(compiled.test_case, 500, NULL),
             many = run_stream(compiled.test_case, 2500, NULL);
    // Of 60,000 calls more.
    CU_ASSERT(many < some + (64 << 10));
    if (many >= some + (64 << 10))
        fprintf(stderr, "%" G_GUINT64_FORMAT " B, and %" G_GUINT64_FORMAT " B\n", some, many);
    compiled_free(&compiled);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"ranks do what it says", test_what_is_done},
        {"unfolded in any order of ranks", test_any_order},
        {"a request that is still open", test_open_request},
        {"no memory for what is over", test_memory},
        {0},
    };
    return suite_run("workload: sources", cases);
}
