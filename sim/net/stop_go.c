// SPDX-License-Identifier: GPL-3.0-or-later
// Flow control by STOP and GO symbols, exact to the byte, with a few events per hop.
//
// The model: a byte is in the slack buffer from the end of its time on the wire, plus the
// propagation, until the end of its time on the next channel (a route byte: until it has been taken
// out). When the buffer has filled up to `stop` bytes, its switch sends STOP; when it has then
// emptied down to `go` bytes, GO. A symbol takes one byte time and the propagation to the sending
// end. A sender that has received STOP finishes its byte and starts no other before GO; a symbol
// applies to bytes that start at the time of its arrival. STOP belongs to the channel, not to a
// packet: the next packet may be granted the channel meanwhile, and starts with GO.
//
// The computation: a channel sends a sequence of runs. A run is a start and a number of bytes, one
// per byte time. It is computed at its start as if no STOP will arrive, and cut short when one
// arrives. It is the input of the buffer at the channel's end, and the output of the buffer that it
// comes from. So the level of a buffer is the difference of two such sequences. Its slope changes
// at the ends of runs only: in between it rises, falls, or goes up and down by one byte in each
// byte time, and the known runs determine when it next reaches a threshold (gate_next). That
// crossing is an event, moved whenever a run of either sequence changes. A change of a run affects
// only bytes whose time has not ended yet, and so nothing at the current time: the order of events
// of one time is arbitrary.
//
// The computation assumes that a byte is always present when its turn comes, and that the buffer
// has room for each byte under way: `go`, and the room between `stop` and the buffer's size, must
// each cover the bytes that arrive while a symbol and the first or last byte are on the wire.
// network_check ensures it.
//
// Source: Boden and others, "Myrinet: a gigabit-per-second local area network", IEEE Micro 15
// (1995), for STOP, GO and the slack buffer.
#include "sim/net/stop_go.h"

#include "sim/net/wormhole.h"

#define FIRST_RUNS 4

enum symbol { SYMBOL_GO, SYMBOL_STOP };

// Consecutive bytes: the n-th, from 0, ends at `first` + n byte times.
struct run {
    sim_time first;
    int64_t bytes;
};

// The unfinished runs of one direction through a buffer; a ring whose capacity is a power of two.
struct flow {
    struct run *runs;
    uint32_t head, tail, capacity;
    int64_t passed; // bytes of the runs before
};

struct gate {
    struct channel *channel;
    sim_time propagation;

    // The buffer.
    int64_t stop, go, slack; // B
    struct machine said;     // the last symbol sent: enum symbol
    struct flow in, out;
    struct event crossing; // when the next symbol is sent

    // The symbols under way, by time of arrival: STOP and GO alternate.
    struct flow symbols;
    struct event arrival;

    // The sending end.
    enum symbol heard;
    bool running; // the holder's bytes leave from `start` on
    sim_time start;
    int64_t sent;  // bytes of the holder that had left before
    sim_time idle; // when the byte that was leaving as STOP came has left
};

// ---- Rows of runs ----

static struct run *flow_at(const struct flow *flow, uint32_t index)
{
    return &flow->runs[index & (flow->capacity - 1)];
}

static void flow_push(struct flow *flow, struct run run)
{
    if (flow->tail - flow->head == flow->capacity) {
        uint32_t capacity = flow->capacity ? 2 * flow->capacity : FIRST_RUNS;
        struct run *runs = g_new(struct run, capacity);
        for (uint32_t i = flow->head; i != flow->tail; i++)
            runs[i & (capacity - 1)] = *flow_at(flow, i);
        g_free(flow->runs);
        flow->runs = runs;
        flow->capacity = capacity;
    }
    *flow_at(flow, flow->tail++) = run;
}

// Cuts the last run to this many bytes.
static void flow_cut(struct flow *flow, int64_t bytes)
{
    g_assert(flow->head != flow->tail);
    if (bytes == 0)
        flow->tail--;
    else
        flow_at(flow, flow->tail - 1)->bytes = bytes;
}

