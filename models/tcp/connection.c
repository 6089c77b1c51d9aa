// SPDX-License-Identifier: GPL-3.0-or-later
// Opening and closing connections (RFC 793, 3.4-3.5).
#include "models/tcp/stack.h"
#include "sim/core/fifo.h"

// Linux 2.4: SOCK_MIN_SNDBUF, SOCK_MIN_RCVBUF.
#define LEAST_SEND_BUFFER 2048
#define LEAST_RECEIVE_BUFFER 256
#define DEFAULT_MSS 536 // of a peer that does not say (RFC 1122, 4.2.2.6)

// RFC 9293, figure 5. LISTEN is a struct tcp_listener, which makes a socket per SYN, so a passive
// socket starts in CLOSED. Each state but CLOSED ends by a reset or by too many retransmissions.
// TIME-WAIT is the last: the host keeps the socket to the end of the run.
static const struct machine_state connection_states[] = {
    [TCP_CLOSED] = {"CLOSED", .next = MACHINE_TO(TCP_SYN_SENT, TCP_SYN_RECEIVED)},
    [TCP_SYN_SENT] = {"SYN-SENT",
                      .next = MACHINE_TO(TCP_SYN_RECEIVED, TCP_ESTABLISHED, TCP_CLOSED)},
    [TCP_SYN_RECEIVED] = {"SYN-RECEIVED",
                          .next = MACHINE_TO(TCP_ESTABLISHED, TCP_FIN_WAIT_1, TCP_CLOSED)},
    [TCP_ESTABLISHED] = {"ESTABLISHED",
                         .next = MACHINE_TO(TCP_FIN_WAIT_1, TCP_CLOSE_WAIT, TCP_CLOSED)},
    [TCP_FIN_WAIT_1] = {"FIN-WAIT-1", .next = MACHINE_TO(TCP_FIN_WAIT_2, TCP_CLOSING, TCP_CLOSED)},
    [TCP_FIN_WAIT_2] = {"FIN-WAIT-2", .next = MACHINE_TO(TCP_TIME_WAIT, TCP_CLOSED)},
    [TCP_CLOSE_WAIT] = {"CLOSE-WAIT", .next = MACHINE_TO(TCP_LAST_ACK, TCP_CLOSED)},
    [TCP_CLOSING] = {"CLOSING", .next = MACHINE_TO(TCP_TIME_WAIT, TCP_CLOSED)},
    [TCP_LAST_ACK] = {"LAST-ACK", .next = MACHINE_TO(TCP_CLOSED)},
    [TCP_TIME_WAIT] = {"TIME-WAIT", .next = MACHINE_TO(TCP_CLOSED)},
};

const struct machine_kind tcp_connection_machine = {
    .name = "tcp",
    .title = "TCP connection",
    .source = "RFC 9293, figure 5",
    .states = connection_states,
    .count = G_N_ELEMENTS(connection_states),
};

void tcp_enter(struct cpu_context *context, struct tcp_socket *socket, enum tcp_state state,
               const char *event)
{
    cpu_machine_enter(context, &tcp_connection_machine, &socket->machine, state,
                      tcp_machine_owner(socket), event);
    if (state != TCP_CLOSED)
        return;
    for (enum tcp_timer_kind kind = 0; kind < TCP_TIMERS; kind++)
        tcp_timer_cancel(socket, kind);
    g_hash_table_remove(socket->host->connections, &socket->key);
}

guint tcp_key_hash(gconstpointer key)
{
    const struct tcp_key *of = key;
    int64_t hash = (int64_t)of->remote << 32 | (int64_t)of->remote_port << 16 | of->port;
    return g_int64_hash(&hash);
}

gboolean tcp_key_equal(gconstpointer a, gconstpointer b)
{
    const struct tcp_key *one = a, *other = b;
    return one->local == other->local && one->remote == other->remote && one->port == other->port &&
           one->remote_port == other->remote_port;
}

// ---- Sockets ----

// The shift of the window that is offered (RFC 1323, 2.2).
static int window_shift(const struct tcp_socket *socket)
{
    int shift = 0;
    if (!socket->config->window_scale_by_buffer)
        return (int)socket->config->window_scale;
    while (shift < 14 && INT64_C(65535) << shift < socket->rcv.buffer.size)
        shift++;
    return shift;
}

