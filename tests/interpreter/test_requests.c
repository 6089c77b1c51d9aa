// SPDX-License-Identifier: GPL-3.0-or-later
// Requests with names on every stack that has MPI's calls: which of them a wait or a test closes
// and when, persistent requests, buffered and ready sends; mistakes with them, and the end of a
// program that waits for a message that never arrives.
#include "tests/support/call_log.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static const char myrinet[] =
    "links: [{from: node, to: switch}]\n"
    "link: {rate: 1280 Mb/s, propagation: 15 ns, preamble: 0 B, gap: 1 B, least_frame: 0 B}\n"
    "switch: {discipline: cut_through, ports: 16, latency: 150 ns, header: 1 B, "
    "route_bytes: 1 B}\n"
    "nic: lanai9\nhost: {processor: {cores: 2, clock: 300 MHz}}\n";

// ARMCI's stack has MPICH over GM besides.
static const struct {
    const char *name, *machine;
} stacks[] = {{"lam_tcp", NULL},    {"lam_via", NULL},    {"mvich", NULL},    {"grim", myrinet},
              {"armci", myrinet},   {"mpich_p4", NULL},   {"ch3_sock", NULL}, {"ch3_sctp", NULL},
              {"ch3_hybrid", NULL}, {"openmpi_tcp", NULL}};

#define STACKS G_N_ELEMENTS(stacks)

// Those whose tests take everything that has arrived, and whose runs end with the program: the
// others have a turn that takes one event, or timers.
#define PLAIN_STACKS 4

struct observed {
    struct program_run *run;
    struct call_log *log;
};

// The first request of each rank connects them, where libraries do that with the first message; the
// tests' expectations count from the next one.
static struct observed observe(size_t stack, const char *zero, const char *one)
{
    char *ops[] = {g_strdup_printf("{recv: {from: 1, size: 0 B}}, %s", zero),
                   g_strdup_printf("{send: {to: 0, size: 0 B}}, %s", one)};
    struct test_program program = {.ranks = 2,
                                   .stack = stacks[stack].name,
                                   .machine = stacks[stack].machine,
                                   .ops = {ops[0], ops[1]}};
    if (strcmp(program.stack, "armci") == 0)
        program.sets[0] = "mpich_gm.eager=1000000 B";
    struct observed observed = {.log = call_log_new()};
    observed.run = program_run_observed(&program, 1, &observed.log->observer);
    g_free(ops[0]);
    g_free(ops[1]);
    return observed;
}

static void observed_clear(struct observed *observed)
{
    program_run_free(observed->run);
    call_log_free(observed->log);
}

static void expect_completed(const struct observed *observed, size_t stack)
{
    const struct series_result *result = observed->run->result;
    if (result->status != SIM_COMPLETED) {
        char *text = program_reason(observed->run, "text");
        fprintf(stderr, "%s: %s\n", stacks[stack].name, text);
        g_free(text);
    }
    SUITE_SAME_TEXT(sim_status_name(result->status), "completed");
    CU_ASSERT(result->ledger_balanced);
}

// The numbers of a rank's requests in the order in which they end.
static char *ended(const struct observed *observed, int rank)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < observed->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(observed->log->entries, struct logged, i);
        if (entry->of == LOGGED_REQUEST && entry->rank == rank && entry->what == OBSERVED_RETURN &&
            entry->number > 1)
            g_string_append_printf(text, "%s%u", text->len ? " " : "", entry->number - 1);
    }
    return g_string_free(text, FALSE);
}

// When something of a request happens; -1: never.
static sim_time when(const struct observed *observed, int rank, uint32_t number,
                     enum mpi_observed what)
{
    for (guint i = 0; i < observed->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(observed->log->entries, struct logged, i);
        if (entry->of == LOGGED_REQUEST && entry->rank == rank && entry->number == number + 1 &&
            entry->what == what)
            return entry->when;
    }
    return -1;
}

static void expect_order_of(size_t count, const char *zero, const char *one, const char *expected)
{
    for (size_t i = 0; i < count; i++) {
        struct observed observed = observe(i, zero, one);
        char *order = ended(&observed, 0);
        expect_completed(&observed, i);
        SUITE_SAME_TEXT(order, expected);
        g_free(order);
        observed_clear(&observed);
    }
}

