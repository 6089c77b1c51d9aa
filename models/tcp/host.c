// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of one host: between its card and its sockets.
#include "models/tcp/capture.h"
#include "models/tcp/stack.h"

#define FIRST_PORT 32768 // Linux 2.4: net.ipv4.ip_local_port_range

static void host_receive(struct cpu_context *context, void *owner, struct packet *packet);
static void host_sent(struct cpu_context *context, void *owner, void *token);

static void host_frame_bytes(void *owner, const struct packet *packet, uint8_t *bytes,
                             uint32_t room)
{
    (void)owner;
    const struct tcp_segment *segment = (const struct tcp_segment *)(const void *)packet->header;
    tcp_segment_bytes(segment, route_from(packet->route), route_to(packet->route), bytes, room);
}

static const struct nic_protocol ip_protocol = {
    .receive = host_receive,
    .sent = host_sent,
    .frame_bytes = host_frame_bytes,
};

struct tcp_host *tcp_host_new(struct cluster *cluster, struct nic *nic,
                              const struct tcp_config *config)
{
    struct tcp_host *host = g_new0(struct tcp_host, 1);
    host->sim = cluster->sim;
    host->cluster = cluster;
    host->nic = nic;
    host->host = cluster->hosts[network_station_host(cluster->network, nic_station(nic))];
    host->config = config;
    host->sockets = g_ptr_array_new();
    host->listeners = g_ptr_array_new_with_free_func(g_free);
    host->processes = g_ptr_array_new_with_free_func(g_free);
    host->connections = g_hash_table_new(g_int64_hash, g_int64_equal);
    host->next_port = FIRST_PORT;
    char *stream = g_strdup_printf("tcp station %d", nic_station(nic));
    host->random = random_new(cluster->sim->seed, stream);
    g_free(stream);
    pool_init(&host->buffers, sizeof(struct tcp_buffer));
    pool_init(&host->arrivals, sizeof(struct tcp_arrival));
    pool_init(&host->contents, TCP_CONTENT_BYTES);
    cpu_task_init(&host->timer_task, host_interrupt_core(host->host), CPU_KERNEL, tcp_timers_run);
    host->segments_sent = sim_counter(host->sim, "tcp segments sent");
    host->segments_received = sim_counter(host->sim, "tcp segments received");
    host->retransmissions =
        sim_loss_counter(host->sim, "tcp segments retransmitted", LOSS_REPEATED);
    host->timeouts = sim_loss_counter(host->sim, "tcp retransmission timeouts", LOSS_TIMEOUT);
    host->recoveries = sim_counter(host->sim, "tcp fast retransmits");
    host->duplicates_received = sim_counter(host->sim, "tcp segments received twice");
    host->probes_sent = sim_counter(host->sim, "tcp window probes");
    host->acks_delayed = sim_counter(host->sim, "tcp acknowledgments delayed");
    host->pure_acks = sim_counter(host->sim, "tcp acknowledgments without data");
    host->held = sim_counter(host->sim, "tcp segments held back by a full transmit queue");
    host->queue_drops =
        sim_loss_counter(host->sim, "tcp frames dropped by a full transmit queue", LOSS_DROPPED);
    nic_register(nic, IP_ETHERTYPE, &ip_protocol, host);
    return host;
}

void tcp_host_free(struct tcp_host *host)
{
    if (!host)
        return;
    for (guint i = 0; i < host->sockets->len; i++)
        tcp_socket_free(g_ptr_array_index(host->sockets, i));
    g_ptr_array_free(host->sockets, TRUE);
    g_ptr_array_free(host->listeners, TRUE);
    g_ptr_array_free(host->processes, TRUE);
    g_hash_table_unref(host->connections);
    random_free(host->random);
    pool_clear(&host->buffers);
    pool_clear(&host->arrivals);
    pool_clear(&host->contents);
    g_free(host);
}

int tcp_host_station(const struct tcp_host *host)
{
    return nic_station(host->nic);
}

void tcp_charge(struct cpu_context *context, struct cost cost, const char *stage,
                struct message_ref message)
{
    cpu_spend_message(context, cpu_cost(context->cpu, cost), stage, message);
}

// ---- Processes ----

struct tcp_process *tcp_process_of(struct tcp_host *host, struct cpu_task *task)
{
    for (guint i = 0; i < host->processes->len; i++) {
        struct tcp_process *known = g_ptr_array_index(host->processes, i);
        if (known->task == task)
            return known;
    }
    struct tcp_process *process = g_new0(struct tcp_process, 1);
    process->task = task;
    process->host = host->host;
    process->epoch = 1;
    g_ptr_array_add(host->processes, process);
    return process;
}

// Enters the kernel; a process that was woken within a call is there already and is switched to.
void tcp_enter(struct cpu_context *context, struct tcp_process *process)
{
    bool in_call = process->in_call;
    if (process->switch_due)
        host_switch_in(context, process->host);
    if (!in_call)
        cpu_spend(context, process->host->config.kernel.system_call, "trap");
    process->asleep = process->switch_due = process->in_call = false;
}

