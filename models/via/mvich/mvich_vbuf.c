// SPDX-License-Identifier: GPL-3.0-or-later
// Vbufs, and what goes out in them: MVICH's flow control. A credit stands for a vbuf that the peer
// has posted. Every packet but a NOOP takes one; each packet returns the credits of the vbufs
// posted since the last one; packets without a credit wait in the backlog.
#include "models/via/mvich/mvich.h"

#include "sim/core/poison.h"

#include <string.h>

// ---- The pool ----

bool mvich_vbufs_grow(struct cpu_context *context, struct mvich_process *mvich, int64_t count)
{
    int64_t bytes = count * mvich->config->vbuf;
    int64_t address = mpi_process_allocate(mvich->process, bytes);
    struct vip_mem_handle handle;
    while (!vip_register_mem(context, mvich->nic, address, bytes, mvich->ptag, &handle))
        if (!mvich_dreg_evict(context, mvich->dreg))
            return false;
    struct mvich_vbuf_region region = {address, count, handle};
    g_array_append_val(mvich->vbuf_regions, region);
    mvich->vbufs += count;
    mvich->vbufs_free += count;
    return true;
}

// The next of those that were not made yet.
static struct mvich_vbuf *vbuf_make(struct mvich_process *mvich)
{
    const struct mvich_vbuf_region *region =
        &g_array_index(mvich->vbuf_regions, struct mvich_vbuf_region, mvich->making_region);
    if (mvich->making == region->count) {
        mvich->making = 0;
        mvich->making_region++;
        region++;
    }
    struct mvich_vbuf *vbuf = pool_take(&mvich->vbuf_pool);
    *vbuf = (struct mvich_vbuf){
        .address = region->address + mvich->making++ * mvich->config->vbuf,
        .handle = region->handle,
    };
    vip_descriptor_init(&vbuf->descriptor);
    return vbuf;
}

static void pool_exhausted(const struct mvich_process *mvich, bool limit)
{
    mpi_fail(mvich->process, limit ? "out_of_vbufs" : "out_of_pinned_memory",
             json_pack("{s:I, s:I, s:s}", "vbufs", (json_int_t)mvich->vbufs, "pinned_bytes",
                       (json_int_t)vip_pinned_bytes(mvich->nic), "setting",
                       limit ? "mvich.vbuf_most" : "mvich.vbuf"),
             " has all of its %" G_GINT64_FORMAT " vbufs in use and %s; %s", mvich->vbufs,
             limit ? "may not have more (mvich.vbuf_most)" : "can't pin more",
             limit ? "a higher limit, or receives that are posted earlier, would avoid it"
                   : "smaller ones (mvich.vbuf) or fewer (mvich.vbuf_secondary_pool, "
                     "mvich.prepost_depth) would fit");
}

// Sees to it that one is free; false after an error.
static bool vbufs_reserve(struct cpu_context *context, struct mvich_process *mvich)
{
    const struct mvich_config *config = mvich->config;
    if (mvich->vbufs_free > 0)
        return true;
    int64_t count = config->vbuf_secondary_pool;
    if (config->vbuf_most)
        count = MIN(count, config->vbuf_most - mvich->vbufs);
    if (count > 0 && mvich_vbufs_grow(context, mvich, count))
        return true;
    pool_exhausted(mvich, count <= 0);
    return false;
}

struct mvich_vbuf *mvich_vbuf_take(struct cpu_context *context, struct mvich_process *mvich)
{
    if (!vbufs_reserve(context, mvich))
        return NULL;
    mvich->vbufs_free--;
    struct mvich_vbuf *vbuf = mvich->free_vbufs;
    if (!vbuf)
        return vbuf_make(mvich);
    unpoison(vbuf, sizeof *vbuf);
    mvich->free_vbufs = vbuf->next;
    vbuf->next = NULL;
    vbuf->completes = NULL;
    return vbuf;
}

void mvich_vbuf_give(struct mvich_process *mvich, struct mvich_vbuf *vbuf)
{
    vbuf->next = mvich->free_vbufs;
    mvich->free_vbufs = vbuf;
    poison(vbuf, sizeof *vbuf);
    mvich->vbufs_free++;
}

// As a receive descriptor that holds a packet of any length.
static struct vip_descriptor *receives(const struct mvich_process *mvich, struct mvich_vbuf *vbuf)
{
    vbuf->descriptor.length = mvich->config->vbuf;
    vbuf->descriptor.address = vbuf->address;
    vbuf->descriptor.handle = vbuf->handle;
    return &vbuf->descriptor;
}

void mvich_prepost(struct cpu_context *context, struct mvich_connection *connection)
{
    const struct mvich_process *mvich = connection->owner;
    struct mvich_vbuf *vbuf = mvich_vbuf_take(context, connection->owner);
    if (!vbuf)
        return;
    vip_post_recv(context, connection->vi, receives(mvich, vbuf));
    connection->preposts++;
    connection->local_credit++;
    mvich_credits_tell(context, connection);
}

static struct vip_descriptor *make_posted(struct vip_vi *vi)
{
    const struct mvich_connection *connection = vi->owner;
    return receives(connection->owner, vbuf_make(connection->owner));
}

void mvich_prepost_unmade(struct cpu_context *context, struct mvich_connection *connection)
{
    struct mvich_process *mvich = connection->owner;
    if (!vbufs_reserve(context, mvich))
        return;
    g_assert(!mvich->free_vbufs);
    mvich->vbufs_free--;
    connection->vi->make = make_posted;
    vip_post_recv_unmade(context, connection->vi);
    connection->preposts++;
    connection->local_credit++;
}

