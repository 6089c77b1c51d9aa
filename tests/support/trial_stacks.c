// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/trial_stacks.h"

#include "tests/support/suite.h"

#define MANY_STEPS 60
#define BIT(kind) (UINT32_C(1) << (kind))

static const char *const truths[] = {"true", "false", NULL};

static void set_limits(struct trial *trial, int64_t first, int64_t second, int64_t third,
                       int64_t longest)
{
    trial->limits =
        (struct trial_limits){.at = {first, second, third}, .count = 3, .longest = longest};
}

// ---- TCP ----

static void set_tcp(struct trial *trial)
{
    static const char *const recoveries[] = {"sack", "newreno", "reno", NULL};
    trial_set(trial, "tcp.mtu=%d B", trial_pick(trial, 400, 1501));
    trial_set(trial, "tcp.recovery=%s", trial_choice(trial, recoveries));
    trial_set(trial, "tcp.timestamps=%s", trial_choice(trial, truths));
    trial_set(trial, "tcp.limited_transmit=%s", trial_choice(trial, truths));
    trial_set(trial, "tcp.initial_window=%d", trial_pick(trial, 0, 5));
    trial_set(trial, "tcp.queue=%d", trial_chance(trial, 0.3) ? trial_pick(trial, 1, 8) : 100);
    trial_set(trial, "tcp.profile=%s", trial_chance(trial, 0.4) ? "freebsd6" : "linux24");
}

static int pick_buffer(struct trial *trial)
{
    static const int buffers[] = {2048, 3000, 8192, 65536};
    return buffers[trial_pick(trial, 0, G_N_ELEMENTS(buffers))];
}

static void lam_tcp_settings(struct trial *trial)
{
    int64_t most = trial_pick(trial, 0, 9000);
    set_tcp(trial);
    set_limits(trial, most, most, 24, 40000);
    trial_set(trial, "lam_tcp.short=%d B", (int)most);
    trial_set(trial, "lam_tcp.socket_buffer=%d B", pick_buffer(trial));
    trial_set(trial, "lam_tcp.fast_calls=%s", trial_choice(trial, truths));
}

const struct trial_stack trial_lam_tcp = {
    .name = "lam_tcp",
    .library = "lam",
    .shape = {.most_ranks = FREE_MOST_RANKS, .most_steps = MANY_STEPS},
    .programs = 60,
    .settings = lam_tcp_settings,
    .wanted = (const char *const[]){"send_short -> done", "send_synch -> wait_ack",
                                    "wait_ack -> send_body", "wait_2nd -> read_body",
                                    "read_body -> send_ack", "unexpected_short", "unexpected_long",
                                    "unexpected_self", "start -> read_body",
                                    "start -> send_ack_long", "start -> wait_self", NULL},
};

static void mpich_p4_settings(struct trial *trial)
{
    int64_t small = trial_pick(trial, 0, 9000), eager = small + trial_pick(trial, 0, 9000);
    set_tcp(trial);
    set_limits(trial, small, eager, 100, 40000);
    trial_set(trial, "mpich_p4.short=%d B", (int)small);
    trial_set(trial, "mpich_p4.eager=%d B", (int)eager);
    trial_set(trial, "mpich_p4.socket_buffer=%d B", pick_buffer(trial));
    trial_set(trial, "mpich_p4.writev=%s", trial_choice(trial, truths));
}

const struct trial_stack trial_mpich_p4 = {
    .name = "mpich_p4",
    .library = "mpich",
    .shape = {.most_ranks = FREE_MOST_RANKS, .most_steps = MANY_STEPS},
    .programs = 60,
    .settings = mpich_p4_settings,
    .wanted =
        (const char *const[]){"send_short -> done", "send_eager -> done", "wait_ok -> send_data",
                              "posted -> wait_data", "posted -> send_ok", "unexpected_short",
                              "unexpected_eager", "unexpected_request", "start -> send_ok",
                              "start -> wait_self", NULL},
};