// Returns the bytes of the sequence that have ended by `now`. Forgets the finished runs.
static int64_t flow_passed(struct flow *flow, sim_time now, sim_time tau)
{
    for (; flow->head != flow->tail; flow->head++) {
        const struct run *run = flow_at(flow, flow->head);
        if (now < run->first)
            break;
        int64_t over = (now - run->first) / tau + 1;
        if (over < run->bytes)
            return flow->passed + over;
        flow->passed += run->bytes;
    }
    return flow->passed;
}

// ---- The next crossing of a threshold ----

// A sequence's bytes from a time on.
struct cursor {
    const struct flow *flow;
    uint32_t at;
    sim_time next; // when the next byte ends; TIME_NEVER: none is left
    int64_t left;  // bytes of this run
};

static void cursor_enter(struct cursor *cursor)
{
    bool none = cursor->at == cursor->flow->tail;
    cursor->next = none ? TIME_NEVER : flow_at(cursor->flow, cursor->at)->first;
    cursor->left = none ? 0 : flow_at(cursor->flow, cursor->at)->bytes;
}

static void cursor_skip(struct cursor *cursor, int64_t bytes, sim_time tau)
{
    cursor->left -= bytes;
    cursor->next += bytes * tau;
    if (cursor->left > 0)
        return;
    cursor->at++;
    cursor_enter(cursor);
}

// Starts after the finished bytes. The caller has called flow_passed.
static struct cursor cursor_from(const struct flow *flow, int64_t passed, sim_time tau)
{
    struct cursor cursor = {.flow = flow, .at = flow->head};
    cursor_enter(&cursor);
    if (passed > flow->passed)
        cursor_skip(&cursor, passed - flow->passed, tau);
    return cursor;
}

// Bytes of this run that end at least one byte time before the other sequence's next one.
static int64_t cursor_alone(const struct cursor *cursor, sim_time other, sim_time tau)
{
    return other == TIME_NEVER ? cursor->left : MIN(cursor->left, (other - cursor->next) / tau);
}

// Returns when a buffer of `level` bytes next reaches the threshold that follows its last symbol;
// TIME_NEVER: not with the known runs.
static sim_time gate_next(const struct gate *gate, int64_t level, struct cursor in,
                          struct cursor out)
{
    sim_time tau = gate->channel->byte_time;
    bool fills = gate->said.state == SYMBOL_GO;
    int64_t need = fills ? gate->stop - level : level - gate->go;
    while (in.next != TIME_NEVER || out.next != TIME_NEVER) {
        struct cursor *first = in.next < out.next ? &in : &out;
        const struct cursor *second = in.next < out.next ? &out : &in;
        int64_t alone = cursor_alone(first, second->next, tau);
        bool nears = (first == &in) == fills && in.next != out.next;
        if (alone == 0) {
            // Both sequences alternate or coincide: the second undoes the first.
            if (nears && need == 1)
                return first->next;
            int64_t pairs = MIN(in.left, out.left);
            cursor_skip(&in, pairs, tau);
            cursor_skip(&out, pairs, tau);
            continue;
        }
        if (nears && need <= alone)
            return first->next + (need - 1) * tau;
        need += nears ? -alone : alone;
        cursor_skip(first, alone, tau);
    }
    return TIME_NEVER;
}

// ---- The buffer ----

static const struct machine_state gate_states[] = {
    [SYMBOL_GO] = {"GO", .next = MACHINE_TO(SYMBOL_STOP)},
    [SYMBOL_STOP] = {"STOP", .next = MACHINE_TO(SYMBOL_GO)},
};

const struct machine_kind network_slack_machine = {
    .name = "slack buffer",
    .title = "Flow control of a slack buffer",
    .source = "Boden and others, IEEE Micro 15 (1995)",
    .states = gate_states,
    .count = G_N_ELEMENTS(gate_states),
};

