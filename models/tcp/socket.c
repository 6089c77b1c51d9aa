// SPDX-License-Identifier: GPL-3.0-or-later
// System calls on sockets.
#include "models/tcp/stack.h"

#include <string.h>

// ---- Opening ----

static int listener_ready(const struct inet_socket *inet)
{
    return container_of(inet, const struct tcp_listener, inet)->head ? INET_READABLE : 0;
}

static const struct inet_socket_ops listener_ops = {
    .stage = &tcp_stage, .reads = INET_ACCEPT, .writes = INET_ACCEPT, .ready = listener_ready};

struct inet_socket *tcp_listener_inet(struct tcp_listener *listener)
{
    return &listener->inet;
}

struct tcp_listener *tcp_listen(struct cpu_context *context, struct tcp_host *host, uint16_t port,
                                const struct tcp_options *options, struct cpu_task *task)
{
    struct tcp_listener *listener = g_new0(struct tcp_listener, 1);
    listener->host = host;
    listener->port = port;
    if (options)
        listener->options = *options;
    listener->inet = (struct inet_socket){
        .ops = &listener_ops, .host = host->inet, .process = inet_process_of(host->inet, task)};
    g_ptr_array_add(host->listeners, listener);
    inet_enter(context, listener->inet.process, INET_OPEN);
    cpu_spend(context, host->config->open, &tcp_stage);
    return listener;
}

struct tcp_socket *tcp_accept(struct cpu_context *context, struct tcp_listener *listener)
{
    struct tcp_socket *socket = listener->head;
    listener->waiting = false;
    inet_enter(context, listener->inet.process, INET_ACCEPT);
    if (!socket) {
        listener->waiting = true;
        inet_sleep(context, listener->inet.process, true);
        return NULL;
    }
    listener->head = socket->next;
    socket->listener = NULL;
    cpu_spend(context, listener->host->config->open, &tcp_stage);
    return socket;
}

struct tcp_socket *tcp_connect(struct cpu_context *context, struct tcp_host *host, int station,
                               uint16_t port, const struct tcp_options *options,
                               struct cpu_task *task)
{
    struct inet_process *process = inet_process_of(host->inet, task);
    struct tcp_socket *socket = tcp_socket_new(host, inet_interface_toward(host->inet, station),
                                               station, port, host->next_port++, options);
    socket->inet.process = process;
    inet_enter(context, process, INET_OPEN);
    cpu_spend(context, host->config->open, &tcp_stage);
    tcp_enter(context, socket, TCP_SYN_SENT, "connect");
    tcp_send_syn(context, socket);
    return socket;
}

int tcp_socket_peer(const struct tcp_socket *socket)
{
    return socket->key.remote;
}

int tcp_socket_own(const struct tcp_socket *socket)
{
    return socket->key.local;
}

// ---- Writing ----

int tcp_runs_advance(struct tcp_run *runs, int count, int64_t bytes)
{
    int whole = 0;
    while (whole < count && bytes >= runs[whole].length)
        bytes -= runs[whole++].length;
    count -= whole;
    memmove(runs, runs + whole, (size_t)count * sizeof runs[0]);
    if (bytes == 0)
        return count;
    int64_t content = MIN(bytes, (int64_t)runs->content_length);
    runs->length -= bytes;
    runs->offset += bytes;
    runs->content_length -= (uint32_t)content;
    runs->content =
        runs->content_length > 0 ? (const unsigned char *)runs->content + content : NULL;
    return count;
}

// The segment that the next bytes go into: the last one if it was not sent and has room, or a new
// one if the buffer takes it. Bytes that must not be cut go beyond the buffer.
static struct tcp_buffer *tail_with_room(struct tcp_socket *socket, bool beyond)
{
    struct tcp_buffer *last = socket->snd.last;
    bool full = socket->snd.buffer.used >= socket->snd.buffer.size && !beyond;
    if (full && socket->config->buffer_charge == TCP_CHARGE_DATA)
        return NULL;
    if (socket->snd.unsent && last->length < tcp_current_mss(socket))
        return last;
    return full ? NULL : tcp_buffer_append(socket);
}

