// SPDX-License-Identifier: GPL-3.0-or-later
// Values of an association over time, for the trace: the peer's window as its sender
// counts it, and each path's congestion window and flight.
#include "models/sctp_cmt/sctp/association.h"

enum path_value { VALUE_CWND, VALUE_SSTHRESH, VALUE_FLIGHT, PATH_VALUES };
enum association_value { VALUE_RWND, VALUE_BUFFER, VALUE_HELD, ASSOCIATION_VALUES };

static const struct trace_quantity path_quantities[PATH_VALUES] = {
    [VALUE_CWND] = {"cwnd", "B"},
    [VALUE_SSTHRESH] = {"ssthresh", "B"},
    [VALUE_FLIGHT] = {"flight", "B"},
};

static const struct trace_quantity association_quantities[ASSOCIATION_VALUES] = {
    [VALUE_RWND] = {"rwnd", "B"},
    [VALUE_BUFFER] = {"send buffer", "B"},
    [VALUE_HELD] = {"receive buffer", "B"},
};

static void announce(struct sctp_association *association)
{
    struct sctp_host *host = association->host;
    const struct cluster *cluster = host->cluster;
    int peer = network_station_host(cluster->network, association->paths[0].remote);
    struct trace_values_info info = {
        .group = host->host->name,
        .quantities = association_quantities,
        .count = ASSOCIATION_VALUES,
    };
    char *name = g_strdup_printf("sctp %u to %s", association->id, cluster->hosts[peer]->name);
    info.name = name;
    association->values[0] = trace_values_new(host->sim->trace, &info);
    info.quantities = path_quantities;
    info.count = PATH_VALUES;
    for (int i = 0; i < association->path_count; i++) {
        char *path = g_strdup_printf("%s path %d", name, i + 1);
        info.name = path;
        association->values[1 + i] = trace_values_new(host->sim->trace, &info);
        association->paths[i].lane = trace_activity_lane(host->sim->trace, host->host->name, path);
        g_free(path);
    }
    g_free(name);
}

void sctp_values_tell(const struct cpu_context *context, struct sctp_association *association)
{
    struct trace *trace = association->host->sim->trace;
    const trace_values *values = association->values;
    if (!trace || association->path_count == 0)
        return;
    if (!association->announced)
        announce(association);
    association->announced = true;
    if (!values[0])
        return;
    trace_value(trace, values[0], VALUE_RWND, context->now, association->out.peer_rwnd);
    trace_value(trace, values[0], VALUE_BUFFER, context->now, association->out.buffer.used);
    trace_value(trace, values[0], VALUE_HELD, context->now,
                association->in.held + association->in.queued);
    for (int i = 0; i < association->path_count; i++) {
        const struct sctp_path *path = &association->paths[i];
        trace_activity(trace, path->lane,
                       path->machine.state == SCTP_PATH_ACTIVE
                           ? machine_state_name(&sctp_congestion_machine, &path->phase)
                           : sctp_path_state_name(path),
                       context->now);
        trace_value(trace, values[1 + i], VALUE_CWND, context->now, path->cc.cwnd);
        trace_value(trace, values[1 + i], VALUE_FLIGHT, context->now, path->flight);
        if (path->cc.ssthresh < INET_CC_INFINITE)
            trace_value(trace, values[1 + i], VALUE_SSTHRESH, context->now, path->cc.ssthresh);
    }
}
