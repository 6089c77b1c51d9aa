// SPDX-License-Identifier: GPL-3.0-or-later
// Packets of this end: making them, what they cost, and the card that they leave by.
#include "models/sctp_cmt/sctp/setup.h"

const struct stage sctp_stage = {"SCTP", STAGE_KERNEL};
static const struct stage checksum_stage = {"CRC32c", STAGE_KERNEL};

void sctp_checksum_charge(struct cpu_context *context, const struct sctp_host *host,
                          const struct packet *packet)
{
    const struct sctp_config *config = host->config;
    if (!config->checksum)
        return;
    sim_time bytes =
        cpu_cost_of_bytes(context->cpu, config->costs.crc_per_kib, sctp_packet_of(packet)->bytes);
    cpu_spend_message(context, cpu_cost(context->cpu, config->costs.crc) + bytes, &checksum_stage,
                      packet->message);
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
    sctp_checksum_charge(context, host, packet);
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
