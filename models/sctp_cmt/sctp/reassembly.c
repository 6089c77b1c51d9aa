// SPDX-License-Identifier: GPL-3.0-or-later
// From chunks to messages (RFC 9260, 6.5, 6.6, 6.9): fragments with consecutive TSNs grow together
// to runs; a complete message goes to the reader, unless it must wait for its turn in its stream.
// A hole in one stream holds up no other.
//
// Held data are found by their first and their last TSN, so that a fragment finds its neighbours at
// once, however much is held.
#include "models/sctp_cmt/sctp/association.h"
#include "sim/core/fifo.h"

#define FIRST_ROOM 16 // a power of two

// ---- Held data, by TSN ----

static struct sctp_incoming **place(const struct sctp_in *in, uint32_t tsn)
{
    return &in->holds[tsn & (in->hold_room - 1)];
}

// Returns what is held that ends with the TSN, or begins with it; NULL: nothing.
static struct sctp_incoming *ending(const struct sctp_in *in, uint32_t tsn)
{
    struct sctp_incoming *found = in->hold_room ? *place(in, tsn) : NULL;
    return found && found->last_tsn == tsn ? found : NULL;
}

static struct sctp_incoming *beginning(const struct sctp_in *in, uint32_t tsn)
{
    struct sctp_incoming *found = in->hold_room ? *place(in, tsn) : NULL;
    return found && found->first_tsn == tsn ? found : NULL;
}

// Room for TSNs from cum_tsn to the one after the highest.
static void reassembly_make_room(struct sctp_in *in, uint32_t tsn)
{
    uint32_t highest = sctp_tsn_before(in->highest, tsn) ? tsn : in->highest;
    uint32_t span = highest - in->cum_tsn + 2, old_room = in->hold_room, room = MAX(old_room, 1);
    if (span <= old_room)
        return;
    while (room < MAX(span, FIRST_ROOM))
        room *= 2;
    struct sctp_incoming **old = in->holds;
    in->holds = g_new0(struct sctp_incoming *, room);
    in->hold_room = room;
    for (uint32_t i = 0; i < old_room; i++) {
        struct sctp_incoming *held = old[i];
        if (!held)
            continue;
        *place(in, held->last_tsn) = held;
        if (sctp_tsn_before(in->cum_tsn, held->first_tsn))
            *place(in, held->first_tsn) = held;
    }
    g_free(old);
}

// Its share of the receive buffer.
static int64_t weight(const struct sctp_in *in, const struct sctp_incoming *incoming)
{
    return incoming->bytes +
           in->hold_charge * (int64_t)(incoming->last_tsn - incoming->first_tsn + 1);
}

static void hold(struct sctp_in *in, struct sctp_incoming *incoming)
{
    *place(in, incoming->first_tsn) = incoming;
    *place(in, incoming->last_tsn) = incoming;
    in->held += weight(in, incoming);
}

static void release_hold(struct sctp_in *in, const struct sctp_incoming *incoming)
{
    if (*place(in, incoming->first_tsn) == incoming)
        *place(in, incoming->first_tsn) = NULL;
    if (*place(in, incoming->last_tsn) == incoming)
        *place(in, incoming->last_tsn) = NULL;
    in->held -= weight(in, incoming);
}

static void discard(struct sctp_association *association, struct sctp_incoming *incoming)
{
    release_hold(&association->in, incoming);
    sctp_message_free(incoming->message);
    pool_give(&association->host->incoming, incoming);
}

void sctp_in_visit(const struct sctp_association *association,
                   void (*visit)(const struct sctp_incoming *incoming, void *data), void *data)
{
    const struct sctp_in *in = &association->in;
    for (uint32_t i = 0; i < in->hold_room; i++)
        if (in->holds[i] && place(in, in->holds[i]->last_tsn) == &in->holds[i])
            visit(in->holds[i], data);
}

