// SPDX-License-Identifier: GPL-3.0-or-later
// States of paths: how they are confirmed, how many errors they survive, where data and the
// primary go, and when they return (RFC 9260, 5.4, 8.1, 8.2; thesis 004, 4.3).
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

#include <string.h>

#define MACHINES "sctp path 1,sctp path 2,sctp path 3,sctp primary"

static struct sctp_association *association(const struct world *world)
{
    return sctp_node_association(world, 0);
}

static struct sctp_path *path(const struct world *world, int number)
{
    return &sctp_node_association(world, 0)->paths[number - 1];
}

static void expect_state(const struct world *world, int number, const char *state)
{
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, number)), state);
}

// Heartbeats that only a test asks for: none idle, and links as `sets`.
static struct world *quiet_world(int networks, const char *const *sets, struct transition_log *log)
{
    const char *all[16] = {"sctp.profile=s2007", "sctp.heartbeats=false"};
    int count = 2;
    for (int i = 0; sets && sets[i]; i++)
        all[count++] = sets[i];
    struct world *world = sctp_world(2, networks, all, log ? &log->sink.trace : NULL);
    sctp_world_up(world);
    if (log)
        g_string_truncate(log->text, 0);
    return world;
}

// ---- Events, each in node 0's task ----

static void error_of(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_path *of = argument;
    (void)node;
    sctp_path_error(context, of);
    sctp_due(of->association, SCTP_DUE_OUTPUT);
    sctp_run_due(context, of->association);
}

static void alive_by_data(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)node;
    sctp_path_alive(context, argument, false);
}

static void alive_by_heartbeat(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)node;
    sctp_path_alive(context, argument, true);
}

static void shown(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)node;
    sctp_path_confirm(context, argument);
}

static void make_primary(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct sctp_path *of = argument;
    SUITE_SAME_INTEGER(sctp_set_primary(context, node->socket, of->association->id, of->remote), 0);
}

// An answer that has this nonce for the path.
struct answer {
    struct sctp_path *path;
    uint64_t nonce;
};

static void answer_with(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct answer *answer = argument;
    struct sctp_path *of = answer->path;
    uint64_t right = of->nonce;
    sctp_heartbeat_send(context, of);
    struct sctp_chunk *chunk = of->control_tail;
    CU_ASSERT_FATAL(chunk != NULL && chunk->type == SCTP_HEARTBEAT);
    for (int i = 0; i < 8; i++)
        chunk->bytes->data[12 + i] =
            (uint8_t)((answer->nonce ? answer->nonce : right) >> (56 - 8 * i));
    sctp_heartbeat_ack_arrived(context, of->association, chunk);
    (void)node;
}

static void errors(struct world *world, int number, int count)
{
    for (int i = 0; i < count; i++)
        sctp_world_call(world, 0, error_of, path(world, number));
}

// ---- Confirmation ----

// Each end probes the second path, and a heartbeat's answer confirms it; that of the handshake is
// confirmed by it.
static void test_confirmed_by_heartbeat(void)
{
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = sctp_world(2, 2, NULL, &log->sink.trace);
    sctp_world_up(world);
    SUITE_CONTAINS(log->text->str, "node0 sctp path 2[1] UNCONFIRMED -> ACTIVE (HEARTBEAT-ACK)\n");
    SUITE_CONTAINS(log->text->str, "node1 sctp path 2[1] UNCONFIRMED -> ACTIVE (HEARTBEAT-ACK)\n");
    for (int number = 1; number <= 2; number++)
        expect_state(world, number, "ACTIVE");
    // The heartbeats went over the second card, as did their answers.
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, 2 * TIME_S, 0, 1, SCTP_HEARTBEAT), 1);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, 2 * TIME_S, 1, 1, SCTP_HEARTBEAT), 1);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, 2 * TIME_S, 0, 1, SCTP_HEARTBEAT_ACK), 1);
    CU_ASSERT(path(world, 2)->rto.measured);
    world_free(world);
    transition_log_free(log);
}

static void test_nonce(void)
{
    static const char *const dead[] = {"links[1].down=[{from: 0 s, to: never}]",
                                       "sctp.path_retries=10", NULL};
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, dead, log);
    struct answer answer = {path(world, 2), 12345};
    expect_state(world, 2, "UNCONFIRMED");
    sctp_world_call(world, 0, answer_with, &answer);
    expect_state(world, 2, "UNCONFIRMED");
    TRANSITION_LOG_EXPECT(log, "node0", "");
    answer.nonce = 0; // the right one
    sctp_world_call(world, 0, answer_with, &answer);
    TRANSITION_LOG_EXPECT(log, "node0", "sctp path 2[1] UNCONFIRMED -> ACTIVE (HEARTBEAT-ACK)\n");
    SUITE_SAME_INTEGER(path(world, 2)->errors, 0);
    world_free(world);
    transition_log_free(log);
}