static void expect_order(const char *zero, const char *one, const char *expected)
{
    expect_order_of(STACKS, zero, one, expected);
}

// ---- Waits ----

#define THREE                                                                                      \
    "{irecv: {from: 1, tag: 1, size: 8 B, request: a}}, {irecv: {from: 1, tag: 2, size: 8 B, "     \
    "request: b}}, {irecv: {from: 1, tag: 3, size: 8 B, request: c}}, "
#define SENT(tag) "{send: {to: 0, size: 8 B, tag: " #tag "}}, "

// Three that are done and one that is not: tests of all of them close none, and take all events.
#define FOUR                                                                                       \
    THREE "{irecv: {from: 1, tag: 4, size: 8 B, request: d}}, {compute: 50 ms}, "                  \
          "{loop: {count: 20, do: [{testall: all}]}}, "

static void test_waitany(void)
{
    // The one that is done, whatever its place.
    expect_order(THREE "{waitany: [c, b, a]}, {wait: c}, {wait: b}, {wait: a}, ",
                 SENT(2) "{compute: 5 ms}, " SENT(3) "{compute: 5 ms}, " SENT(1), "2 3 1");
    // The first in the list of several that are done.
    expect_order(FOUR "{waitany: [b, d, a, c]}, {waitany: [b, a, c]}, {waitany: [b, a, c]}, "
                      "{waitany: [b, a, c]}, {wait: d}",
                 SENT(1) SENT(2) SENT(3) "{compute: 200 ms}, " SENT(4), "2 1 3 4");
    // In the order of starting, and none is named twice.
    expect_order(FOUR "{waitany: all}, {waitany: [c, c, b]}, {waitall: all}",
                 SENT(1) SENT(2) SENT(3) "{compute: 200 ms}, " SENT(4), "1 3 2 4");
}

static void test_waitsome(void)
{
    expect_order(THREE "{waitsome: all}, {waitsome: [b, c]}, {waitsome: [a]}, {waitall: [a, b, c]}",
                 SENT(3) "{compute: 5 ms}, " SENT(2) "{compute: 5 ms}, " SENT(1), "3 2 1");
    expect_order(FOUR "{waitsome: [c, d, b]}, {wait: a}, {wait: d}",
                 SENT(1) SENT(2) SENT(3) "{compute: 200 ms}, " SENT(4), "3 2 1 4");
}

// ---- Tests ----

static void test_tests_once(void)
{
    // Nothing is there yet: they stay open, and closed ones are no longer waited for.
    expect_order_of(PLAIN_STACKS,
                    THREE
                    "{test: b}, {testany: all}, {testsome: all}, {testall: all}, {compute: 50 "
                    "ms}, {test: c}, {test: c}, {testany: [b, a]}, {testsome: all}, {wait: a}",
                    "{compute: 10 ms}, " SENT(1) SENT(2) SENT(3), "3 2 1");
    // All or none.
    expect_order_of(PLAIN_STACKS,
                    THREE "{compute: 50 ms}, {testall: [a, b]}, {testsome: [a, b]}, {wait: c}, "
                          "{testall: [b, a]}",
                    SENT(1) "{compute: 100 ms}, " SENT(2) SENT(3), "1 3 2");
}

// Until it is there: the looks are a turn apart, so the last is less than two turns late; over
// ch3:sctp and ch3:hybrid one test reads the message, and the next handles it.
static void test_polling(void)
{
    const sim_time turn = 200 * TIME_US;
    for (size_t i = 0; i < STACKS; i++) {
        struct observed observed =
            observe(i, THREE "{test: {request: b, every: 200 us}}, {waitall: all}",
                    "{compute: 20 ms}, " SENT(2) "{compute: 20 ms}, " SENT(1) SENT(3));
        expect_completed(&observed, i);
        sim_time sent = when(&observed, 1, 1, OBSERVED_START),
                 taken = when(&observed, 0, 2, OBSERVED_RETURN);
        CU_ASSERT(taken > sent && taken < sent + 4 * turn);
        CU_ASSERT(when(&observed, 0, 1, OBSERVED_RETURN) > taken);
        observed_clear(&observed);
    }
    expect_order(THREE "{testany: {requests: [a, c, b], every: 10 us}}, {testsome: {requests: all, "
                       "every: 1 ms}}, {testall: {requests: all, every: 5 us}}",
                 SENT(3) "{compute: 5 ms}, " SENT(2) "{compute: 5 ms}, " SENT(1), "3 2 1");
}

