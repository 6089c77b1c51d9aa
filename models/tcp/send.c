// SPDX-License-Identifier: GPL-3.0-or-later
// Output: which segments leave, and when: windows, Nagle, retransmissions, probes, acknowledgments.
#include "models/tcp/stack.h"

static const struct wait window_ack = {"an ACK, as the congestion window is full", WAIT_ACK};
static const struct wait small_ack = {"an ACK of an earlier small segment", WAIT_ACK};
static const struct wait offered_window = {"the window that the receiver offers", WAIT_WINDOW};

// ---- One segment ----

// Selective acknowledgments, as many as fit besides `payload`.
static void add_blocks(const struct tcp_socket *socket, struct tcp_segment *segment,
                       int64_t payload)
{
    int64_t used = IP_HEADER + TCP_HEADER + tcp_segment_options(segment) + payload;
    int64_t fit = MIN((socket->interface->mtu - used - 4) / 8, socket->timestamps ? 3 : 4);
    const struct tcp_gaps *gaps = socket->rcv.gaps;
    for (int i = 0; i < gaps->block_count && i < fit; i++) {
        segment->sack[i] = (struct tcp_sack_offset){
            (uint32_t)(gaps->blocks[i].from - socket->rcv.nxt),
            (uint32_t)(gaps->blocks[i].to - socket->rcv.nxt),
        };
        segment->sack_count++;
    }
}

void tcp_segment_init(struct tcp_socket *socket, struct cpu_context *context,
                      struct tcp_segment *segment, int flags)
{
    *segment = (struct tcp_segment){
        .from = socket->number,
        .to = socket->peer_number,
        .sequence = socket->snd.nxt,
        .initial = socket->snd.iss,
        .peer_initial = socket->rcv.irs,
        .source_port = socket->key.port,
        .destination_port = socket->key.remote_port,
        .flags = (uint8_t)flags,
    };
    if (socket->timestamps) {
        segment->options |= TCP_OPTION_TIMESTAMP;
        segment->timestamp = tcp_timestamp(socket->host, context->now);
    }
    if (flags & TCP_ACK) {
        segment->acknowledgment = socket->rcv.nxt;
        segment->echo = socket->rcv.ts_recent;
    }
    segment->window = tcp_window_offer(socket);
}

// The bytes of a message that a segment carries.
static void set_message(const struct tcp_socket *socket, struct packet *packet,
                        const struct tcp_segment *segment)
{
    int64_t length;
    if (segment->payload == 0)
        return;
    tcp_stream_find(&socket->snd.stream, segment->sequence - 1, segment->payload, &packet->message,
                    &packet->offset, &length);
    packet->length = (uint32_t)length;
}

// The card cuts the segment from the one before it (send_offload): both were sent by one call, one
// after the other.
static bool rides_along(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    int64_t bytes = segment->payload;
    if (socket->config->send_offload == 0 || bytes == 0)
        return false;
    struct tcp_offload *offload = &socket->extra->offload;
    bool rides = segment->sequence == offload->ride_next && bytes <= offload->ride_room;
    if (!rides)
        offload->ride_room = socket->config->send_offload;
    offload->ride_room -= bytes;
    offload->ride_next = segment->sequence + bytes;
    return rides;
}

void tcp_segment_send(struct cpu_context *context, struct tcp_socket *socket,
                      struct tcp_segment *segment, struct cost cost)
{
    if ((segment->flags & TCP_ACK) && !(segment->flags & TCP_SYN) && socket->rcv.gaps)
        add_blocks(socket, segment, segment->payload);
    struct packet *packet = tcp_segment_packet(socket->interface, socket->route, segment);
    set_message(socket, packet, segment);
    if (segment->flags & TCP_ACK)
        tcp_ack_sent(socket);
    if (rides_along(socket, segment))
        tcp_host_send_part(context, socket->host, socket->interface, &socket->snd.leaving, packet);
    else
        tcp_host_send(context, socket->host, socket->interface, &socket->snd.leaving, packet, cost);
}

// Tells the trace that the next segment, which had to wait, leaves.
static void trace_release(const struct cpu_context *context, struct tcp_socket *socket)
{
    if (!socket->snd.held_for)
        return;
    trace_note(socket->host->sim->trace, cpu_lane(context->cpu),
               &(struct trace_note){.kind = TRACE_HELD,
                                    .wait = socket->snd.held_for,
                                    .where = "TCP",
                                    .from = socket->snd.held_since,
                                    .to = context->now});
    socket->snd.held_for = NULL;
}

