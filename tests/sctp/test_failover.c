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

// ---- And back ----

// The cable is back at `from`: the primary returns within one period of heartbeats.
static void failback(const char *profile, const char *interval, sim_time most_ms)
{
    struct moves moves = moves_new();
    struct world *world =
        sctp_world(2, 2,
                   (const char *const[]){profile, interval, "sctp.path_retries=1",
                                         "links[0].down=[{from: 3005 ms, to: 15 s}]", NULL},
                   &moves.sink.trace);
    struct trickle *sent = trickle(world, 2 * TIME_S, 40 * TIME_S);
    world_run(world);
    CU_ASSERT(move_at(&moves, 0) < 15 * TIME_S);
    sim_time late = move_at(&moves, 1) - 15 * TIME_S;
    CU_ASSERT(late > 0 && late < most_ms * TIME_MS);
    CU_ASSERT(move_at(&moves, 2) == TIME_NEVER);
    // Data go where the primary is.
    sim_time out = move_at(&moves, 0), back = move_at(&moves, 1);
    SUITE_SAME_INTEGER(sctp_log_between(world, out + TIME_MS, back, 0, 0, SCTP_DATA), 0);
    CU_ASSERT(sctp_log_between(world, back, 40 * TIME_S, 0, 0, SCTP_DATA) > 1000);
    SUITE_SAME_INTEGER(sctp_log_between(world, back + 20 * TIME_MS, 40 * TIME_S, 0, 1, SCTP_DATA),
                       0);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, sent->sent);
    world_free(world);
    g_array_unref(moves.times);
}

// RFC 9260: HB.interval + 1.5 RTO, which two time-outs and unanswered heartbeats have backed off.
// The BSD stack: a timer of HB.interval + 3 s + 255 ms, whatever the RTO, whose turn goes to the
// path that was silent longest: the failed one, as the other one carries data.
static void test_failback(void)
{
    failback("sctp.profile=s2007", "sctp.heartbeat_interval=1 s", 4000 + 256 + 2);
    failback("sctp.profile=s2007", "sctp.heartbeat_interval=4 s", 7000 + 256 + 2);
    failback("sctp.profile=rfc9260", "sctp.heartbeat_interval=1 s", 1000 + 16000 * 3 / 2);
}

// ---- With CMT ----

// DATA of node 0 on each card in [from, to).
static void data_on(const struct world *world, sim_time from, sim_time to, int on[2])
{
    for (int card = 0; card < 2; card++)
        on[card] = sctp_log_between(world, from, to, 0, card, SCTP_DATA);
}

struct outage {
    // DATA on the cards: before the cable is out; between the first two time-outs; until PMR's;
    // without the first path; after its return.
    int before[2], first[2], failing[2], without[2], after[2];
};

// A cable is out from 3 to 9 s: a bulk transfer of 100-Mb/s links in messages of 8 kB.
static struct outage outage_of(const char *cmt, const char *pf)
{
    struct outage outage;
    struct world *world = sctp_world(
        2, 2,
        (const char *const[]){"sctp.profile=s2007", cmt, pf, "sctp.path_retries=1",
                              "sctp.receive_buffer=233016 B", "sctp.heartbeat_interval=100 ms",
                              "sctp.no_delay=true", "links[0].down=[{from: 3 s, to: 9 s}]", NULL},
        NULL);
    struct sctp_traffic *traffic = sctp_transfer(world, 2 * TIME_S, INT64_C(1) << 40, 8000);
    sctp_run_until(world, 14 * TIME_S);
    CU_ASSERT(traffic->done > 0);
    data_on(world, 2500 * TIME_MS, 3 * TIME_S, outage.before);
    data_on(world, 3100 * TIME_MS, 3900 * TIME_MS, outage.first);
    data_on(world, 4100 * TIME_MS, 5900 * TIME_MS, outage.failing);
    data_on(world, 7 * TIME_S, 8 * TIME_S, outage.without);
    data_on(world, 13 * TIME_S, 14 * TIME_S, outage.after);
    world_free(world);
    return outage;
}

