// SPDX-License-Identifier: GPL-3.0-or-later
// CMT-PF (thesis 004, 4.3; RFC 7829): the first time-out makes a path potentially failed, it is
// probed at once and at each doubled RTO, and returns with a small window.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

#define MTU 1500

static struct sctp_association *association(const struct world *world)
{
    return sctp_node_association(world, 0);
}

static struct sctp_path *path(const struct world *world, int number)
{
    return &association(world)->paths[number - 1];
}

static struct world *pf_world(int networks, const char *const *sets, struct transition_log *log)
{
    const char *all[16] = {"sctp.profile=s2007", "sctp.cmt=true", "sctp.cmt_pf=2",
                           "sctp.heartbeats=false"};
    int count = 4;
    for (int i = 0; sets && sets[i]; i++)
        all[count++] = sets[i];
    return sctp_world(2, networks, all, log ? &log->sink.trace : NULL);
}

// The T3 handler's changes to the path.
static void time_out(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_path *of = argument;
    (void)node;
    sctp_path_suspect(context, of);
    sctp_retransmission_path(context, of, true);
    sctp_rto_back_off(&of->rto, of->association);
    of->cc.cwnd = MTU;
    sctp_path_error(context, of);
    sctp_due(of->association, SCTP_DUE_OUTPUT);
    sctp_run_due(context, of->association);
}

static void alive_by_data(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)node;
    sctp_path_alive(context, argument, false);
}

// ---- The path's states ----

// The cable is out: heartbeats at 0, 2, 6, 14, 30 s after the time-out, each after the doubled RTO,
// and the path is given up with the sixth error, 62 s after it. Then HB.interval counts.
static void test_probing(void)
{
    struct transition_log *log = transition_log_new("sctp path 1", true);
    struct world *world =
        pf_world(2, (const char *const[]){"links[0].down=[{from: 3 s, to: never}]", NULL}, log);
    sctp_world_up(world);
    sctp_run_until(world, 4 * TIME_S);
    g_string_truncate(log->text, 0);
    sctp_world_call(world, 0, time_out, path(world, 1));
    static const int64_t after[] = {0, 2, 6, 14, 30};
    sctp_run_until(world, 64 * TIME_S);
    int index = sctp_log_find(world, 0, 0, 0, SCTP_HEARTBEAT);
    for (size_t i = 0; i < G_N_ELEMENTS(after); i++) {
        sim_time late = sctp_log_at(world, index)->when - (4 + after[i]) * TIME_S;
        CU_ASSERT(late >= 0 && late < (sim_time)(i + 1) * 2 * TIME_MS);
        index = sctp_log_find(world, index + 1, 0, 0, SCTP_HEARTBEAT);
    }
    CU_ASSERT(index < 0);
    SUITE_SAME_INTEGER(path(world, 1)->errors, 5);
    TRANSITION_LOG_EXPECT(log, "node0", "sctp path 1[1] ACTIVE -> PF (no answer)\n");
    sctp_run_until(world, 67 * TIME_S);
    TRANSITION_LOG_EXPECT(log, "node0", "sctp path 1[1] PF -> INACTIVE (Path.Max.Retrans)\n");
    SUITE_SAME_INTEGER(path(world, 1)->errors, 6);
    sctp_run_until(world, 120 * TIME_S);
    SUITE_SAME_INTEGER(sctp_log_between(world, 66 * TIME_S, 120 * TIME_S, 0, 0, SCTP_HEARTBEAT), 0);
    world_free(world);
    transition_log_free(log);
}

static void start_t3(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)node;
    sctp_t3_start(context, argument);
}

// While T3-rtx runs, as some DATA are left outstanding, its expiry is the one that counts.
static void test_t3_counts(void)
{
    struct world *world =
        pf_world(2, (const char *const[]){"links[0].down=[{from: 2 s, to: never}]", NULL}, NULL);
    sctp_world_up(world);
    sctp_world_call(world, 0, time_out, path(world, 1));
    sctp_world_call(world, 0, start_t3, path(world, 1)); // without flight it does nothing
    sctp_run_until(world, 4500 * TIME_MS);
    SUITE_SAME_INTEGER(path(world, 1)->errors, 1);
    sctp_run_until(world, 6500 * TIME_MS);
    SUITE_SAME_INTEGER(path(world, 1)->errors, 2);
    world_free(world);
}