// Both poll for a message that never arrives: a deadlock, whose report names the calls and the
// requests.
static void test_polling_for_ever(void)
{
    for (size_t i = 0; i < STACKS; i++) {
        struct observed observed = observe(
            i, "{irecv: {from: 1, size: 8 B, request: a}}, {test: {request: a, every: 1 us}}",
            "{irecv: {from: 0, size: 8 B, request: a}}, {irecv: {from: any, size: 9 B, request: "
            "b}}, {waitany: [a, b]}");
        SUITE_SAME_TEXT(sim_status_name(observed.run->result->status), "deadlock");
        char *ranks = program_reason(observed.run, "ranks");
        SUITE_CONTAINS(ranks, ": test\"");
        SUITE_CONTAINS(ranks, ": waitany\"");
        SUITE_CONTAINS(ranks, "\"size\":9");
        SUITE_CONTAINS(ranks, "\"size\":8");
        g_free(ranks);
        observed_clear(&observed);
        observed = observe(
            i, "{irecv: {from: 1, size: 8 B, request: a}}, {test: {request: a, every: 1 us}}",
            "{irecv: {from: 0, size: 8 B, request: a}}, {test: {request: a, every: 1 ms}}");
        SUITE_SAME_TEXT(sim_status_name(observed.run->result->status), "deadlock");
        observed_clear(&observed);
    }
}

// ---- Persistent requests ----

static void test_persistent(void)
{
    // Each start is a request of its own, and a message.
    expect_order(
        "{recv_init: {from: 1, tag: 8, size: 40 KiB, request: r}}, {recv_init: {from: 1, tag: 9, "
        "size: 8 B, request: q}}, {wait: r}, {loop: {count: 3, do: [{start: r}, {wait: "
        "r}]}}, {startall: all}, {waitall: [r, q]}, {startall: [q, r]}, {waitall: all}, "
        "{request_free: r}, {request_free: q}, {irecv: {from: 1, size: 1 B, request: "
        "r}}, {wait: r}",
        "{send_init: {to: 0, tag: 8, size: 40 KiB, request: s}}, {loop: {count: 4, do: [{start: "
        "s}, {test: {request: s, every: 5 us}}]}}, {send: {to: 0, size: 8 B, tag: 9}}, "
        "{start: s}, {wait: s}, {request_free: s}, {send: {to: 0, size: 8 B, tag: 9}}, "
        "{send: {to: 0, size: 1 B}}",
        "1 2 3 4 5 6 7 8");
}

// A transfer in progress goes on after request_free, and ends before the program does.
static void test_freed(void)
{
    for (size_t i = 0; i < STACKS; i++) {
        struct observed observed =
            observe(i,
                    "{isend: {to: 1, size: 100 KiB, request: a}}, {request_free: a}, {isend: "
                    "{to: 1, size: 8 B, request: a}}, {wait: a}",
                    "{compute: 20 ms}, {recv: {from: 0, size: 100 KiB}}, {recv: {from: 0, size: 8 "
                    "B}}");
        expect_completed(&observed, i);
        CU_ASSERT(when(&observed, 0, 1, OBSERVED_RETURN) >= when(&observed, 0, 1, OBSERVED_DONE));
        observed_clear(&observed);
    }
}

// ---- Modes of sends ----