static void init_receiving(struct tcp_socket *socket, int64_t asked)
{
    const struct tcp_config *config = socket->config;
    inet_buffer_init(&socket->rcv.buffer, &config->inet, asked, config->receive_buffer,
                     LEAST_RECEIVE_BUFFER);
    socket->rcv.scale = window_shift(socket);
    socket->scaling = config->window_scale_by_buffer || config->window_scale > 0;
    socket->host->receiver->init(socket);
}

// State of rules that Linux 2.4 does not have.
static void init_extra(struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    if (tcp_congestion_state(config) > 0)
        socket->cc.more = g_malloc0((gsize)tcp_congestion_state(config));
    if (config->recovery != TCP_RACK && config->congestion != TCP_CONGESTION_CUBIC &&
        config->receiver != TCP_RECEIVER_LINUX6 && config->send_offload == 0 &&
        config->receive_offload == 0)
        return;
    socket->extra = g_new0(struct tcp_extra, 1);
    socket->extra->rack.first = socket->extra->rack.last = -1;
}

struct tcp_socket *tcp_socket_new(struct tcp_host *host, struct inet_interface *interface,
                                  int remote, uint16_t remote_port, uint16_t port,
                                  const struct tcp_options *options)
{
    static const struct tcp_options none = {0};
    const struct tcp_config *config = host->config;
    struct tcp_socket *socket = g_new0(struct tcp_socket, 1);
    if (!options)
        options = &none;
    socket->host = host;
    socket->config = config;
    socket->inet = (struct inet_socket){.ops = &tcp_socket_ops, .host = host->inet};
    g_ptr_array_add(host->sockets, socket);
    socket->number = host->sockets->len;
    socket->interface = interface;
    socket->key = (struct tcp_key){inet_station(interface), remote, port, remote_port};
    socket->route = network_route(host->cluster->network, socket->key.local, remote);
    g_assert(socket->route);
    g_hash_table_add(host->connections, &socket->key);
    socket->snd.iss = (uint32_t)random_below(host->random, UINT32_MAX);
    socket->recovery.ops =
        config->recovery == TCP_RACK ? &tcp_recovery_rack : tcp_recovery_find(config->recovery);
    init_extra(socket);
    socket->timestamps = config->timestamps;
    socket->sack = socket->recovery.ops->sack;
    socket->snd.mss = socket->interface->mtu - IP_HEADER - TCP_HEADER;
    inet_buffer_init(&socket->snd.buffer, &config->inet, options->send_buffer, config->send_buffer,
                     LEAST_SEND_BUFFER);
    socket->snd.no_delay = options->no_delay;
    tcp_stream_init(&socket->snd.stream, &host->singles, &host->contents);
    socket->snd.end = 1;
    init_receiving(socket, options->receive_buffer);
    tcp_timers_init(socket);
    tcp_recovery_init(socket, 0);
    tcp_values_init(socket);
    return socket;
}

int64_t tcp_socket_footprint(void)
{
    int64_t tables = 4 * (int64_t)sizeof(void *); // a hash table, half full, and a list
    return (int64_t)sizeof(struct tcp_socket) + tables;
}

void tcp_socket_free(struct tcp_socket *socket)
{
    tcp_stream_clear(&socket->snd.stream);
    g_free(socket->extra);
    g_free(socket->cc.more);
    g_free(socket);
}

// ---- Handshake ----

