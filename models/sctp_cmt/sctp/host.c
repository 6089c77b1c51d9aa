// SPDX-License-Identifier: GPL-3.0-or-later
// The SCTP of one host: between the Internet layer and its associations.
#include "models/sctp_cmt/sctp/setup.h"
#include "models/sctp_cmt/wire/codec.h"

static void host_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet);

static void host_write(const struct packet *packet, const struct inet_addresses *addresses,
                       uint8_t *bytes, uint32_t room)
{
    (void)addresses;
    sctp_encode(sctp_packet_of(packet), bytes, room);
}

static void host_words(const struct packet *packet, struct trace_words *words)
{
    sctp_packet_words(sctp_packet_of(packet), words);
}

static const struct inet_protocol sctp_protocol = {
    .number = SCTP_PROTOCOL,
    .receive = host_receive,
    .write = host_write,
    .words = host_words,
};

// ---- Create and free ----

struct sctp_host *sctp_host_new(struct cluster *cluster, struct host *on,
                                const struct sctp_config *config)
{
    struct sctp_host *host = g_new0(struct sctp_host, 1);
    host->sim = cluster->sim;
    host->cluster = cluster;
    host->host = on;
    host->config = config;
    host->timers = sctp_timers;
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
    sctp_host_counters(host, cluster->sim);
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

// Objects of another host, which may be gone already: what was received last, the cookie of
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

// ---- Receiving ----

static void host_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet)
{
    struct sctp_host *host = owner;
    const struct sctp_packet *sctp = sctp_packet_of(packet);
    (*host->count.packets_received)++;
    cpu_spend_for(context, host->config->costs.packet_in, &sctp_stage, packet->message);
    sctp_checksum_charge(context, host, packet);
    if (sctp->short_header || sctp->bad_checksum) {
        (*host->count.bad_checksums)++;
        packet_drop(host->cluster->network, packet, "wrong SCTP checksum");
        return;
    }
    sctp_packet_arrived(context, host, interface, packet);
    inet_packet_free(interface, packet);
}
