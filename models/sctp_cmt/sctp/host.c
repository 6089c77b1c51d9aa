// SPDX-License-Identifier: GPL-3.0-or-later
// The SCTP of one host: between the Internet layer and its associations.
#include "models/sctp_cmt/sctp/setup.h"
#include "models/sctp_cmt/wire/codec.h"

const struct stage sctp_stage = {"SCTP", STAGE_KERNEL};
const struct stage sctp_checksum_stage = {"CRC32c", STAGE_KERNEL};

static void host_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet);

static void host_write(const struct packet *packet, const struct inet_addresses *addresses,
                       uint8_t *bytes, uint32_t room)
{
    (void)addresses;
    sctp_encode(sctp_packet_of(packet), bytes, room);
}

static const struct inet_protocol sctp_protocol = {
    .number = SCTP_PROTOCOL,
    .receive = host_receive,
    .write = host_write,
};

// ---- Life ----

static void host_counters(struct sctp_host *host, struct sim *sim)
{
    host->count.packets_sent = sim_counter(sim, "sctp packets sent");
    host->count.packets_received = sim_counter(sim, "sctp packets received");
    host->count.chunks_sent = sim_counter(sim, "sctp chunks sent");
    host->count.chunks_received = sim_counter(sim, "sctp chunks received");
    host->count.sacks_sent = sim_counter(sim, "sctp SACKs sent");
    host->count.retransmissions = sim_loss_counter(sim, "sctp chunks retransmitted", LOSS_REPEATED);
    host->count.fast_retransmits = sim_counter(sim, "sctp fast retransmits");
    host->count.timeouts = sim_loss_counter(sim, "sctp retransmission timeouts", LOSS_TIMEOUT);
    host->count.duplicates = sim_counter(sim, "sctp chunks received twice");
    host->count.bad_checksums =
        sim_loss_counter(sim, "sctp packets with a wrong checksum", LOSS_DROPPED);
    host->count.out_of_the_blue = sim_counter(sim, "sctp packets out of the blue");
    host->count.bad_tags = sim_counter(sim, "sctp packets with a wrong tag");
    host->count.heartbeats = sim_counter(sim, "sctp heartbeats sent");
    host->count.window_probes = sim_counter(sim, "sctp window probes");
    host->count.rwnd_blocked = sim_counter(sim, "sctp times blocked by the peer's window");
    host->count.rwnd_blocked_us =
        sim_counter(sim, "sctp microseconds blocked by the peer's window");
    host->count.strikes_suppressed = sim_counter(sim, "sctp missing reports that CMT left out");
    host->count.dropped_for_window =
        sim_loss_counter(sim, "sctp chunks dropped for want of buffer", LOSS_DROPPED);
    host->count.failovers = sim_counter(sim, "sctp changes of the primary path");
}

struct sctp_host *sctp_host_new(struct cluster *cluster, struct host *on,
                                const struct sctp_config *config)
{
    struct sctp_host *host = g_new0(struct sctp_host, 1);
    host->sim = cluster->sim;
    host->cluster = cluster;
    host->host = on;
    host->config = config;
    host->inet =
        inet_host_new(cluster, on, &config->inet, "sctp frames dropped by a full transmit queue");
    host->sockets = g_ptr_array_new();
    host->associations = g_ptr_array_new();
    host->by_peer = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    host->next_port = SCTP_FIRST_PORT;
    host->next_id = 1;
    char *stream = g_strdup_printf("sctp station %d",
                                   inet_station(g_ptr_array_index(host->inet->interfaces, 0)));
    host->random = random_new(cluster->sim->seed, stream);
    g_free(stream);
    host->secret = random_bits(host->random);
    sctp_pools_init(&host->pools);
    pool_init(&host->pending, sizeof(struct sctp_pending));
    pool_init(&host->incoming, sizeof(struct sctp_incoming));
    host_counters(host, cluster->sim);
    inet_register(host->inet, &sctp_protocol, host);
    return host;
}

// The message belongs to its sender, whose host may be gone already.
static void leave_message(void *object, void *data)
{
    struct sctp_incoming *incoming = object;
    (void)data;
    incoming->message = NULL;
}

// What is kept of another host's, which may be gone already: what was received last, the cookie of
// an INIT-ACK, and what a HEARTBEAT-ACK echoes. All of it lies in pools.
static void leave_others(struct sctp_host *host)
{
    pool_each(&host->incoming, leave_message, NULL);
    for (guint i = 0; i < host->sockets->len; i++)
        ((struct sctp_socket *)g_ptr_array_index(host->sockets, i))->reading = NULL;
    for (guint i = 0; i < host->associations->len; i++) {
        struct sctp_association *association = g_ptr_array_index(host->associations, i);
        association->cookie = NULL;
        for (int n = 0; n < association->path_count; n++)
            association->paths[n].control_head = association->paths[n].control_tail = NULL;
    }
}

void sctp_host_free(struct sctp_host *host)
{
    if (!host)
        return;
    leave_others(host);
    for (guint i = 0; i < host->sockets->len; i++)
        sctp_socket_free(g_ptr_array_index(host->sockets, i));
    for (guint i = 0; i < host->associations->len; i++)
        sctp_association_free(g_ptr_array_index(host->associations, i));
    g_ptr_array_free(host->sockets, TRUE);
    g_ptr_array_free(host->associations, TRUE);
    g_hash_table_unref(host->by_peer);
    random_free(host->random);
    pool_clear(&host->pending);
    pool_clear(&host->incoming);
    sctp_pools_clear(&host->pools);
    inet_host_free(host->inet);
    g_free(host);
}

