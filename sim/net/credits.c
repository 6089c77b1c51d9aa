// SPDX-License-Identifier: GPL-3.0-or-later
// Flow control by credits of one byte: a byte can start on a channel when the byte before it has
// left and the sender has a credit for it in the slack buffer at the far end, of B bytes. A byte
// holds its credit from its start on this channel until its start on the next one; the credit then
// returns to the sender without delay.
//
// The computation: let F(c, P, n) be the time at which n bytes of P have left channel c, granted at
// g. Then
//     F(c, P, n) = max(g + n byte times, F(c', Q, m)),
// where Q's m-th byte is the one B bytes before P's n-th in the stream through the buffer at the
// end of c (it may be P's own, and is then n - B), less R because Q is shorter there, and c' is the
// channel that Q takes from there. If Q's byte is a route byte, the second term is the time at
// which it has been taken out. Bytes that have left the buffer for good no longer count. So the end
// of a transmission is a chain of one term per hop downstream, known as soon as all packets in the
// chain are granted. A grant can only change the channels upstream of it, one per hop. The formula
// assumes that a byte is always present when its turn comes. That holds if B bytes take at least as
// long as header, propagation and switch latency, which network_check ensures.
#include "sim/net/wormhole.h"

// ---- When a packet leaves ----

// Computes the time at which the first n bytes of the channel's holder have left it: F of the head
// comment. Returns false if that depends on a future grant, or on itself: around a cycle of full
// buffers every byte waits for the next.
static bool credits_left(struct channel *channel, int64_t n, sim_time *when)
{
    uint64_t walk = ++channel->network->walks;
    *when = 0;
    for (;;) {
        struct worm *worm = channel->worm;
        *when = MAX(*when, worm->granted + channel_time(channel, n));
        if (!worm->buffered)
            return true;
        if (worm->walk == walk && worm->walk_bytes <= n)
            return false;
        worm->walk = walk;
        worm->walk_bytes = n;
        // The byte that has to leave the buffer before the n-th can enter it.
        n -= worm->slack;
        uint32_t entry = worm->tail - 1;
        while (n < 1 && entry != worm->head)
            n += slack_at(worm, --entry)->length;
        if (n < 1)
            return true;
        if (entry != worm->head)
            return false;
        n -= channel->route_bytes;
        if (n < 1) {
            *when = MAX(*when, worm->asked - channel_time(channel, -n));
            return true;
        }
        if (!worm->front_out)
            return false;
        channel = worm->front_out;
    }
}

// Schedules the holder's end if it is known. Returns false if it was known before: a known end is
// final, and nothing upstream changes either. (It could not even be computed again, because packets
// that it depends on may have left the buffer.)
static bool credits_schedule_end(struct channel *channel)
{
    sim_time when;
    if (event_pending(&channel->worm->event) || channel->worm->kept)
        return false;
    if (credits_left(channel, channel->worm->length, &when))
        worm_ends(channel, when);
    return true;
}

// Schedules the ends of the holders upstream of `origin`, whose end or first in the slack buffer
// has become known; in a cycle of held channels that leads to `origin` again.
static void credits_schedule_upstream(const struct channel *origin, struct channel *channel)
{
    while (channel && channel != origin && channel->worm->held && credits_schedule_end(channel))
        channel = channel->worm->feeder;
}

// A packet that is longer than all slack buffers upstream of it holds all its channels until the
// next grant: none of their ends can be known before that.
static bool credits_stretched(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    return worm->buffered && worm->length - worm->behind > channel->route_bytes;
}

static void credits_start(struct channel *channel)
{
    struct worm *worm = channel->worm;
    worm->behind = worm->slack + (worm->feeder ? worm->feeder->worm->behind : 0);
    if (worm->buffered) {
        int64_t header = MIN(worm->header, worm->length);
        slack_ready(channel, worm->granted + channel_time(channel, header) + channel->delay);
    }
    if (credits_stretched(channel))
        return;
    credits_schedule_end(channel);
    credits_schedule_upstream(channel, channel->worm->feeder);
}

static void credits_fronted(struct channel *channel)
{
    (void)channel; // credits_left reads worm.asked
}

// The route bytes of the next packet leave without a grant. The tail after them may wait for just
// that.
static void credits_popped(struct channel *channel)
{
    const struct worm *worm = channel->worm;
    if (channel->route_bytes && worm->held && credits_schedule_end(channel))
        credits_schedule_upstream(channel, worm->feeder);
}

static bool credits_blocked(const struct channel *channel)
{
    return !event_pending(&channel->worm->event);
}

const struct flow_control credits_flow_control = {
    .start = credits_start,
    .fronted = credits_fronted,
    .popped = credits_popped,
    .blocked = credits_blocked,
};