// Counts `bytes` that are written into a segment in the send buffer.
static void charge(struct tcp_socket *socket, struct tcp_buffer *buffer, int64_t bytes)
{
    buffer->length += bytes;
    socket->snd.end += bytes;
    if (socket->config->buffer_charge == TCP_CHARGE_TRUESIZE)
        return; // by tcp_buffer_append
    buffer->truesize += bytes;
    socket->snd.buffer.used += bytes;
}

// Copies from the user; the data are as warm as the whole message that they are part of.
static void copy_in(struct cpu_context *context, const struct tcp_socket *socket,
                    const struct tcp_run *run, int64_t bytes)
{
    const struct memory_config *memory = &socket->host->host->config.memory;
    int64_t whole = run->length + (run->message.generation ? run->offset : 0);
    sim_time setup = cpu_cost(context->cpu, memory->copy_setup);
    sim_time all = memory_copy_time(memory, context->cpu, whole, COPY_WARM) - setup;
    sim_time part = time_share(all, bytes, whole);
    cpu_spend_message(context, setup + part, &stage_copy, run->message);
    if (!socket->config->checksum_offload)
        cpu_spend_message(context,
                          cpu_cost_of_bytes(context->cpu, socket->config->checksum_copy, bytes),
                          &tcp_checksum_stage, run->message);
}

// Bytes that are written before they are sent: a full segment, or as much as the card cuts (Linux:
// tcp_xmit_size_goal), in whole segments.
static int64_t push_goal(const struct tcp_socket *socket)
{
    int64_t mss = tcp_current_mss(socket);
    int64_t most = MIN(socket->config->send_offload, socket->snd.max_wnd / 2);
    return MAX(mss, most / mss * mss);
}

static int64_t write_run(struct cpu_context *context, struct tcp_socket *socket,
                         const struct tcp_run *run)
{
    bool whole = run->length <= TCP_CONTENT_BYTES;
    int64_t taken = 0, unsent = 0;
    while (taken < run->length) {
        struct tcp_buffer *buffer = tail_with_room(socket, whole && taken > 0);
        if (!buffer)
            break;
        int64_t mss = tcp_current_mss(socket);
        int64_t bytes = MIN(run->length - taken, mss - buffer->length);
        if (socket->config->buffer_charge == TCP_CHARGE_DATA && !whole)
            bytes = MIN(bytes, socket->snd.buffer.size - socket->snd.buffer.used);
        copy_in(context, socket, run, bytes);
        tcp_stream_append(&socket->snd.stream, run, taken, bytes);
        charge(socket, buffer, bytes);
        taken += bytes;
        if (buffer->length < mss)
            continue;
        if (socket->snd.end > socket->snd.pushed + socket->snd.max_wnd / 2) {
            buffer->push = true;
            socket->snd.pushed = socket->snd.end;
        }
        unsent += buffer->length;
        if (unsent < push_goal(socket))
            continue;
        unsent = 0;
        tcp_push(context, socket);
    }
    return taken;
}