// An answer ends it: error count 0, and a window of cmt_pf MTU, whatever cmt_pf_resume is.
static void test_answer(void)
{
    static const struct {
        const char *sets[3];
        int64_t cwnd;
    } windows[] = {
        {{"sctp.cmt_pf=1"}, MTU},
        {{"sctp.cmt_pf=2"}, 2 * MTU},
        {{"sctp.cmt_pf=2", "sctp.cmt_pf_resume=1"}, 2 * MTU},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(windows); i++) {
        struct transition_log *log = transition_log_new("sctp path 1", true);
        struct world *world = pf_world(2, windows[i].sets, log);
        sctp_world_up(world);
        g_string_truncate(log->text, 0);
        sctp_world_call(world, 0, time_out, path(world, 1));
        sctp_run_until(world, 2100 * TIME_MS);
        TRANSITION_LOG_EXPECT(log, "node0",
                              "sctp path 1[1] ACTIVE -> PF (no answer)\n"
                              "sctp path 1[1] PF -> ACTIVE (HEARTBEAT-ACK)\n");
        SUITE_SAME_INTEGER(path(world, 1)->errors, 0);
        SUITE_SAME_INTEGER(path(world, 1)->cc.cwnd, windows[i].cwnd);
        SUITE_SAME_INTEGER(path(world, 1)->rto.rto, 1000);
        // No further one.
        sctp_run_until(world, 20 * TIME_S);
        SUITE_SAME_INTEGER(sctp_log_between(world, 0, TIME_NEVER, 0, 0, SCTP_HEARTBEAT), 1);
        world_free(world);
        transition_log_free(log);
    }
}

// So does a SACK of DATA that were sent once; it does not make the window grow.
static void test_acknowledged(void)
{
    struct world *world =
        pf_world(2, (const char *const[]){"links[0].down=[{from: 2 s, to: never}]", NULL}, NULL);
    sctp_world_up(world);
    sctp_world_call(world, 0, time_out, path(world, 1));
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "PF");
    path(world, 1)->sack.net_ack = 3 * MTU;
    sctp_world_call(world, 0, alive_by_data, path(world, 1));
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "ACTIVE");
    SUITE_SAME_INTEGER(path(world, 1)->cc.cwnd, 2 * MTU);
    SUITE_SAME_INTEGER(path(world, 1)->sack.net_ack, 0);
    SUITE_SAME_INTEGER(path(world, 1)->errors, 0);
    world_free(world);
}

// A path that was given up returns with the window that it had.
static void test_inactive_keeps_cwnd(void)
{
    struct world *world = pf_world(
        2,
        (const char *const[]){"links[0].down=[{from: 2 s, to: 20 s}]", "sctp.path_retries=1",
                              "sctp.heartbeats=true", "sctp.heartbeat_interval=1 s", NULL},
        NULL);
    sctp_world_up(world);
    sctp_world_call(world, 0, time_out, path(world, 1));
    sctp_run_until(world, 10 * TIME_S);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "INACTIVE");
    sctp_run_until(world, 40 * TIME_S);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "ACTIVE");
    SUITE_SAME_INTEGER(path(world, 1)->cc.cwnd, MTU);
    world_free(world);
}

// Without PF nothing is suspected; PFMR (RFC 7829) lets that many errors pass.
static void test_switches(void)
{
    struct world *world = pf_world(2, (const char *const[]){"sctp.cmt_pf=0", NULL}, NULL);
    sctp_world_up(world);
    sctp_world_call(world, 0, time_out, path(world, 1));
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "ACTIVE");
    world_free(world);
    world = pf_world(2, (const char *const[]){"sctp.cmt_pf_retries=1", NULL}, NULL);
    sctp_world_up(world);
    sctp_world_call(world, 0, time_out, path(world, 1));
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "ACTIVE");
    sctp_world_call(world, 0, time_out, path(world, 1));
    CU_ASSERT(path(world, 1)->cmt.last_active > 0); // it was PF, and an answer has come
    world_free(world);
}

// RFC 7829, 3: an unanswered heartbeat is an error as a time-out is; the other stacks have it
// otherwise.
static void test_heartbeat_unanswered(void)
{
    static const char *const rules[] = {"sctp.cmt_pf_by_heartbeat=true",
                                        "sctp.cmt_pf_by_heartbeat=false"};
    for (int i = 0; i < 2; i++) {
        struct transition_log *log = transition_log_new("sctp path 1", true);
        struct world *world =
            pf_world(2,
                     (const char *const[]){"sctp.profile=rfc9260", "sctp.heartbeats=true",
                                           "sctp.heartbeat_interval=1 s", "sctp.path_retries=2",
                                           "links[0].down=[{from: 3 s, to: 40 s}]", rules[i], NULL},
                     log);
        sctp_world_up(world);
        g_string_truncate(log->text, 0);
        sctp_run_until(world, 100 * TIME_S);
        TRANSITION_LOG_EXPECT(log, "node0",
                              i == 0 ? "sctp path 1[1] ACTIVE -> PF (no answer)\n"
                                       "sctp path 1[1] PF -> INACTIVE (Path.Max.Retrans)\n"
                                       "sctp path 1[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n"
                                     : "sctp path 1[1] ACTIVE -> INACTIVE (Path.Max.Retrans)\n"
                                       "sctp path 1[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n");
        world_free(world);
        transition_log_free(log);
    }
}

