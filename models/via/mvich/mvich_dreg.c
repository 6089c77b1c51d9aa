// SPDX-License-Identifier: GPL-3.0-or-later
// MVICH's registration cache ("dreg"): whole pages, found by their first page in a hash table with
// chains. Unused entries stay registered (lazy deregistration) until entries, bytes or pinnable
// memory run out; then the one that has been unused longest goes.
//
// The table does not find areas that contain the wanted one but begin on another page: such pages
// are registered twice. M-VIA unpins them with whichever goes first (thesis 000, 4.6.3), so an
// entry does not go while one in use shares pages with it, and one that has lost pages is
// registered anew (both assumed).
#include "models/via/mvich/mvich.h"

static const struct stage dreg_stage = {"dreg", STAGE_PIN};

struct mvich_dreg {
    struct vip_nic *nic;
    uint32_t ptag;
    const struct mvich_config *config;
    int64_t page;
    const char *where;
    struct mvich_dreg_entry **buckets;
    struct mvich_dreg_entry *newest, *oldest; // without references
    struct mvich_dreg_entry *all;
    struct pool entries;
    int64_t count, bytes;
};

struct mvich_dreg *mvich_dreg_new(struct vip_nic *nic, uint32_t ptag,
                                  const struct mvich_config *config, int64_t page,
                                  const char *where)
{
    struct mvich_dreg *dreg = g_new0(struct mvich_dreg, 1);
    dreg->nic = nic;
    dreg->ptag = ptag;
    dreg->config = config;
    dreg->page = page;
    dreg->where = where;
    dreg->buckets = g_new0(struct mvich_dreg_entry *, config->dreg_buckets);
    pool_init(&dreg->entries, sizeof(struct mvich_dreg_entry));
    return dreg;
}

void mvich_dreg_free(struct mvich_dreg *dreg)
{
    if (!dreg)
        return;
    pool_clear(&dreg->entries);
    g_free(dreg->buckets);
    g_free(dreg);
}

static void dreg_trace(const struct cpu_context *context, const struct mvich_dreg *dreg,
                       const struct mvich_dreg_entry *entry, const char *event)
{
    if (!cpu_sim(context->cpu)->trace)
        return;
    char *detail = g_strdup_printf("%" G_GINT64_FORMAT " pages, references %d", entry->pages,
                                   entry->references);
    cpu_trace_event(
        context,
        (struct machine_owner){.where = dreg->where, .subject = entry->page, .machine = "dreg"},
        NULL, event, detail);
    g_free(detail);
}

static struct mvich_dreg_entry **bucket(const struct mvich_dreg *dreg, int64_t page)
{
    return &dreg->buckets[page % dreg->config->dreg_buckets];
}

// ---- The list of unused entries ----

static void lru_append(struct mvich_dreg *dreg, struct mvich_dreg_entry *entry)
{
    entry->lru_newer = NULL;
    entry->lru_older = dreg->newest;
    if (dreg->newest)
        dreg->newest->lru_newer = entry;
    else
        dreg->oldest = entry;
    dreg->newest = entry;
}

static void lru_remove(struct mvich_dreg *dreg, struct mvich_dreg_entry *entry)
{
    if (entry->lru_newer)
        entry->lru_newer->lru_older = entry->lru_older;
    else
        dreg->newest = entry->lru_older;
    if (entry->lru_older)
        entry->lru_older->lru_newer = entry->lru_newer;
    else
        dreg->oldest = entry->lru_newer;
}

// ---- Eviction ----

static bool shares_pages_in_use(const struct mvich_dreg *dreg, const struct mvich_dreg_entry *entry)
{
    for (const struct mvich_dreg_entry *other = dreg->all; other; other = other->all_next)
        if (other->references > 0 && other->page < entry->page + entry->pages &&
            entry->page < other->page + other->pages)
            return true;
    return false;
}

static void deregister(struct cpu_context *context, struct mvich_dreg *dreg,
                       struct mvich_dreg_entry *entry, const char *why)
{
    struct mvich_dreg_entry **at = bucket(dreg, entry->page);
    dreg_trace(context, dreg, entry, why);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    lru_remove(dreg, entry);
    if (entry->all_previous)
        entry->all_previous->all_next = entry->all_next;
    else
        dreg->all = entry->all_next;
    if (entry->all_next)
        entry->all_next->all_previous = entry->all_previous;
    vip_deregister_mem(context, dreg->nic, entry->handle);
    dreg->count--;
    dreg->bytes -= entry->pages * dreg->page;
    pool_give(&dreg->entries, entry);
}

