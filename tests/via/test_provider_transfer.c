// SPDX-License-Identifier: GPL-3.0-or-later
// A transfer's path through Ethernet frames: how it is cut and put together again, and what the
// loss of a frame costs.
#include "tests/support/spans.h"
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

#include "sim/core/random.h"

#define ROOM (1500 - 32)            // payload of a frame: MTU without the VIA header
#define FRAME (14 + 32 + 4)         // Ethernet header, VIA header, check sequence
#define LARGEST (INT64_C(32) << 10) // bytes of one descriptor
#define WIRE "wire node0->node1"

enum kind { SEND, WRITE, WRITE_IMMEDIATE };
#define KINDS 3

static struct via_transfer *transfer(struct via_node *node, enum kind kind, int64_t length)
{
    struct via_transfer *result =
        kind == SEND ? via_new_send(node, 0, length) : via_new_write(node, 0, length, 0);
    result->descriptor.immediate_flag = kind == WRITE_IMMEDIATE;
    via_post(result);
    return result;
}

static int64_t frames_of(int64_t length)
{
    return MAX(1, (length + ROOM - 1) / ROOM);
}

static void spans_clear(struct span_log *log)
{
    g_array_set_size(log->spans, 0);
}

// ---- Fragmentation ----

// The spans of a transfer on the wire: full frames, then the rest.
static void check_wire(const struct span_log *log, int64_t length)
{
    int64_t left = length, frames = 0;
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, WIRE) != 0)
            continue;
        int64_t payload = MIN(left, ROOM);
        CU_ASSERT_EQUAL(span->to - span->from,
                        time_of_bytes(8 + MAX(64, FRAME + payload), 100000000));
        left -= payload;
        frames++;
    }
    SUITE_SAME_INTEGER(frames, frames_of(length));
    SUITE_SAME_INTEGER(left, 0);
}

static void check_placements(const struct via_node *node, int64_t length)
{
    int64_t at = 0;
    for (guint i = 0; i < node->placements->len; i++) {
        const struct vip_placement *seen =
            &g_array_index(node->placements, struct via_placement, i).what;
        CU_ASSERT_EQUAL(seen->start, VIA_ADDRESS);
        CU_ASSERT_EQUAL(seen->total, length);
        CU_ASSERT_EQUAL(seen->offset, at);
        at += seen->length;
        CU_ASSERT_EQUAL(seen->first, i == 0);
        CU_ASSERT_EQUAL(seen->last, i + 1 == node->placements->len);
    }
    SUITE_SAME_INTEGER(at, length);
    SUITE_SAME_INTEGER(node->placements->len, frames_of(length));
}

static void check_length(struct world *world, struct span_log *log, enum kind kind, int64_t length)
{
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct via_transfer *receive = via_receive(b, 0, LARGEST);
    int waiting = b->vi->receive.posted.count;
    world_run(world);
    spans_clear(log);
    g_array_set_size(b->placements, 0);
    int64_t before = world_counter(world, "via frames received");
    struct via_transfer *sent = transfer(a, kind, length);
    world_run(world);
    CU_ASSERT(sent->posted);
    SUITE_SAME_INTEGER(world_counter(world, "via frames received") - before, frames_of(length));
    check_wire(log, length);
    CU_ASSERT_PTR_EQUAL(via_send_done(a), &sent->descriptor);
    if (kind == SEND) {
        CU_ASSERT_EQUAL(b->placements->len, 0);
    } else {
        check_placements(b, length);
    }
    if (kind == WRITE) {
        CU_ASSERT_EQUAL(receive->descriptor.status, VIP_STATUS_POSTED);
        world_close_message(world, sent->descriptor.message);
        CU_ASSERT_EQUAL(b->vi->receive.posted.count, waiting + 1);
    } else {
        const struct vip_descriptor *done = via_receive_done(b);
        SUITE_SAME_INTEGER(done ? done->length : -1, length);
    }
}

// All lengths around multiples of a frame's payload up to the longest transfer, and random ones.
static void test_fragmentation(void)
{
    struct span_log *log = span_log_new();
    struct world *world = world_new(&world_via, world_cable, NULL, &log->trace);
    struct random_stream *random = random_new(5, "lengths");
    via_connect(world, false);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int64_t multiple = 0; multiple <= LARGEST; multiple += ROOM)
            for (int64_t length = MAX(0, multiple - 1); length <= MIN(multiple + 1, LARGEST);
                 length++)
                check_length(world, log, (enum kind)kind, length);
        check_length(world, log, (enum kind)kind, LARGEST);
        for (int i = 0; i < 60; i++)
            check_length(world, log, (enum kind)kind, (int64_t)random_below(random, LARGEST + 1));
    }
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    random_free(random);
    world_free(world);
    span_log_free(log);
}

