// SPDX-License-Identifier: GPL-3.0-or-later
// RTS at the receiver (thesis 002, 5.3.2): they are parsed in the order of their numbers, so that
// messages of a pair begin in order although planes do not keep it. One that comes too early waits
// in the reorder queue, with its first data.
#include "models/intercept/p3/p3_internal.h"

bool p3_addressed(const struct cpu_context *context, const struct p3_process *process, int from,
                  uint64_t number, const struct portals_header *header)
{
    if (header->to.pid == portals_ni_id(process->ni).pid)
        return true;
    ++*process->counters.unknown_pid;
    cpu_trace_eventf(context, p3_owner(process, "arriving", number), NULL, "dropped",
                     "%s, pid %d has no NAL", p3_host_name(process, from), header->to.pid);
    return false;
}

static void parse(struct cpu_context *context, struct p3_process *process,
                  const struct intercept_sm *sm)
{
    const struct p3_packet *packet = p3_packet_of(sm);
    struct p3_short_arriving arriving = {.sm = sm};
    p3_peer(process, sm->from)->last_number = packet->number;
    process->reordered_from = sm->from;
    if (p3_addressed(context, process, sm->from, packet->number, &packet->portals))
        portals_parse(context, process->ni, &packet->portals, &arriving);
}

// Keeps an RTS by its number. Returns false if one of that number waits already.
static bool keep(struct p3_process *process, const struct intercept_sm *sm)
{
    struct p3_peer *peer = p3_peer(process, sm->from);
    uint64_t number = p3_packet_of(sm)->number;
    struct p3_reordered **at = &peer->reordered;
    while (*at && p3_packet_of(&(*at)->sm)->number < number)
        at = &(*at)->next;
    if (*at && p3_packet_of(&(*at)->sm)->number == number)
        return false;
    struct p3_reordered *kept = pool_take(&process->reorders);
    *kept = (struct p3_reordered){.next = *at, .sm = *sm};
    *at = kept;
    peer->reordered_count++;
    return true;
}

// The listing keeps a repeated RTS of the last number for ever; links repeat nothing to those
// above, so that it is an error here.
void p3_rts_arrived(struct cpu_context *context, struct p3_process *process,
                    const struct intercept_sm *sm)
{
    const struct p3_peer *peer = p3_peer(process, sm->from);
    uint64_t number = p3_packet_of(sm)->number;
    p3_spend(context, process->config->record, sm->message);
    if (number == BOOTMSGNUM || number == peer->last_number + 1) {
        parse(context, process, sm);
        return;
    }
    bool kept = number > peer->last_number && keep(process, sm);
    ++*(kept ? process->counters.reordered : process->counters.low_number);
    cpu_trace_eventf(context, p3_owner(process, p3_short_receive_machine.name, number), NULL,
                     kept ? "reordered" : "dropped", "%s, expected %" G_GUINT64_FORMAT,
                     p3_host_name(process, sm->from), peer->last_number + 1);
}

bool p3_parse_reordered(struct cpu_context *context, struct p3_process *process)
{
    if (process->reordered_from < 0)
        return false;
    struct p3_peer *peer = p3_peer(process, process->reordered_from);
    struct p3_reordered *first = peer->reordered;
    if (!first || p3_packet_of(&first->sm)->number != peer->last_number + 1) {
        process->reordered_from = -1;
        return false;
    }
    peer->reordered = first->next;
    peer->reordered_count--;
    p3_spend(context, process->config->record, first->sm.message);
    parse(context, process, &first->sm);
    pool_give(&process->reorders, first);
    return true;
}