static void gate_say(struct gate *gate, enum symbol symbol)
{
    const struct channel *channel = gate->channel;
    struct network *network = channel->network;
    sim_time now = engine_now(network->engine);
    sim_time arrives = now + channel->byte_time + gate->propagation;
    machine_enter(
        &network_slack_machine, &gate->said, symbol,
        (struct machine_owner){.where = channel->to.node->name, .subject = channel->to.port}, NULL,
        network->sim->trace, channel->wire_lane, now);
    ++*(symbol == SYMBOL_STOP ? network->stops : network->gos);
    if (symbol == SYMBOL_STOP)
        channel_count_seldom(gate->channel, LINK_STOPS, 1);
    flow_push(&gate->symbols, (struct run){.first = arrives});
    if (!event_pending(&gate->arrival))
        engine_schedule(network->engine, &gate->arrival, arrives);
}

// The input or output has changed, or the time of a crossing has come.
static void gate_settle(struct gate *gate)
{
    struct engine *engine = gate->channel->network->engine;
    sim_time now = engine_now(engine), tau = gate->channel->byte_time;
    int64_t in = flow_passed(&gate->in, now, tau), out = flow_passed(&gate->out, now, tau);
    int64_t level = in - out;
    g_assert(level >= 0 && level <= gate->slack);
    if (gate->said.state == SYMBOL_GO && level >= gate->stop)
        gate_say(gate, SYMBOL_STOP);
    else if (gate->said.state == SYMBOL_STOP && level <= gate->go)
        gate_say(gate, SYMBOL_GO);
    sim_time next =
        gate_next(gate, level, cursor_from(&gate->in, in, tau), cursor_from(&gate->out, out, tau));
    if (event_pending(&gate->crossing) && gate->crossing.when == next)
        return;
    engine_cancel(engine, &gate->crossing);
    if (next != TIME_NEVER)
        engine_schedule(engine, &gate->crossing, next);
    else if (gate->heard == SYMBOL_STOP)
        worm_look_for_cycle(gate->channel);
}

static void gate_crossing(struct engine *engine, struct event *event)
{
    (void)engine;
    gate_settle(container_of(event, struct gate, crossing));
}

// ---- The sending end ----

// The sequences that contain the holder's bytes have changed.
static void channel_settle(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    if (worm->feeder)
        gate_settle(worm->feeder->worm->gate);
    if (worm->buffered)
        gate_settle(worm->gate);
}

// The holder's bytes, except the `sent` ones that have left, leave from `start` on.
static void channel_run(struct channel *channel, sim_time start, int64_t sent)
{
    const struct worm *worm = channel->worm;
    sim_time tau = channel->byte_time;
    struct gate *gate = worm->buffered ? worm->gate : NULL;
    struct run run = {start + tau, worm->length - sent};
    if (worm->feeder)
        flow_push(&worm->feeder->worm->gate->out, run);
    if (gate) {
        run.first += gate->propagation;
        flow_push(&gate->in, run);
    }
    worm_ends(channel, start + run.bytes * tau);
    channel_settle(channel);
    int64_t header = MIN((int64_t)worm->header, worm->length);
    if (gate && sent < header)
        slack_ready(channel, start + (header - sent) * tau + channel->delay);
}

static void gate_run(struct gate *gate, sim_time start)
{
    gate->running = true;
    gate->start = start;
    channel_run(gate->channel, start, gate->sent);
}

static void stop_go_start(struct channel *channel)
{
    struct gate *gate = channel->worm->gate;
    sim_time now = engine_now(channel->network->engine);
    if (!gate) {
        channel_run(channel, now, 0);
        return;
    }
    gate->sent = 0;
    gate->running = false;
    if (gate->heard == SYMBOL_GO)
        gate_run(gate, now);
}

