// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic_internal.h"
#include "sim/core/fifo.h"

void ethernet_ring_note(const struct nic *nic, trace_lane lane, enum trace_note_kind kind)
{
    sim_time now = sim_now(nic->sim);
    trace_note(nic->sim->trace, lane, &(struct trace_note){.kind = kind, .from = now, .to = now});
}

int ethernet_descriptors(const struct nic *nic, int64_t frame)
{
    int64_t buffer = nic->config.buffer;
    return buffer > 0 ? (int)((frame + buffer - 1) / buffer) : 1;
}

int ethernet_descriptors_of(const struct nic *nic, const struct packet *packet)
{
    return ethernet_descriptors(nic, MAX((int64_t)packet->wire_bytes - ETHERNET_FCS, 1));
}

void ethernet_queue_push(struct nic_queue *queue, struct packet *packet)
{
    FIFO_APPEND(queue->head, queue->tail, packet, next);
}

struct packet *ethernet_queue_pop(struct nic_queue *queue)
{
    struct packet *packet = queue->head;
    if (packet)
        queue->head = packet->next;
    return packet;
}