static void send_some(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = {.station = -1, .bytes = 1000};
    (void)argument;
    for (int i = 0; i < 20; i++)
        SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), 1000);
}

// A heartbeat's answer makes the path's congestion control begin anew: its phase follows by a step,
// and each step of the log begins where the one before has ended.
static void test_congestion_of_confirmed(void)
{
    static const char *const dead[] = {"links[1].down=[{from: 0 s, to: never}]",
                                       "sctp.path_retries=10", "sctp.initial_ssthresh=3 kB", NULL};
    struct transition_log *log = transition_log_new("sctp congestion", true);
    struct world *world = quiet_world(2, dead, log);
    struct answer answer = {path(world, 2), 0};
    sctp_world_call(world, 0, send_some, NULL);
    sctp_run_until(world, sim_now(world->sim) + TIME_S);
    SUITE_CONTAINS(log->text->str, "slow_start -> avoidance (path 2)\n");
    g_string_truncate(log->text, 0);
    sctp_world_call(world, 0, answer_with, &answer);
    expect_state(world, 2, "ACTIVE");
    sctp_world_call(world, 0, send_some, NULL);
    sctp_run_until(world, sim_now(world->sim) + TIME_S);
    CU_ASSERT_PTR_NULL(strstr(log->text->str, "avoidance (path 2)"));
    world_free(world);
    transition_log_free(log);
}

static void test_confirmed_by_handshake(void)
{
    static const char *const dead[] = {"links[1].down=[{from: 0 s, to: never}]",
                                       "sctp.path_retries=10", NULL};
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, dead, log);
    sctp_world_call(world, 0, shown, path(world, 2));
    TRANSITION_LOG_EXPECT(log, "node0", "sctp path 2[1] UNCONFIRMED -> ACTIVE (handshake)\n");
    CU_ASSERT(path(world, 2)->confirmed);
    world_free(world);
    transition_log_free(log);
}

// RFC 9260, 5.4: errors of an unconfirmed path are not the association's. It is given up after
// Path.Max.Retrans, and a later answer still confirms it.
static void test_unconfirmed_fails(void)
{
    static const char *const dead[] = {"links[1].down=[{from: 0 s, to: never}]",
                                       "sctp.path_retries=3", "sctp.rto_initial=10 s",
                                       "sctp.heartbeat_interval=1000 s", NULL};
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, dead, log);
    errors(world, 2, 3);
    expect_state(world, 2, "UNCONFIRMED");
    errors(world, 2, 1);
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 2[1] UNCONFIRMED -> INACTIVE (Path.Max.Retrans)\n");
    SUITE_SAME_INTEGER(association(world)->errors, 0);
    SUITE_SAME_INTEGER(*association(world)->host->count.failovers, 0);
    struct answer answer = {path(world, 2), 0};
    sctp_world_call(world, 0, answer_with, &answer);
    TRANSITION_LOG_EXPECT(log, "node0", "sctp path 2[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n");
    CU_ASSERT(path(world, 2)->confirmed);
    world_free(world);
    transition_log_free(log);
}

// The peer sets up an association, or repeats that, from an address that was given up.
static void test_shown_after_failure(void)
{
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, NULL, log);
    errors(world, 1, 6);
    g_string_truncate(log->text, 0);
    sctp_world_call(world, 0, shown, path(world, 1));
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 1[1] INACTIVE -> ACTIVE (handshake)\n"
                          "sctp primary[1] path 2 -> path 1 (path is ACTIVE again)\n");
    SUITE_SAME_INTEGER(path(world, 1)->errors, 0);
    world_free(world);
    transition_log_free(log);
}

// ---- Errors ----

// Path.Max.Retrans errors are survived, one more is not: the primary moves, and returns with the
// first heartbeat's answer.
static void test_errors(void)
{
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, NULL, log);
    errors(world, 1, 5);
    expect_state(world, 1, "ACTIVE");
    SUITE_SAME_INTEGER(path(world, 1)->errors, 5);
    SUITE_SAME_INTEGER(association(world)->errors, 5);
    errors(world, 1, 1);
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 1[1] ACTIVE -> INACTIVE (Path.Max.Retrans)\n"
                          "sctp primary[1] path 1 -> path 2 (the primary is INACTIVE)\n");
    CU_ASSERT(association(world)->primary == path(world, 2));
    CU_ASSERT(path(world, 1)->was_primary);
    SUITE_SAME_INTEGER(*association(world)->host->count.failovers, 1);
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 1));
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 1[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n"
                          "sctp primary[1] path 2 -> path 1 (path is ACTIVE again)\n");
    SUITE_SAME_INTEGER(path(world, 1)->errors, 0);
    CU_ASSERT(!path(world, 1)->was_primary);
    world_free(world);
    transition_log_free(log);
}