int64_t tcp_write(struct cpu_context *context, struct tcp_socket *socket, enum inet_call call,
                  const struct tcp_run *runs, int count)
{
    int64_t total = 0;
    inet_enter(context, socket->inet.process, call);
    cpu_spend_for(context, socket->config->send_call, &tcp_stage, runs[0].message);
    if (socket->gone)
        return -1;
    if (!tcp_established(socket))
        return socket->machine.state == TCP_SYN_SENT || socket->machine.state == TCP_SYN_RECEIVED
                   ? 0
                   : -1;
    int64_t wanted = 0;
    for (int i = 0; i < count; i++)
        wanted += runs[i].length;
    if (!tcp_above_low_water(socket, wanted)) {
        socket->snd.wants_space = true;
        return 0;
    }
    socket->snd.idle = socket->snd.outstanding == 0;
    socket->snd.writing = true;
    for (int i = 0; i < count; i++) {
        int64_t taken = write_run(context, socket, &runs[i]);
        total += taken;
        if (taken == runs[i].length)
            continue;
        socket->snd.wants_space = true;
        break;
    }
    if (total > 0 && socket->snd.unsent) { // what has left already has no PSH, nor when it comes
                                           // again
        socket->snd.last->push = true;
        socket->snd.pushed = socket->snd.end;
        tcp_push(context, socket);
    }
    socket->snd.writing = false;
    return total;
}

int64_t tcp_writable(const struct tcp_socket *socket, int64_t bytes)
{
    if (!tcp_established(socket) || !tcp_above_low_water(socket, bytes))
        return 0;
    int64_t room = socket->snd.buffer.size - socket->snd.buffer.used;
    if (socket->config->buffer_charge == TCP_CHARGE_DATA)
        return CLAMP(room, 0, bytes);
    int64_t mss = tcp_current_mss(socket), size = tcp_buffer_size(socket);
    int64_t taken = room > 0 ? (room + size - 1) / size * mss : 0;
    if (socket->snd.unsent)
        taken += MAX(0, mss - socket->snd.last->length);
    return MIN(taken, bytes);
}

// ---- Reading ----

// Copies to the user. Only what a processor has checksummed has been in a cache.
static void copy_out(struct cpu_context *context, struct tcp_socket *socket, int64_t bytes,
                     struct message_ref message)
{
    const struct host *host = socket->host->host;
    enum copy_source source =
        socket->config->checksum_offload ? COPY_COLD : host_received_source(host, context->cpu);
    mem_copy(context, &host->config.memory, bytes, source, message);
}

// Takes `bytes` from the received segments.
static void consume(struct cpu_context *context, struct tcp_socket *socket, int64_t bytes,
                    struct message_ref message)
{
    while (bytes > 0) {
        struct tcp_arrival *arrival = socket->rcv.ready_head;
        int64_t part = MIN(bytes, arrival->length - arrival->read);
        copy_out(context, socket, part, message);
        arrival->read += part;
        bytes -= part;
        if (arrival->read < arrival->length)
            return;
        socket->rcv.ready_head = arrival->next;
        socket->rcv.buffer.used -= arrival->truesize;
        pool_give(&socket->host->arrivals, arrival);
    }
}

int64_t tcp_read(struct cpu_context *context, struct tcp_socket *socket, enum inet_call call,
                 int64_t bytes, struct tcp_piece *pieces, int most, int *count)
{
    g_assert(bytes > 0 && most > 0);
    int64_t there = MIN(bytes, tcp_readable(socket)), total = 0;
    *count = 0;
    inet_enter(context, socket->inet.process, call);
    cpu_spend_for(context, socket->config->receive_call, &tcp_stage, MESSAGE_NONE);
    if (there == 0)
        return socket->gone || socket->rcv.fin_received ? -1 : 0;
    tcp_stream_release(socket->rcv.stream);
    while (total < there && *count < most) {
        struct tcp_piece *piece = &pieces[(*count)++];
        tcp_stream_take(socket->rcv.stream, there - total, piece);
        total += piece->length;
        consume(context, socket, piece->length, piece->message);
    }
    socket->rcv.copied += total;
    if (socket->machine.state != TCP_CLOSED)
        socket->host->receiver->read(socket, total);
    tcp_run_due(context, socket);
    return total;
}

void tcp_read_done(struct tcp_socket *socket)
{
    tcp_stream_release(socket->rcv.stream);
}

struct inet_socket *tcp_socket_inet(struct tcp_socket *socket)
{
    return &socket->inet;
}

// ---- Closing ----