// The header and the MTU are parameters of the frames.
static void test_header_and_mtu(void)
{
    const char *sets[] = {"mvia.header=100 B", "mvia.mtu=600 B", NULL};
    struct world *world = world_new(&world_via, world_cable, sets, NULL);
    via_connect(world, false);
    int64_t before = world_counter(world, "via frames received");
    struct via_transfer *write = transfer(via_node(world, 0), WRITE, 1501);
    world_run(world);
    CU_ASSERT_EQUAL(world_counter(world, "via frames received") - before, 4);
    world_close_message(world, write->descriptor.message);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// via.via.transfer_size_limit: a descriptor carries so much and no byte more; the connection does
// not mind the attempt.
static void test_transfer_size_limit(void)
{
    const char *sets[] = {"mvia.largest_transfer=5000 B", NULL};
    struct world *world = world_new(&world_via, world_cable, sets, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    for (int kind = 0; kind < KINDS; kind++) {
        struct via_transfer *receive = kind == WRITE ? NULL : via_receive(b, 0, 40000);
        world_run(world);
        struct via_transfer *longer = transfer(a, (enum kind)kind, 5001);
        world_run(world);
        CU_ASSERT_FALSE(longer->posted);
        CU_ASSERT_EQUAL(longer->descriptor.status, VIP_STATUS_FREE);
        // Refused at once: nothing has been charged, nothing sent.
        CU_ASSERT_EQUAL(longer->end, longer->begun);
        struct via_transfer *longest = transfer(a, (enum kind)kind, 5000);
        world_run(world);
        CU_ASSERT(longest->posted);
        CU_ASSERT_PTR_EQUAL(via_send_done(a), &longest->descriptor);
        CU_ASSERT_PTR_EQUAL(via_receive_done(b), receive ? &receive->descriptor : NULL);
    }
    CU_ASSERT_EQUAL(b->errors->len, 0);
    world_free(world);
}

// ---- The same cost in both modes ----

struct wire_facts {
    GArray *spans; // struct span, times counted from the start of the posting
    sim_time done; // the receive is complete; -1: it never is
    sim_time sent; // the send is complete
};

static struct wire_facts wire_facts(enum kind kind, int64_t length)
{
    struct span_log *log = span_log_new();
    struct world *world = world_new(&world_via, world_cable, NULL, &log->trace);
    struct wire_facts facts = {g_array_new(FALSE, FALSE, sizeof(struct span)), -1, -1};
    via_connect(world, false);
    struct via_transfer *receive = via_receive(via_node(world, 1), 0, LARGEST);
    world_run(world);
    spans_clear(log);
    struct via_transfer *sent = transfer(via_node(world, 0), kind, length);
    sim_time begun = sim_now(world->sim);
    for (sim_time now = begun; engine_pending(world->sim->engine) > 0; now += TIME_NS) {
        engine_run(world->sim->engine, now);
        if (facts.done < 0 && via_node(world, 1)->vi->receive.done.count > 0)
            facts.done = now - begun;
        if (facts.sent < 0 && via_node(world, 0)->vi->send.done.count > 0)
            facts.sent = now - begun;
    }
    CU_ASSERT_EQUAL(sent->begun, begun);
    CU_ASSERT_EQUAL(receive->descriptor.status == VIP_STATUS_DONE, kind != WRITE);
    for (guint i = 0; i < log->spans->len; i++) {
        struct span span = g_array_index(log->spans, struct span, i);
        span.from -= begun;
        span.to -= begun;
        if (strcmp(span.lane, WIRE) == 0)
            g_array_append_val(facts.spans, span);
    }
    world_free(world);
    span_log_free(log);
    return facts;
}

// via.via.same_wire_cost: the same bytes at the same times for send/receive and RDMA write, and the
// same arrival.
static void test_same_wire_cost(void)
{
    static const int64_t lengths[] = {0, 1, 100, ROOM, ROOM + 1, 10000};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        struct wire_facts facts[KINDS];
        for (int kind = 0; kind < KINDS; kind++)
            facts[kind] = wire_facts((enum kind)kind, lengths[i]);
        for (int kind = 1; kind < KINDS; kind++) {
            CU_ASSERT_EQUAL_FATAL(facts[kind].spans->len, facts[SEND].spans->len);
            for (guint k = 0; k < facts[SEND].spans->len; k++) {
                const struct span *a = &g_array_index(facts[SEND].spans, struct span, k);
                const struct span *b = &g_array_index(facts[kind].spans, struct span, k);
                CU_ASSERT(a->from == b->from && a->to == b->to);
            }
            CU_ASSERT_EQUAL(facts[kind].sent, facts[SEND].sent);
        }
        CU_ASSERT(facts[SEND].done > 0);
        CU_ASSERT_EQUAL(facts[WRITE_IMMEDIATE].done, facts[SEND].done);
        CU_ASSERT_EQUAL(facts[WRITE].done, -1);
        for (int kind = 0; kind < KINDS; kind++)
            g_array_unref(facts[kind].spans);
    }
}

// ---- Lost frames ----

struct part {
    enum kind kind;
    int64_t length;
};

// Frames that node 0 sends until it is connected.
static int frames_to_connect(void)
{
    struct span_log *log = span_log_new();
    struct world *world = world_new(&world_via, world_cable, NULL, &log->trace);
    int count = 0;
    via_connect(world, false);
    for (guint i = 0; i < log->spans->len; i++)
        count += strcmp(g_array_index(log->spans, struct span, i).lane, WIRE) == 0;
    world_free(world);
    span_log_free(log);
    return count;
}

static bool message_lost(const struct span_log *log, struct message_ref message)
{
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, WIRE) == 0 && span->message.index == message.index &&
            span->message.generation == message.generation && strcmp(span->name, "packet") != 0)
            return true;
    }
    return false;
}

