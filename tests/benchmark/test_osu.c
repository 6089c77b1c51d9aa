// SPDX-License-Identifier: GPL-3.0-or-later
// The OSU benchmarks as programs: the size of a window, its repetitions, and that each end receives
// the other's messages.
#include "sim/benchmark/osu.h"

#include "sim/source/program_source.h"
#include "tests/support/suite.h"

#include <string.h>

#define WINDOW 64

// Calls and bytes of a rank's program.
struct tally {
    int sends, receives, waits, barriers, measured; // calls; measured: sends within the clock
    int64_t sent, received;                         // bytes
    int64_t most_open;                              // requests started and not waited for
    struct measure_arguments stop;
};

static const struct benchmark *named(const char *name)
{
    const struct benchmark *benchmark = mpi_benchmarks;
    while (strcmp(benchmark->schema.name, name) != 0)
        benchmark++;
    return benchmark;
}

static bool starts(const struct op_call *call)
{
    return op_call_is(call, OP_ISEND) || op_call_is(call, OP_IRECV);
}

static void count_call(struct tally *tally, const struct op_call *call, int64_t *open, bool *clock)
{
    bool sends = op_call_is(call, OP_ISEND) || op_call_is(call, OP_SEND);
    bool receives = op_call_is(call, OP_IRECV) || op_call_is(call, OP_RECV);
    int64_t size = call->arguments ? op_call_common(call)->size : 0;
    tally->sends += sends;
    tally->receives += receives;
    tally->measured += sends && *clock;
    tally->sent += sends ? size : 0;
    tally->received += receives ? size : 0;
    tally->barriers += op_call_is(call, OP_BARRIER);
    *open += starts(call);
    tally->most_open = MAX(tally->most_open, *open);
    if (op_call_is(call, OP_WAITALL)) {
        tally->waits++;
        *open -= call->awaited_count;
    }
    if (op_call_is(call, OP_MEASURE_START))
        *clock = true;
    if (op_call_is(call, OP_MEASURE_STOP)) {
        *clock = false;
        tally->stop = *(const struct measure_arguments *)call->arguments;
    }
}

static struct tally tally_of(const struct benchmark *benchmark, const struct workload *workload,
                             int rank)
{
    struct tally tally = {0};
    struct program *program = benchmark_program(benchmark, workload);
    struct op_source *source = program_source_new(program, workload->ranks);
    struct op_call call;
    int64_t open = 0;
    bool clock = false;
    enum source_next next;
    while ((next = source->next(source, rank, &call)) != SOURCE_END) {
        CU_ASSERT_FATAL(next != SOURCE_WRONG);
        if (next == SOURCE_CALL)
            count_call(&tally, &call, &open, &clock);
    }
    CU_ASSERT_EQUAL(open, 0);
    op_source_free(source);
    program_free(program);
    return tally;
}

// The tallies of both ranks for one size.
static void tally_both(const char *name, int64_t size, int64_t repetitions, struct tally tallies[2])
{
    const struct benchmark *benchmark = named(name);
    struct diag_list *diags = diag_list_new();
    struct workload workload = {
        .benchmark = &benchmark->schema,
        .ranks = 2,
        .sizes = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .parameters = param_read(benchmark->schema.parameters, NULL, "workload", diags),
        .repetitions = repetitions,
    };
    g_array_append_val(workload.sizes, size);
    for (int rank = 0; rank < 2; rank++)
        tallies[rank] = tally_of(benchmark, &workload, rank);
    SUITE_SAME_INTEGER(tallies[0].sends, tallies[1].receives);
    SUITE_SAME_INTEGER(tallies[1].sends, tallies[0].receives);
    CU_ASSERT_EQUAL(tallies[0].sent, tallies[1].received);
    CU_ASSERT_EQUAL(tallies[1].sent, tallies[0].received);
    param_values_free(workload.parameters);
    g_array_free(workload.sizes, TRUE);
    diag_list_free(diags);
}

// Windows in one direction: 64 sends each, answered by 4 B; 100 + 10 of them up to 8 KiB, above 20
// + 2.
static void expect_windows(int64_t size, int64_t repetitions, int64_t loops, int64_t skip)
{
    struct tally tallies[2];
    tally_both("osu.bandwidth", size, repetitions, tallies);
    SUITE_SAME_INTEGER(tallies[0].sends, WINDOW * (loops + skip));
    SUITE_SAME_INTEGER(tallies[0].measured, WINDOW * loops);
    SUITE_SAME_INTEGER(tallies[0].sent, WINDOW * (loops + skip) * size);
    SUITE_SAME_INTEGER(tallies[0].received, 4 * (loops + skip));
    SUITE_SAME_INTEGER(tallies[0].most_open, WINDOW);
    SUITE_SAME_INTEGER(tallies[1].most_open, WINDOW);
    SUITE_SAME_INTEGER(tallies[0].waits, loops + skip);
    SUITE_SAME_INTEGER(tallies[0].stop.count, loops);
    SUITE_SAME_INTEGER(tallies[0].stop.parts, WINDOW);
    SUITE_SAME_INTEGER(tallies[0].stop.common.size, size);
    SUITE_SAME_INTEGER(tallies[1].stop.count, 0);
}

static void test_bandwidth(void)
{
    expect_windows(1, 0, 100, 10);
    expect_windows(8192, 0, 100, 10);
    expect_windows(8193, 0, 20, 2);
    expect_windows(4 << 20, 0, 20, 2);
    expect_windows(1024, 7, 7, 10);
}

// Both directions: each rank has its window of receives open before it sends, and waits for both.
static void test_bibandwidth(void)
{
    struct tally tallies[2];
    tally_both("osu.bibandwidth", 1024, 0, tallies);
    for (int rank = 0; rank < 2; rank++) {
        SUITE_SAME_INTEGER(tallies[rank].sends, WINDOW * 110);
        SUITE_SAME_INTEGER(tallies[rank].sent, WINDOW * 110 * 1024);
        SUITE_SAME_INTEGER(tallies[rank].most_open, 2 * WINDOW);
        SUITE_SAME_INTEGER(tallies[rank].waits, 2 * 110);
    }
    SUITE_SAME_INTEGER(named("osu.bibandwidth")->report.messages, 2);
    tally_both("osu.bibandwidth", 16384, 0, tallies);
    SUITE_SAME_INTEGER(tallies[0].measured, WINDOW * 20);
}

// Latency: a barrier, then round trips: 10,000 + 1,000 up to 8 KiB, above 100 + 10.
static void test_latency(void)
{
    static const struct {
        int64_t size, loops, skip;
    } rows[] = {{0, 10000, 1000}, {8192, 10000, 1000}, {8193, 100, 10}};
    struct tally tallies[2];
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tally_both("osu.latency", rows[i].size, 0, tallies);
        SUITE_SAME_INTEGER(tallies[0].barriers, 1);
        SUITE_SAME_INTEGER(tallies[1].sends, rows[i].loops + rows[i].skip);
        SUITE_SAME_INTEGER(tallies[0].stop.count, rows[i].loops);
        SUITE_SAME_INTEGER(tallies[0].stop.parts, 2);
        SUITE_SAME_INTEGER(tallies[0].most_open, 0);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"bandwidth: windows of sends, each answered", test_bandwidth},
        {"bibandwidth: windows in both directions", test_bibandwidth},
        {"latency: round trips after a barrier", test_latency},
        {0},
    };
    return suite_run("workload: OSU benchmarks", cases);
}