// ---- Who a packet is for ----

int64_t sctp_peer_key(int peer_station, uint16_t port, uint16_t peer_port)
{
    return (int64_t)peer_station << 32 | (int64_t)peer_port << 16 | port;
}

struct sctp_association *sctp_host_find(const struct sctp_host *host, int peer_station,
                                        uint16_t port, uint16_t peer_port)
{
    int64_t key = sctp_peer_key(peer_station, port, peer_port);
    return g_hash_table_lookup(host->by_peer, &key);
}

struct sctp_association *sctp_host_find_any(const struct sctp_host *host, const int *stations,
                                            int count, uint16_t port, uint16_t peer_port)
{
    struct sctp_association *found = NULL;
    for (int i = 0; i < count && !found; i++)
        found = sctp_host_find(host, stations[i], port, peer_port);
    return found;
}

bool sctp_uses_card(const struct sctp_socket *socket, const struct inet_interface *interface)
{
    for (int i = 0; socket->cards != 0; i++)
        if (inet_interface_at(interface->host, i) == interface)
            return socket->cards >> i & 1;
    return true;
}

struct sctp_socket *sctp_host_listener(const struct sctp_host *host,
                                       const struct inet_interface *interface, uint16_t port)
{
    for (guint i = 0; i < host->sockets->len; i++) {
        struct sctp_socket *socket = g_ptr_array_index(host->sockets, i);
        if (socket->listening && socket->port == port && sctp_uses_card(socket, interface))
            return socket;
    }
    return NULL;
}

// ---- Sending ----

static void checksum(struct cpu_context *context, const struct sctp_host *host,
                     const struct packet *packet)
{
    const struct sctp_config *config = host->config;
    if (!config->checksum)
        return;
    sim_time bytes =
        cpu_cost_of_bytes(context->cpu, config->costs.crc_per_kib, sctp_packet_of(packet)->bytes);
    cpu_spend_message(context, cpu_cost(context->cpu, config->costs.crc) + bytes,
                      &sctp_checksum_stage, packet->message);
}

static void host_send_packet(struct cpu_context *context, struct sctp_host *host,
                             struct inet_interface *interface, struct inet_flow *flow,
                             struct packet *packet)
{
    const struct sctp_costs *costs = &host->config->costs;
    int chunks = 0;
    for (const struct sctp_chunk *chunk = sctp_packet_of(packet)->first; chunk; chunk = chunk->next)
        chunks++;
    (*host->count.packets_sent)++;
    *host->count.chunks_sent += chunks;
    cpu_spend_message(context,
                      cpu_cost(context->cpu, costs->packet_out) +
                          time_times(chunks, cpu_cost(context->cpu, costs->chunk_out)),
                      &sctp_stage, packet->message);
    checksum(context, host, packet);
    inet_send(context, interface, SCTP_PROTOCOL, flow, packet);
}

struct packet *sctp_path_packet(const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    struct packet *packet =
        sctp_packet_new(&association->host->pools, path->interface, path->route);
    struct sctp_packet *sctp = sctp_packet_of(packet);
    sctp->source_port = association->port;
    sctp->destination_port = association->peer_port;
    sctp->tag = association->peer_tag;
    return packet;
}

void sctp_packet_send(struct cpu_context *context, struct sctp_association *association,
                      struct sctp_path *path, struct packet *packet)
{
    const struct sctp_chunk *first = sctp_packet_of(packet)->first;
    if (first && first->type == SCTP_COOKIE_ECHO)
        association->echo_waits = false;
    host_send_packet(context, association->host, path->interface, &association->leaving, packet);
}

void sctp_reply(struct cpu_context *context, struct sctp_host *host,
                struct inet_interface *interface, const struct packet *to, uint32_t tag,
                struct sctp_chunk *chunk)
{
    const struct sctp_packet *of = sctp_packet_of(to);
    const struct route *route = inet_route(interface, route_from(to->route));
    struct packet *packet = sctp_packet_new(&host->pools, interface, route);
    struct sctp_packet *sctp = sctp_packet_of(packet);
    sctp->source_port = of->destination_port;
    sctp->destination_port = of->source_port;
    sctp->tag = tag;
    sctp_packet_add(packet, chunk);
    host_send_packet(context, host, interface, NULL, packet);
}

// ---- Receiving ----

static void host_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet)
{
    struct sctp_host *host = owner;
    const struct sctp_packet *sctp = sctp_packet_of(packet);
    (*host->count.packets_received)++;
    cpu_spend_for(context, host->config->costs.packet_in, &sctp_stage, packet->message);
    checksum(context, host, packet);
    if (sctp->short_header || sctp->bad_checksum) {
        (*host->count.bad_checksums)++;
        packet_drop(host->cluster->network, packet, "wrong SCTP checksum");
        return;
    }
    sctp_packet_arrived(context, host, interface, packet);
    inet_packet_free(interface, packet);
}
