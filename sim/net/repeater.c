// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/repeater.h"

#include "sim/net/wormhole.h"

// ---- A channel whose times are known in advance ----

struct ack_window {
    sim_time answer;
    uint64_t size, next; // packets; next: the place of the next one
    sim_time acknowledged[];
};

struct ack_window *ack_window_new(const struct link_config *config)
{
    size_t size = (size_t)config->window;
    struct ack_window *window = g_malloc0(sizeof *window + size * sizeof *window->acknowledged);
    window->answer = link_answer_time(config);
    window->size = size;
    return window;
}

sim_time ack_window_sent(struct ack_window *window, sim_time end)
{
    window->acknowledged[window->next] = time_after(end, window->answer);
    window->next = window->next + 1 == window->size ? 0 : window->next + 1;
    return window->acknowledged[window->next];
}

// ---- Numbers and copies ----

// The outcome of the last copy.
enum outcome {
    OUTCOME_TAKEN,
    OUTCOME_REPEATED, // taken before: acknowledged again
    OUTCOME_AHEAD,    // of another number than expected
    OUTCOME_CORRUPT,
    OUTCOME_LOST,
};

// A packet that is not acknowledged.
struct kept {
    struct packet *packet; // NULL: taken
    int64_t length;
    struct message_ref message;
    sim_time acknowledged; // TIME_NEVER: no acknowledgement is under way
    sim_time due;          // when it will be repeated; TIME_NEVER: not known, or never
    bool requested;        // it is due because the receiver asks for it
    uint8_t hop;           // of the packet on this channel
    uint16_t route_bytes;
};

// base <= expected <= next and base <= cursor <= next; next - base <= window.
struct repeater {
    struct channel *channel;
    const struct link_config *config;
    struct link_faults *answers; // NULL: none
    sim_time answer;
    uint64_t base;     // the oldest number not acknowledged
    uint64_t cursor;   // of the next copy
    uint64_t next;     // of the next new packet
    uint64_t expected; // by the receiver
    uint64_t sending;  // of the last copy
    enum outcome outcome;
    bool asked; // the receiver has asked for the number that it expects
    bool stuck; // nothing passes any more
    struct event timer;
    int64_t *repeats, *timeouts; // sim_counter; NULL: none yet
    struct kept kept[];
};

static struct kept *kept_at(struct repeater *repeater, uint64_t number)
{
    return &repeater->kept[number % (uint64_t)repeater->config->window];
}

static sim_time repeater_now(const struct repeater *repeater)
{
    return engine_now(repeater->channel->network->engine);
}

static void repeater_advance(struct repeater *repeater)
{
    sim_time now = repeater_now(repeater);
    while (repeater->base < repeater->next &&
           kept_at(repeater, repeater->base)->acknowledged <= now)
        repeater->base++;
    repeater->cursor = MAX(repeater->cursor, repeater->base);
}

static void repeater_request(struct engine *engine, struct event *event);

struct repeater *repeater_new(struct channel *channel, const struct link_config *config,
                              struct link_faults *answers)
{
    struct repeater *repeater =
        g_malloc0(sizeof *repeater + (size_t)config->window * sizeof *repeater->kept);
    repeater->channel = channel;
    repeater->config = config;
    repeater->answers = answers;
    repeater->answer = link_answer_time(config);
    event_init(&repeater->timer, repeater_request);
    return repeater;
}

void repeater_free(struct repeater *repeater)
{
    if (!repeater)
        return;
    link_faults_free(repeater->answers);
    g_free(repeater);
}

struct link_faults *repeater_answer_faults(const struct channel *channel,
                                           const struct link_config *config)
{
    bool loops = channel->from.station && channel->from.station == channel->to.station;
    char *name = channel_name(channel);
    char *stream = g_strdup_printf("link %s, answers", name);
    struct link_faults *faults = link_answer_faults_new(
        config, loops ? channel->side : !channel->side, channel->network->sim->seed, stream);
    g_free(stream);
    g_free(name);
    return faults;
}

