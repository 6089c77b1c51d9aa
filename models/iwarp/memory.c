// SPDX-License-Identifier: GPL-3.0-or-later
// Protection domains and registered memory. A steering tag is an index of 24 bits and a key of 8,
// which changes with each registration of the index (RFC 5040, 5.1).
#include "models/iwarp/internal.h"

#define KEY_BITS 8

uint32_t iwarp_pd_allocate(struct cpu_context *context, struct iwarp_rnic *rnic)
{
    uint32_t domain;
    cpu_spend(context, rnic->config->object, &iwarp_stage);
    for (guint i = 0; i < rnic->domains->len; i++)
        if (g_array_index(rnic->domains, uint32_t, i) == 0)
            return g_array_index(rnic->domains, uint32_t, i) = i + 1;
    domain = rnic->domains->len + 1;
    g_array_append_val(rnic->domains, domain);
    return domain;
}

bool iwarp_domain_known(const struct iwarp_rnic *rnic, uint32_t domain)
{
    return domain > 0 && domain <= rnic->domains->len &&
           g_array_index(rnic->domains, uint32_t, domain - 1) != 0;
}

// Whether a QP or memory belongs to it.
static bool domain_used(const struct iwarp_rnic *rnic, uint32_t domain)
{
    for (guint i = 0; i < rnic->regions->len; i++) {
        const struct iwarp_region *region = &g_array_index(rnic->regions, struct iwarp_region, i);
        if (region->stag != 0 && region->domain == domain)
            return true;
    }
    for (guint i = 0; i < rnic->qps->len; i++) {
        const struct iwarp_qp *qp = g_ptr_array_index(rnic->qps, i);
        if (!qp->destroyed && qp->attributes.domain == domain)
            return true;
    }
    return false;
}

enum iwarp_result iwarp_pd_deallocate(struct cpu_context *context, struct iwarp_rnic *rnic,
                                      uint32_t domain)
{
    cpu_spend(context, rnic->config->object, &iwarp_stage);
    if (!iwarp_domain_known(rnic, domain) || domain_used(rnic, domain))
        return IWARP_INVALID;
    g_array_index(rnic->domains, uint32_t, domain - 1) = 0;
    return IWARP_OK;
}

// A free index of the table, which begins with 1.
static guint free_index(struct iwarp_rnic *rnic)
{
    for (guint i = 0; i < rnic->regions->len; i++)
        if (g_array_index(rnic->regions, struct iwarp_region, i).stag == 0)
            return i;
    g_array_set_size(rnic->regions, rnic->regions->len + 1);
    return rnic->regions->len - 1;
}

static void charge_pages(struct cpu_context *context, const struct iwarp_rnic *rnic,
                         const struct iwarp_region *region, bool pins)
{
    const struct memory_config *memory = &rnic->user.host->config.memory;
    struct cost page = pins ? memory->pin_page : memory->unpin_page;
    cpu_spend(context, rnic->config->register_call, &iwarp_stage);
    if (rnic->config->pin)
        cpu_spend_time(context,
                       time_times(memory_pages(memory, region->address, region->length),
                                  cpu_cost(context->cpu, page)),
                       pins ? &stage_pin : &stage_unpin);
}

uint32_t iwarp_memory_register(struct cpu_context *context, struct iwarp_rnic *rnic,
                               uint32_t domain, int64_t address, int64_t length)
{
    if (!iwarp_domain_known(rnic, domain) || length <= 0 || address < 0)
        return 0;
    guint index = free_index(rnic);
    struct iwarp_region *region = &g_array_index(rnic->regions, struct iwarp_region, index);
    region->stag = (index + 1) << KEY_BITS | region->key++;
    region->domain = domain;
    region->address = address;
    region->length = length;
    charge_pages(context, rnic, region, true);
    return region->stag;
}

static struct iwarp_region *region_of(const struct iwarp_rnic *rnic, uint32_t stag)
{
    guint index = stag >> KEY_BITS;
    if (index == 0 || index > rnic->regions->len)
        return NULL;
    struct iwarp_region *region = &g_array_index(rnic->regions, struct iwarp_region, index - 1);
    return region->stag == stag ? region : NULL;
}

enum iwarp_result iwarp_memory_deregister(struct cpu_context *context, struct iwarp_rnic *rnic,
                                          uint32_t stag)
{
    struct iwarp_region *region = region_of(rnic, stag);
    if (!region)
        return IWARP_BAD_STAG;
    charge_pages(context, rnic, region, false);
    region->stag = 0;
    return IWARP_OK;
}

const struct iwarp_region *iwarp_region_of(const struct iwarp_rnic *rnic, uint32_t stag,
                                           uint32_t domain)
{
    const struct iwarp_region *region = region_of(rnic, stag);
    return region && region->domain == domain ? region : NULL;
}

bool iwarp_region_holds(const struct iwarp_region *region, int64_t address, int64_t length)
{
    return address >= region->address && length <= region->length &&
           address - region->address <= region->length - length;
}

uint32_t iwarp_memory_find(const struct iwarp_rnic *rnic, int64_t address, int64_t length)
{
    for (guint i = 0; i < rnic->regions->len; i++) {
        const struct iwarp_region *region = &g_array_index(rnic->regions, struct iwarp_region, i);
        if (region->stag != 0 && iwarp_region_holds(region, address, length))
            return region->stag;
    }
    return 0;
}