// The front packet's header is incomplete and the rest does not come for now: its route bytes stay,
// and it will request its output later.
static void gate_forget_front(struct gate *gate)
{
    struct channel *channel = gate->channel;
    const struct worm *worm = channel->worm;
    bool front = worm->tail - worm->head == 1;
    if (front && channel->route_bytes)
        flow_cut(&gate->out, 0);
    slack_ready(channel, TIME_NEVER);
}

static void gate_halt(struct gate *gate)
{
    struct channel *channel = gate->channel;
    struct worm *worm = channel->worm;
    sim_time now = engine_now(channel->network->engine), tau = channel->byte_time;
    int64_t left = worm->length - gate->sent;
    int64_t gone = now <= gate->start ? 0 : (now - gate->start + tau - 1) / tau;
    if (gone >= left)
        return; // its last byte has started
    engine_cancel(channel->network->engine, &worm->event);
    if (worm->feeder)
        flow_cut(&worm->feeder->worm->gate->out, gone);
    if (worm->buffered) {
        flow_cut(&gate->in, gone);
        if (gate->sent + gone < MIN((int64_t)worm->header, worm->length))
            gate_forget_front(gate);
    }
    gate->running = false;
    gate->sent += gone;
    gate->idle = gate->start + gone * tau;
    channel_settle(channel);
}

// A symbol has arrived at the sending end.
static void gate_arrival(struct engine *engine, struct event *event)
{
    struct gate *gate = container_of(event, struct gate, arrival);
    const struct worm *worm = gate->channel->worm;
    gate->symbols.head++;
    if (gate->symbols.head != gate->symbols.tail)
        engine_schedule(engine, event, flow_at(&gate->symbols, gate->symbols.head)->first);
    gate->heard = gate->heard == SYMBOL_GO ? SYMBOL_STOP : SYMBOL_GO;
    if (!worm->held)
        return;
    if (gate->heard == SYMBOL_STOP && gate->running)
        gate_halt(gate);
    else if (gate->heard == SYMBOL_GO && !gate->running)
        gate_run(gate, MAX(engine_now(engine), gate->idle));
}

// ---- The flow control ----

// The route bytes of the front packet leave in the byte times before its request.
static void stop_go_fronted(struct channel *channel)
{
    struct worm *worm = channel->worm;
    if (!channel->route_bytes)
        return;
    sim_time tau = channel->byte_time;
    sim_time first = worm->asked - (channel->route_bytes - 1) * tau;
    flow_push(&worm->gate->out, (struct run){first, channel->route_bytes});
    gate_settle(worm->gate);
}

static void stop_go_popped(struct channel *channel)
{
    (void)channel; // the bytes have been seen to leave
}

static bool stop_go_blocked(const struct channel *channel)
{
    const struct gate *gate = channel->worm->gate;
    return gate && !event_pending(&channel->worm->event) && gate->heard == SYMBOL_STOP &&
           gate->said.state == SYMBOL_STOP && !event_pending(&gate->arrival) &&
           !event_pending(&gate->crossing);
}

const struct flow_control stop_go_flow_control = {
    .start = stop_go_start,
    .fronted = stop_go_fronted,
    .popped = stop_go_popped,
    .blocked = stop_go_blocked,
};

struct gate *gate_new(struct channel *channel)
{
    const struct switch_config *config = channel->to.node->config;
    struct gate *gate = g_new0(struct gate, 1);
    gate->channel = channel;
    gate->propagation = channel->delay - config->latency;
    gate->stop = config->stop;
    gate->go = config->go;
    gate->slack = config->slack;
    event_init(&gate->crossing, gate_crossing);
    event_init(&gate->arrival, gate_arrival);
    return gate;
}

void gate_free(struct gate *gate)
{
    if (!gate)
        return;
    g_free(gate->in.runs);
    g_free(gate->out.runs);
    g_free(gate->symbols.runs);
    g_free(gate);
}
