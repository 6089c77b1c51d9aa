// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the VIA RPI that is always pinned (thesis 000, 4.6.1 and 4.6.2): envelope buffers and
// RDMA areas.
#include "models/via/lam_via/rpi.h"

#include "sim/core/poison.h"

// ---- Envelope buffers ----

// Allocates and pins as many slots as fill the pages that the first of them needs.
static bool buffers_grow(struct cpu_context *context, struct rpi_process *rpi)
{
    const struct memory_config *memory = &rpi->process->host->config.memory;
    int64_t slot = rpi->config->envelope + rpi->config->tiny;
    int64_t bytes = (slot + memory->page - 1) / memory->page * memory->page;
    int64_t address = mpi_process_allocate(rpi->process, bytes);
    int64_t count = bytes / slot;
    struct vip_mem_handle handle;
    while (!vip_register_mem(context, rpi->nic, address, bytes, rpi->ptag, &handle))
        if (!pin_cache_evict(context, rpi->pins))
            return false;
    struct rpi_buffer *buffers = g_new(struct rpi_buffer, count);
    g_ptr_array_add(rpi->buffer_pages, buffers);
    do {
        count--;
        buffers[count] = (struct rpi_buffer){rpi->free_buffers, address + count * slot, handle};
        rpi->free_buffers = &buffers[count];
        poison(&buffers[count], sizeof buffers[count]);
    } while (count > 0);
    return true;
}

struct rpi_buffer *rpi_buffer_take(struct cpu_context *context, struct rpi_process *rpi)
{
    if (!rpi->free_buffers && !buffers_grow(context, rpi)) {
        mpi_fail(rpi->process, "out_of_pinned_memory",
                 json_pack("{s:I, s:s}", "pinned_bytes", (json_int_t)vip_pinned_bytes(rpi->nic),
                           "setting", "lam_via.area"),
                 " can't pin another envelope buffer: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " B are pinned; a smaller lam_via.area or lam_via.tiny leaves more",
                 vip_pinned_bytes(rpi->nic), vip_pin_limit(rpi->nic));
        return NULL;
    }
    struct rpi_buffer *buffer = rpi->free_buffers;
    unpoison(buffer, sizeof *buffer);
    rpi->free_buffers = buffer->next;
    return buffer;
}

void rpi_buffer_give(struct rpi_process *rpi, struct rpi_buffer *buffer)
{
    if (!buffer)
        return;
    buffer->next = rpi->free_buffers;
    rpi->free_buffers = buffer;
    poison(buffer, sizeof *buffer);
}

void rpi_buffers_free(struct rpi_process *rpi)
{
    g_ptr_array_free(rpi->buffer_pages, TRUE);
}

// ---- The RDMA area ----

int64_t rpi_area_write(struct rpi_process_peer *peer, int64_t bytes, bool *restart)
{
    *restart = peer->cp_remote_write_pointer + bytes > peer->owner->config->area;
    if (*restart)
        peer->cp_remote_write_pointer = 0;
    int64_t at = peer->cp_remote_write_pointer;
    peer->cp_remote_write_pointer += bytes;
    return peer->cp_remote_rdma_area + at;
}

void rpi_area_read(struct rpi_process_peer *peer, int64_t bytes, bool restart)
{
    if (restart)
        peer->cp_read_pointer = 0;
    peer->cp_read_pointer += bytes;
    g_array_remove_index(peer->extents, 0);
}

bool rpi_area_in_step(const struct rpi_process_peer *peer, int64_t bytes, bool restart,
                      struct message_ref message)
{
    if (!peer->extents || peer->extents->len == 0)
        return false;
    const struct rpi_extent *next = &g_array_index(peer->extents, struct rpi_extent, 0);
    int64_t from = peer->cp_rdma_area + (restart ? 0 : peer->cp_read_pointer);
    return next->from == from && next->to == from + bytes && message_same(next->message, message);
}

// Nothing in the protocol keeps the writer from lapping the reader; here is seen that it has.
static void area_overrun(struct rpi_process_peer *peer, const struct rpi_extent *victim)
{
    const struct mpi_process *reader = peer->owner->process;
    int64_t area = peer->owner->config->area;
    ledger_drop_rest(reader->sim->ledger, victim->message, "overwritten in the RDMA area");
    mpi_fail(reader, "area_overrun",
             json_pack("{s:i, s:i, s:s, s:I}", "peer", peer->rank, "vi",
                       (int)peer->cp_vi_hand->number, "setting", "lam_via.area", "value",
                       (json_int_t)area),
             " fell behind: rank %d has lapped its read pointer in the RDMA area of VI %u "
             "and overwritten "
             "messages that were not read; a lam_via.area of more than %" G_GINT64_FORMAT
             " B would have held them",
             peer->rank, peer->cp_vi_hand->number, area);
}

void rpi_area_watch(void *owner, const struct vip_placement *placement)
{
    struct rpi_process_peer *peer = owner;
    if (!placement->first)
        return;
    if (!peer->extents)
        peer->extents = g_array_new(FALSE, FALSE, sizeof(struct rpi_extent));
    struct rpi_extent extent = {placement->start, placement->start + placement->total,
                                placement->message};
    for (guint i = 0; i < peer->extents->len; i++) {
        const struct rpi_extent *unread = &g_array_index(peer->extents, struct rpi_extent, i);
        if (extent.from < unread->to && unread->from < extent.to)
            area_overrun(peer, unread);
    }
    g_array_append_val(peer->extents, extent);
}
