// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow_stream.h"

#include "sim/core/engine.h"
#include "sim/core/fifo.h"
#include "sim/core/pool.h"

struct flow_stream {
    struct event opens; // an acknowledgment that was held back is sent
    struct flow_streams *streams;
    struct flow_stream *back;        // the other direction
    struct stream_part *head, *tail; // wait for the window
    // Of the sender.
    int64_t window, flight;   // segments
    int64_t used;             // most of the window, since full_at
    int64_t sent_at, full_at; // ticks
    // Of the receiver.
    int64_t unacked, unacked_bytes; // arrived: segments, bytes
    int64_t longest;                // segment that it takes for a full one, bytes
    int64_t received_at;            // tick of the last arrival
    sim_time due;                   // of the acknowledgment that is held back; TIME_NEVER: none is
    bool received, both_ways;
};

struct flow_streams {
    struct sim *sim;
    struct stack_stream rule;
    void (*start)(struct stream_part *part);
    struct pool pool;
    GPtrArray *all;
};

static int64_t stream_tick(const struct flow_stream *stream)
{
    return sim_now(stream->streams->sim) / stream->streams->rule.tick;
}

// ---- The window ----

// A window that was not full for a pause shrinks by half of its unused part; one without a segment
// in that time, by half for each (RFC 2861).
static void window_shrinks(struct flow_stream *stream, int64_t now)
{
    const struct stack_stream *rule = &stream->streams->rule;
    if (now - stream->sent_at > rule->pause && stream->flight == 0) {
        int64_t least = MIN(rule->window, stream->window);
        for (int64_t rest = now - stream->sent_at - rule->pause; rest > 0 && stream->window > least;
             rest -= rule->pause)
            stream->window = MAX(stream->window / 2, least);
        stream->full_at = now;
        stream->used = 0;
    }
}

static void window_used(struct flow_stream *stream, int64_t now)
{
    const struct stack_stream *rule = &stream->streams->rule;
    stream->sent_at = now;
    if (stream->flight < stream->window) {
        stream->used = MAX(stream->used, stream->flight);
        if (now - stream->full_at < rule->pause)
            return;
        int64_t used = MAX(stream->used, 2);
        if (used < stream->window)
            stream->window = (stream->window + used) / 2;
    }
    stream->full_at = now;
    stream->used = 0;
}

static void part_starts(struct flow_stream *stream, struct stream_part *part)
{
    int64_t now = stream_tick(stream);
    struct flow_stream *back = stream->back;
    window_shrinks(stream, now);
    // Of a long one, all segments but an odd last one are acknowledged before its end.
    stream->flight += part->segments > 1 ? part->segments % 2 : 1;
    if (part->segments > 1)
        stream->window =
            MAX(stream->window, MIN(stream->window + part->segments / 2, part->segments));
    window_used(stream, now);
    part->carries = back->unacked;
    back->unacked = back->unacked_bytes = 0;
    back->due = TIME_NEVER;
    if (back->received && now - back->received_at < stream->streams->rule.delay)
        back->both_ways = true;
    stream->streams->start(part);
}

static bool window_is_full(const struct flow_stream *stream)
{
    return stream->flight > 0 && stream->flight >= stream->window;
}

static void release_waiting(struct flow_stream *stream)
{
    while (stream->head && !window_is_full(stream)) {
        struct stream_part *part = stream->head;
        stream->head = part->next;
        part_starts(stream, part);
    }
}

// ---- Acknowledgments ----

static void stream_acknowledged(struct flow_stream *stream, int64_t segments)
{
    if (segments == 0)
        return;
    if (window_is_full(stream))
        stream->window++;
    stream->flight -= segments;
    release_waiting(stream);
}

static void acknowledge_all(struct flow_stream *stream)
{
    int64_t segments = stream->unacked;
    stream->unacked = stream->unacked_bytes = 0;
    stream->due = TIME_NEVER;
    stream_acknowledged(stream, segments);
}