// SYN, or SYN with ACK: first or again.
void tcp_send_syn(struct cpu_context *context, struct tcp_socket *socket)
{
    const struct tcp_config *config = socket->config;
    bool answer = socket->machine.state == TCP_SYN_RECEIVED;
    struct tcp_segment segment;
    tcp_segment_init(socket, context, &segment, answer ? TCP_SYN | TCP_ACK : TCP_SYN);
    segment.sequence = 0;
    segment.stream = &socket->snd.stream;
    segment.options |= TCP_OPTION_MSS;
    segment.mss = (uint16_t)(socket->interface->mtu - IP_HEADER - TCP_HEADER);
    if (socket->sack)
        segment.options |= TCP_OPTION_SACK_PERMITTED;
    if (socket->scaling) { // an answer's: if the peer has offered it, too
        segment.options |= TCP_OPTION_SCALE;
        segment.scale = (uint8_t)socket->rcv.scale;
    }
    // The window of a SYN is never scaled.
    segment.window = (uint16_t)MIN(socket->rcv.limit, 65535);
    socket->rcv.wnd = segment.window;
    if (socket->snd.nxt > 0)
        tcp_count_repeat(context, socket);
    socket->snd.nxt = 1;
    if (socket->extra)
        socket->extra->rack.sent = context->now;
    if (!inet_timer_armed(socket->timers[TCP_TIMER_RETRANSMIT]))
        tcp_timer_arm(context, socket, TCP_TIMER_RETRANSMIT, inet_rtt_timeout(&socket->rtt));
    tcp_segment_send(context, socket, &segment, config->send_ack);
}

// Takes the peer's options and window from its SYN.
static void take_syn(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    const struct tcp_config *config = socket->config;
    socket->rcv.irs = segment->initial;
    socket->rcv.stream = segment->stream;
    socket->peer_number = segment->from;
    socket->rcv.nxt = socket->rcv.copied = socket->rcv.wup = 1;
    socket->timestamps = config->timestamps && (segment->options & TCP_OPTION_TIMESTAMP);
    socket->sack = socket->recovery.ops->sack && (segment->options & TCP_OPTION_SACK_PERMITTED);
    if (!socket->sack && socket->recovery.ops->sack)
        socket->recovery.ops = tcp_recovery_find(TCP_NEWRENO);
    if (socket->timestamps)
        socket->rcv.ts_recent = segment->timestamp;
    int64_t mss = segment->options & TCP_OPTION_MSS ? segment->mss : DEFAULT_MSS;
    socket->snd.mss = MIN(mss, socket->interface->mtu - IP_HEADER - TCP_HEADER);
    if (socket->timestamps)
        socket->snd.mss -= TCP_TIMESTAMP_OPTION;
    int64_t multiple = config->mss_multiple;
    if (multiple > 0 && socket->snd.mss > multiple)
        socket->snd.mss -= socket->snd.mss % multiple;
    socket->scaling = socket->scaling && (segment->options & TCP_OPTION_SCALE);
    if (socket->scaling) {
        socket->snd.scale = segment->scale;
    } else {
        socket->rcv.scale = 0;
        socket->rcv.clamp = MIN(socket->rcv.clamp, 65535);
    }
    socket->snd.wnd = segment->window;
    socket->snd.wl1 = segment->sequence;
    socket->snd.max_wnd = socket->snd.wnd;
}

// Our SYN is acknowledged.
static void connection_established(struct cpu_context *context, struct tcp_socket *socket,
                                   const struct tcp_segment *segment, const char *event)
{
    const struct tcp_config *config = socket->config;
    socket->snd.una = 1;
    tcp_timer_cancel(socket, TCP_TIMER_RETRANSMIT);
    int64_t now = inet_ticks(socket->host->inet, context->now);
    if (socket->timestamps && segment->echo)
        inet_rtt_sample(&socket->rtt, tcp_timestamp(socket->host, context->now) - segment->echo);
    else if (socket->retries == 0)
        inet_rtt_sample(&socket->rtt, 0);
    if (socket->extra && socket->retries == 0)
        tcp_rack_established(context, socket);
    socket->retries = socket->rtt.backoff = 0;
    tcp_timer_slop(socket);
    socket->snd.last_sent = now;
    tcp_recovery_init(socket, now);
    socket->host->receiver->established(socket);
    // Linux: room for three segments, whatever the setting; Linux 6: for two first windows.
    int64_t segments = config->initial_window ? 2 * config->initial_window : 3;
    int64_t least = segments * (socket->snd.mss + config->inet.skb_overhead);
    if (!socket->snd.buffer.locked && config->buffer_charge == TCP_CHARGE_TRUESIZE)
        socket->snd.buffer.size =
            MAX(socket->snd.buffer.size, MIN(least, config->send_buffer_most));
    tcp_enter(context, socket, TCP_ESTABLISHED, event);
}

