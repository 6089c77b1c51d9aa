// SPDX-License-Identifier: GPL-3.0-or-later
// The send queue and what leaves it: windows, Nagle, probes.
#include "models/tcp/stack.h"

static const struct wait window_ack = {"an ACK, as the congestion window is full", WAIT_ACK};
static const struct wait small_ack = {"an ACK of an earlier small segment", WAIT_ACK};
static const struct wait offered_window = {"the window that the receiver offers", WAIT_WINDOW};

#define SEND_LEAST_MSS 28 // 68 bytes of IP less its and TCP's header

static int64_t send_buffer_end(const struct tcp_buffer *buffer)
{
    return buffer->sequence + buffer->length + buffer->fin;
}

// Full segments are at most half of the largest window that the peer has offered, lest a small
// window is never filled.
int64_t tcp_current_mss(const struct tcp_socket *socket)
{
    if (socket->snd.max_wnd > 0 && socket->snd.mss > socket->snd.max_wnd / 2)
        return MAX(socket->snd.max_wnd / 2, SEND_LEAST_MSS);
    return socket->snd.mss;
}

int64_t tcp_own_mss(const struct tcp_socket *socket)
{
    return socket->interface->mtu - IP_HEADER - TCP_HEADER -
           (socket->timestamps ? TCP_TIMESTAMP_OPTION : 0);
}

// Returns the bytes that one segment counts in the send buffer besides what is written into it:
// Linux allocates it for a full one.
int64_t tcp_buffer_size(const struct tcp_socket *socket)
{
    if (socket->config->buffer_charge == TCP_CHARGE_DATA)
        return 0;
    return tcp_current_mss(socket) + socket->config->inet.skb_overhead;
}

struct tcp_buffer *tcp_buffer_append(struct tcp_socket *socket)
{
    struct tcp_buffer *buffer = pool_take(&socket->host->buffers);
    *buffer = (struct tcp_buffer){
        .previous = socket->snd.last,
        .sequence = socket->snd.end,
        .truesize = tcp_buffer_size(socket),
    };
    if (socket->snd.last)
        socket->snd.last->next = buffer;
    else
        socket->snd.first = buffer;
    socket->snd.last = buffer;
    if (!socket->snd.unsent)
        socket->snd.unsent = buffer;
    socket->snd.buffer.used += buffer->truesize;
    return buffer;
}

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

void tcp_segment_send(struct cpu_context *context, struct tcp_socket *socket,
                      struct tcp_segment *segment, struct cost cost)
{
    if ((segment->flags & TCP_ACK) && !(segment->flags & TCP_SYN) && socket->rcv.gaps)
        add_blocks(socket, segment, segment->payload);
    struct packet *packet = tcp_segment_packet(socket->interface, socket->route, segment);
    set_message(socket, packet, segment);
    if (segment->flags & TCP_ACK)
        tcp_ack_sent(socket);
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
    socket->snd.nxt = send_buffer_end(buffer);
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
        (*socket->host->retransmissions)++;
    } else {
        tcp_recovery_idle(socket, now);
        trace_release(context, socket);
        first_transmission(socket, buffer);
    }
    buffer->when = socket->snd.last_sent = now;
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

// ---- What may leave ----

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

static bool in_window(const struct tcp_socket *socket, const struct tcp_buffer *buffer)
{
    return send_buffer_end(buffer) <= socket->snd.una + socket->snd.wnd;
}

static bool may_leave(const struct tcp_socket *socket, const struct tcp_buffer *buffer)
{
    bool fin_alone = buffer->fin && buffer->length == 0;
    return !nagle_holds(socket, buffer) &&
           (fin_alone || tcp_recovery_room(socket, buffer->length)) &&
           (fin_alone || in_window(socket, buffer));
}