static void ch3_sock_settings(struct trial *trial)
{
    int64_t most = trial_pick(trial, 30, 9000);
    set_tcp(trial);
    set_limits(trial, most - 20, most - 20, 32, 40000);
    trial_set(trial, "ch3.eager=%d B", (int)most);
    trial_set(trial, "ch3_sock.socket_buffer=%d B", pick_buffer(trial));
    trial_set(trial, "ch3_sock.business_card=%d us", trial_pick(trial, 0, 2000));
    static const char *const profiles[] = {"linux24", "freebsd6", NULL};
    trial_set(trial, "tcp.profile=%s", trial_choice(trial, profiles));
}

const struct trial_stack trial_ch3_sock = {
    .name = "ch3_sock",
    .library = "mpich2",
    .shape = {.most_ranks = FREE_MOST_RANKS, .most_steps = MANY_STEPS},
    .programs = 60,
    .settings = ch3_sock_settings,
    .wanted = (const char *const[]){"send_eager -> done", "send_eager -> wait_sync_ack",
                                    "wait_sync_ack -> done", "wait_cts -> send_data",
                                    "posted -> send_cts", "wait_data -> read_data",
                                    "unexpected_eager", "unexpected_rts", "unexpected_self",
                                    "start -> read_data", "start -> send_cts", "start -> wait_self",
                                    "open_lsend refuses", NULL},
};

// ---- SCTP ----

static void set_sctp(struct trial *trial)
{
    static const char *const profiles[] = {"rfc9260", "s2007", NULL};
    trial_set(trial, "sctp.profile=%s", trial_choice(trial, profiles));
    trial_set(trial, "sctp.mtu=%d B", trial_pick(trial, 600, 1501));
    // Losses are no end of a path.
    trial_set(trial, "sctp.association_retries=200");
    trial_set(trial, "sctp.path_retries=100");
    trial_set(trial, "sctp.init_retries=100");
}

// Settings that keep the order that MPI_ANY_TAG demands, whatever is lost.
static void set_order(struct trial *trial)
{
    static const char *const maps[] = {"tag_context", "single", "rank", "sequence", NULL};
    static const char *const kept[] = {"single", "rank", NULL};
    static const char *const remedies[] = {"sequence", "control_stream", NULL};
    bool violates = trial_chance(trial, 0.3);
    trial_set(trial, "ch3_sctp.streams=%d", trial_pick(trial, 2, 21));
    trial_set(trial, "ch3_sctp.any_tag=%s", violates ? "violate" : trial_choice(trial, remedies));
    trial_set(trial, "ch3_sctp.stream_map=%s", trial_choice(trial, violates ? kept : maps));
}

static void ch3_sctp_settings(struct trial *trial)
{
    static const int buffers[] = {5000, 20000, 233016};
    int buffer = buffers[trial_pick(trial, 0, G_N_ELEMENTS(buffers))];
    int64_t most = trial_pick(trial, 24, 9000);
    set_sctp(trial);
    set_order(trial);
    set_limits(trial, most - 20, most - 20, 32, 40000);
    trial_set(trial, "ch3.eager=%d B", (int)most);
    trial_set(trial, "ch3_sctp.socket_buffer=%d B", buffer);
    trial_set(trial, "ch3_sctp.message=%d B", trial_pick(trial, 128, MIN(buffer, 65536)));
    trial_set(trial, "ch3_sctp.association_events=%s", trial_choice(trial, truths));
    trial_set(trial, "ch3_sctp.daemon=%d us", trial_pick(trial, 0, 2000));
}

const struct trial_stack trial_ch3_sctp = {
    .name = "ch3_sctp",
    .library = "mpich2",
    .shape = {.most_ranks = FREE_MOST_RANKS, .most_steps = MANY_STEPS},
    .programs = 60,
    .settings = ch3_sctp_settings,
    .wanted = (const char *const[]){"send_eager -> done", "send_eager -> wait_sync_ack",
                                    "wait_sync_ack -> done", "wait_cts -> send_data",
                                    "posted -> send_cts", "wait_data -> read_data",
                                    "unexpected_eager", "unexpected_rts", "unexpected_self",
                                    "start -> read_data", "start -> send_cts", "start -> wait_self",
                                    "CONNECTED -> CLOSED", NULL},
};

