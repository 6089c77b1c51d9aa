// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a connection over time, for the trace.
#include "models/tcp/stack.h"

enum value { VALUE_CWND, VALUE_SSTHRESH, VALUE_FLIGHT, VALUE_WINDOW, VALUES };

static const struct trace_quantity quantities[VALUES] = {
    [VALUE_CWND] = {"cwnd", "B"},
    [VALUE_SSTHRESH] = {"ssthresh", "B"},
    [VALUE_FLIGHT] = {"flight", "B"},
    [VALUE_WINDOW] = {"rwnd", "B"},
};

void tcp_values_init(struct tcp_socket *socket)
{
    const struct tcp_host *host = socket->host;
    if (!host->sim->trace)
        return;
    int peer = network_station_host(host->cluster->network, socket->key.remote);
    char *name = g_strdup_printf("tcp %u to %s", socket->number, host->cluster->hosts[peer]->name);
    socket->values = trace_values_new(host->sim->trace, &(struct trace_values_info){
                                                            .group = host->host->name,
                                                            .name = name,
                                                            .quantities = quantities,
                                                            .count = VALUES,
                                                        });
    g_free(name);
}

void tcp_values_tell(const struct cpu_context *context, const struct tcp_socket *socket)
{
    if (!socket->values)
        return;
    struct trace *trace = socket->host->sim->trace;
    const struct inet_cc *cc = &socket->cc;
    int64_t mss = tcp_amount(socket, tcp_current_mss(socket), 1); // Linux counts segments
    trace_value(trace, socket->values, VALUE_CWND, context->now, cc->cwnd * mss);
    if (cc->ssthresh < INET_CC_INFINITE)
        trace_value(trace, socket->values, VALUE_SSTHRESH, context->now, cc->ssthresh * mss);
    trace_value(trace, socket->values, VALUE_FLIGHT, context->now,
                socket->snd.nxt - socket->snd.una);
    trace_value(trace, socket->values, VALUE_WINDOW, context->now, socket->snd.wnd);
}