// Notes for the trace why the next segment stays.
static void note_hold(const struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_buffer *next = socket->snd.unsent;
    if (!socket->host->sim->trace || socket->snd.held_for || !next || may_leave(socket, next))
        return;
    socket->snd.held_since = context->now;
    if (!in_window(socket, next))
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
    tcp_recovery_retransmit(context, socket);
    const struct tcp_buffer *first = socket->snd.unsent;
    while (socket->snd.unsent && may_leave(socket, socket->snd.unsent)) {
        if (inet_full(socket->interface)) { // Linux keeps it, and slows down
            tcp_recovery_local(socket);
            break;
        }
        tcp_buffer_send(context, socket, socket->snd.unsent);
    }
    if (socket->snd.unsent != first)
        tcp_recovery_sent(socket, inet_ticks(socket->host->inet, context->now));
    // RFC 3517, NextSeg, rule 3: nothing new to send, and there is room.
    if (!socket->snd.unsent && socket->recovery.machine.state == TCP_RECOVERY &&
        socket->recovery.ops->sack) {
        struct tcp_buffer *buffer = tcp_scoreboard_next(socket, true);
        if (buffer && tcp_recovery_room(socket, buffer->length)) {
            buffer->retransmitted = true;
            tcp_buffer_send(context, socket, buffer);
        }
    }
    note_hold(context, socket);
    if (socket->snd.outstanding == 0 && socket->snd.unsent &&
        !inet_timer_armed(socket->timers[TCP_TIMER_PROBE]) &&
        socket->probes < socket->config->probes)
        tcp_timer_probe(context, socket);
    tcp_values_tell(context, socket);
}

// ---- Probing a closed window (RFC 1122, 4.2.2.17) ----

static void split(struct tcp_socket *socket, struct tcp_buffer *buffer, int64_t length)
{
    struct tcp_buffer *rest = pool_take(&socket->host->buffers);
    *rest = *buffer;
    rest->previous = buffer;
    rest->sequence = buffer->sequence + length;
    rest->length = buffer->length - length;
    buffer->length = length;
    buffer->fin = buffer->push = false;
    buffer->next = rest;
    if (rest->next)
        rest->next->previous = rest;
    else
        socket->snd.last = rest;
    if (socket->config->buffer_charge == TCP_CHARGE_DATA) {
        buffer->truesize = buffer->length;
        rest->truesize = rest->length;
    } else {
        socket->snd.buffer.used += rest->truesize;
    }
}

// A window that is open, but too small for the next segment, takes a part of it; a closed one is
// asked for by a segment that the peer must answer.
void tcp_send_probe(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_buffer *next = socket->snd.unsent;
    int64_t room = socket->snd.una + socket->snd.wnd - next->sequence;
    if (room > 0) {
        if (room < next->length)
            split(socket, next, room);
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

// ---- Acknowledged ----

static void buffer_free(struct tcp_socket *socket, struct tcp_buffer *buffer)
{
    socket->snd.first = buffer->next;
    if (socket->snd.first)
        socket->snd.first->previous = NULL;
    else
        socket->snd.last = NULL;
    socket->snd.buffer.used -= buffer->truesize;
    pool_give(&socket->host->buffers, buffer);
}

int64_t tcp_clean(struct cpu_context *context, struct tcp_socket *socket, int64_t acknowledgment,
                  bool *sample, int64_t *sent_at)
{
    int64_t segments = 0;
    bool again = false;
    (void)context;
    *sample = false;
    while (socket->snd.first != socket->snd.unsent &&
           send_buffer_end(socket->snd.first) <= acknowledgment) {
        struct tcp_buffer *buffer = socket->snd.first;
        // Karn: no measurement from what was sent twice.
        again |= buffer->transmissions > 1;
        if (!*sample)
            *sent_at = buffer->when;
        *sample = true;
        socket->snd.outstanding--;
        segments++;
        buffer_free(socket, buffer);
    }
    *sample &= !again;
    socket->snd.una = acknowledgment;
    return segments;
}