// ---- Open MPI ----

// Each host has two cards at the switch, of which one or both take part.
static const char two_cards[] =
    "links: [{from: node, to: switch, count: 2}]\nnic: eepro100\nhost: {processor: {cores: 2}}\n";

static void openmpi_settings(struct trial *trial)
{
    static const char *const ways[] = {"put", "pipeline", NULL}, *const cards[] = {"0", "1", "",
                                                                                   NULL};
    int eager = trial_pick(trial, 300, 9000), most = trial_pick(trial, 300, 20000);
    trial->cards = 2;
    set_tcp(trial);
    set_limits(trial, eager - 72, most, 30 * 1024, 40000);
    trial_set(trial, "openmpi_tcp.cards=[%s]", trial_choice(trial, cards));
    trial_set(trial, "openmpi_tcp.rendezvous=%s", trial_choice(trial, ways));
    trial_set(trial, "openmpi_tcp.eager=%d B", eager);
    trial_set(trial, "openmpi_tcp.min_send=%d B", trial_pick(trial, 0, 9000));
    trial_set(trial, "openmpi_tcp.max_send=%d B", trial_pick(trial, 300, 9000));
    trial_set(trial, "openmpi_tcp.min_rdma=%d B", most);
    trial_set(trial, "openmpi_tcp.max_rdma=%d B", trial_chance(trial, 0.5) ? 5000 : 0);
    trial_set(trial, "openmpi_tcp.cache=%d B", trial_chance(trial, 0.5) ? 30 * 1024 : 200);
    trial_set(trial, "openmpi_tcp.bandwidth_0=%d", trial_pick(trial, 1, 300));
    trial_set(trial, "openmpi_tcp.latency_1=%d", trial_pick(trial, 98, 102));
    trial_set(trial, "openmpi_tcp.send_buffer=%d B", pick_buffer(trial));
    trial_set(trial, "openmpi_tcp.receive_buffer=%d B", pick_buffer(trial));
    trial_set(trial, "openmpi_tcp.daemon=%d us", trial_pick(trial, 0, 2000));
}

const struct trial_stack trial_openmpi_tcp = {
    .name = "openmpi_tcp",
    .machine = two_cards,
    .library = "openmpi",
    .shape = {.most_ranks = FREE_MOST_RANKS, .most_steps = MANY_STEPS},
    .programs = 60,
    .settings = openmpi_settings,
    .wanted =
        (const char *const[]){"send_eager -> done", "send_rts -> wait_ack", "wait_ack -> done",
                              "wait_ack -> send_put", "wait_ack -> send_fragments",
                              "send_fragments -> wait_requests", "posted -> wait_put",
                              "posted -> wait_fragments", "wait_fragments -> wait_put",
                              "unexpected_eager", "unexpected_rts", "unexpected[", "self",
                              "start -> wait_self", "stays", NULL},
};

// ---- VIA ----

static const char *const via_ends[] = {"connection_broken", "out_of_step", "connection_failed",
                                       NULL};

static void set_via(struct trial *trial)
{
    static const int rings[] = {2, 3, 8, 64};
    trial_set(trial, "mvia.mtu=%d B", trial_pick(trial, 300, 1501));
    trial_set(trial, "eepro100.tx_ring=%d", rings[trial_pick(trial, 0, G_N_ELEMENTS(rings))]);
    // No frame may be lost for want of room: M-VIA does not send it again.
    trial_set(trial, "eepro100.rx_ring=4096");
    trial_set(trial, "switch.queue=0");
}

#define ENVELOPE 36
#define PAGE 4096