void sctp_in_discard(struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    for (uint32_t i = 0; i < in->hold_room; i++)
        if (in->holds[i] && place(in, in->holds[i]->last_tsn) == &in->holds[i])
            discard(association, in->holds[i]); // takes it out of its other place, too
}

// ---- Streams ----

static struct sctp_incoming **waiting_place(const struct sctp_stream_in *stream, uint16_t ssn)
{
    return &stream->waiting[ssn & (stream->room - 1)];
}

// A complete message waits for its turn. Returns false if another one has its SSN.
static bool stream_wait(struct sctp_stream_in *stream, struct sctp_incoming *incoming)
{
    uint32_t span = (uint16_t)(incoming->ssn - stream->ssn) + 1u;
    if (span > stream->room) {
        uint32_t old_room = stream->room, room = MAX(old_room, FIRST_ROOM);
        while (room < span)
            room *= 2;
        struct sctp_incoming **old = stream->waiting;
        stream->waiting = g_new0(struct sctp_incoming *, room);
        stream->room = room;
        for (uint32_t i = 0; i < old_room; i++)
            if (old[i])
                *waiting_place(stream, old[i]->ssn) = old[i];
        g_free(old);
    }
    if (*waiting_place(stream, incoming->ssn))
        return false;
    *waiting_place(stream, incoming->ssn) = incoming;
    stream->count++;
    return true;
}

// Takes the message of that SSN off the waiting ones; NULL: it is not among them.
static struct sctp_incoming *stream_take(struct sctp_stream_in *stream, uint16_t ssn)
{
    struct sctp_incoming *incoming = stream->count > 0 ? *waiting_place(stream, ssn) : NULL;
    if (!incoming || incoming->ssn != ssn)
        return NULL;
    *waiting_place(stream, ssn) = NULL;
    stream->count--;
    return incoming;
}

static struct sctp_stream_in *stream_of(const struct sctp_in *in,
                                        const struct sctp_incoming *incoming)
{
    return &in->streams[incoming->stream];
}

// ---- To the reader ----

static void deliver(struct cpu_context *context, struct sctp_association *association,
                    struct sctp_incoming *incoming)
{
    struct sctp_in *in = &association->in;
    release_hold(in, incoming);
    in->queued += incoming->bytes;
    in->overhead += incoming->charge - incoming->bytes;
    sctp_deliver(context, association, incoming);
}

// Delivers the messages whose turn it is.
static void drain(struct cpu_context *context, struct sctp_association *association,
                  struct sctp_stream_in *stream)
{
    struct sctp_incoming *incoming;
    while ((incoming = stream_take(stream, stream->ssn))) {
        stream->ssn++;
        deliver(context, association, incoming);
    }
}

// A message is complete, and in `holds`. Returns false if its SSN was used before.
static bool complete(struct cpu_context *context, struct sctp_association *association,
                     struct sctp_incoming *incoming)
{
    struct sctp_in *in = &association->in;
    if (incoming->unordered && in->partial) {
        FIFO_APPEND(in->unordered_head, in->unordered_tail, incoming, next);
        return true;
    }
    if (incoming->unordered) {
        deliver(context, association, incoming);
        return true;
    }
    struct sctp_stream_in *stream = stream_of(in, incoming);
    if (sctp_ssn_before(incoming->ssn, stream->ssn))
        return false;
    if (incoming->ssn != stream->ssn || in->partial)
        return stream_wait(stream, incoming);
    stream->ssn++;
    deliver(context, association, incoming);
    if (stream->count > 0)
        drain(context, association, stream);
    return true;
}

// ---- Partial delivery: a message of at least half of the buffer is read in parts, and others
// wait until it has ended (RFC 9260, 6.9; the BSD stack's point of partial delivery) ----

static void partial_ended(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    in->partial = false;
    if (in->partial_ordered)
        in->streams[in->partial_stream].ssn++;
    while (in->unordered_head) {
        struct sctp_incoming *incoming = in->unordered_head;
        in->unordered_head = incoming->next;
        deliver(context, association, incoming);
    }
    for (int i = 0; i < in->stream_count; i++)
        drain(context, association, &in->streams[i]);
}

