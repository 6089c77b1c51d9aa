// SPDX-License-Identifier: GPL-3.0-or-later
// Which progress libraries make in which call (sim/mpi/progress.h), over their stacks: how many
// calls of the system or the provider it makes, and how many of the requests end that could. Three
// messages have arrived for three receives of rank 1, and nothing for a fourth, when it makes the
// call.
#include "tests/support/call_log.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <math.h>

#define SEND(to, tag) "{send: {to: " #to ", size: 8 B, tag: " #tag "}}, "
#define RECV(from, tag) "{recv: {from: " #from ", size: 8 B, tag: " #tag "}}, "
#define IRECV(tag, request) "{irecv: {from: 0, size: 8 B, tag: " #tag ", request: " #request "}}, "

enum made_call {
    MADE_ISEND,
    MADE_IRECV,
    MADE_WAIT_DONE,
    MADE_WAIT,
    MADE_TEST,
    MADE_IPROBE,
    MADE_CALLS
};

static const struct {
    const char *name, *text;
    const char *peer; // what rank 0 does for it
} calls[MADE_CALLS] = {
    [MADE_ISEND] = {"isend", "{isend: {to: 0, size: 8 B, tag: 5, request: i}}", RECV(1, 5)},
    [MADE_IRECV] = {"irecv", "{irecv: {from: 0, size: 8 B, tag: 4, request: i}}", SEND(1, 4)},
    [MADE_WAIT_DONE] = {"wait, done", "{wait: s}", ""},
    [MADE_WAIT] = {"wait", "{wait: a}", ""},
    [MADE_TEST] = {"test", "{test: x}", ""},
    [MADE_IPROBE] = {"iprobe", "{iprobe: {from: 0, tag: 99}}", ""},
};

static const char myrinet[] =
    "links: [{from: node, to: switch}]\n"
    "link: {rate: 1280 Mb/s, propagation: 15 ns, preamble: 0 B, gap: 1 B, least_frame: 0 B}\n"
    "switch: {discipline: cut_through, ports: 16, latency: 150 ns, header: 1 B, "
    "route_bytes: 1 B}\n"
    "nic: lanai9\nhost: {processor: {cores: 2, clock: 300 MHz}}\n";

// Costs and effects of one call.
struct made_progress {
    int paid, done; // how often the cost; requests of those with a message
};

#define CALL "host.kernel.system_call"
#define QUEUE "mvia.queue_check"

struct row {
    const char *stack, *cost; // cost: what is counted
    struct made_progress expected[MADE_CALLS];
};

// System calls over TCP and SCTP, else questions to the provider. A message is read by two calls
// but over Open MPI, which reads ahead, and sent as two over ch3:sctp.
static const struct row rows[] = {
    // Passes until one finds nothing; a wait leaves after a pass.
    {"lam_tcp", CALL, {{9, 3}, {7, 3}, {0, 0}, {3, 1}, {7, 3}, {7, 3}}},
    // One packet, or two in a test that finds nothing; without waiting each takes a select, a recv
    // and another select.
    {"mpich_p4", CALL, {{1, 0}, {0, 0}, {0, 0}, {3, 1}, {10, 2}, {5, 1}}},
    // One event, after a poll.
    {"ch3_sock", CALL, {{1, 0}, {0, 0}, {0, 0}, {3, 1}, {3, 1}, {3, 1}}},
    // All that one read brings, and a poll more; each poll between two readings of the clock.
    {"openmpi_tcp", CALL, {{1, 0}, {0, 0}, {0, 0}, {7, 3}, {7, 3}, {7, 3}}},
    // A call that does not wait reads all, which is for the next call.
    {"ch3_sctp", CALL, {{2, 0}, {0, 0}, {0, 0}, {10, 1}, {9, 0}, {9, 0}}},
    // All events, also in a wait.
    {"lam_via", QUEUE, {{5, 3}, {4, 3}, {0, 0}, {4, 3}, {4, 3}, {4, 3}}},
    // Like lam_via, but none as something starts. A test polls twice.
    {"mvich", QUEUE, {{0, 0}, {0, 0}, {0, 0}, {4, 3}, {5, 3}, {4, 3}}},
    // Up to the first message, with the callback of a send before it; one that waits ends with
    // either. A send that starts takes all.
    {"armci", "mpich_gm.check", {{5, 3}, {0, 0}, {0, 0}, {2, 1}, {2, 2}, {1, 1}}},
};