static void test_error_count_ends(void)
{
    struct world *world = quiet_world(2, NULL, NULL);
    errors(world, 1, 5);
    sctp_world_call(world, 0, alive_by_data, path(world, 1));
    SUITE_SAME_INTEGER(path(world, 1)->errors, 0);
    errors(world, 1, 5);
    expect_state(world, 1, "ACTIVE");
    world_free(world);
}

// A path that isn't the primary one goes and comes without moving it.
static void test_other_path(void)
{
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, NULL, log);
    errors(world, 2, 6);
    sctp_world_call(world, 0, alive_by_data, path(world, 2));
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 2[1] ACTIVE -> INACTIVE (Path.Max.Retrans)\n"
                          "sctp path 2[1] INACTIVE -> ACTIVE (SACK)\n");
    world_free(world);
    transition_log_free(log);
}

// More than Association.Max.Retrans errors in a row, of any path, end the association.
static void test_association_fails(void)
{
    static const char *const sets[] = {"sctp.association_retries=8", NULL};
    struct world *world = quiet_world(2, sets, NULL);
    errors(world, 1, 4);
    errors(world, 2, 4);
    SUITE_SAME_TEXT(sctp_state_name(association(world)), "ESTABLISHED");
    errors(world, 1, 1);
    SUITE_SAME_TEXT(sctp_state_name(association(world)), "CLOSED");
    CU_ASSERT(sctp_log_find(world, 0, 0, -1, SCTP_ABORT) >= 0);
    world_free(world);
}

// An answered heartbeat clears the association's errors, but not those of other paths (RFC 9260,
// 8.1).
static void test_answer_clears_errors(void)
{
    struct world *world = quiet_world(2, NULL, NULL);
    struct answer answer = {path(world, 2), 0};
    errors(world, 1, 3);
    SUITE_SAME_INTEGER(association(world)->errors, 3);
    sctp_world_call(world, 0, answer_with, &answer);
    SUITE_SAME_INTEGER(association(world)->errors, 0);
    SUITE_SAME_INTEGER(path(world, 1)->errors, 3);
    world_free(world);
}

static void shut_down(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    sctp_shutdown(context, node->socket, 0);
}

// A SHUTDOWN without an answer goes again over another path (RFC 9260, 6.4, 9.2).
static void test_shutdown_elsewhere(void)
{
    static const char *const cut[] = {"links[0].down=[{from: 2500 ms, to: never}]", NULL};
    struct world *world = quiet_world(2, cut, NULL);
    sctp_run_until(world, 2600 * TIME_MS);
    sctp_world_call(world, 0, shut_down, NULL);
    sctp_run_until(world, 20 * TIME_S);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, TIME_NEVER, 0, 0, SCTP_SHUTDOWN), 1);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, TIME_NEVER, 0, 1, SCTP_SHUTDOWN), 1);
    SUITE_SAME_TEXT(sctp_state_name(association(world)), "CLOSED");
    SUITE_SAME_INTEGER(association(world)->error, 0);
    world_free(world);
}

// The first path that failed is the one to return to, though the second one failed after it.
static void test_first_primary_returns(void)
{
    static const char *const sets[] = {"sctp.path_retries=1", NULL};
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(3, sets, log);
    errors(world, 1, 2);
    errors(world, 2, 2);
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 1[1] ACTIVE -> INACTIVE (Path.Max.Retrans)\n"
                          "sctp primary[1] path 1 -> path 2 (the primary is INACTIVE)\n"
                          "sctp path 2[1] ACTIVE -> INACTIVE (Path.Max.Retrans)\n"
                          "sctp primary[1] path 2 -> path 3 (the primary is INACTIVE)\n");
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 2));
    TRANSITION_LOG_EXPECT(log, "node0", "sctp path 2[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n");
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 1));
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 1[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n"
                          "sctp primary[1] path 3 -> path 1 (path is ACTIVE again)\n");
    world_free(world);
    transition_log_free(log);
}

// No other path is ACTIVE: the primary stays, and takes data (RFC 9260, 8.1: dormant).
static void test_dormant(void)
{
    static const char *const sets[] = {"sctp.path_retries=1", NULL};
    struct world *world = quiet_world(2, sets, NULL);
    errors(world, 2, 2);
    errors(world, 1, 2);
    CU_ASSERT(association(world)->primary == path(world, 1));
    CU_ASSERT(sctp_path_takes_data(path(world, 1)) && !sctp_path_takes_data(path(world, 2)));
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 2));
    CU_ASSERT(!sctp_path_takes_data(path(world, 1)) && sctp_path_takes_data(path(world, 2)));
    world_free(world);
}

