// SPDX-License-Identifier: GPL-3.0-or-later
// Registered memory: what a port's process may send from and receive into (thesis 001, 2.3.2).
#include "models/myrinet_gm/gm/gm_internal.h"

static int64_t region_end(const struct gm_region *region)
{
    return region->address + region->bytes;
}

// The region that holds the byte at `address`; the search begins at the one found last.
static const struct gm_region *region_of(struct gm_port *port, int64_t address)
{
    guint count = port->regions->len;
    for (guint i = 0; i < count; i++) {
        guint at = (port->last_region + i) % count;
        const struct gm_region *region = &g_array_index(port->regions, struct gm_region, at);
        if (region->address <= address && address < region_end(region)) {
            port->last_region = at;
            return region;
        }
    }
    return NULL;
}

bool gm_registered(struct gm_port *port, int64_t address, int64_t bytes)
{
    int64_t end = address + bytes;
    while (address < end) {
        const struct gm_region *region = region_of(port, address);
        if (!region)
            return false;
        address = region_end(region);
    }
    return true;
}

static void charge(struct cpu_context *context, const struct gm_port *port, int64_t pages,
                   struct cost each, const struct stage *stage)
{
    cpu_spend(context, port->card->host->config.kernel.system_call, &stage_trap);
    cpu_spend(context, port->config->register_call, stage);
    cpu_spend_time(context, time_times(pages, cpu_cost(context->cpu, each)), stage);
}

bool gm_register_memory(struct cpu_context *context, struct gm_port *port, int64_t address,
                        int64_t bytes)
{
    const struct memory_config *memory = &port->card->host->config.memory;
    int64_t pages = memory_pages(memory, address, bytes);
    if (!port->config->registration || port->pinned + pages * memory->page > memory->pin_limit) {
        charge(context, port, 0, memory->pin_page, &stage_pin); // refused before a page is touched
        return false;
    }
    charge(context, port, pages, memory->pin_page, &stage_pin);
    port->pinned += pages * memory->page;
    struct gm_region region = {address, bytes, true};
    g_array_append_val(port->regions, region);
    return true;
}

bool gm_deregister_memory(struct cpu_context *context, struct gm_port *port, int64_t address,
                          int64_t bytes)
{
    const struct memory_config *memory = &port->card->host->config.memory;
    for (guint i = port->regions->len; i-- > 0;) {
        const struct gm_region *region = &g_array_index(port->regions, struct gm_region, i);
        if (region->address != address || region->bytes != bytes || !region->pinned_by_client)
            continue;
        int64_t pages = memory_pages(memory, address, bytes);
        charge(context, port, pages, memory->unpin_page, &stage_unpin);
        port->pinned -= pages * memory->page;
        g_array_remove_index(port->regions, i);
        port->last_region = 0;
        return true;
    }
    return false;
}

void gm_dma_memory(struct gm_port *port, int64_t address, int64_t bytes)
{
    struct gm_region region = {address, bytes, false};
    g_array_append_val(port->regions, region);
}
