// SPDX-License-Identifier: GPL-3.0-or-later
// Segments that acknowledgments and blocks report as arrived, by their time of sending: round trips
// more finely than the kernel's clock, and the segment by which RACK judges the others (RFC
// 8985, 6.2).
#include "models/tcp/stack.h"

// A connection's segments leave in the order in which they are made, even if two processors make
// them, whose clocks differ: none is sent before the one ahead of it.
void tcp_rack_sent(const struct cpu_context *context, struct tcp_socket *socket,
                   struct tcp_buffer *buffer)
{
    struct tcp_rack *rack = &socket->extra->rack;
    rack->newest = buffer->sent = MAX(rack->newest, context->now);
    if (socket->recovery.machine.state == TCP_RECOVERY)
        rack->reduced_sent++;
}

// RFC 8985, 6.2, steps 1 to 3. A segment that was sent twice and arrives sooner than any round trip
// stands for its first sending.
void tcp_rack_delivered(const struct cpu_context *context, struct tcp_socket *socket,
                        const struct tcp_buffer *buffer)
{
    struct tcp_rack *rack = &socket->extra->rack;
    sim_time round_trip = MAX(context->now - buffer->sent, 1);
    int64_t end = tcp_buffer_end(buffer);
    rack->delivered++;
    if (buffer->transmissions > 1) {
        rack->ambiguous = true;
        if (round_trip < rack->shortest)
            return;
    } else {
        rack->last = round_trip;
        if (rack->first < 0)
            rack->first = round_trip;
        rack->reordered |= end < rack->highest;
    }
    rack->highest = MAX(rack->highest, end);
    rack->advanced = true;
    rack->round_trip = round_trip;
    if (buffer->sent < rack->sent || (buffer->sent == rack->sent && end <= rack->end))
        return;
    rack->sent = buffer->sent;
    rack->end = end;
}

void tcp_rack_established(const struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_rack *rack = &socket->extra->rack;
    rack->smoothed = rack->shortest = MAX(context->now - rack->sent, 1);
}

void tcp_rack_measure(const struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_rack *rack = &socket->extra->rack;
    bool valid = rack->first >= 0 && !rack->ambiguous;
    if (valid) {
        rack->smoothed += rack->smoothed == 0 ? rack->first : (rack->first - rack->smoothed) / 8;
        rack->shortest = rack->shortest == 0 ? rack->last : MIN(rack->shortest, rack->last);
    }
    if (rack->delivered > 0 && socket->cc.ops->measured)
        socket->cc.ops->measured(&socket->cc, &(struct inet_cc_sample){
                                                  .now = context->now,
                                                  .round_trip = valid ? rack->last : -1,
                                                  .smoothed = rack->smoothed,
                                                  .segment = socket->snd.mss,
                                                  .una = socket->snd.una,
                                                  .nxt = socket->snd.nxt,
                                              });
    rack->first = rack->last = -1;
    rack->ambiguous = false;
}