enum tcp_end tcp_socket_take_end(struct tcp_socket *socket)
{
    enum tcp_end end = (enum tcp_end)socket->end;
    socket->end = TCP_END_NONE;
    return end;
}

// Whether the program has not ended sending yet.
static bool may_end(const struct tcp_socket *socket)
{
    switch ((enum tcp_state)socket->machine.state) {
    case TCP_ESTABLISHED:
    case TCP_SYN_RECEIVED:
    case TCP_CLOSE_WAIT:
        return true;
    case TCP_CLOSED:
    case TCP_SYN_SENT:
    case TCP_FIN_WAIT_1:
    case TCP_FIN_WAIT_2:
    case TCP_CLOSING:
    case TCP_LAST_ACK:
    case TCP_TIME_WAIT:
        return false;
    }
    return false;
}

static void end_sending(struct cpu_context *context, struct tcp_socket *socket, const char *event)
{
    bool peer_first = socket->machine.state == TCP_CLOSE_WAIT;
    tcp_enter(context, socket, peer_first ? TCP_LAST_ACK : TCP_FIN_WAIT_1, event);
    tcp_queue_fin(context, socket);
}

void tcp_shutdown(struct cpu_context *context, struct tcp_socket *socket)
{
    inet_enter(context, socket->inet.process, INET_CLOSE);
    cpu_spend(context, socket->config->open, &tcp_stage);
    if (may_end(socket))
        end_sending(context, socket, "shutdown");
}

void tcp_close(struct cpu_context *context, struct tcp_socket *socket)
{
    inet_enter(context, socket->inet.process, INET_CLOSE);
    cpu_spend(context, socket->config->open, &tcp_stage);
    socket->closed_by_user = true;
    if (socket->machine.state == TCP_SYN_SENT)
        tcp_enter(context, socket, TCP_CLOSED, "close");
    if (!may_end(socket))
        return;
    if (tcp_readable(socket) > 0) // unread data are lost, and a reset reports it (RFC
                                  // 2525, 2.17)
        tcp_send_reset(context, socket);
    else
        end_sending(context, socket, "close");
}

void tcp_listener_close(struct cpu_context *context, struct tcp_listener *listener)
{
    inet_enter(context, listener->inet.process, INET_CLOSE);
    cpu_spend(context, listener->host->config->open, &tcp_stage);
    for (struct tcp_socket *socket = listener->head; socket; socket = socket->next)
        if (socket->machine.state != TCP_CLOSED)
            tcp_send_reset(context, socket);
    listener->head = listener->tail = NULL;
    listener->port = 0; // no segment has this destination
}

// ---- Reports ----

json_t *tcp_socket_describe(const struct tcp_socket *socket)
{
    const struct tcp_host *host = socket->host;
    int peer = network_station_host(host->cluster->network, socket->key.remote);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "host",
                  host->host->name, "peer", host->cluster->hosts[peer]->name, "state",
                  machine_state_name(&tcp_connection_machine, &socket->machine), "unacknowledged",
                  (json_int_t)(socket->snd.nxt - socket->snd.una), "unsent",
                  (json_int_t)(socket->snd.end - socket->snd.nxt), "readable",
                  (json_int_t)tcp_readable(socket), "peer_window", (json_int_t)socket->snd.wnd,
                  "own_window", (json_int_t)tcp_receive_window(socket), "congestion_window",
                  (json_int_t)socket->cc.cwnd, "timeouts", (json_int_t)socket->rtt.backoff,
                  "recovery", machine_state_name(&tcp_recovery_machine, &socket->recovery.machine));
    const char *timer = inet_timer_armed(socket->timers[TCP_TIMER_RETRANSMIT]) ? "retransmission"
                        : inet_timer_armed(socket->timers[TCP_TIMER_PROBE])    ? "window probe"
                                                                               : "none";
    json_object_set_new(json, "timer", json_string(timer));
    return json;
}