#define PER_SECOND 8000 // chunks of 1452 B at 100 Mb/s, about

// Without CMT only the primary has data, and while it is out the other path.
static void test_multihoming(void)
{
    struct outage outage = outage_of("sctp.cmt=false", "sctp.cmt_pf=0");
    CU_ASSERT(outage.before[0] > PER_SECOND * 45 / 100 && outage.before[1] == 0);
    CU_ASSERT(outage.first[0] + outage.first[1] == 0);
    CU_ASSERT(outage.failing[0] + outage.failing[1] < PER_SECOND / 10);
    CU_ASSERT(outage.without[1] > PER_SECOND * 9 / 10 && outage.without[0] == 0);
    CU_ASSERT(outage.after[0] > PER_SECOND * 9 / 10 && outage.after[1] == 0);
}

// With CMT both have, all the time that they are there; the second one less, as the receiver's
// buffer bounds the flight of both. Chunks lost on the failed path fill the buffer until the path
// is given up.
static void test_striping(void)
{
    struct outage outage = outage_of("sctp.cmt=true", "sctp.cmt_pf=0");
    CU_ASSERT(outage.before[0] > PER_SECOND * 45 / 100 && outage.before[1] > PER_SECOND * 25 / 100);
    CU_ASSERT(outage.first[0] + outage.first[1] == 0);
    CU_ASSERT(outage.failing[0] + outage.failing[1] < PER_SECOND / 4);
    CU_ASSERT(outage.without[1] > PER_SECOND * 9 / 10 && outage.without[0] == 0);
    CU_ASSERT(outage.after[0] > PER_SECOND * 9 / 10 && outage.after[1] > PER_SECOND / 2);
}

// CMT-PF: one RTO, then the other path is used in full.
static void test_pf_stalls_less(void)
{
    struct outage outage = outage_of("sctp.cmt=true", "sctp.cmt_pf=2");
    CU_ASSERT(outage.first[0] + outage.first[1] == 0);
    CU_ASSERT(outage.failing[1] > PER_SECOND * 18 / 10 * 9 / 10 && outage.failing[0] == 0);
    CU_ASSERT(outage.without[1] > PER_SECOND * 9 / 10 && outage.without[0] == 0);
    CU_ASSERT(outage.after[0] > PER_SECOND * 9 / 10 && outage.after[1] > PER_SECOND / 2);
}

// Paths of unlike rates carry what they can, and nothing about them is set.
static void test_for_bandwidth(void)
{
    static const char *const schedulers[] = {
        "sctp.cmt_scheduler=head", "sctp.cmt_scheduler=round_robin", "sctp.cmt_scheduler=fill"};
    for (size_t i = 0; i < G_N_ELEMENTS(schedulers); i++) {
        struct world *world =
            sctp_world(2, 2,
                       (const char *const[]){"sctp.profile=s2007", "sctp.cmt=true", schedulers[i],
                                             "sctp.receive_buffer=4 MiB", "sctp.send_buffer=4 MiB",
                                             "switch.queue=64", "links[2].rate=20 Mb/s",
                                             "what_if=card_rate", NULL},
                       NULL);
        int on[2];
        sctp_transfer(world, 2 * TIME_S, INT64_C(1) << 40, 8000);
        sctp_run_until(world, 8 * TIME_S);
        data_on(world, 6 * TIME_S, 8 * TIME_S, on);
        CU_ASSERT(on[0] > 2 * PER_SECOND / 5 * 85 / 100);
        CU_ASSERT(on[1] > 2 * PER_SECOND * 85 / 100);
        world_free(world);
    }
}

static const struct suite_case cases[] = {
    {"time until the primary moves", test_closed_form},
    {"time until it returns", test_failback},
    {"multihoming: one path at a time", test_multihoming},
    {"CMT: both paths, and failover", test_striping},
    {"CMT-PF: one RTO of stall", test_pf_stalls_less},
    {"CMT: unlike paths are used up", test_for_bandwidth},
    {0},
};

int main(void)
{
    return suite_run("sctp: failover", cases);
}