// ---- Packets ----

void mvich_flow_trace(const struct cpu_context *context, const struct mvich_connection *connection,
                      const char *event)
{
    cpu_trace_event(context,
                    (struct machine_owner){.where = connection->owner->process->name,
                                           .subject = connection->rank,
                                           .machine = "flow"},
                    NULL, event, NULL);
}

// Credits over time, for the trace.
enum credit_value { VALUE_CREDITS, VALUE_TO_RETURN, CREDIT_VALUES };

static const struct trace_quantity credit_quantities[CREDIT_VALUES] = {
    [VALUE_CREDITS] = {"credits", "vbufs"},
    [VALUE_TO_RETURN] = {"credits to return", "vbufs"},
};

void mvich_credits_tell(const struct cpu_context *context, struct mvich_connection *connection)
{
    const struct mpi_process *process = connection->owner->process;
    struct trace *trace = process->sim->trace;
    if (!trace_takes_values(trace))
        return;
    trace_values_once(trace, &connection->values,
                      (struct trace_values_info){.group = process->host->name,
                                                 .quantities = credit_quantities,
                                                 .count = CREDIT_VALUES},
                      "mvich rank %d to %d", process->rank, connection->rank);
    trace_value(trace, connection->values, VALUE_CREDITS, context->now, connection->remote_credit);
    trace_value(trace, connection->values, VALUE_TO_RETURN, context->now, connection->local_credit);
}

struct mvich_vbuf *mvich_packet_new(struct cpu_context *context,
                                    struct mvich_connection *connection,
                                    enum mvich_packet_type type, struct message_ref message)
{
    struct mvich_process *mvich = connection->owner;
    struct mvich_vbuf *vbuf = mvich_vbuf_take(context, mvich);
    if (!vbuf)
        return NULL;
    cpu_spend_for(context, mvich->config->packet, &mvich_stage, message);
    vbuf->packet = (struct mvich_packet){.type = (uint8_t)type};
    vbuf->descriptor.message = message;
    return vbuf;
}

void mvich_post_failed(const struct mvich_connection *connection)
{
    const struct mpi_process *process = connection->owner->process;
    mpi_fail(process, "connection_broken", json_pack("{s:i}", "peer", connection->rank),
             " can't send to rank %d: VI %u is %s", connection->rank, connection->vi->number,
             vip_vi_state_name(connection->vi));
}

static void post(struct cpu_context *context, struct mvich_connection *connection,
                 struct mvich_vbuf *vbuf)
{
    struct mvich_packet *packet = &vbuf->packet;
    if (packet->type != MVICH_NOOP)
        connection->remote_credit--;
    packet->vbuf_credit = (uint16_t)connection->local_credit;
    packet->remote_credit = (uint16_t)connection->remote_credit;
    connection->local_credit = 0;
    mvich_credits_tell(context, connection);
    G_STATIC_ASSERT(sizeof *packet <= VIP_CONTENT_BYTES);
    memcpy(vbuf->descriptor.content.bytes, packet, sizeof *packet);
    if (!vip_post_send(context, connection->vi, &vbuf->descriptor))
        mvich_post_failed(connection);
}

void mvich_packet_send(struct cpu_context *context, struct mvich_connection *connection,
                       struct mvich_vbuf *vbuf, int64_t offset, int64_t data)
{
    struct vip_descriptor *descriptor = &vbuf->descriptor;
    descriptor->operation = VIP_SEND;
    descriptor->immediate_flag = false;
    descriptor->lead = mvich_packet_header_bytes(connection->owner->config,
                                                 (enum mvich_packet_type)vbuf->packet.type);
    descriptor->length = descriptor->lead + data;
    descriptor->address = vbuf->address;
    descriptor->handle = vbuf->handle;
    descriptor->message_offset = offset;
    // A packet without data represents all of its message: if it is lost, so is the message.
    descriptor->message_length = vbuf->packet.length;
    descriptor->final = false;
    vbuf->packet.bytes = (int32_t)data;
    if (vbuf->packet.type == MVICH_NOOP) {
        post(context, connection, vbuf);
        return;
    }
    vbuf->packet.id = connection->next_to_send++;
    if (connection->remote_credit > 0 && !connection->backlog.head) {
        post(context, connection, vbuf);
    } else {
        mvich_flow_trace(context, connection, "backlogged");
        mvich_vbuf_append(&connection->backlog, vbuf);
    }
}

void mvich_backlog_send(struct cpu_context *context, struct mvich_connection *connection)
{
    while (connection->remote_credit > 0 && connection->backlog.head) {
        mvich_flow_trace(context, connection, "backlog sent");
        post(context, connection, mvich_vbuf_pop(&connection->backlog));
    }
}

void mvich_noop_if_needed(struct cpu_context *context, struct mvich_connection *connection)
{
    const struct mvich_config *config = connection->owner->config;
    bool peer_short = connection->remote_short <= config->credit_preserve;
    int64_t threshold =
        peer_short ? config->credit_notify_threshold : config->dynamic_credit_threshold;
    if (connection->local_credit < threshold)
        return;
    struct mvich_vbuf *vbuf = mvich_packet_new(context, connection, MVICH_NOOP, MESSAGE_NONE);
    if (!vbuf)
        return;
    mvich_flow_trace(context, connection, "noop");
    mvich_packet_send(context, connection, vbuf, 0, 0);
}
