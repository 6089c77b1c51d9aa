// SPDX-License-Identifier: GPL-3.0-or-later
// The end of virtual connections of CH3 (MPIDI_CH3U_VC_SendClose, MPIDI_CH3_PktHandler_Close), over
// a channel that writes each packet at once.
#include "models/mpich2/ch3/ch3.h"
#include "tests/support/suite.h"

#define PEER 1
#define RANKS 2

static struct {
    struct cpu_context *context;
    struct ch3_process ch3;
    GString *seen;
    const char *events;
} close_world;

static void channel_send(struct cpu_context *context, struct ch3_process *ch3,
                         struct ch3_send *send)
{
    g_string_append_printf(close_world.seen, " %s",
                           ch3_pkt_name((enum ch3_pkt_type)send->pkt.type));
    ch3_sent(context, ch3, send);
}

static void channel_disconnect(struct cpu_context *context, struct ch3_process *ch3, int peer)
{
    (void)context, (void)ch3, (void)peer;
    g_string_append(close_world.seen, " disconnect");
}

static const struct ch3_channel channel = {
    .name = "test", .send = channel_send, .disconnect = channel_disconnect};

static enum mpi_progress no_progress(struct cpu_context *context, struct mpi_process *process,
                                     bool blocking)
{
    (void)context, (void)process, (void)blocking;
    return PROGRESS_BLOCKED;
}

static const struct mpi_device_ops close_ops = {.name = "test", .advance = no_progress};

// Each event, and the packets that it sends with the state that it leads to.
static void take_event(char event)
{
    struct ch3_process *ch3 = &close_world.ch3;
    const struct ch3_pkt pkt = {.type = event == 'c' ? CH3_PKT_CLOSE : CH3_PKT_CLOSE_ACK};
    struct ch3_receive receive;
    g_string_append_printf(close_world.seen, "%c:", event);
    switch (event) {
    case 'u':
        ch3_vc_use(ch3, PEER);
        break;
    case 'f':
        ch3_finalize(close_world.context, ch3->process);
        break;
    default:
        CU_ASSERT(ch3_packet_arrived(close_world.context, ch3, PEER, &pkt, &receive));
    }
    g_string_append_printf(close_world.seen, " %s\n",
                           machine_state_name(&ch3_vc_machine, &ch3_vc_at(ch3, PEER)->machine));
}

static enum cpu_next run_events(struct cpu_context *context, struct cpu_task *task)
{
    (void)task;
    close_world.context = context;
    for (const char *event = close_world.events; *event; event++)
        take_event(*event);
    return CPU_SLEEP;
}

static void check_events(const char *events, const char *expected)
{
    static const struct ch3_config costs;
    struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.page = 4096},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_new(sim, 0, "node0", &config);
    struct mpi_process *process = mpi_process_new(sim, host, 0, 0, RANKS, run_events);
    close_world.events = events;
    close_world.ch3 = (struct ch3_process){0};
    close_world.seen = g_string_new(NULL);
    process->ops = &close_ops;
    process->device = &close_world.ch3;
    ch3_init(&close_world.ch3, process, &costs, &channel);
    cpu_wake(&process->task);
    engine_run(sim->engine, TIME_NEVER);
    SUITE_SAME_TEXT(close_world.seen->str, expected);
    SUITE_SAME_INTEGER(close_world.ch3.sends.in_use, 0);
    ch3_clear(&close_world.ch3);
    g_string_free(close_world.seen, TRUE);
    mpi_process_free(process);
    host_free(host);
    sim_free(sim);
}

// Events: (u)se of the VC, MPI_(F)inalize, and the arrival of (C)LOSE and CLOSE_(A)CK.
static void test_sequences(void)
{
    static const struct {
        const char *events, *expected;
    } table[] = {
        // Nothing has been sent: nothing is closed.
        {"f", "f: INACTIVE\n"},
        // Both ends close at once: each CLOSE is acknowledged.
        {"ufca", "u: ACTIVE\n"
                 "f: CLOSE LOCAL_CLOSE\n"
                 "c: CLOSE_ACK CLOSE_ACKED\n"
                 "a: disconnect INACTIVE\n"},
        // The peer closes later: its acknowledgement is its own close.
        {"ufa", "u: ACTIVE\n"
                "f: CLOSE LOCAL_CLOSE\n"
                "a: CLOSE_ACK disconnect INACTIVE\n"},
        // The peer has closed first, and waits for the acknowledgement.
        {"ucfa", "u: ACTIVE\n"
                 "c: REMOTE_CLOSE\n"
                 "f: CLOSE_ACK CLOSE_ACKED\n"
                 "a: disconnect INACTIVE\n"},
        // CLOSE is the first packet to arrive: its VC is in use.
        {"cfa", "c: REMOTE_CLOSE\n"
                "f: CLOSE_ACK CLOSE_ACKED\n"
                "a: disconnect INACTIVE\n"},
        // MPI_Finalize closes a VC once.
        {"uff", "u: ACTIVE\n"
                "f: CLOSE LOCAL_CLOSE\n"
                "f: LOCAL_CLOSE\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        check_events(table[i].events, table[i].expected);
}

static const struct suite_case cases[] = {
    {"sequences", test_sequences},
    {0},
};

int main(void)
{
    return suite_run("mpich2: the end of virtual connections", cases);
}