bool mvich_dreg_evict(struct cpu_context *context, struct mvich_dreg *dreg)
{
    struct mvich_dreg_entry *entry = dreg ? dreg->oldest : NULL;
    while (entry && shares_pages_in_use(dreg, entry))
        entry = entry->lru_newer;
    if (!entry)
        return false;
    deregister(context, dreg, entry, "evicted");
    return true;
}

// ---- Look-up and registration ----

static bool entry_valid(const struct mvich_dreg *dreg, const struct mvich_dreg_entry *entry)
{
    return vip_mem_valid(dreg->nic, entry->handle, entry->page * dreg->page,
                         entry->pages * dreg->page);
}

// The chain's entry that has all pages from `page` on; charges the entries that it checks.
static struct mvich_dreg_entry *find(struct cpu_context *context, struct mvich_dreg *dreg,
                                     int64_t page, int64_t pages)
{
    struct mvich_dreg_entry *entry = *bucket(dreg, page);
    cpu_spend(context, dreg->config->dreg_hash, &dreg_stage);
    for (; entry; entry = entry->next) {
        cpu_spend(context, dreg->config->dreg_probe, &dreg_stage);
        if (entry->page == page && entry->pages >= pages && entry_valid(dreg, entry))
            return entry;
    }
    return NULL;
}

static bool make_room(struct cpu_context *context, struct mvich_dreg *dreg, int64_t pages)
{
    const struct mvich_config *config = dreg->config;
    while (dreg->count >= config->dreg_entries ||
           (config->dreg_limit && dreg->bytes + pages * dreg->page > config->dreg_limit))
        if (!mvich_dreg_evict(context, dreg))
            return false;
    return true;
}

static bool register_or_evict(struct cpu_context *context, struct mvich_dreg *dreg,
                              struct mvich_dreg_entry *entry)
{
    if (!make_room(context, dreg, entry->pages))
        return false;
    while (!vip_register_mem(context, dreg->nic, entry->page * dreg->page,
                             entry->pages * dreg->page, dreg->ptag, &entry->handle))
        if (!mvich_dreg_evict(context, dreg))
            return false;
    return true;
}

static struct mvich_dreg_entry *add(struct mvich_dreg *dreg, const struct mvich_dreg_entry *wanted)
{
    struct mvich_dreg_entry *entry = pool_take(&dreg->entries), **at = bucket(dreg, wanted->page);
    *entry = *wanted;
    entry->references = 1;
    entry->next = *at;
    *at = entry;
    entry->all_next = dreg->all;
    if (dreg->all)
        dreg->all->all_previous = entry;
    dreg->all = entry;
    dreg->count++;
    dreg->bytes += entry->pages * dreg->page;
    return entry;
}

struct mvich_dreg_entry *mvich_dreg_register(struct cpu_context *context, struct mvich_dreg *dreg,
                                             int64_t address, int64_t bytes)
{
    struct mvich_dreg_entry wanted = {.page = address / dreg->page};
    wanted.pages = (address + MAX(bytes, 1) - 1) / dreg->page - wanted.page + 1;
    struct mvich_dreg_entry *entry = find(context, dreg, wanted.page, wanted.pages);
    if (entry) {
        if (entry->references++ == 0)
            lru_remove(dreg, entry);
        dreg_trace(context, dreg, entry, "hit");
        return entry;
    }
    if (!register_or_evict(context, dreg, &wanted)) {
        dreg_trace(context, dreg, &wanted, "refused");
        return NULL;
    }
    entry = add(dreg, &wanted);
    dreg_trace(context, dreg, entry, "registered");
    return entry;
}

void mvich_dreg_release(struct cpu_context *context, struct mvich_dreg *dreg,
                        struct mvich_dreg_entry *entry)
{
    g_assert(entry->references > 0);
    if (--entry->references == 0)
        lru_append(dreg, entry);
    dreg_trace(context, dreg, entry, "released");
}
