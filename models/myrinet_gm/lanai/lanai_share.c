// SPDX-License-Identifier: GPL-3.0-or-later
// Engines and processor share the SRAM (lanai_arbiter.h) of a card that could ask for more accesses
// than it allows. For any other card nothing in here runs.
//
// A piece that the host engine moves ends when both the bus and the SRAM have moved it; the card's
// channels take turns at the bus. A sent
// packet takes as many more byte times on the wire (packet.idle) as the SRAM delays its bytes, and
// owes from those before, as far as is known when it starts. A received packet has arrived when its
// last bit has and all of it is in the SRAM. While the SRAM lags the wire, the link is held for
// later packets (network_hold), and bytes that have left the wire wait for the SRAM.
#include "models/myrinet_gm/lanai/lanai_internal.h"

static const struct stage sram_stage = {"SRAM", STAGE_NIC};

#define PROCESSOR_WORD 4 // B: an instruction

// A packet whose first byte has come, and that is not wholly in the SRAM.
struct lanai_coming {
    struct packet *packet;
    sim_time from, last; // on the wire
    bool arrived;        // its last bit has
    bool through;        // it is in the SRAM
};

// Bytes a second, rounded up so that a transfer that gets all it asks for is not late.
static int64_t rate_of(int64_t bytes, sim_time time)
{
    return time > 0 ? (int64_t)(((__int128)bytes * TIME_S + time - 1) / time) : G_MAXINT32;
}

static int64_t link_rate(const struct lanai *lanai)
{
    return (network_station_rate(lanai->network, lanai->station) + 7) / 8;
}

static int64_t bus_rate(const struct bus_config *bus, enum bus_way way, int64_t bytes)
{
    return rate_of(bytes, bus_time(bus, way, bytes));
}

static int64_t fastest_bus(const struct lanai *lanai)
{
    const struct bus_config *bus = bus_config(lanai->bus);
    int64_t hold = lanai->config.bus_hold;
    return MAX(bus_rate(bus, BUS_READ, MIN(hold, bus_burst(bus, BUS_READ))),
               bus_rate(bus, BUS_WRITE, MIN(hold, bus_burst(bus, BUS_WRITE))));
}

// ---- What changes with each start and end ----

static struct lanai_coming *coming_at(const struct lanai_share *share, guint index)
{
    return &g_array_index(share->coming, struct lanai_coming, share->coming_taken + index);
}

static guint coming_count(const struct lanai_share *share)
{
    return share->coming->len - share->coming_taken;
}

// More has come over the wire than the SRAM will have taken by then.
static bool lags(const struct lanai_share *share)
{
    if (coming_count(share) != 1)
        return coming_count(share) > 1;
    const struct lanai_coming *front = coming_at(share, 0);
    return arbiter_busy(&share->arbiter, ARBITER_RECEIVE) &&
           arbiter_when(&share->arbiter, ARBITER_RECEIVE, 0) > front->last;
}

static void note_full(struct lanai *lanai)
{
    struct lanai_share *share = &lanai->share;
    sim_time now = sim_now(lanai->sim);
    bool full = arbiter_left(&share->arbiter) < share->arbiter.processor;
    if (full == share->full)
        return;
    if (share->full)
        trace_note(lanai->sim->trace, share->lane,
                   &(struct trace_note){.kind = TRACE_LOAD, .from = share->full_since, .to = now});
    share->full = full;
    share->full_since = now;
}

static void shares_changed(struct lanai *lanai)
{
    struct lanai_share *share = &lanai->share;
    struct engine *engine = lanai->sim->engine;
    bool held = lags(share);
    if (held != share->held)
        network_hold(lanai->network, lanai->station, held);
    share->held = held;
    note_full(lanai);
    sim_time next = arbiter_next(&share->arbiter);
    if (event_pending(&share->next) && share->next.when == next)
        return;
    engine_cancel(engine, &share->next);
    if (next != TIME_NEVER)
        engine_schedule(engine, &share->next, next);
}

// An engine starts, or has more to move. The handler that is at work meanwhile gets less from now
// on: it ends later. Engines that it has started keep their times.
static void start(struct lanai *lanai, enum arbiter_user user, int64_t bytes, int64_t asks)
{
    struct arbiter *arbiter = &lanai->share.arbiter;
    struct cpu_memory_work handler = {.stage = &sram_stage, .from = sim_now(lanai->sim)};
    bool works = cpu_busy_until(lanai->cpu, &handler.to);
    arbiter_settle(arbiter, handler.from);
    sim_time work = works ? arbiter_done(arbiter, handler.to) : 0;
    arbiter_add(arbiter, handler.from, user, bytes, asks);
    shares_changed(lanai);
    sim_time end = works ? arbiter_work(arbiter, handler.from, work) : 0;
    if (works && end > handler.to)
        cpu_stall(lanai->cpu, &handler, end - handler.to);
}