// ---- All paths are PF ----

static void down(struct world *world, int number)
{
    sctp_world_call(world, 0, time_out, path(world, number));
}

// The path with the fewest errors goes on; that of the time-out counts one more than it has yet. Of
// equal ones that which was ACTIVE last. Its window is cmt_pf MTU, in ns-2 one.
static void test_last_resort(void)
{
    static const char *const resumes[] = {"sctp.cmt_pf_resume=0", "sctp.cmt_pf_resume=1"};
    for (int i = 0; i < 2; i++) {
        struct world *world = pf_world(
            3,
            (const char *const[]){"links[0].down=[{from: 2 s, to: never}]",
                                  "links[1].down=[{from: 2 s, to: never}]",
                                  "links[2].down=[{from: 2 s, to: never}]", resumes[i], NULL},
            NULL);
        sctp_world_up(world);
        down(world, 1);
        down(world, 2);
        for (int number = 1; number <= 2; number++)
            SUITE_SAME_TEXT(sctp_path_state_name(path(world, number)), "PF");
        path(world, 1)->errors = 2;
        down(world, 3); // errors 2, 1, and 0 with one more: the later one of 2 and 3
        SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "PF");
        SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "PF");
        SUITE_SAME_TEXT(sctp_path_state_name(path(world, 3)), "ACTIVE");
        down(world, 3); // errors 2, 1, and 1 with one more
        SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "ACTIVE");
        SUITE_SAME_TEXT(sctp_path_state_name(path(world, 3)), "PF");
        SUITE_SAME_INTEGER(path(world, 2)->cc.cwnd, i == 0 ? 2 * MTU : MTU);
        CU_ASSERT(sctp_path_takes_data(path(world, 2)) && !sctp_path_takes_data(path(world, 3)));
        world_free(world);
    }
}

// The first path's time-out counts, too, though that path precedes the others in the list.
static void test_last_resort_of_first(void)
{
    struct world *world =
        pf_world(2,
                 (const char *const[]){"links[0].down=[{from: 2 s, to: never}]",
                                       "links[1].down=[{from: 2 s, to: never}]", NULL},
                 NULL);
    sctp_world_up(world);
    down(world, 2);
    path(world, 2)->errors = 0;
    down(world, 1);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 1)), "PF");
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "ACTIVE");
    world_free(world);
}

// ---- With data ----

// From the time-out on until an answer no DATA go to a path that is PF or INACTIVE.
static void never_data_on_failed(const struct world *world, sim_time from, sim_time to)
{
    SUITE_SAME_INTEGER(sctp_log_between(world, from, to, 0, 0, SCTP_DATA), 0);
}

// A cable is out for ten seconds: one RTO of stall, then the other path alone; after the next
// heartbeat both. Everything arrives.
static void test_transfer(void)
{
    struct transition_log *log = transition_log_new("sctp path 1", true);
    struct world *world =
        pf_world(2, (const char *const[]){"links[0].down=[{from: 3 s, to: 13 s}]", NULL}, log);
    struct sctp_traffic *traffic = sctp_transfer(world, 2 * TIME_S, 400000000, 8000);
    sctp_run_until(world, 20 * TIME_S);
    const sim_time suspected = 4 * TIME_S;
    never_data_on_failed(world, suspected + 10 * TIME_MS, 13 * TIME_S);
    CU_ASSERT(sctp_log_between(world, suspected + 100 * TIME_MS, 13 * TIME_S, 0, 1, SCTP_DATA) >
              60000); // of 8 per ms
    // PF at 4 s; heartbeats at 4, 6, 10 and 18 s.
    CU_ASSERT(sctp_log_between(world, 17900 * TIME_MS, 18200 * TIME_MS, 0, 0, SCTP_HEARTBEAT) == 1);
    CU_ASSERT(sctp_log_between(world, 18 * TIME_S, 20 * TIME_S, 0, 0, SCTP_DATA) > 10000);
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 1[1] ACTIVE -> PF (no answer)\n"
                          "sctp path 1[1] PF -> ACTIVE (HEARTBEAT-ACK)\n");
    sctp_wire(world)->wire.quiet = true;
    world_run(world);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, traffic->bytes);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
    transition_log_free(log);
}

static const struct suite_case cases[] = {
    {"probing until it is given up", test_probing},
    {"T3-rtx counts while it runs", test_t3_counts},
    {"an answer", test_answer},
    {"acknowledged data", test_acknowledged},
    {"a path that was INACTIVE keeps its window", test_inactive_keeps_cwnd},
    {"switches", test_switches},
    {"an unanswered heartbeat", test_heartbeat_unanswered},
    {"all paths are PF", test_last_resort},
    {"the first path is the last one that failed", test_last_resort_of_first},
    {"a transfer over a cable that is out", test_transfer},
    {0},
};

int main(void)
{
    return suite_run("sctp: CMT-PF", cases);
}