static void deliver_part(struct cpu_context *context, struct sctp_association *association,
                         struct sctp_incoming *part)
{
    struct sctp_in *in = &association->in;
    bool ends = part->ends;
    in->partial_tsn = part->last_tsn;
    deliver(context, association, part);
    if (ends)
        partial_ended(context, association);
}

// Everything before it has arrived and is complete, so that it needs nothing but its own rest.
static bool too_large_to_wait(const struct sctp_association *association,
                              const struct sctp_incoming *run)
{
    const struct sctp_in *in = &association->in;
    return run && run->begins && !run->ends &&
           2 * run->bytes >= association->settings.receive_buffer &&
           (run->unordered || run->ssn == stream_of(in, run)->ssn);
}

void sctp_partial_delivery(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_in *in = &association->in;
    struct sctp_incoming *part;
    while (in->partial && (part = beginning(in, in->partial_tsn + 1)) && !part->begins)
        deliver_part(context, association, part);
    part = in->partial ? NULL : ending(in, in->cum_tsn);
    if (!too_large_to_wait(association, part))
        return;
    in->partial = true;
    in->partial_ordered = !part->unordered;
    in->partial_stream = part->stream;
    deliver_part(context, association, part);
}

// ---- A chunk ----

static struct sctp_incoming *incoming_new(struct sctp_association *association,
                                          const struct sctp_path *from,
                                          const struct sctp_chunk *chunk)
{
    struct sctp_incoming *incoming = pool_take(&association->host->incoming);
    const struct sctp_data *data = &chunk->data;
    *incoming = (struct sctp_incoming){
        .message = data->message,
        .association = association,
        .first_tsn = data->tsn,
        .last_tsn = data->tsn,
        .bytes = data->bytes,
        .charge = data->bytes + association->host->config->mbuf_charge,
        .offset = data->offset,
        .protocol = data->protocol,
        .stream = data->stream,
        .ssn = data->ssn,
        .station = from->remote,
        .unordered = chunk->flags & SCTP_DATA_UNORDERED,
        .begins = chunk->flags & SCTP_DATA_BEGIN,
        .ends = chunk->flags & SCTP_DATA_END,
    };
    if (data->message)
        sctp_message_ref(data->message);
    return incoming;
}

// May `next` go on where `run` stops?
static bool same_message(const struct sctp_incoming *run, const struct sctp_incoming *next)
{
    return run->stream == next->stream && run->unordered == next->unordered &&
           (run->unordered || run->ssn == next->ssn) && run->message == next->message;
}

// Do the neighbours by TSN fit the chunk? A message's fragments have consecutive TSNs.
static bool fits_message(const struct sctp_in *in, const struct sctp_incoming *run,
                         const struct sctp_incoming *chunk, const struct sctp_incoming *next)
{
    if (run && run->ends != chunk->begins)
        return false;
    if (next && next->begins != chunk->ends)
        return false;
    if (in->partial && chunk->first_tsn == in->partial_tsn + 1) {
        if (chunk->begins)
            return false;
    } else if (!run && chunk->first_tsn == in->cum_tsn + 1 && !chunk->begins) {
        return false;
    }
    return (!run || run->ends || same_message(run, chunk)) &&
           (!next || next->begins || same_message(chunk, next));
}

// Appends `next`, which follows `run`, to it. `next` is freed.
static void join(struct sctp_association *association, struct sctp_incoming *run,
                 struct sctp_incoming *next)
{
    struct sctp_in *in = &association->in;
    release_hold(in, run);
    release_hold(in, next);
    run->last_tsn = next->last_tsn;
    run->bytes += next->bytes;
    run->charge += next->charge;
    run->ends = next->ends;
    *place(in, run->last_tsn) = run;
    if (sctp_tsn_before(in->cum_tsn, run->first_tsn))
        *place(in, run->first_tsn) = run;
    in->held += weight(in, run);
    sctp_message_free(next->message);
    pool_give(&association->host->incoming, next);
}