// Sends the parts one after the other with faults on the wire. A part of which the wire took a
// frame is lost, all others arrive; the receives complete in the order in which they were posted.
// Returns the number of lost parts.
static int check_losses(const char *const *sets, const struct part *parts, int count)
{
    struct span_log *log = span_log_new();
    struct world *world = world_new(&world_via, world_cable, sets, &log->trace);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct via_transfer **sent = g_new(struct via_transfer *, count);
    struct via_transfer **receives = g_new(struct via_transfer *, count);
    via_connect(world, false);
    spans_clear(log);
    for (int i = 0; i < count; i++)
        receives[i] = via_receive(b, 0, LARGEST);
    world_run(world);
    for (int i = 0; i < count; i++)
        sent[i] = transfer(a, parts[i].kind, parts[i].length);
    world_run(world);
    int lost = 0, next = 0;
    for (int i = 0; i < count; i++) {
        // The sender notices nothing: the service is unreliable.
        CU_ASSERT_PTR_EQUAL(via_send_done(a), &sent[i]->descriptor);
        if (message_lost(log, sent[i]->descriptor.message)) {
            lost++;
            continue;
        }
        if (parts[i].kind == WRITE) {
            world_close_message(world, sent[i]->descriptor.message);
            continue;
        }
        CU_ASSERT_PTR_EQUAL_FATAL(via_receive_done(b), &receives[next++]->descriptor);
        SUITE_SAME_INTEGER(receives[next - 1]->descriptor.length, parts[i].length);
        CU_ASSERT_EQUAL(receives[next - 1]->descriptor.message.index,
                        sent[i]->descriptor.message.index);
    }
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    SUITE_SAME_INTEGER(totals.lost, lost);
    SUITE_SAME_INTEGER(totals.delivered, count - lost);
    SUITE_SAME_INTEGER(totals.duplicated + totals.misordered + totals.open, 0);
    CU_ASSERT_EQUAL(b->errors->len, 0);
    CU_ASSERT_EQUAL(b->vi->machine.state, VIP_CONNECTED);
    g_free(sent);
    g_free(receives);
    world_free(world);
    span_log_free(log);
    return lost;
}

// A lost frame loses its transfer and only that one: every frame of three transfers in turn, in all
// mixtures of kinds.
static void test_one_lost_frame(void)
{
    static const int64_t lengths[] = {3 * ROOM, ROOM + 5, 2 * ROOM + 1};
    int connecting = frames_to_connect();
    for (int mix = 0; mix < KINDS * KINDS * KINDS; mix++) {
        struct part parts[] = {
            {(enum kind)(mix % KINDS), lengths[0]},
            {(enum kind)(mix / KINDS % KINDS), lengths[1]},
            {(enum kind)(mix / KINDS / KINDS), lengths[2]},
        };
        for (int frame = 1; frame <= 3 + 2 + 3; frame++) {
            char *drop = g_strdup_printf("link.drop_nth=[%d]", connecting + frame);
            const char *sets[] = {drop, "link.fault_direction=forward", NULL};
            SUITE_SAME_INTEGER(check_losses(sets, parts, 3), 1);
            g_free(drop);
        }
    }
}

// Two frames, of one transfer or of two.
static void test_two_lost_frames(void)
{
    static const struct part parts[] = {
        {SEND, 2 * ROOM}, {WRITE, 2 * ROOM}, {SEND, 2 * ROOM}, {WRITE_IMMEDIATE, ROOM}};
    int connecting = frames_to_connect();
    for (int first = 1; first <= 7; first++)
        for (int second = first + 1; second <= 7; second++) {
            char *drop =
                g_strdup_printf("link.drop_nth=[%d, %d]", connecting + first, connecting + second);
            const char *sets[] = {drop, "link.fault_direction=forward", NULL};
            bool same = (first - 1) / 2 == (second - 1) / 2;
            SUITE_SAME_INTEGER(check_losses(sets, parts, 4), same ? 1 : 2);
            g_free(drop);
        }
}