static void test_alternate(void)
{
    struct world *world = quiet_world(3, NULL, NULL);
    CU_ASSERT(sctp_path_alternate(path(world, 1)) == path(world, 2));
    CU_ASSERT(sctp_path_alternate(path(world, 3)) == path(world, 1));
    path(world, 2)->machine.state = SCTP_PATH_PF;
    CU_ASSERT(sctp_path_alternate(path(world, 1)) == path(world, 3));
    path(world, 3)->machine.state = SCTP_PATH_INACTIVE;
    CU_ASSERT(sctp_path_alternate(path(world, 1)) == path(world, 1));
    world_free(world);
}

// ---- The user's primary ----

static void test_set_primary(void)
{
    struct transition_log *log = transition_log_new(MACHINES, true);
    struct world *world = quiet_world(2, NULL, log);
    sctp_world_call(world, 0, make_primary, path(world, 2));
    TRANSITION_LOG_EXPECT(log, "node0", "sctp primary[1] path 1 -> path 2 (SCTP_PRIMARY_ADDR)\n");
    // It is the user's, not one to return from.
    errors(world, 2, 6);
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 2));
    TRANSITION_LOG_EXPECT(log, "node0",
                          "sctp path 2[1] ACTIVE -> INACTIVE (Path.Max.Retrans)\n"
                          "sctp primary[1] path 2 -> path 1 (the primary is INACTIVE)\n"
                          "sctp path 2[1] INACTIVE -> ACTIVE (HEARTBEAT-ACK)\n"
                          "sctp primary[1] path 1 -> path 2 (path is ACTIVE again)\n");
    world_free(world);
    transition_log_free(log);
}

// While the old primary is away the user chooses: the choice holds when it returns.
static void test_set_primary_meanwhile(void)
{
    struct world *world = quiet_world(3, NULL, NULL);
    errors(world, 1, 6);
    sctp_world_call(world, 0, make_primary, path(world, 3));
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 1));
    CU_ASSERT(association(world)->primary == path(world, 3));
    world_free(world);
}

static void test_set_primary_unconfirmed(void)
{
    static const char *const dead[] = {"links[1].down=[{from: 0 s, to: never}]",
                                       "sctp.path_retries=10", NULL};
    struct world *world = quiet_world(2, dead, NULL);
    sctp_world_call(world, 0, make_primary, path(world, 2));
    CU_ASSERT(association(world)->primary == path(world, 1));
    struct answer answer = {path(world, 2), 0};
    sctp_world_call(world, 0, answer_with, &answer);
    CU_ASSERT(association(world)->primary == path(world, 2));
    world_free(world);
}

// ---- Notifications ----

static void subscribe(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)context;
    (void)argument;
    sctp_subscribe(node->socket, SCTP_EVENT_ADDRESS);
}

static void receive_all(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_received received;
    (void)argument;
    while (sctp_receive(context, node->socket, 1000, &received) > 0)
        node->notified |= 1u << received.notification;
}

static void test_notifications(void)
{
    struct world *world = quiet_world(2, NULL, NULL);
    sctp_world_call(world, 0, subscribe, NULL);
    errors(world, 1, 6);
    sctp_world_call(world, 0, receive_all, NULL);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->notified,
                       1 << SCTP_ADDR_UNREACHABLE | 1 << SCTP_ADDR_MADE_PRIM);
    sctp_node(world, 0)->notified = 0;
    sctp_world_call(world, 0, alive_by_heartbeat, path(world, 1));
    sctp_world_call(world, 0, receive_all, NULL);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->notified,
                       1 << SCTP_ADDR_AVAILABLE | 1 << SCTP_ADDR_MADE_PRIM);
    world_free(world);
}

static const struct suite_case cases[] = {
    {"a heartbeat's answer confirms", test_confirmed_by_heartbeat},
    {"its nonce must be right", test_nonce},
    {"congestion control of a confirmed path", test_congestion_of_confirmed},
    {"the handshake confirms", test_confirmed_by_handshake},
    {"an unconfirmed path fails alone", test_unconfirmed_fails},
    {"the handshake brings a path back", test_shown_after_failure},
    {"Path.Max.Retrans, and back", test_errors},
    {"acknowledged data clear the errors", test_error_count_ends},
    {"a path that is not the primary", test_other_path},
    {"Association.Max.Retrans", test_association_fails},
    {"an answered heartbeat clears the association's errors", test_answer_clears_errors},
    {"a SHUTDOWN again, over another path", test_shutdown_elsewhere},
    {"the first primary returns", test_first_primary_returns},
    {"dormant", test_dormant},
    {"alternates", test_alternate},
    {"SCTP_PRIMARY_ADDR", test_set_primary},
    {"SCTP_PRIMARY_ADDR during a failure", test_set_primary_meanwhile},
    {"SCTP_PRIMARY_ADDR of an unconfirmed path", test_set_primary_unconfirmed},
    {"notifications", test_notifications},
    {0},
};

int main(void)
{
    return suite_run("sctp: paths", cases);
}
