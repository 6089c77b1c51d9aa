// SPDX-License-Identifier: GPL-3.0-or-later
// Segments between output and the interface.
#include "models/tcp/stack.h"

const struct stage tcp_stage = {"TCP", STAGE_KERNEL};
const struct stage tcp_checksum_stage = {"checksum", STAGE_KERNEL};

// RFC 1323: the kernel's clock. It never shows 0, which in an echo means that there is none.
uint32_t tcp_timestamp(const struct tcp_host *host, sim_time now)
{
    return (uint32_t)inet_ticks(host->inet, now) + 1;
}

struct packet *tcp_segment_packet(struct inet_interface *interface, const struct route *route,
                                  const struct tcp_segment *segment)
{
    struct packet *packet = inet_packet_new(interface, route, tcp_segment_ip_bytes(segment));
    *packet_header(packet, struct tcp_segment) = *segment;
    return packet;
}

void tcp_host_send(struct cpu_context *context, struct tcp_host *host,
                   struct inet_interface *interface, struct inet_flow *flow, struct packet *packet,
                   struct cost cost)
{
    (*host->segments_sent)++;
    cpu_spend_for(context, cost, &tcp_stage, packet->message);
    inet_send(context, interface, TCP_PROTOCOL, flow, packet);
}

void tcp_host_send_part(struct cpu_context *context, struct tcp_host *host,
                        struct inet_interface *interface, struct inet_flow *flow,
                        struct packet *packet)
{
    (*host->segments_sent)++;
    inet_send_part(context, interface, TCP_PROTOCOL, flow, packet);
}

void tcp_count_repeat(const struct cpu_context *context, const struct tcp_socket *socket)
{
    const struct tcp_host *host = socket->host;
    (*host->retransmissions)++;
    trace_repeat(host->sim->trace, "TCP segment", host->host->name, context->now);
}