// ---- Host engine ----

static void host_piece_begin(struct lanai *lanai, const struct lanai_piece *piece)
{
    struct lanai_share *share = &lanai->share;
    share->host = *piece;
    share->host_parts = 2;
    start(lanai, ARBITER_HOST, piece->bytes,
          bus_rate(bus_config(lanai->bus), piece->way, piece->bytes));
    bus_transfer(lanai->bus, piece->way, piece->bytes, &share->bus, piece->stage, piece->message);
}

static void host_part_over(struct lanai *lanai)
{
    struct lanai_share *share = &lanai->share;
    if (--share->host_parts > 0)
        return;
    struct event *moved = share->host.moved;
    struct lanai_piece next = share->host_next;
    share->host = share->host_next = (struct lanai_piece){0};
    if (next.bytes > 0)
        host_piece_begin(lanai, &next);
    moved->run(lanai->sim->engine, moved);
}

static void bus_over(struct engine *engine, struct event *event)
{
    (void)engine;
    host_part_over(container_of(event, struct lanai, share.bus));
}

void lanai_share_piece(struct lanai *lanai, struct event *moved, enum bus_way way, int64_t bytes,
                       const struct stage *stage, struct message_ref message)
{
    const struct lanai_piece piece = {moved, way, bytes, stage, message};
    if (lanai->share.host.bytes > 0)
        lanai->share.host_next = piece;
    else
        host_piece_begin(lanai, &piece);
}

// ---- Send engine ----

void lanai_share_send(struct lanai *lanai, struct packet *packet)
{
    struct lanai_share *share = &lanai->share;
    sim_time now = sim_now(lanai->sim);
    sim_time wire = network_station_byte_time(lanai->network, lanai->station, packet->wire_bytes);
    start(lanai, ARBITER_SEND, packet->wire_bytes, link_rate(lanai));
    sim_time late = arbiter_when(&share->arbiter, ARBITER_SEND, 0) - now - wire;
    if (late > 0)
        packet->idle = (uint32_t)(((__int128)late * link_rate(lanai) + TIME_S - 1) / TIME_S);
}

// ---- Receive engine ----

static void coming_begin(struct lanai *lanai);

static void coming_end(struct lanai *lanai)
{
    struct lanai_share *share = &lanai->share;
    while (coming_count(share) > 0) {
        struct lanai_coming front = *coming_at(share, 0);
        if (!front.arrived || !front.through)
            return;
        if (++share->coming_taken * 2 >= share->coming->len) {
            g_array_remove_range(share->coming, 0, share->coming_taken);
            share->coming_taken = 0;
        }
        engine_cancel(lanai->sim->engine, &share->head); // nothing is gained any more
        lanai_receive(lanai, front.packet, front.from);
        if (coming_count(share) > 0)
            coming_begin(lanai);
        shares_changed(lanai);
    }
}

// The head of the first packet: it may take longer than it seemed when it began.
static void head_event(struct engine *engine, struct event *event)
{
    struct lanai *lanai = container_of(event, struct lanai, share.head);
    const struct arbiter *arbiter = &lanai->share.arbiter;
    struct packet *packet = coming_at(&lanai->share, 0)->packet;
    int64_t left = packet->wire_bytes - lanai->firmware->head;
    sim_time when = arbiter_busy(arbiter, ARBITER_RECEIVE)
                        ? arbiter_when(arbiter, ARBITER_RECEIVE, left)
                        : sim_now(lanai->sim);
    if (when > sim_now(lanai->sim))
        engine_schedule(engine, event, when);
    else
        lanai_receive_head(lanai, packet, lanai_share_last(lanai));
}

// The first byte counts as in.
static void coming_begin(struct lanai *lanai)
{
    struct lanai_share *share = &lanai->share;
    struct lanai_coming *front = coming_at(share, 0);
    sim_time now = sim_now(lanai->sim);
    int64_t bytes = (int64_t)front->packet->wire_bytes - 1, head = lanai->firmware->head;
    if (bytes <= 0) {
        front->through = true;
        return;
    }
    bool behind = now > front->from; // all that the wire has brought meanwhile is there already
    start(lanai, ARBITER_RECEIVE, bytes,
          behind ? link_rate(lanai) : rate_of(bytes, front->last - now));
    if (head > 0 && front->packet->wire_bytes > head) {
        int64_t left = front->packet->wire_bytes - head;
        sim_time when = arbiter_when(&share->arbiter, ARBITER_RECEIVE, left);
        engine_schedule(lanai->sim->engine, &share->head, MAX(when, now));
    }
}