// ---- Sending ----

bool repeater_due(const struct repeater *repeater)
{
    return repeater->cursor < repeater->next;
}

static void count_timeout(struct repeater *repeater)
{
    channel_count_loss(repeater->channel, &repeater->timeouts, "time-outs of link ", LOSS_TIMEOUT);
}

struct repeater_copy repeater_next(struct repeater *repeater)
{
    const struct kept *kept = kept_at(repeater, repeater->cursor);
    channel_count_loss(repeater->channel, &repeater->repeats, "packets repeated on link ",
                       LOSS_REPEATED);
    repeater->channel->network->repeats++;
    channel_count_seldom(repeater->channel, LINK_REPEATED, 1);
    trace_repeat(repeater->channel->network->sim->trace, "packet on a link", NULL,
                 engine_now(repeater->channel->network->engine));
    return (struct repeater_copy){kept->packet, kept->length, kept->message};
}

static void repeater_keep(struct repeater *repeater, struct packet *packet)
{
    g_assert(repeater->next - repeater->base < (uint64_t)repeater->config->window);
    *kept_at(repeater, repeater->next++) = (struct kept){
        .packet = packet,
        .length = channel_packet_bytes(repeater->channel, packet),
        .message = packet->message,
        .acknowledged = TIME_NEVER,
        .due = TIME_NEVER,
        .hop = packet->hop,
        .route_bytes = packet->route_bytes,
    };
}

// The last receiver of the packet will discard it.
static void packet_stomp(struct packet *packet)
{
    packet->cut_on = PACKET_STOMPED;
    packet->corrupt = true;
    packet->message = MESSAGE_NONE;
}

// A part of the corrupt packet goes on before a cut-through switch knows.
static struct packet *repeater_stomped(const struct repeater *repeater, const struct packet *packet)
{
    if (!repeater->channel->worm->to_cuts)
        return NULL;
    struct packet *bad = packet_copy(repeater->channel->network, packet);
    packet_stomp(bad);
    return bad;
}

static enum link_fate repeater_fate(const struct repeater *repeater, const struct packet *packet,
                                    sim_time start, sim_time end)
{
    const struct channel *channel = repeater->channel;
    int64_t bytes = channel_packet_bytes(channel, packet) - channel->preamble - packet->idle;
    if (channel->risked)
        ++*channel->risked;
    return channel->faults ? link_faults_judge(channel->faults, start, end, bytes) : LINK_PASSES;
}

// The number is the one that the receiver expects.
static struct packet *repeater_send_expected(struct repeater *repeater, struct packet *packet,
                                             sim_time start, sim_time end)
{
    enum link_fate fate = repeater_fate(repeater, packet, start, end);
    switch (fate) {
    case LINK_PASSES:
        repeater->outcome = OUTCOME_TAKEN;
        repeater->expected++;
        repeater->asked = false;
        kept_at(repeater, repeater->sending)->packet = NULL;
        return packet;
    case LINK_CORRUPTS:
        repeater->outcome = OUTCOME_CORRUPT;
        return repeater_stomped(repeater, packet);
    case LINK_LOSES:
    case LINK_IS_DOWN:
        break;
    }
    repeater->outcome = OUTCOME_LOST;
    return NULL;
}

struct packet *repeater_send(struct repeater *repeater, struct packet *packet, sim_time start,
                             sim_time end)
{
    repeater_advance(repeater);
    if (!repeater_due(repeater))
        repeater_keep(repeater, packet);
    repeater->sending = repeater->cursor++;
    kept_at(repeater, repeater->sending)->due = TIME_NEVER;
    kept_at(repeater, repeater->sending)->requested = false;
    if (repeater->sending == repeater->expected)
        return repeater_send_expected(repeater, packet, start, end);
    bool ahead = repeater->sending > repeater->expected;
    repeater->outcome = ahead ? OUTCOME_AHEAD : OUTCOME_REPEATED;
    if (repeater->channel->faults && link_faults_cut(repeater->channel->faults, start, end))
        repeater->outcome = OUTCOME_LOST;
    return NULL;
}

