// SPDX-License-Identifier: GPL-3.0-or-later
// The order of MPI_ANY_TAG (thesis 004, 3.2.6, figure 3.5; sctp.ch3.any_tag,
// sctp.ch3.any_tag_fixes): sends of tags 1, 3 and 5, each in a packet of its own, on three streams,
// and three receives of any tag. Which frame is lost decides which order they match in; with either
// remedy it is the sends'.
#include "tests/support/call_log.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define LAST_FRAME 60

// The first exchange connects the streams; the rest of a pause lets its acknowledgments arrive.
static const char sends[] =
    "{send: {to: 1, size: 10 B, tag: 1}}, {send: {to: 1, size: 10 B, tag: 3}}, "
    "{send: {to: 1, size: 10 B, tag: 5}}, {recv: {from: 1, size: 0 B}}, {compute: 2 s}, "
    "{isend: {to: 1, size: 1200 B, tag: 1, request: a}}, "
    "{isend: {to: 1, size: 1200 B, tag: 3, request: b}}, "
    "{isend: {to: 1, size: 1200 B, tag: 5, request: c}}, {waitall: all}, "
    "{recv: {from: 1, size: 0 B}}";
static const char receives[] =
    "{recv: {from: 0, size: 10 B, tag: 1}}, {recv: {from: 0, size: 10 B, tag: 3}}, "
    "{recv: {from: 0, size: 10 B, tag: 5}}, {send: {to: 0, size: 0 B}}, "
    "{recv: {from: 0, size: 1200 B, tag: any}}, {recv: {from: 0, size: 1200 B, tag: any}}, "
    "{recv: {from: 0, size: 1200 B, tag: any}}, {send: {to: 0, size: 0 B}}";

struct outcome {
    int order; // 135: as sent
    int64_t violations, held, early;
};

// `lost`: the number of a frame of node 0, and how many after it are lost, too.
static struct outcome run_without(const char *any_tag, const char *map, int lost, int more)
{
    struct call_log *log = call_log_new();
    struct outcome outcome = {0};
    GString *nth = g_string_new(NULL);
    for (int i = 0; i <= more; i++)
        g_string_append_printf(nth, "%s%d", i > 0 ? ", " : "", lost + i);
    char *links = g_strdup_printf("links=[{from: node0, to: switch, drop_nth: [%s], "
                                  "fault_direction: forward}, {from: node1, to: switch}]",
                                  nth->str),
         *remedy = g_strdup_printf("ch3_sctp.any_tag=%s", any_tag),
         *hook = g_strdup_printf("ch3_sctp.stream_map=%s", map);
    struct test_program program = {.ranks = 2,
                                   .stack = "ch3_sctp",
                                   .sets = {links, remedy, hook, "sctp.heartbeats=false"},
                                   .ops = {sends, receives}};
    struct program_run *run = program_run_observed(&program, 1, &log->observer);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    // Tags differ, so that the ledger, which knows the flows of tags, has nothing to complain of.
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_SAME_INTEGER((long long)run->result->ledger.misordered, 0);
    for (guint i = 0; i < log->entries->len; i++) {
        const struct logged *entry = &g_array_index(log->entries, struct logged, i);
        if (entry->of == LOGGED_REQUEST && entry->what == OBSERVED_MATCH && entry->rank == 1 &&
            entry->kind == REQUEST_RECV && entry->tag == TAG_ANY)
            outcome.order = 10 * outcome.order + entry->status.tag;
    }
    outcome.violations = program_counter(run, "ch3:sctp messages that came after later ones");
    outcome.held = program_counter(run, "ch3:sctp messages held back for their number");
    outcome.early = program_counter(run, "ch3:sctp data before their envelope");
    program_run_free(run);
    call_log_free(log);
    g_free(links);
    g_free(remedy);
    g_free(hook);
    g_string_free(nth, TRUE);
    return outcome;
}

// How often each order occurs, over all frames that are lost first.
struct orders {
    int as_sent, first_last, back; // 1, 3, 5; 3, 5, 1; 5, 1, 3
    int other;
    int64_t violations, held, early;
};

static struct orders orders_of(const char *any_tag, const char *map)
{
    struct orders orders = {0};
    for (int lost = 1; lost <= LAST_FRAME; lost++) {
        for (int more = 0; more < 2; more++) {
            struct outcome outcome = run_without(any_tag, map, lost, more);
            orders.as_sent += outcome.order == 135;
            orders.first_last += outcome.order == 351 && more == 0;
            orders.back += outcome.order == 513 && more == 1;
            orders.other += outcome.order != 135;
            orders.violations += outcome.violations;
            orders.held += outcome.held;
            orders.early += outcome.early;
        }
    }
    return orders;
}

static void test_violated(void)
{
    struct orders orders = orders_of("violate", "tag_context");
    CU_ASSERT(orders.first_last > 0);
    CU_ASSERT(orders.back > 0);
    CU_ASSERT(orders.as_sent > LAST_FRAME);
    CU_ASSERT(orders.violations > 0);
}

static void test_remedies(void)
{
    struct orders sequence = orders_of("sequence", "tag_context"),
                  control = orders_of("control_stream", "tag_context");
    SUITE_SAME_INTEGER(sequence.other, 0);
    CU_ASSERT(sequence.held > 0);
    SUITE_SAME_INTEGER(control.other, 0);
    CU_ASSERT(control.early > 0);
}

// On one stream nothing overtakes, without a remedy.
static void test_single(void)
{
    struct orders orders = orders_of("violate", "single");
    SUITE_SAME_INTEGER(orders.other, 0);
    SUITE_SAME_INTEGER(orders.violations, 0);
}

static const struct suite_case cases[] = {
    {"violated", test_violated},
    {"remedies", test_remedies},
    {"one stream", test_single},
    {0},
};

int main(void)
{
    return suite_run("mpich2_sctp: MPI_ANY_TAG", cases);
}