void tcp_sleep(struct cpu_context *context, struct tcp_process *process, bool in_call)
{
    cpu_spend(context, process->host->config.kernel.block_process, "block");
    process->asleep = true;
    process->asleep_since = context->now;
    process->in_call = in_call;
}

// ---- Sending ----

struct packet *tcp_segment_packet(struct tcp_host *host, const struct route *route,
                                  const struct tcp_segment *segment)
{
    struct packet *packet = packet_new(host->cluster->network);
    struct tcp_segment *header = packet_header(packet, struct tcp_segment);
    *header = *segment;
    header->identification = host->identification++;
    packet->protocol = IP_ETHERTYPE;
    packet->route = route;
    packet->wire_bytes = (uint32_t)(ETHERNET_HEADER + tcp_segment_ip_bytes(segment) + ETHERNET_FCS);
    return packet;
}

// Puts a frame into the card's ring. The one that fills the ring reports when it has left, and so
// does one in transmit_interrupt.
static void ring_put(struct tcp_host *host, struct packet *packet)
{
    bool last = nic_tx_room(host->nic) == 1;
    void *token = NULL;
    if (++host->since_interrupt >= host->config->transmit_interrupt || last) {
        token = host;
        host->since_interrupt = 0;
    }
    nic_transmit(host->nic, packet, token);
}

// What is made and has not reached the queue counts as in it.
bool tcp_host_full(const struct tcp_host *host)
{
    int64_t room = host->queue_head ? 0 : nic_tx_room(host->nic);
    return host->queue_length + host->pending >= host->config->queue + room;
}

static void queue_put(struct tcp_host *host, struct packet *packet)
{
    host->pending--;
    if (!host->queue_head && nic_tx_room(host->nic) > 0) {
        ring_put(host, packet);
        return;
    }
    if (host->queue_length == host->config->queue) {
        (*host->queue_drops)++;
        packet_drop(host->cluster->network, packet, "transmit queue full");
        return;
    }
    packet->next = NULL;
    if (host->queue_head)
        host->queue_tail->next = packet;
    else
        host->queue_head = packet;
    host->queue_tail = packet;
    host->queue_length++;
}

static void host_sent(struct cpu_context *context, void *owner, void *token)
{
    struct tcp_host *host = owner;
    (void)context;
    (void)token;
    while (host->queue_head && nic_tx_room(host->nic) > 0) {
        struct packet *packet = host->queue_head;
        host->queue_head = packet->next;
        host->queue_length--;
        ring_put(host, packet);
    }
}

// Segments of one socket leave in the order in which they were made, also when a process and an
// interrupt on two processors made them.
void tcp_leave(struct tcp_socket *socket)
{
    struct packet *packet;
    while ((packet = socket->snd.leaving_head) &&
           packet_header(packet, struct tcp_segment)->ready) {
        socket->snd.leaving_head = packet->next;
        packet_header(packet, struct tcp_segment)->socket = NULL;
        queue_put(socket->host, packet);
    }
}

static void leave_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    struct tcp_segment *segment = packet_header(packet, struct tcp_segment);
    segment->ready = true;
    if (segment->socket)
        tcp_leave(segment->socket);
    else
        queue_put(packet->token, packet);
}

void tcp_host_send(struct cpu_context *context, struct tcp_host *host, struct packet *packet,
                   struct cost cost)
{
    const struct nic_config *card = nic_config(host->nic);
    (*host->segments_sent)++;
    host->pending++;
    tcp_charge(context, cost, "TCP", packet->message);
    tcp_charge(context, card->tx_frame, "driver", packet->message);
    tcp_charge(context, card->doorbell, "driver", packet->message);
    packet->token = host;
    packet->event.run = leave_event;
    cpu_post(context, &packet->event);
}

// ---- Receiving ----

static void host_receive(struct cpu_context *context, void *owner, struct packet *packet)
{
    struct tcp_host *host = owner;
    const struct tcp_config *config = host->config;
    const struct tcp_segment *segment = packet_header(packet, struct tcp_segment);
    int64_t key = (int64_t)route_from(packet->route) << 32 | (int64_t)segment->source_port << 16 |
                  segment->destination_port;
    (*host->segments_received)++;
    tcp_charge(context, config->receive_path, "TCP", packet->message);
    if (!config->checksum_offload && segment->payload > 0)
        cpu_spend_message(context, memory_read_time(&host->host->config.memory, segment->payload),
                          "checksum", packet->message);
    struct tcp_socket *socket = g_hash_table_lookup(host->connections, &key);
    if (socket)
        tcp_arrive(context, socket, packet, segment);
    else if ((segment->flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN)
        tcp_syn_arrived(context, host, packet, segment);
    else
        tcp_refuse(context, host, packet, segment);
    packet_free(host->cluster->network, packet);
}