void repeater_cut(struct repeater *repeater, struct packet *packet)
{
    struct kept *kept = kept_at(repeater, repeater->sending);
    if (repeater->outcome != OUTCOME_TAKEN)
        return;
    struct packet *again = packet_copy(repeater->channel->network, packet);
    again->hop = kept->hop;
    again->route_bytes = kept->route_bytes;
    packet_stomp(packet);
    kept->packet = again;
    repeater->expected = repeater->sending;
    repeater->outcome = OUTCOME_LOST;
}

// ---- Answers ----

// The answer to a copy whose last bit left at `tail`. Returns when it has arrived; TIME_NEVER: it
// is lost.
static sim_time repeater_answer(const struct repeater *repeater, sim_time tail)
{
    const struct link_config *config = repeater->config;
    sim_time arrives = tail + repeater->answer;
    if (!repeater->answers)
        return arrives;
    sim_time start = tail + config->propagation + config->ack_turnaround;
    enum link_fate fate = link_faults_judge(repeater->answers, start, arrives - config->propagation,
                                            config->ack_bytes);
    return fate == LINK_PASSES ? arrives : TIME_NEVER;
}

// Packets before `number` are acknowledged at `when` at the latest.
static void repeater_acknowledge(struct repeater *repeater, uint64_t number, sim_time when)
{
    for (uint64_t i = number; i > repeater->base && when != TIME_NEVER; i--) {
        struct kept *kept = kept_at(repeater, i - 1);
        if (kept->acknowledged != TIME_NEVER)
            break;
        kept->acknowledged = when;
        kept->due = TIME_NEVER;
    }
}

// True if time-outs are in vain for good: the cable stays out, or nothing passes one of the
// directions.
static bool repeater_hopeless(const struct repeater *repeater, const struct kept *kept)
{
    const struct channel *channel = repeater->channel;
    const struct link_faults *answers = repeater->answers;
    bool there = channel->faults && kept->packet &&
                 link_faults_hopeless(channel->faults, kept->length - channel->preamble);
    return there || (answers && link_faults_hopeless(answers, repeater->config->ack_bytes));
}

// Returns the time at which the sender repeats a packet without an answer.
static sim_time repeater_time_out(const struct repeater *repeater, const struct kept *kept,
                                  sim_time tail)
{
    const struct channel *channel = repeater->channel;
    sim_time step = repeater->config->repeat_timeout;
    sim_time when = time_after(tail, step);
    sim_time up = channel->faults ? link_faults_up(channel->faults, when) : when;
    if (up == TIME_NEVER || repeater_hopeless(repeater, kept))
        return TIME_NEVER;
    step += channel_time(channel, kept->length);
    return when + (up - when + step - 1) / step * step;
}

static void repeater_wait(struct repeater *repeater, struct kept *kept, sim_time due)
{
    struct engine *engine = repeater->channel->network->engine;
    kept->due = MIN(kept->due, due);
    bool stuck = kept->due == TIME_NEVER;
    if (stuck && !repeater->stuck)
        count_timeout(repeater); // the first, after which nothing is different
    repeater->stuck = stuck;
    if (due == TIME_NEVER || (event_pending(&repeater->timer) && repeater->timer.when <= due))
        return;
    engine_reschedule(engine, &repeater->timer, MAX(due, engine_now(engine)));
}