// A buffered send of any size ends before any receive begins, and the buffer can be detached only
// after that; but ch_p4 blocks in the writes of any send, and the others' eager messages are out.
static void test_buffered(void)
{
    for (size_t i = 0; i < PLAIN_STACKS; i++) {
        struct observed observed =
            observe(i,
                    "{buffer_attach: 300 KiB}, {bsend: {to: 1, size: 100 KiB}}, {ibsend: {to: "
                    "1, size: 100 KiB, request: a}}, {wait: a}, {test: a}, {clock: c}, "
                    "{irecv: {from: 1, size: 0 B, request: m}}, buffer_detach, {wait: m}",
                    "{compute: 50 ms}, {recv: {from: 0, size: 100 KiB}}, {send: {to: 0, size: 0 "
                    "B}}, {recv: {from: 0, size: 100 KiB}}");
        expect_completed(&observed, i);
        CU_ASSERT(when(&observed, 0, 3, OBSERVED_START) < 40 * TIME_MS ||
                  strcmp(stacks[i].name, "mpich_p4") == 0);
        CU_ASSERT(when(&observed, 0, 3, OBSERVED_RETURN) > 50 * TIME_MS);
        CU_ASSERT(when(&observed, 0, 2, OBSERVED_RETURN) > 50 * TIME_MS || i > 2);
        observed_clear(&observed);
    }
}

// Room is freed when messages are out, and is taken in the first gap that is large enough.
static void test_buffer_room(void)
{
    for (size_t i = 0; i < STACKS; i++) {
        struct observed observed = observe(
            i,
            "{buffer_attach: 25 kB}, {bsend_init: {to: 1, size: 20 kB, request: a}}, {loop: "
            "{count: 4, do: [{start: a}, {wait: a}, {recv: {from: 1, size: 0 B}}, {compute: 10 "
            "ms}]}}, {request_free: a}, {loop: {count: 3, do: [{bsend: {to: 1, size: 20 kB}}, "
            "{recv: {from: 1, size: 0 B}}, {compute: 10 ms}]}}",
            "{loop: {count: 7, do: [{recv: {from: 0, size: 20 kB}}, {send: {to: 0, size: 0 B}}]}}");
        expect_completed(&observed, i);
        observed_clear(&observed);
    }
}

static void test_ready(void)
{
    for (size_t i = 0; i < STACKS; i++)
        for (int size = 4; size <= 200000; size += 199996) {
            char *send = g_strdup_printf("{compute: 30 ms}, {rsend: {to: 1, size: %d B, tag: 4}}, "
                                         "{compute: 30 ms}, {irsend: {to: 1, size: %d B, request: "
                                         "a}}, {wait: a}",
                                         size, size);
            struct observed observed =
                observe(i, send,
                        "{recv: {from: 0, size: 200 kB}}, {irecv: {from: any, size: 200 kB, "
                        "request: a}}, {wait: a}");
            expect_completed(&observed, i);
            observed_clear(&observed);
            observed = observe(i, send,
                               "{irecv: {from: 0, tag: 5, size: 200 kB, request: a}}, {compute: 20 "
                               "ms}, {probe: {from: 0, tag: 6}}");
            char *text = program_reason(observed.run, "text"),
                 *kind = program_reason(observed.run, "kind"),
                 *peer = program_reason(observed.run, "peer"),
                 *at = program_reason(observed.run, "at");
            SUITE_SAME_TEXT(sim_status_name(observed.run->result->status), "failed");
            SUITE_SAME_TEXT(kind, "not_ready");
            SUITE_CONTAINS(text, "rank 1 gets ");
            SUITE_CONTAINS(text, " B with tag 4 by a ready send of rank 0");
            SUITE_SAME_TEXT(peer, "0");
            SUITE_CONTAINS(at, ": probe");
            g_free(text);
            g_free(kind);
            g_free(peer);
            g_free(at);
            g_free(send);
            send = NULL;
            observed_clear(&observed);
        }
}

// Each rank gets the other's data, and the copy costs time.
static void test_replace(void)
{
    expect_order("{sendrecv_replace: {to: 1, from: 1, size: 30 kB}}, {sendrecv_replace: {to: 1, "
                 "from: any, size: 3 B, tag: 2}}",
                 "{sendrecv_replace: {to: 0, from: 0, size: 30 kB}}, {sendrecv_replace: {to: 0, "
                 "from: any, size: 3 B, tag: 2}}",
                 "1 2 3 4");
}

