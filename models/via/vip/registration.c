// SPDX-License-Identifier: GPL-3.0-or-later
// The registered memory manager: regions, their pages, protection tags, and the limit.
#include "models/via/vip/provider.h"

struct vip_region *vip_region(const struct vip_nic *nic, struct vip_mem_handle handle)
{
    if (handle.index == 0 || handle.index > nic->regions->len)
        return NULL;
    struct vip_region *region = &g_array_index(nic->regions, struct vip_region, handle.index - 1);
    return region->registered ? region : NULL;
}

uint32_t vip_create_ptag(struct vip_nic *nic)
{
    return ++nic->last_ptag;
}

static int64_t region_bytes(const struct vip_nic *nic, int64_t address, int64_t length)
{
    const struct memory_config *memory = &nic->host->config.memory;
    return memory_pages(memory, address, length) * memory->page;
}

static void charge_pages(struct cpu_context *context, const struct vip_nic *nic, int64_t bytes,
                         struct cost each, const struct stage *stage)
{
    int64_t pages = bytes / nic->host->config.memory.page;
    cpu_spend_time(context, time_times(pages, cpu_cost(context->cpu, each)), stage);
}

static void charge_call(struct cpu_context *context, const struct vip_nic *nic,
                        const struct stage *stage)
{
    cpu_spend(context, nic->host->config.kernel.system_call, &stage_trap);
    cpu_spend(context, nic->config->register_call, stage);
}

// The limit is met at a page, after others have been pinned for nothing; or it is seen before.
static void charge_refusal(struct cpu_context *context, const struct vip_nic *nic)
{
    const struct memory_config *memory = &nic->host->config.memory;
    if (nic->config->refusal == MVIA_REFUSAL_BEFORE_PAGES)
        return;
    charge_pages(context, nic, memory->pin_limit - nic->pinned, memory->pin_page, &stage_pin);
    charge_pages(context, nic, memory->pin_limit - nic->pinned, memory->unpin_page, &stage_unpin);
}

static uint32_t region_take(struct vip_nic *nic)
{
    if (nic->free_regions->len > 0) {
        uint32_t index = g_array_index(nic->free_regions, uint32_t, nic->free_regions->len - 1);
        g_array_set_size(nic->free_regions, nic->free_regions->len - 1);
        return index;
    }
    g_array_set_size(nic->regions, nic->regions->len + 1);
    return nic->regions->len;
}

bool vip_register_mem(struct cpu_context *context, struct vip_nic *nic, int64_t address,
                      int64_t length, uint32_t ptag, struct vip_mem_handle *handle)
{
    const struct memory_config *memory = &nic->host->config.memory;
    int64_t bytes = region_bytes(nic, address, length);
    charge_call(context, nic, &stage_pin);
    if (nic->pinned + bytes > memory->pin_limit) {
        charge_refusal(context, nic);
        return false;
    }
    charge_pages(context, nic, bytes, memory->pin_page, &stage_pin);
    nic->pinned += bytes;
    handle->index = region_take(nic);
    struct vip_region *region = &g_array_index(nic->regions, struct vip_region, handle->index - 1);
    *region =
        (struct vip_region){.registered = true, .address = address, .length = length, .ptag = ptag};
    return true;
}

// The pages of a region that is released are gone for every region that shares them.
static void punch_holes(struct vip_nic *nic, const struct vip_region *released)
{
    int64_t page = nic->host->config.memory.page;
    int64_t from = released->address / page * page;
    int64_t to = from + region_bytes(nic, released->address, released->length);
    for (guint i = 0; i < nic->regions->len; i++) {
        struct vip_region *other = &g_array_index(nic->regions, struct vip_region, i);
        bool overlaps = released->address < other->address + other->length &&
                        other->address < released->address + released->length;
        if (!other->registered || other == released || !overlaps)
            continue;
        if (!other->holes)
            other->holes = g_array_new(FALSE, FALSE, sizeof(struct vip_hole));
        struct vip_hole hole = {from, to};
        g_array_append_val(other->holes, hole);
    }
}

void vip_deregister_mem(struct cpu_context *context, struct vip_nic *nic,
                        struct vip_mem_handle handle)
{
    struct vip_region *region = vip_region(nic, handle);
    g_assert(region);
    int64_t bytes = region_bytes(nic, region->address, region->length);
    charge_call(context, nic, &stage_unpin);
    charge_pages(context, nic, bytes, nic->host->config.memory.unpin_page, &stage_unpin);
    punch_holes(nic, region);
    nic->pinned -= bytes;
    region->registered = false;
    if (region->holes)
        g_array_free(region->holes, TRUE);
    region->holes = NULL;
    g_array_append_val(nic->free_regions, handle.index);
}

bool vip_mem_valid(const struct vip_nic *nic, struct vip_mem_handle handle, int64_t address,
                   int64_t length)
{
    const struct vip_region *region = vip_region(nic, handle);
    if (!region || address < region->address || address + length > region->address + region->length)
        return false;
    for (guint i = 0; region->holes && i < region->holes->len; i++) {
        const struct vip_hole *hole = &g_array_index(region->holes, struct vip_hole, i);
        if (address < hole->to && hole->from < address + length)
            return false;
    }
    return true;
}

bool vip_vi_mem_valid(const struct vip_vi *vi, struct vip_mem_handle handle, int64_t address,
                      int64_t length)
{
    const struct vip_region *region = vip_region(vi->nic, handle);
    return region && region->ptag == vi->ptag && vip_mem_valid(vi->nic, handle, address, length);
}

void vip_mem_watch(struct vip_nic *nic, struct vip_mem_handle handle, vip_watch_fn *watch,
                   void *owner)
{
    struct vip_region *region = vip_region(nic, handle);
    region->watch = watch;
    region->watch_owner = owner;
}

int64_t vip_pinned_bytes(const struct vip_nic *nic)
{
    return nic->pinned;
}

int64_t vip_pin_limit(const struct vip_nic *nic)
{
    return nic->host->config.memory.pin_limit;
}
