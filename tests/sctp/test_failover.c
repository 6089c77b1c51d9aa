// SPDX-License-Identifier: GPL-3.0-or-later
// A cable is pulled while data flow: how long nothing goes, where data go then, and when they
// return (thesis 004, 4.3; RFC 9260, 6.3.3, 8.2, 8.3).
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

// When node 0's primary moved for the n-th time (from 0); TIME_NEVER: it did not.
struct moves {
    struct transition_sink sink;
    GArray *times; // sim_time
};

static void take(struct transition_sink *sink, sim_time when,
                 const struct trace_transition *transition)
{
    struct moves *moves = (struct moves *)(void *)sink;
    if (strcmp(transition->machine, "sctp primary") == 0 && strcmp(transition->where, "node0") == 0)
        g_array_append_val(moves->times, when);
}

static struct moves moves_new(void)
{
    return (struct moves){transition_sink_make(take), g_array_new(FALSE, FALSE, sizeof(sim_time))};
}

static sim_time move_at(const struct moves *moves, guint nth)
{
    return nth < moves->times->len ? g_array_index(moves->times, sim_time, nth) : TIME_NEVER;
}

// A flow of 8 Mb/s in small messages, which keeps windows and runs short.
struct trickle {
    sim_time until;
    int64_t sent;
};

static bool trickle_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct trickle *trickle = argument;
    struct sctp_send_info info = {.station = -1, .bytes = 1000};
    if (context->now >= trickle->until)
        return true;
    if (sctp_send(context, node->socket, &info) > 0)
        trickle->sent += info.bytes;
    world_wake_at(process, context->now + 10 * TIME_MS);
    return false;
}

static struct trickle *trickle(struct world *world, sim_time from, sim_time until)
{
    struct trickle *sent = world_keep(world, g_new0(struct trickle, 1));
    struct sctp_traffic *read = world_keep(world, g_new0(struct sctp_traffic, 1));
    sent->until = until;
    *read = (struct sctp_traffic){.bytes = INT64_MAX};
    sctp_connect_nodes(world);
    world_do(sctp_node(world, 1), sctp_read_job, read);
    world_do_at(sctp_node(world, 0), from, trickle_job, sent);
    return sent;
}

// ---- How long it takes ----

// RTO.Min * (2^(Path.Max.Retrans + 1) - 1): each time-out doubles RTO, and the last of them is one
// more than Path.Max.Retrans. Timers count from the last SACK before the cable is out, whose data
// were sent at most 10 ms before it; each expires within a tick. SACKs are not delayed: each one
// that moves the cumulative TSN, as what T3-rtx has sent elsewhere does, starts the BSD stack's
// timers anew.
static void failover(const char *profile, const char *cmt, int least_ms, int retries,
                     int64_t expected_ms)
{
    struct moves moves = moves_new();
    char *least = g_strdup_printf("sctp.rto_least=%d ms", least_ms);
    char *most = g_strdup_printf("sctp.path_retries=%d", retries);
    struct world *world =
        sctp_world(2, 2,
                   (const char *const[]){profile, cmt, least, most, "sctp.heartbeats=false",
                                         "sctp.sack_delay=0 s",
                                         "links[0].down=[{from: 3005 ms, to: never}]", NULL},
                   &moves.sink.trace);
    sim_time end = 3005 * TIME_MS + (expected_ms + 500) * TIME_MS;
    struct trickle *sent = trickle(world, 2 * TIME_S, end);
    world_run(world);
    sim_time late = move_at(&moves, 0) - 3005 * TIME_MS - expected_ms * TIME_MS;
    CU_ASSERT(late > -10 * TIME_MS && late < (retries + 12) * TIME_MS);
    if (!(late > -10 * TIME_MS && late < (retries + 12) * TIME_MS))
        fprintf(stderr, "%s %s: RTO.Min %d ms, Path.Max.Retrans %d: %g ms late\n", profile, cmt,
                least_ms, retries, time_to_us(late) / 1000);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, sent->sent);
    SUITE_SAME_INTEGER(world_counter(world, "sctp changes of the primary path"), 1);
    world_free(world);
    g_array_unref(moves.times);
    g_free(least);
    g_free(most);
}

static void test_closed_form(void)
{
    static const struct {
        int least_ms, retries;
        int64_t expected_ms;
    } rows[] = {
        {1000, 1, 3000}, {500, 2, 3500},   {300, 3, 4500},   {250, 3, 3750},
        {1000, 2, 7000}, {1000, 3, 15000}, {1000, 5, 63000},
    };
    static const char *const profiles[] = {"sctp.profile=s2007", "sctp.profile=rfc9260"};
    for (size_t p = 0; p < G_N_ELEMENTS(profiles); p++)
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
            failover(profiles[p], "sctp.cmt=false", rows[i].least_ms, rows[i].retries,
                     rows[i].expected_ms);
}

static const struct suite_case cases[] = {
    {"time until the primary moves", test_closed_form},
    {0},
};

int main(void)
{
    return suite_run("sctp: failover", cases);
}