// ---- Derived datatypes ----

// Data in pieces are the same message, and take longer; one piece is no layout.
static void test_layouts(void)
{
    static const char *const layouts[] = {
        "size: 8192 B", "strided: {counts: [8192 B, 1], strides: [9 KiB]}",
        "strided: {counts: [4 B, 256, 8], strides: [8 B, 1 MiB]}",
        "segments: [{bytes: 96 B, count: 64}, {bytes: 1 B, count: 2048}]"};
    for (size_t i = 0; i < PLAIN_STACKS; i++) {
        sim_time ends[4];
        for (size_t k = 0; k < G_N_ELEMENTS(layouts); k++) {
            char *send = g_strdup_printf("{compute: 10 ms}, {send: {to: 1, %s}}", layouts[k]),
                 *receive = g_strdup_printf("{recv: {from: 0, %s}}", layouts[k]);
            struct observed observed = observe(i, send, receive);
            expect_completed(&observed, i);
            SUITE_SAME_INTEGER(observed.run->result->ledger.delivered_bytes, 8192);
            ends[k] = observed.run->result->simulated;
            observed_clear(&observed);
            g_free(send);
            g_free(receive);
        }
        SUITE_SAME_INTEGER(ends[0], ends[1]);
        CU_ASSERT(ends[2] > ends[0]);
        // 2112 pieces and 2048; of a library without such costs the copy alone is charged.
        CU_ASSERT(ends[3] > ends[2] || (ends[3] == ends[2] && strcmp(stacks[i].name, "grim") == 0));
    }
}

// A receive in pieces of a message that is shorter, persistent ones, and any mode of sends.
static void test_layouts_of_modes(void)
{
    expect_order("{irecv: {from: 1, tag: 1, segments: [{bytes: 100 B, count: 100}], request: a}}, "
                 "{recv_init: {from: 1, tag: 2, strided: {counts: [1 B, 10], strides: [2 B]}, "
                 "request: b}}, {loop: {count: 2, do: [{start: b}, {wait: b}]}}, {wait: a}",
                 "{buffer_attach: 1 MB}, {bsend: {to: 0, tag: 2, segments: [{bytes: 1 B, count: "
                 "10}]}}, {send: {to: 0, tag: 1, size: 50 B}}, {compute: 10 ms}, {irsend: {to: 0, "
                 "tag: 2, strided: {counts: [5 B, 2], strides: [7 B]}, request: a}}, {wait: a}",
                 "2 3 1");
}

// ---- What is wrong ----