static void lam_via_settings(struct trial *trial)
{
    static const char *const pieces[] = {"as_descriptors_go", "one_by_one", NULL};
    int64_t tiny = trial_pick(trial, 0, 3000), most = tiny + trial_pick(trial, 0, 9000);
    set_via(trial);
    set_limits(trial, tiny, most, most, 40000);
    trial_set(trial, "lam_via.tiny=%d B", (int)tiny);
    trial_set(trial, "lam_via.short=%d B", (int)most);
    trial_set(trial, "lam_via.envelope=%d B", ENVELOPE);
    trial_set(trial, "lam_via.sdescs=%d", trial_pick(trial, 2, 12));
    trial_set(trial, "mvia.largest_transfer=%d B",
              (int)MAX(most, tiny + ENVELOPE) + trial_pick(trial, 0, 10000));
    trial_set(trial, "lam_via.pieces=%s", trial_choice(trial, pieces));
}

static int64_t pages(int64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

// User buffers and an envelope buffer for each request; of a page that holds envelope buffers
// nearly half may be left over. The parts of a collective may lie on pages of their own; with
// recursive doubling a rank holds the blocks of all for all.
static int64_t pinned_by(const struct free_program *program, const struct free_call *call,
                         int64_t tiny)
{
    int64_t requests = 1, bytes = call->kind == FREE_SENDRECV ? 2 * call->size : call->size;
    if (call->kind == FREE_WAIT || call->kind == FREE_COMPUTE)
        return 0;
    if (free_collective(call->kind)) {
        requests = 4 * program->ranks;
        bytes *= program->ranks * (call->kind == FREE_ALLTOALL ? 2 * program->ranks : 2);
    }
    return 2 * requests * (ENVELOPE + tiny) +
           (bytes > tiny ? pages(bytes) + 2 * requests * PAGE : 0);
}

// Memory that one of the ranks may have to pin between two barriers at once.
static int64_t most_pinned(const struct free_program *program, int64_t tiny)
{
    int64_t most = 0;
    for (int rank = 0; rank < program->ranks; rank++) {
        int64_t bytes = 0;
        int epoch = 0;
        for (guint i = 0; i < program->calls[rank]->len; i++) {
            const struct free_call *call =
                &g_array_index(program->calls[rank], struct free_call, i);
            if (call->epoch != epoch)
                bytes = 0;
            epoch = call->epoch;
            bytes += pinned_by(program, call, tiny);
            most = MAX(most, bytes);
        }
    }
    return most;
}

// There is no flow control: what can come to a rank between two barriers, and after the second of
// them, has room. A message needs three transfers at most, its ACK among them.
static void lam_via_room(struct trial *trial, const struct free_program *program)
{
    struct trial_room room = trial_room(program, 2 * ENVELOPE);
    int64_t rdescs = MIN(6 * room.messages + 20, 65536),
            area = 2 * room.bytes + 2 * trial->limits.at[1] + 5000;
    int64_t of_peer = pages(area) + pages(64 * (12 + rdescs));
    trial_set(trial, "lam_via.rdescs=%" G_GINT64_FORMAT, rdescs);
    trial_set(trial, "lam_via.area=%" G_GINT64_FORMAT " B", area);
    trial_set(trial, "host.memory.pin_limit=%" G_GINT64_FORMAT " B",
              PAGE + most_pinned(program, trial->limits.at[0]) + (program->ranks - 1) * of_peer);
    trial_set(trial, "host.memory.ram=64 GiB");
}

const struct trial_stack trial_lam_via = {
    .name = "lam_via",
    .library = "lam",
    .shape = {.most_ranks = FREE_MOST_RANKS, .most_steps = 40, .sealed = true, .own_buffers = true},
    .programs = 60,
    .gives_up = via_ends,
    .settings = lam_via_settings,
    .room = lam_via_room,
    .wanted = (const char *const[]){"-> envelope_sent tiny", "-> envelope_sent short",
                                    "-> syn_sent long", "-> wait_descriptor", "-> wait_turn",
                                    "unexpected_tiny", "unexpected_short", "unexpected_long",
                                    "start -> wait_body", "wait_ack self", "ack_sent target",
                                    "ack_sent synchronous", "pin hit", "last piece", NULL},
};

static void set_credits(struct trial *trial)
{
    int preserve = trial_pick(trial, 1, 8), notify = trial_pick(trial, 1, 8);
    int depth = preserve + notify + trial_pick(trial, 0, 20);
    int extra = trial_pick(trial, 0, 2) * trial_pick(trial, 0, 20);
    trial_set(trial, "mvich.credit_preserve=%d", preserve);
    trial_set(trial, "mvich.credit_notify_threshold=%d", notify);
    trial_set(trial, "mvich.dynamic_credit_threshold=%d", notify + trial_pick(trial, 0, 20));
    trial_set(trial, "mvich.prepost_depth=%d", depth);
    trial_set(trial, "mvich.prepost_rendezvous_extra=%d", extra);
    trial_set(trial, "mvich.prepost_noop_extra=%d", (depth + extra + notify - 1) / notify);
}

static void mvich_settings(struct trial *trial)
{
    int threshold = trial_pick(trial, 1, 8000), vbuf = trial_pick(trial, 128, 4096);
    set_via(trial);
    set_credits(trial);
    set_limits(trial, threshold, vbuf - 36, 2048, 40000);
    trial_set(trial, "mvich.rendezvous_threshold=%d B", threshold);
    trial_set(trial, "mvich.vbuf=%d B", vbuf);
    trial_set(trial, "mvich.vbuf_pool=%d", trial_pick(trial, 1, 300));
    trial_set(trial, "mvich.dreg_entries=%d", trial_pick(trial, 1, 6));
    if (trial_chance(trial, 0.3))
        trial_set(trial, "mvich.completion_queue=false");
    if (trial_chance(trial, 0.3))
        trial_set(trial, "mvich.wait=poll");
}

const struct trial_stack trial_mvich = {
    .name = "mvich",
    .library = "mpich_1_2_2",
    .shape = {.most_ranks = 5, .most_steps = MANY_STEPS},
    .programs = 60,
    .gives_up = via_ends,
    .settings = mvich_settings,
    .wanted = (const char *const[]){"start -> eager_sent", "wait_reply rput",
                                    "wait_reply r3, not registered", "receive_r3 r3, not",
                                    "receive_eager eager", "unexpected", "start -> receive_r3",
                                    "start -> receive_rput", "wait_self self",
                                    "eager without credits", "backlog sent", "noop", "dreg hit",
                                    "dreg evicted", "pages, references 2", NULL},
};

// ---- Myrinet ----

static const char myrinet[] =
    "links: [{from: node, to: switch}]\n"
    "link: {rate: 1280 Mb/s, propagation: 15 ns, preamble: 0 B, gap: 1 B, least_frame: 0 B}\n"
    "switch: {discipline: cut_through, ports: 16, latency: 150 ns, header: 1 B, "
    "route_bytes: 1 B}\n"
    "nic: lanai9\nhost: {processor: {cores: 2, clock: 300 MHz}}\n";

static void armci_settings(struct trial *trial)
{
    int eager = trial_pick(trial, 200, 34000);
    set_limits(trial, eager, 128, 4096, eager);
    trial_set(trial, "mpich_gm.eager=%d B", 30 * eager); // the parts of collectives are longer
    trial_set(trial, "mpich_gm.send_buffers=%d", trial_pick(trial, 1, 40));
    trial_set(trial, "mpich_gm.receive_buffers=%d", trial_pick(trial, 1, 64));
    trial_set(trial, "gm.send_tokens=%d", trial_pick(trial, 4, 61));
}

const struct trial_stack trial_armci = {
    .name = "armci",
    .machine = myrinet,
    .library = "mpich_1_2_2",
    .shape = {.most_ranks = FREE_MOST_RANKS,
              .most_steps = MANY_STEPS,
              .lacks = BIT(FREE_SSEND) | BIT(FREE_ISSEND)},
    .shares_hosts = true,
    .programs = 60,
    .settings = armci_settings,
};

static void grim_settings(struct trial *trial)
{
    static const char *const cards[] = {"lanai4", "lanai9", NULL};
    static const char *const styles[] = {"append", "slotted", "hybrid", NULL};
    int part = trial_pick(trial, 4, 5000);
    set_limits(trial, part, 2 * part, 4096, 40000);
    trial_set(trial, "nic=%s", trial_choice(trial, cards));
    trial_set(trial, "grim_ni.queue_style=%s", trial_choice(trial, styles));
    trial_set(trial, "grim_ni.slot=8 KiB");
    trial_set(trial, "grim_ni.queue=%d KiB", 16 + 24 * trial_pick(trial, 0, 3));
    trial_set(trial, "grim_ni.sequencing=%s", trial_chance(trial, 0.3) ? "ni" : "channel");
    trial_set(trial, "grim_ni.buffering=%s", trial_chance(trial, 0.3) ? "both" : "sender");
    trial_set(trial, "grim_ni.nack_pause=%d us", trial_chance(trial, 0.5) ? 20 : 0);
    trial_set(trial, "grim_ni.endpoint_messages=%d", trial_pick(trial, 1, 9));
    trial_set(trial, "grim.part=%d B", part);
    trial->makes_good = trial_chance(trial, 0.7);
    trial_set(trial, "grim_ni.timeouts=%s", trial->makes_good ? "true" : "false");
    trial_set(trial, "grim_ni.timeout=%d us", trial_pick(trial, 500, 20000));
}

const struct trial_stack trial_grim = {
    .name = "grim",
    .machine = myrinet,
    .shape = {.most_ranks = 5, .most_steps = MANY_STEPS, .no_self = true},
    .programs = 60,
    .gives_up = (const char *const[]){"stalled", NULL},
    .settings = grim_settings,
};

static void gm_settings(struct trial *trial)
{
    set_limits(trial, 128, 4096, 8192, 40000);
    trial_set(trial, "gm.send_tokens=%d", trial_pick(trial, 1, 61));
    // A receiver without buffers for unexpected messages is asked again, for so long as GM does
    // that.
    trial_set(trial, "gm.receive_tokens=4096");
    trial_set(trial, "gm_native.receive_buffers=170");
}

const struct trial_stack trial_gm = {
    .name = "gm",
    .machine = myrinet,
    .shape = {.most_ranks = 5,
              .most_steps = MANY_STEPS,
              .no_self = true,
              .only_fixed = true,
              .plain = true,
              .lacks = BIT(FREE_SSEND) | BIT(FREE_ISSEND) | BIT(FREE_PROBE)},
    .programs = 60,
    .bare = true,
    .settings = gm_settings,
};

// ---- A suite of all of them ----

static bool with_faults;

#define CASE(stack)                                                                                \
    static void test_##stack(void)                                                                 \
    {                                                                                              \
        trial_run(&trial_##stack, with_faults);                                                    \
    }

CASE(lam_tcp)
CASE(mpich_p4)
CASE(ch3_sock)
CASE(ch3_sctp)
CASE(openmpi_tcp)
CASE(lam_via)
CASE(mvich)
CASE(armci)
CASE(grim)
CASE(gm)

int trial_suite(const char *name, bool faults)
{
    static const struct suite_case cases[] = {
        {"LAM over TCP", test_lam_tcp},
        {"MPICH over ch_p4", test_mpich_p4},
        {"MPICH2 over ch3:sock", test_ch3_sock},
        {"MPICH2 over ch3:sctp", test_ch3_sctp},
        {"Open MPI over TCP", test_openmpi_tcp},
        {"LAM over VIA", test_lam_via},
        {"MVICH", test_mvich},
        {"MPICH beside ARMCI", test_armci},
        {"GRIM", test_grim},
        {"bare GM", test_gm},
        {0},
    };
    with_faults = faults;
    return suite_run(name, cases);
}
