// SPDX-License-Identifier: GPL-3.0-or-later
// The TCP of one host: between the Internet layer and its sockets.
#include "models/tcp/capture.h"
#include "models/tcp/stack.h"

#define FIRST_PORT 32768 // Linux 2.4: net.ipv4.ip_local_port_range

static void host_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet);

// The card's service ends.
static bool host_polled(struct cpu_context *context, void *owner)
{
    return tcp_merge_end(context, owner);
}

static void host_write(const struct packet *packet, const struct inet_addresses *addresses,
                       uint8_t *bytes, uint32_t room)
{
    tcp_segment_bytes(tcp_segment_of(packet), addresses, bytes, room);
}

static void host_words(const struct packet *packet, struct trace_words *words)
{
    tcp_segment_words(tcp_segment_of(packet), words);
}

static const struct inet_protocol tcp_protocol = {
    .number = TCP_PROTOCOL,
    .receive = host_receive,
    .write = host_write,
    .words = host_words,
    .polled = host_polled,
};

static void host_counters(struct tcp_host *host, struct sim *sim)
{
    host->segments_sent = sim_counter(sim, "tcp segments sent");
    host->segments_received = sim_counter(sim, "tcp segments received");
    host->retransmissions = sim_loss_counter(sim, "tcp segments retransmitted", LOSS_REPEATED);
    host->timeouts = sim_counter(sim, "tcp retransmission timeouts");
    host->recoveries = sim_counter(sim, "tcp fast retransmits");
    host->duplicates_received = sim_counter(sim, "tcp segments received twice");
    host->probes_sent = sim_counter(sim, "tcp window probes");
    host->acks_delayed = sim_counter(sim, "tcp acknowledgments delayed");
    host->pure_acks = sim_counter(sim, "tcp acknowledgments without data");
    host->held = sim_counter(sim, "tcp segments held back by a full transmit queue");
    if (host->config->tail_loss_probe && host->config->recovery == TCP_RACK)
        host->tail_probes = sim_counter(sim, "tcp tail loss probes");
    if (host->config->recovery == TCP_RACK)
        host->reordering_timeouts = sim_counter(sim, "tcp losses found by the reordering timer");
    if (host->config->receive_offload > 0)
        host->segments_merged = sim_counter(sim, "tcp segments merged with the one before");
}

static const struct tcp_receiver_ops *const receiver_rules[] = {
    [TCP_RECEIVER_LINUX] = &tcp_receiver_linux,
    [TCP_RECEIVER_BSD] = &tcp_receiver_bsd,
    [TCP_RECEIVER_LINUX6] = &tcp_receiver_linux6,
};

struct tcp_host *tcp_host_new(struct cluster *cluster, struct host *on,
                              const struct tcp_config *config)
{
    struct tcp_host *host = g_new0(struct tcp_host, 1);
    host->sim = cluster->sim;
    host->cluster = cluster;
    host->host = on;
    host->config = config;
    host->timers = tcp_timers;
    host->receiver = receiver_rules[config->receiver];
    host->inet =
        inet_host_new(cluster, on, &config->inet, "tcp frames dropped by a full transmit queue");
    host->sockets = g_ptr_array_new();
    host->listeners = g_ptr_array_new_with_free_func(g_free);
    host->connections = g_hash_table_new(tcp_key_hash, tcp_key_equal);
    host->next_port = FIRST_PORT;
    char *stream = g_strdup_printf("tcp station %d",
                                   inet_station(g_ptr_array_index(host->inet->interfaces, 0)));
    host->random = random_new(cluster->sim->seed, stream);
    g_free(stream);
    pool_init(&host->buffers, sizeof(struct tcp_buffer));
    pool_init(&host->arrivals, sizeof(struct tcp_arrival));
    pool_init(&host->gaps, sizeof(struct tcp_gaps));
    pool_init(&host->singles, sizeof(struct tcp_stream_run));
    pool_init(&host->contents, TCP_CONTENT_BYTES);
    host_counters(host, cluster->sim);
    inet_register(host->inet, &tcp_protocol, host);
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
    g_hash_table_unref(host->connections);
    random_free(host->random);
    pool_clear(&host->buffers);
    pool_clear(&host->arrivals);
    pool_clear(&host->gaps);
    pool_clear(&host->singles);
    pool_clear(&host->contents);
    inet_host_free(host->inet);
    g_free(host);
}

int tcp_peer_station(const struct tcp_host *host, const struct tcp_host *peer)
{
    return inet_peer_station(host->inet, peer->inet);
}

// ---- Receiving ----

// The packet's own connection, if it is not closed. A segment names the socket that it goes to,
// which saves the search; SYNs do not.
static struct tcp_socket *find_socket(const struct tcp_host *host, const struct packet *packet,
                                      const struct tcp_segment *segment)
{
    const struct tcp_key key = {
        .local = route_to(packet->route),
        .remote = route_from(packet->route),
        .port = segment->destination_port,
        .remote_port = segment->source_port,
    };
    if (segment->to > 0 && segment->to <= host->sockets->len) {
        struct tcp_socket *socket = g_ptr_array_index(host->sockets, segment->to - 1);
        if (socket->machine.state != TCP_CLOSED && tcp_key_equal(&socket->key, &key))
            return socket;
    }
    struct tcp_key *found = g_hash_table_lookup(host->connections, &key);
    return found ? container_of(found, struct tcp_socket, key) : NULL;
}

static void host_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet)
{
    struct tcp_host *host = owner;
    const struct tcp_config *config = host->config;
    const struct tcp_segment *segment = packet_header(packet, struct tcp_segment);
    (*host->segments_received)++;
    struct tcp_socket *socket = find_socket(host, packet, segment);
    bool merges = config->receive_offload > 0 && socket && tcp_merges(socket, segment);
    if (merges)
        (*host->segments_merged)++;
    else if (socket)
        tcp_merge_close(context, socket);
    cpu_spend_for(context, merges ? config->merge_segment : config->receive_path, &tcp_stage,
                  packet->message);
    if (!config->checksum_offload && segment->payload > 0)
        cpu_spend_message(context, memory_read_time(&host->host->config.memory, segment->payload),
                          &tcp_checksum_stage, packet->message);
    if (socket)
        tcp_arrive(context, socket, packet, segment);
    else if ((segment->flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN)
        tcp_syn_arrived(context, host, interface, packet);
    else
        tcp_refuse(context, host, interface, packet);
    inet_packet_free(interface, packet);
}