static void test_random_losses(void)
{
    enum { COUNT = 40 };
    struct random_stream *random = random_new(11, "losses");
    int lost = 0;
    for (int seed = 1; seed <= 40; seed++) {
        struct part parts[COUNT];
        char *set = g_strdup_printf("seed=%d", seed);
        const char *sets[] = {set, "link.drop_probability=0.03", "link.fault_direction=forward",
                              NULL};
        for (int i = 0; i < COUNT; i++)
            parts[i] = (struct part){(enum kind)random_below(random, KINDS),
                                     (int64_t)random_below(random, 8 * ROOM)};
        lost += check_losses(sets, parts, COUNT);
        g_free(set);
    }
    CU_ASSERT(lost > 100 && lost < 1000);
    random_free(random);
}

// ---- The card's ring ----

static bool request_twice_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct via_transfer *behind = argument;
    int station = vip_agent_station(via_node(node->process.world, 1)->agent);
    for (uint64_t i = 0; i < 2; i++)
        vip_connect_peer_request(context, vip_create_vi(context, node->nic, node->ptag, NULL, NULL),
                                 station, 1000 + i);
    behind->posted = vip_post_send(context, node->vi, &behind->descriptor);
    return true;
}

// Data that find the ring full of connection requests go out when there is room again.
static void test_ring_full_of_requests(void)
{
    const char *sets[] = {"eepro100.tx_ring=2", "eepro100.tx_start=1 ms", NULL};
    struct world *world = world_new(&world_via, world_cable, sets, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receive = via_receive(b, 0, LARGEST), *send = via_new_send(a, 0, 5000);
    world_run(world);
    world_do(a, request_twice_job, send);
    // The requests are never answered: their repetition goes on for ever.
    engine_run(world->sim->engine, sim_now(world->sim) + 50 * TIME_MS);
    CU_ASSERT(send->posted);
    CU_ASSERT_EQUAL(receive->descriptor.status, VIP_STATUS_DONE);
    CU_ASSERT_EQUAL(send->descriptor.status, VIP_STATUS_DONE);
    world_free(world);
}

// ---- Descriptors that are made when they are needed ----

#define UNMADE 2

static struct vip_descriptor later[UNMADE];
static int made;

static struct vip_descriptor *make(struct vip_vi *vi)
{
    struct vip_descriptor *descriptor = &later[made++];
    const struct via_node *node = vi->owner;
    vip_descriptor_init(descriptor);
    descriptor->address = VIA_ADDRESS;
    descriptor->length = LARGEST;
    descriptor->handle = node->memory;
    return descriptor;
}

static bool post_unmade_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    (void)argument;
    node->vi->owner = node;
    node->vi->make = make;
    vip_post_recv_unmade(context, node->vi);
    return true;
}

// Three receives, of which the first two are posted to be made later or not, and three messages.
// Returns the run's fingerprint.
static uint64_t three_messages(bool unmade)
{
    struct world *world = world_new(&world_via, world_cable, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    const struct vip_descriptor *receives[3];
    via_connect(world, false);
    made = 0;
    for (int i = 0; i < 3; i++) {
        receives[i] = unmade && i < UNMADE ? &later[i] : &via_receive(b, 0, LARGEST)->descriptor;
        if (unmade && i < UNMADE)
            world_do(b, post_unmade_job, NULL);
    }
    world_run(world);
    SUITE_SAME_INTEGER(b->vi->unmade, unmade ? UNMADE : 0);
    for (int i = 0; i < 3; i++) {
        transfer(a, SEND, 100 + i);
        world_run(world);
        SUITE_SAME_INTEGER(made, unmade ? MIN(i + 1, UNMADE) : 0);
        CU_ASSERT_PTR_EQUAL(via_receive_done(b), receives[i]);
        SUITE_SAME_INTEGER(receives[i]->length, 100 + i);
    }
    uint64_t fingerprint = engine_fingerprint(world->sim->engine);
    world_free(world);
    return fingerprint;
}

// They are taken first, and no event happens at another time for them.
static void test_unmade(void)
{
    CU_ASSERT_EQUAL(three_messages(true), three_messages(false));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"descriptors that are made when they are needed", test_unmade},
        {"fragmentation and reassembly, all lengths", test_fragmentation},
        {"header and MTU", test_header_and_mtu},
        {"via.via.transfer_size_limit", test_transfer_size_limit},
        {"via.via.same_wire_cost", test_same_wire_cost},
        {"one lost frame", test_one_lost_frame},
        {"two lost frames", test_two_lost_frames},
        {"random losses", test_random_losses},
        {"a ring full of connection requests", test_ring_full_of_requests},
        {NULL, NULL},
    };
    return suite_run("via: provider, transfers", cases);
}