static double value_of(const struct program_run *run)
{
    for (guint i = 0; i < run->result->values->len; i++) {
        const struct result_value *at = &g_array_index(run->result->values, struct result_value, i);
        if (at->rank == 1 && g_str_has_suffix(at->metric, "_mean_us"))
            return at->value;
    }
    CU_FAIL("no time was measured");
    return 0;
}

// Requests of rank 1 that have ended between the start of its fourth receive and that of the last.
static int done_in_call(const struct call_log *log, uint32_t first, uint32_t last)
{
    int done = 0;
    bool within = false;
    for (guint i = 0; i < log->entries->len; i++) {
        const struct logged *at = &g_array_index(log->entries, struct logged, i);
        if (at->of != LOGGED_REQUEST || at->rank != 1)
            continue;
        if (at->what == OBSERVED_START && (at->number == first || at->number == last))
            within = at->number == first;
        done += within && at->what == OBSERVED_DONE && at->number < first;
    }
    return done;
}

// The call's time in us.
static double observe(const struct row *row, enum made_call call, const char *cost, int *done)
{
    char *zero = g_strdup_printf(
        SEND(1, 6) SEND(1, 7) RECV(1, 7) "{compute: 200 ms}, " SEND(1, 1) SEND(1, 2)
            SEND(1, 3) "{compute: 2 s}, %s" SEND(1, 9) "{send: {to: 1, size: 8 B, tag: 8}}",
        calls[call].peer);
    char *one = g_strdup_printf(RECV(0, 7) SEND(0, 7) IRECV(6, s) IRECV(1, a) IRECV(2, b)
                                    IRECV(3, c) IRECV(9, x) "{compute: 1 s}, {clock: c}, %s, {lap: "
                                                            "c}, " IRECV(8, z) "{waitall: all}",
                                calls[call].text);
    char *set = g_strdup_printf("%s=%s", row->cost, cost);
    struct test_program program = {.ranks = 2,
                                   .stack = row->stack,
                                   .machine = strcmp(row->stack, "armci") == 0 ? myrinet : NULL,
                                   .sets = {set},
                                   .ops = {zero, one}};
    struct call_log *log = call_log_new();
    struct program_run *run = program_run_observed(&program, 1, &log->observer);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    bool starts = call == MADE_ISEND || call == MADE_IRECV || call == MADE_IPROBE;
    *done = done_in_call(log, 7, starts ? 9 : 8);
    double time = value_of(run);
    program_run_free(run);
    call_log_free(log);
    g_free(set);
    g_free(one);
    g_free(zero);
    return time;
}

static void test_calls(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (enum made_call call = 0; call < MADE_CALLS; call++) {
            struct made_progress got;
            double dear = observe(&rows[i], call, "200 us", &got.done),
                   cheap = observe(&rows[i], call, "100 us", &got.done);
            got.paid = (int)lround((dear - cheap) / 100);
            const struct made_progress *want = &rows[i].expected[call];
            char *said = g_strdup_printf("%s, %s: %d paid, %d done", rows[i].stack,
                                         calls[call].name, got.paid, got.done),
                 *expected = g_strdup_printf("%s, %s: %d paid, %d done", rows[i].stack,
                                             calls[call].name, want->paid, want->done);
            SUITE_SAME_TEXT(said, expected);
            g_free(expected);
            g_free(said);
        }
}

int main(void)
{
    const struct suite_case cases[] = {{"calls", test_calls}, {0}};
    return suite_run("workload: progress of libraries", cases);
}