// The receiver asks for the number that it expects.
static void repeater_ask(struct repeater *repeater, sim_time tail)
{
    struct kept *kept = kept_at(repeater, repeater->expected);
    if (repeater_hopeless(repeater, kept))
        return;
    sim_time when = repeater_answer(repeater, tail);
    repeater->asked = true;
    repeater_acknowledge(repeater, repeater->expected, when);
    if (when == TIME_NEVER)
        return;
    kept->requested = true;
    repeater_wait(repeater, kept, when);
}

void repeater_left(struct repeater *repeater, sim_time tail)
{
    struct kept *kept = kept_at(repeater, repeater->sending);
    switch (repeater->outcome) {
    case OUTCOME_TAKEN:
    case OUTCOME_REPEATED: {
        sim_time when = repeater_answer(repeater, tail);
        repeater_acknowledge(repeater, repeater->sending + 1, when);
        if (when == TIME_NEVER)
            repeater_wait(repeater, kept, repeater_time_out(repeater, kept, tail));
        break;
    }
    case OUTCOME_AHEAD:
        if (!repeater->asked)
            repeater_ask(repeater, tail);
        break;
    case OUTCOME_CORRUPT:
        repeater_ask(repeater, tail);
        repeater_wait(repeater, kept, repeater_time_out(repeater, kept, tail));
        break;
    case OUTCOME_LOST:
        if (repeater->sending <= repeater->expected)
            repeater_wait(repeater, kept, repeater_time_out(repeater, kept, tail));
        break;
    }
}

// A request has arrived, or an answer has not in time: goes back to the oldest number that is due.
static void repeater_request(struct engine *engine, struct event *event)
{
    struct repeater *repeater = container_of(event, struct repeater, timer);
    sim_time now = engine_now(engine), next = TIME_NEVER;
    repeater_advance(repeater);
    for (uint64_t number = repeater->next; number-- > repeater->base;) {
        struct kept *kept = kept_at(repeater, number);
        if (kept->due > now) {
            next = MIN(next, kept->due);
            continue;
        }
        kept->due = TIME_NEVER;
        if (!kept->requested)
            count_timeout(repeater);
        repeater->cursor = MIN(repeater->cursor, number);
    }
    if (next != TIME_NEVER)
        engine_schedule(engine, event, next);
    if (repeater_due(repeater))
        worm_go_back(repeater->channel);
}

sim_time repeater_opens(struct repeater *repeater)
{
    repeater_advance(repeater);
    if (repeater->next - repeater->base < (uint64_t)repeater->config->window)
        return repeater_now(repeater);
    return kept_at(repeater, repeater->base)->acknowledged;
}

int repeater_unacknowledged(struct repeater *repeater)
{
    repeater_advance(repeater);
    return (int)(repeater->next - repeater->base);
}

int repeater_stuck(struct repeater *repeater)
{
    return repeater->stuck ? repeater_unacknowledged(repeater) : 0;
}

char *repeater_describe_stuck(struct repeater *repeater)
{
    int packets = repeater_stuck(repeater);
    if (packets == 0)
        return NULL;
    const struct link_faults *faults = repeater->channel->faults;
    const char *why = "no answer comes back";
    if (faults && link_faults_up(faults, repeater_now(repeater)) == TIME_NEVER)
        why = "link down";
    else if (kept_at(repeater, repeater->base)->packet)
        why = "no packet passes";
    char *name = channel_name(repeater->channel);
    char *text = g_strdup_printf("link %s: %d packet%s unacknowledged, %s", name, packets,
                                 packets == 1 ? "" : "s", why);
    g_free(name);
    return text;
}

char *repeater_describe(struct repeater *repeater, int64_t *repeats)
{
    *repeats = repeater->repeats ? *repeater->repeats : 0;
    char *text = repeater_describe_stuck(repeater);
    if (text || *repeats == 0)
        return text;
    char *name = channel_name(repeater->channel);
    text = g_strdup_printf("%" G_GINT64_FORMAT " packet%s repeated on link %s", *repeats,
                           *repeats == 1 ? "" : "s", name);
    g_free(name);
    return text;
}