static void first_transmission(struct tcp_socket *socket, struct tcp_buffer *buffer)
{
    socket->snd.unsent = buffer->next;
    socket->snd.outstanding++;
    socket->snd.nxt = tcp_buffer_end(buffer);
    if (buffer->length < tcp_current_mss(socket))
        socket->snd.last_small = socket->snd.nxt;
}

void tcp_buffer_send(struct cpu_context *context, struct tcp_socket *socket,
                     struct tcp_buffer *buffer)
{
    const struct tcp_config *config = socket->config;
    int64_t now = inet_ticks(socket->host->inet, context->now);
    struct tcp_segment segment;
    int flags = TCP_ACK | (buffer->fin ? TCP_FIN : 0) | (buffer->push ? TCP_PSH : 0);
    if (buffer->transmissions++ > 0) {
        tcp_count_repeat(context, socket);
    } else {
        tcp_recovery_idle(socket, now);
        trace_release(context, socket);
        first_transmission(socket, buffer);
    }
    buffer->when = socket->snd.last_sent = now;
    if (socket->extra)
        tcp_rack_sent(context, socket, buffer);
    tcp_segment_init(socket, context, &segment, flags);
    segment.sequence = buffer->sequence;
    segment.payload = (uint32_t)buffer->length;
    if (buffer->length > 0)
        tcp_ack_data_sent(socket, now);
    tcp_segment_send(context, socket, &segment,
                     buffer->length > 0 ? config->send_segment : config->send_ack);
    if (inet_timer_armed(socket->timers[TCP_TIMER_RETRANSMIT]))
        return;
    tcp_timer_cancel(socket, TCP_TIMER_PROBE);
    tcp_timer_arm(context, socket, TCP_TIMER_RETRANSMIT, inet_rtt_timeout(&socket->rtt));
}

void tcp_ack_send(struct cpu_context *context, struct tcp_socket *socket)
{
    if (socket->machine.state == TCP_CLOSED)
        return;
    struct tcp_segment segment;
    tcp_segment_init(socket, context, &segment, TCP_ACK);
    (*socket->host->pure_acks)++;
    tcp_segment_send(context, socket, &segment, socket->config->send_ack);
}

// ---- Retransmissions ----

static void retransmit(struct cpu_context *context, struct tcp_socket *socket,
                       struct tcp_buffer *buffer)
{
    buffer->lost = buffer->retransmitted = true;
    tcp_buffer_send(context, socket, buffer);
    tcp_timer_cancel(socket, TCP_TIMER_PROBE);
}

static void retransmit_first(struct cpu_context *context, struct tcp_socket *socket)
{
    if (socket->snd.outstanding > 0)
        retransmit(context, socket, socket->snd.first);
}

// Sends the retransmissions that the congestion window allows now.
static void retransmit_marked(struct cpu_context *context, struct tcp_socket *socket)
{
    bool marked = socket->recovery.machine.state == TCP_LOSS ||
                  (socket->recovery.machine.state == TCP_RECOVERY && socket->recovery.ops->sack);
    while (marked && tcp_recovery_room(socket, 0)) {
        struct tcp_buffer *buffer = tcp_scoreboard_next(socket, false);
        if (!buffer || !tcp_recovery_room(socket, buffer->length))
            return;
        retransmit(context, socket, buffer);
    }
}

// ---- Permission to send ----

// RFC 896: a small segment waits for what was under way before its write (FreeBSD 6.2: tcp_output,
// TF_LASTIDLE). As Minshall has it and Linux, it waits only for an earlier small one.
static bool nagle_holds(const struct tcp_socket *socket, const struct tcp_buffer *buffer)
{
    bool waits = buffer == socket->snd.last && buffer->length < tcp_current_mss(socket) &&
                 !buffer->fin && !socket->snd.no_delay && socket->snd.outstanding > 0;
    if (!waits || socket->config->nagle == TCP_NAGLE_RFC896)
        return waits && !socket->snd.idle;
    return socket->snd.last_small > socket->snd.una && socket->snd.last_small <= socket->snd.nxt;
}

bool tcp_in_window(const struct tcp_socket *socket, const struct tcp_buffer *buffer)
{
    return tcp_buffer_end(buffer) <= socket->snd.una + socket->snd.wnd;
}

static bool may_leave(const struct tcp_socket *socket, const struct tcp_buffer *buffer)
{
    bool fin_alone = buffer->fin && buffer->length == 0;
    return !nagle_holds(socket, buffer) &&
           (fin_alone || tcp_recovery_room(socket, buffer->length)) &&
           (fin_alone || tcp_in_window(socket, buffer));
}