static void offer_to_listener(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_listener *listener = socket->listener;
    FIFO_APPEND(listener->head, listener->tail, socket, next);
    if (listener->waiting)
        inet_wake(context, listener->inet.process);
    else
        inet_notify(context, &listener->inet);
}

static struct tcp_listener *find_listener(const struct tcp_host *host, uint16_t port)
{
    for (guint i = 0; i < host->listeners->len; i++) {
        struct tcp_listener *listener = g_ptr_array_index(host->listeners, i);
        if (listener->port == port)
            return listener;
    }
    return NULL;
}

void tcp_syn_arrived(struct cpu_context *context, struct tcp_host *host,
                     struct inet_interface *interface, const struct packet *packet)
{
    const struct tcp_segment *segment = tcp_segment_of(packet);
    struct tcp_listener *listener = find_listener(host, segment->destination_port);
    if (!listener) {
        tcp_refuse(context, host, interface, packet);
        return;
    }
    struct tcp_socket *socket =
        tcp_socket_new(host, interface, route_from(packet->route), segment->source_port,
                       segment->destination_port, &listener->options);
    socket->inet.process = listener->inet.process;
    socket->listener = listener;
    take_syn(socket, segment);
    tcp_enter(context, socket, TCP_SYN_RECEIVED, "receive SYN");
    tcp_send_syn(context, socket);
}

// RFC 793, 3.9: an acknowledgment of something never sent is answered by a reset.
static bool wrong_ack(struct cpu_context *context, struct tcp_socket *socket,
                      const struct packet *packet)
{
    const struct tcp_segment *segment = tcp_segment_of(packet);
    if (!(segment->flags & TCP_ACK) || segment->acknowledgment == 1)
        return false;
    tcp_refuse(context, socket->host, socket->interface, packet);
    return true;
}

static bool syn_sent(struct cpu_context *context, struct tcp_socket *socket,
                     const struct packet *packet)
{
    const struct tcp_segment *segment = tcp_segment_of(packet);
    if (wrong_ack(context, socket, packet))
        return false;
    bool ack = segment->flags & TCP_ACK;
    if (segment->flags & TCP_RST) {
        if (ack)
            tcp_reset_arrived(context, socket);
        return false;
    }
    if (!(segment->flags & TCP_SYN))
        return false;
    take_syn(socket, segment);
    if (!ack) { // both have opened
        tcp_enter(context, socket, TCP_SYN_RECEIVED, "receive SYN");
        tcp_send_syn(context, socket);
        return false;
    }
    connection_established(context, socket, segment, "receive SYN, ACK");
    tcp_ack_send(context, socket);
    inet_notify(context, &socket->inet);
    return false;
}

static bool syn_received(struct cpu_context *context, struct tcp_socket *socket,
                         const struct packet *packet)
{
    const struct tcp_segment *segment = tcp_segment_of(packet);
    if (segment->flags & TCP_RST) {
        tcp_reset_arrived(context, socket);
        return false;
    }
    if (wrong_ack(context, socket, packet))
        return false;
    bool ack = segment->flags & TCP_ACK;
    if (!ack) {
        if (segment->flags & TCP_SYN) // our answer was lost
            tcp_send_syn(context, socket);
        return false;
    }
    if (!(segment->flags & TCP_SYN)) {
        socket->snd.wnd = (int64_t)segment->window << socket->snd.scale;
        socket->snd.max_wnd = MAX(socket->snd.max_wnd, socket->snd.wnd);
    }
    connection_established(context, socket, segment, "receive ACK");
    if (socket->listener)
        offer_to_listener(context, socket);
    inet_notify(context, &socket->inet);
    return true;
}

bool tcp_handshake(struct cpu_context *context, struct tcp_socket *socket,
                   const struct packet *packet)
{
    if (socket->machine.state == TCP_SYN_SENT)
        return syn_sent(context, socket, packet);
    return syn_received(context, socket, packet);
}

// ---- Closing ----