// The timer has ended.
static void timer_ends(struct flow_stream *stream)
{
    stream->both_ways = false;
    acknowledge_all(stream);
}

static void stream_opens(struct engine *engine, struct event *event)
{
    struct flow_stream *stream = container_of(event, struct flow_stream, opens);
    if (stream->due <= engine_now(engine))
        timer_ends(stream);
}

// A timer has an event only while a message waits for it.
static void timer_catches_up(struct flow_stream *stream)
{
    if (stream->due <= sim_now(stream->streams->sim))
        timer_ends(stream);
}

static void hold_back(struct flow_stream *stream)
{
    const struct stack_stream *rule = &stream->streams->rule;
    if (stream->due == TIME_NEVER)
        stream->due = (stream_tick(stream) + rule->delay) * rule->tick;
}

static void await_timer(struct flow_stream *stream)
{
    if (stream->head && stream->due != TIME_NEVER)
        engine_reschedule(stream->streams->sim->engine, &stream->opens, stream->due);
}

// ---- Messages ----

bool flow_stream_send(struct flow_stream *stream, struct stream_part *part, int64_t bytes)
{
    const struct stack_stream *rule = &stream->streams->rule;
    part->stream = stream;
    part->bytes = rule->header + bytes;
    part->segments = MAX((part->bytes + rule->segment - 1) / rule->segment, 1);
    timer_catches_up(stream);
    timer_catches_up(stream->back);
    if (!stream->head && !window_is_full(stream)) {
        part_starts(stream, part);
        return true;
    }
    FIFO_APPEND(stream->head, stream->tail, part, next);
    await_timer(stream);
    return false;
}

void flow_stream_arrived(struct stream_part *part)
{
    struct flow_stream *stream = part->stream;
    const struct stack_stream *rule = &stream->streams->rule;
    timer_catches_up(stream);
    stream->received = true;
    stream->received_at = stream_tick(stream);
    stream->unacked += part->segments > 1 ? part->segments % 2 : 1;
    stream->unacked_bytes += part->segments > 1 ? part->bytes % rule->segment : part->bytes;
    stream->longest = MAX(stream->longest, MIN(part->bytes, rule->segment));
    if (!stream->both_ways || stream->unacked_bytes > stream->longest)
        acknowledge_all(stream);
    else if (stream->unacked > 0)
        hold_back(stream);
    await_timer(stream);
    stream_acknowledged(stream->back, part->carries);
}

// ---- All of them ----

struct flow_streams *flow_streams_new(struct sim *sim, const struct stack_stream *rule,
                                      void (*start)(struct stream_part *part))
{
    struct flow_streams *streams = g_new0(struct flow_streams, 1);
    streams->sim = sim;
    streams->rule = *rule;
    streams->start = start;
    pool_init(&streams->pool, sizeof(struct flow_stream));
    streams->all = g_ptr_array_new();
    return streams;
}

void flow_streams_free(struct flow_streams *streams)
{
    if (!streams)
        return;
    g_ptr_array_free(streams->all, TRUE);
    pool_clear(&streams->pool);
    g_free(streams);
}

static struct flow_stream *stream_new(struct flow_streams *streams, uint32_t *number)
{
    struct flow_stream *stream = pool_take(&streams->pool);
    *stream = (struct flow_stream){
        .streams = streams,
        .window = streams->rule.window,
        .longest = streams->rule.least,
        .both_ways = streams->rule.exchanged,
        .due = TIME_NEVER,
    };
    event_init(&stream->opens, stream_opens);
    g_ptr_array_add(streams->all, stream);
    *number = streams->all->len;
    return stream;
}

void flow_streams_open(struct flow_streams *streams, uint32_t *there, uint32_t *back)
{
    struct flow_stream *one = stream_new(streams, there), *other = stream_new(streams, back);
    one->back = other;
    other->back = one;
}

struct flow_stream *flow_streams_get(const struct flow_streams *streams, uint32_t number)
{
    return g_ptr_array_index(streams->all, number - 1);
}