static void coming_add(struct lanai *lanai, struct packet *packet, sim_time last, bool arrived)
{
    struct lanai_share *share = &lanai->share;
    struct lanai_coming coming = {packet, sim_now(lanai->sim), last, arrived, false};
    g_array_append_val(share->coming, coming);
    if (coming_count(share) == 1)
        coming_begin(lanai);
    else
        shares_changed(lanai);
}

// Attached to the station: the packet's first byte has left the link.
static void first_byte(void *owner, struct packet *packet, sim_time last)
{
    coming_add(owner, packet, last, false);
}

void lanai_share_arrive(struct lanai *lanai, struct packet *packet)
{
    const struct lanai_share *share = &lanai->share;
    guint at = 0;
    while (at < coming_count(share) && coming_at(share, at)->arrived)
        at++;
    if (at < coming_count(share))
        coming_at(share, at)->arrived = true;
    else // of one byte
        coming_add(lanai, packet, sim_now(lanai->sim), true);
    coming_end(lanai);
}

sim_time lanai_share_last(const struct lanai *lanai)
{
    const struct arbiter *arbiter = &lanai->share.arbiter;
    return arbiter_busy(arbiter, ARBITER_RECEIVE) ? arbiter_when(arbiter, ARBITER_RECEIVE, 0)
                                                  : sim_now(lanai->sim);
}

sim_time lanai_share_there(const struct lanai *lanai, const struct lanai_buffer *buffer,
                           int64_t to_come)
{
    const struct lanai_share *share = &lanai->share;
    bool front = arbiter_busy(&share->arbiter, ARBITER_RECEIVE) &&
                 coming_at(share, 0)->packet == buffer->packet;
    if (!front)
        return buffer->last;
    return arbiter_when(&share->arbiter, ARBITER_RECEIVE, to_come) + lanai->config.receive_latency;
}

// ---- Ends ----

static void next_over(struct engine *engine, struct event *event)
{
    (void)engine;
    struct lanai *lanai = container_of(event, struct lanai, share.next);
    struct lanai_share *share = &lanai->share;
    bool over[ARBITER_ENGINES];
    arbiter_settle(&share->arbiter, sim_now(lanai->sim));
    for (int i = 0; i < ARBITER_ENGINES; i++) {
        over[i] = arbiter_over(&share->arbiter, (enum arbiter_user)i);
        if (over[i])
            arbiter_end(&share->arbiter, (enum arbiter_user)i);
    }
    if (over[ARBITER_RECEIVE])
        coming_at(share, 0)->through = true;
    shares_changed(lanai);
    if (over[ARBITER_HOST])
        host_part_over(lanai);
    if (over[ARBITER_RECEIVE])
        coming_end(lanai);
}

// ---- The processor ----

static sim_time pace(void *owner, sim_time from, sim_time time)
{
    const struct lanai *lanai = owner;
    return arbiter_work(&lanai->share.arbiter, from, time);
}

// ---- Create and free ----

void lanai_share_init(struct lanai *lanai)
{
    struct lanai_share *share = &lanai->share;
    const struct lanai_config *config = &lanai->config;
    const int64_t ranks[ARBITER_ENGINES] = {[ARBITER_HOST] = config->sram_host,
                                            [ARBITER_RECEIVE] = config->sram_receive,
                                            [ARBITER_SEND] = config->sram_send};
    int64_t rate = config->sram_accesses * config->sram_word * config->clock;
    int64_t processor = PROCESSOR_WORD * config->clock;
    share->coming = g_array_new(FALSE, FALSE, sizeof(struct lanai_coming));
    share->on = rate > 0 && processor + 2 * link_rate(lanai) + fastest_bus(lanai) > rate;
    if (!share->on)
        return;
    arbiter_init(&share->arbiter, rate, MIN(processor, rate), ranks);
    event_init(&share->next, next_over);
    event_init(&share->bus, bus_over);
    event_init(&share->head, head_event);
    share->lane = trace_lane_new(lanai->sim->trace, lanai->host->name, "NIC SRAM");
    cpu_set_pace(lanai->cpu, pace, lanai);
    network_attach_head(lanai->network, lanai->station, 1, first_byte);
}

void lanai_share_clear(struct lanai *lanai)
{
    g_array_free(lanai->share.coming, TRUE);
}