void tcp_fin_arrived(struct cpu_context *context, struct tcp_socket *socket)
{
    socket->rcv.nxt++;
    socket->rcv.fin_received = true;
    socket->ack.scheduled = socket->ack.now = true;
    switch ((enum tcp_state)socket->machine.state) {
    case TCP_ESTABLISHED:
        tcp_enter(context, socket, TCP_CLOSE_WAIT, "receive FIN");
        socket->ack.pingpong = true; // the program will close, too
        break;
    case TCP_FIN_WAIT_1:
        tcp_enter(context, socket, TCP_CLOSING, "receive FIN");
        tcp_ack_send(context, socket);
        break;
    case TCP_FIN_WAIT_2:
        tcp_enter(context, socket, TCP_TIME_WAIT, "receive FIN");
        tcp_ack_send(context, socket);
        break;
    case TCP_CLOSED:
    case TCP_SYN_SENT:
    case TCP_SYN_RECEIVED: // the segment's ACK has ended it
    case TCP_CLOSE_WAIT:
    case TCP_CLOSING:
    case TCP_LAST_ACK:
    case TCP_TIME_WAIT:
        break;
    }
}

void tcp_fin_acknowledged(struct cpu_context *context, struct tcp_socket *socket)
{
    switch ((enum tcp_state)socket->machine.state) {
    case TCP_FIN_WAIT_1:
        tcp_enter(context, socket, TCP_FIN_WAIT_2, "receive ACK of FIN");
        break;
    case TCP_CLOSING:
        tcp_enter(context, socket, TCP_TIME_WAIT, "receive ACK of FIN");
        break;
    case TCP_LAST_ACK:
        tcp_enter(context, socket, TCP_CLOSED, "receive ACK of FIN");
        break;
    case TCP_CLOSED:
    case TCP_SYN_SENT:
    case TCP_SYN_RECEIVED:
    case TCP_ESTABLISHED:
    case TCP_FIN_WAIT_2:
    case TCP_CLOSE_WAIT:
    case TCP_TIME_WAIT:
        break;
    }
}

// Answers a segment that no socket takes (RFC 793, 3.4).
void tcp_refuse(struct cpu_context *context, struct tcp_host *host,
                struct inet_interface *interface, const struct packet *packet)
{
    const struct tcp_segment *segment = tcp_segment_of(packet);
    if (segment->flags & TCP_RST)
        return;
    int64_t used = segment->payload + !!(segment->flags & TCP_SYN) + !!(segment->flags & TCP_FIN);
    bool ack = segment->flags & TCP_ACK;
    struct tcp_segment reset = {
        .sequence = ack ? segment->acknowledgment : 0,
        .acknowledgment = ack ? 0 : segment->sequence + used,
        .initial = segment->peer_initial,
        .peer_initial = segment->initial,
        .source_port = segment->destination_port,
        .destination_port = segment->source_port,
        .flags = (uint8_t)(TCP_RST | (ack ? 0 : TCP_ACK)),
    };
    const struct route *route =
        network_route(host->cluster->network, inet_station(interface), route_from(packet->route));
    tcp_host_send(context, host, interface, NULL, tcp_segment_packet(interface, route, &reset),
                  host->config->send_ack);
}

void tcp_connection_lost(struct cpu_context *context, struct tcp_socket *socket, enum tcp_end end,
                         const char *event)
{
    socket->gone = true;
    socket->end = (uint8_t)end;
    tcp_enter(context, socket, TCP_CLOSED, event);
    inet_notify(context, &socket->inet);
}

void tcp_send_reset(struct cpu_context *context, struct tcp_socket *socket)
{
    struct tcp_segment segment;
    tcp_segment_init(socket, context, &segment, TCP_RST | TCP_ACK);
    tcp_segment_send(context, socket, &segment, socket->config->send_ack);
    tcp_connection_lost(context, socket, TCP_END_NONE, "send RST");
}

void tcp_refuse_segment(struct cpu_context *context, struct tcp_socket *socket,
                        const struct packet *packet, enum tcp_end end)
{
    tcp_refuse(context, socket->host, socket->interface, packet);
    tcp_connection_lost(context, socket, end, "send RST");
}

void tcp_reset_arrived(struct cpu_context *context, struct tcp_socket *socket)
{
    enum tcp_end end = socket->machine.state == TCP_SYN_SENT     ? TCP_END_REFUSED
                       : socket->machine.state == TCP_CLOSE_WAIT ? TCP_END_BROKEN
                                                                 : TCP_END_RESET;
    tcp_connection_lost(context, socket, end, "receive RST");
}