static void test_mistakes(void)
{
    static const struct {
        const char *ops, *said;
    } samples[] = {
        {"{send_init: {to: 1, size: 1 B, request: a}}, {isend: {to: 1, size: 1 B, request: a}}",
         "isend, rank 0: request a is persistent (request_free ends it)"},
        {"{recv_init: {from: 1, size: 1 B, request: a}}, {start: a}, {start: a}",
         "start, rank 0: the request is started already"},
        {"{irecv: {from: 1, size: 1 B, request: a}}, {start: a}",
         "start, rank 0: the request is not a persistent one (send_init, recv_init)"},
        {"{recv_init: {from: 1, size: 1 B, request: a}}, {request_free: a}, {startall: [a]}",
         "startall, rank 0: the request is not a persistent one"},
        {"{recv_init: {from: 1, size: 1 B, request: a}}, {request_free: a}, {request_free: a}",
         "request_free, rank 0: there is no such request now"},
        {"{bsend: {to: 1, size: 1 B}}", "bsend, rank 0: no buffer is attached"},
        {"{buffer_attach: 1 kB}, {buffer_attach: 1 kB}",
         "buffer_attach, rank 0: a buffer is attached already"},
        {"buffer_detach", "buffer_detach, rank 0: no buffer is attached"},
        {"{buffer_attach: 1039 B}, {bsend: {to: 1, size: 1000 B}}",
         "bsend, rank 0: the attached buffer of 1039 B has no room for 1000 B and 40 B of "
         "overhead: 0 B are under way (MPI_ERR_BUFFER)"},
        {"{buffer_attach: 200 kB}, {bsend_init: {to: 1, size: 199900 B, request: a}}, {start: a}, "
         "{wait: a}, {bsend_init: {to: 1, size: 99 B, request: b}}, {start: b}",
         "start, rank 0: the attached buffer of 200000 B has no room for 99 B and 40 B of "
         "overhead: 199940 B are under way"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct observed observed = observe(0, samples[i].ops, "{compute: 100 ms}");
        char *text = program_reason(observed.run, "text");
        SUITE_SAME_TEXT(sim_status_name(observed.run->result->status), "failed");
        SUITE_CONTAINS(text, samples[i].said);
        g_free(text);
        observed_clear(&observed);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *stack, *ops, *said;
    } samples[] = {
        {"lam_tcp", "{waitany: [a]}", "no operation of these ranks starts a request \"a\""},
        {"lam_tcp", "{waitany: a}", "\"all\" or a list of requests is expected here"},
        {"lam_tcp", "waitsome", "waitsome needs a value"},
        {"lam_tcp", "{test: {}}", "test: the key request is missing"},
        {"lam_tcp", "{test: {request: a, every: 0 us}}", "the value is too small (at least 1 ps)"},
        {"lam_tcp", "{test: {request: a, every: 5}}", "every"},
        {"lam_tcp", "{testall: {request: a}}", "testall.request: unknown key"},
        {"lam_tcp", "{send_init: {to: 1, size: 1 B}}", "send_init: the key request is missing"},
        {"lam_tcp", "{recv_init: {to: 1, size: 1 B, request: a}}", "recv_init.to: unknown key"},
        {"lam_tcp", "{start: b}", "no operation of these ranks starts a request \"b\""},
        {"lam_tcp", "{buffer_detach: 3}", "buffer_detach has no arguments"},
        {"lam_tcp", "{buffer_attach: -1 B}", "negative"},
        {"lam_tcp", "{bsend: {to: 2, size: 1 B}}", "there is no such rank"},
        {"lam_tcp", "{waitnay: all}", "did you mean waitany?"},
        {"lam_tcp", "{send: {to: 1}}",
         "send: one of the keys size, strided and segments is missing"},
        {"lam_tcp", "{recv: {from: 1, size: 1 B, segments: [{bytes: 1 B, count: 1}]}}",
         "recv: size, strided and segments exclude each other"},
        {"lam_tcp",
         "{send: {to: 1, strided: {counts: [1 B, 2], strides: [2 B], peer_strides: [3 B]}}}",
         "peer_strides are for one-sided operations"},
        {"lam_tcp", "{send: {to: 1, strided: {counts: [1 B, 2], strides: [2 B, 3 B]}}}",
         "2 counts need 1 strides"},
        {"gm", "{bsend: {to: 1, size: 1 B}}", "the stack gm has no bsend"},
        {"gm", "{buffer_attach: 1 B}", "the stack gm has no buffer_attach"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        bool gm = strcmp(samples[i].stack, "gm") == 0;
        struct test_program program = {.ranks = 2,
                                       .stack = samples[i].stack,
                                       .machine = gm ? myrinet : NULL,
                                       .all = samples[i].ops};
        char *text = program_complaints(&program);
        SUITE_CONTAINS(text, samples[i].said);
        g_free(text);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"waitany", test_waitany},
        {"waitsome", test_waitsome},
        {"tests that look once", test_tests_once},
        {"tests until something is there", test_polling},
        {"tests for ever", test_polling_for_ever},
        {"persistent requests", test_persistent},
        {"freed while under way", test_freed},
        {"buffered sends", test_buffered},
        {"room in the buffer", test_buffer_room},
        {"ready sends", test_ready},
        {"sendrecv_replace", test_replace},
        {"data in pieces", test_layouts},
        {"data in pieces, modes", test_layouts_of_modes},
        {"mistakes of programs", test_mistakes},
        {"what is refused", test_refused},
        {0},
    };
    return suite_run("workload: requests", cases);
}