bool sctp_reassemble(struct cpu_context *context, struct sctp_association *association,
                     const struct sctp_path *from, const struct sctp_chunk *chunk)
{
    struct sctp_in *in = &association->in;
    uint32_t tsn = chunk->data.tsn;
    reassembly_make_room(in, tsn);
    struct sctp_incoming *run = ending(in, tsn - 1), *next = beginning(in, tsn + 1);
    struct sctp_incoming *incoming = incoming_new(association, from, chunk);
    bool fit = fits_message(in, run, incoming, next);
    hold(in, incoming);
    if (!fit) {
        discard(association, incoming);
        return false;
    }
    if (next && !next->begins)
        join(association, incoming, next);
    if (run && !run->ends) {
        join(association, run, incoming);
        incoming = run;
    }
    if (!incoming->begins || !incoming->ends)
        return true;
    if (complete(context, association, incoming))
        return true;
    discard(association, incoming);
    return false;
}

// ---- Discarding received data ----

// Takes a message off those that wait for the end of a partial delivery.
static void unordered_take(struct sctp_in *in, const struct sctp_incoming *incoming)
{
    struct sctp_incoming **at = &in->unordered_head, *before = NULL;
    while (*at != incoming) {
        before = *at;
        at = &before->next;
    }
    *at = incoming->next;
    if (in->unordered_tail == incoming)
        in->unordered_tail = before;
}

static void renege(struct sctp_association *association, struct sctp_incoming *incoming)
{
    struct sctp_in *in = &association->in;
    bool whole = incoming->begins && incoming->ends;
    if (whole && incoming->unordered)
        unordered_take(in, incoming);
    else if (whole)
        stream_take(stream_of(in, incoming), incoming->ssn);
    sctp_map_remove(in, incoming->first_tsn, incoming->last_tsn);
    discard(association, incoming);
}

bool sctp_renege(struct sctp_association *association, uint32_t tsn)
{
    struct sctp_in *in = &association->in;
    for (uint32_t at = in->highest; in->hold_room && sctp_tsn_before(tsn, at); at--) {
        struct sctp_incoming *incoming = ending(in, at);
        if (!incoming || !sctp_tsn_before(tsn, incoming->first_tsn))
            continue;
        renege(association, incoming);
        return true;
    }
    return false;
}

// Runs that end at cum_tsn or between it and `cum_tsn` will never be complete.
static void abandon_runs(struct sctp_association *association, uint32_t cum_tsn)
{
    struct sctp_in *in = &association->in;
    for (uint32_t i = 0; i < in->hold_room; i++) {
        struct sctp_incoming *run = in->holds[i];
        if (run && !(run->begins && run->ends) && !sctp_tsn_before(cum_tsn, run->last_tsn))
            discard(association, run);
    }
}

// All up to the SSN is skipped: what has come of it goes to the reader.
static void skip_to(struct cpu_context *context, struct sctp_association *association,
                    struct sctp_stream_in *stream, uint16_t ssn)
{
    while (!sctp_ssn_before(ssn, stream->ssn)) {
        struct sctp_incoming *incoming = stream_take(stream, stream->ssn++);
        if (incoming)
            deliver(context, association, incoming);
    }
    drain(context, association, stream);
}

void sctp_reassembly_forward(struct cpu_context *context, struct sctp_association *association,
                             uint32_t cum_tsn, const struct sctp_bytes *streams)
{
    struct sctp_in *in = &association->in;
    abandon_runs(association, cum_tsn);
    if (in->partial && sctp_tsn_before(in->partial_tsn, cum_tsn)) // the rest of it is abandoned
        partial_ended(context, association);
    for (uint32_t at = 0; streams && at + 4 <= streams->length; at += 4) {
        uint16_t stream = sctp_get16(streams->data + at), ssn = sctp_get16(streams->data + at + 2);
        if (stream < in->stream_count && !in->partial)
            skip_to(context, association, &in->streams[stream], ssn);
    }
}