// Notes for the trace why the next segment stays.
static void note_hold(const struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_buffer *next = socket->snd.unsent;
    if (!socket->host->sim->trace || socket->snd.held_for || !next || may_leave(socket, next))
        return;
    socket->snd.held_since = context->now;
    if (!tcp_in_window(socket, next))
        socket->snd.held_for = &offered_window;
    else if (nagle_holds(socket, next))
        socket->snd.held_for = &small_ack;
    else
        socket->snd.held_for = &window_ack;
}

static bool may_send(const struct tcp_socket *socket)
{
    switch ((enum tcp_state)socket->machine.state) {
    case TCP_ESTABLISHED:
    case TCP_CLOSE_WAIT:
    case TCP_FIN_WAIT_1:
    case TCP_CLOSING:
    case TCP_LAST_ACK:
        return true;
    case TCP_CLOSED:
    case TCP_SYN_SENT:
    case TCP_SYN_RECEIVED:
    case TCP_FIN_WAIT_2:
    case TCP_TIME_WAIT:
        return false;
    }
    return false;
}

void tcp_push(struct cpu_context *context, struct tcp_socket *socket)
{
    if (!may_send(socket))
        return;
    if (!socket->snd.writing)
        socket->snd.idle = socket->snd.outstanding == 0;
    if (socket->extra)
        socket->extra->offload.ride_room = 0;
    retransmit_marked(context, socket);
    const struct tcp_buffer *first = socket->snd.unsent;
    while (socket->snd.unsent && may_leave(socket, socket->snd.unsent)) {
        if (inet_full(socket->interface)) { // Linux keeps it, and slows down
            tcp_recovery_local(socket);
            break;
        }
        tcp_buffer_send(context, socket, socket->snd.unsent);
    }
    if (socket->snd.unsent != first) {
        tcp_recovery_sent(socket, inet_ticks(socket->host->inet, context->now));
        if (socket->recovery.ops->probes)
            tcp_tail_schedule(context, socket);
    }
    // RFC 3517, NextSeg, rule 3: nothing new to send, and there is room.
    if (!socket->snd.unsent && socket->recovery.machine.state == TCP_RECOVERY &&
        socket->recovery.ops->last_resort) {
        struct tcp_buffer *buffer = tcp_scoreboard_next(socket, true);
        if (buffer && tcp_recovery_room(socket, buffer->length)) {
            buffer->retransmitted = true;
            tcp_buffer_send(context, socket, buffer);
        }
    }
    if (socket->extra)
        socket->extra->offload.ride_room = 0;
    note_hold(context, socket);
    if (socket->snd.outstanding == 0 && socket->snd.unsent &&
        !inet_timer_armed(socket->timers[TCP_TIMER_PROBE]) &&
        socket->probes < socket->config->probes)
        tcp_timer_probe(context, socket);
    tcp_values_tell(context, socket);
}

// ---- Probing a closed window (RFC 1122, 4.2.2.17) ----

// A window that is open, but too small for the next segment, takes a part of it; a closed one is
// asked for by a segment that the peer must answer.
void tcp_send_probe(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_buffer *next = socket->snd.unsent;
    int64_t room = socket->snd.una + socket->snd.wnd - next->sequence;
    if (room > 0) {
        if (room < next->length)
            tcp_buffer_split(socket, next, room);
        next->push = true;
        tcp_buffer_send(context, socket, next);
        return;
    }
    struct tcp_segment segment;
    tcp_segment_init(socket, context, &segment, TCP_ACK);
    segment.sequence = socket->snd.una - 1;
    (*socket->host->probes_sent)++;
    tcp_segment_send(context, socket, &segment, socket->config->send_ack);
}

// ---- FIN ----

void tcp_queue_fin(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_buffer *buffer = socket->snd.unsent ? socket->snd.last : tcp_buffer_append(socket);
    buffer->fin = true;
    socket->snd.end++;
    socket->snd.fin_queued = true;
    tcp_push(context, socket);
}

// ---- Due segments ----

void tcp_run_due(struct cpu_context *context, struct tcp_socket *socket)
{
    if (socket->due & TCP_DUE_RETRANSMISSION)
        retransmit_first(context, socket);
    if (socket->due & TCP_DUE_MARKED)
        retransmit_marked(context, socket);
    if (socket->due & TCP_DUE_ACK)
        tcp_ack_send(context, socket);
    socket->due = 0;
}
