// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/lam_via/pin_cache.h"

static const struct stage pin_cache_stage = {"pin cache", STAGE_PIN};

struct pin_cache {
    struct vip_nic *nic;
    uint32_t ptag;
    struct pin_search search;
    const char *where;
    GTree *tree;               // struct pin_area * -> the same
    int64_t comparisons;       // of the tree so far
    GQueue lru;                // youngest at the head
    struct pin_area **buckets; // by start address
    struct pool areas;
    struct sim *sim;
    struct pin_cache_stats stats;
};

int pin_area_compare(const struct pin_area *a, const struct pin_area *b)
{
    if (a->address < b->address && a->end <= b->address)
        return -1;
    if (a->address >= b->end && a->end > b->end)
        return 1;
    return 0;
}

static gint compare(gconstpointer a, gconstpointer b, gpointer data)
{
    struct pin_cache *cache = data;
    cache->comparisons++;
    return pin_area_compare(a, b);
}

struct pin_cache *pin_cache_new(struct vip_nic *nic, uint32_t ptag, const struct pin_search *search,
                                const char *where)
{
    struct pin_cache *cache = g_new0(struct pin_cache, 1);
    cache->nic = nic;
    cache->ptag = ptag;
    cache->search = *search;
    cache->search.buckets = MAX(1, search->buckets);
    cache->where = where;
    cache->tree = g_tree_new_with_data(compare, cache);
    cache->buckets = g_new0(struct pin_area *, cache->search.buckets);
    g_queue_init(&cache->lru);
    pool_init(&cache->areas, sizeof(struct pin_area));
    return cache;
}

void pin_cache_free(struct pin_cache *cache)
{
    if (!cache)
        return;
    g_tree_unref(cache->tree);
    g_free(cache->buckets);
    pool_clear(&cache->areas);
    g_free(cache);
}

static void cache_trace(const struct cpu_context *context, const struct pin_cache *cache,
                        const struct pin_area *area, const char *event)
{
    if (!cpu_sim(context->cpu)->trace)
        return;
    char *detail = g_strdup_printf("%" G_GINT64_FORMAT " B, references %d",
                                   area->end - area->address, area->refcount);
    cpu_trace_event(
        context,
        (struct machine_owner){.where = cache->where, .subject = area->address, .machine = "pin"},
        NULL, event, detail);
    g_free(detail);
}

// ---- The structures ----

static struct pin_area **bucket(const struct pin_cache *cache, int64_t address)
{
    // A multiplicative hash: start addresses are often multiples of large powers of two.
    uint64_t hash = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15);
    return &cache->buckets[(hash >> 32) % (uint64_t)cache->search.buckets];
}

static void spend_times(struct cpu_context *context, struct cost cost, int64_t times)
{
    cpu_spend_time(context, time_times(times, cpu_cost(context->cpu, cost)), &pin_cache_stage);
}

// The area that starts where the wanted one does.
static struct pin_area *search_table(struct cpu_context *context, struct pin_cache *cache,
                                     const struct pin_area *wanted)
{
    struct pin_area *area = *bucket(cache, wanted->address);
    int64_t probes = area != NULL;
    while (area && area->address != wanted->address) {
        area = area->chain;
        probes += area != NULL;
    }
    cpu_spend(context, cache->search.hash, &pin_cache_stage);
    spend_times(context, cache->search.probe, probes);
    return area;
}

static struct pin_area *search_tree(struct cpu_context *context, struct pin_cache *cache,
                                    const struct pin_area *wanted)
{
    int64_t before = cache->comparisons;
    struct pin_area *area = g_tree_lookup(cache->tree, wanted);
    spend_times(context, cache->search.compare, cache->comparisons - before);
    return area;
}

static struct pin_area *search_list(struct cpu_context *context, struct pin_cache *cache,
                                    const struct pin_area *wanted)
{
    int64_t looked_at = 0;
    GList *at = cache->lru.head;
    for (; at; at = at->next) {
        looked_at++;
        if (pin_area_compare(wanted, at->data) == 0)
            break;
    }
    spend_times(context, cache->search.compare, looked_at);
    return at ? at->data : NULL;
}

// An area that overlaps the wanted one, or NULL; charges the search.
static struct pin_area *search(struct cpu_context *context, struct pin_cache *cache,
                               const struct pin_area *wanted)
{
    struct pin_area *area;
    cpu_spend(context, cache->search.lookup, &pin_cache_stage);
    switch ((enum pin_structure)cache->search.structure) {
    case PIN_AVL:
        break;
    case PIN_HASH:
        area = search_table(context, cache, wanted);
        return area ? area : search_list(context, cache, wanted);
    case PIN_HYBRID:
        area = search_table(context, cache, wanted);
        if (area)
            return area;
        break;
    }
    return search_tree(context, cache, wanted);
}

// All structures are kept, so that the invariants hold whichever is searched.
static void area_insert(struct pin_cache *cache, struct pin_area *area)
{
    struct pin_area **at = bucket(cache, area->address);
    area->chain = *at;
    *at = area;
    g_tree_insert(cache->tree, area, area);
    g_queue_push_head_link(&cache->lru, &area->lru);
}

// Out of all structures, and deregistered.
static void area_remove(struct cpu_context *context, struct pin_cache *cache, struct pin_area *area,
                        const char *why)
{
    struct pin_area **at = bucket(cache, area->address);
    cache_trace(context, cache, area, why);
    while (*at != area)
        at = &(*at)->chain;
    *at = area->chain;
    g_tree_remove(cache->tree, area);
    g_queue_unlink(&cache->lru, &area->lru);
    vip_deregister_mem(context, cache->nic, area->handle);
    pool_give(&cache->areas, area);
}

static void area_touch(struct pin_cache *cache, struct pin_area *area)
{
    g_queue_unlink(&cache->lru, &area->lru);
    g_queue_push_head_link(&cache->lru, &area->lru);
}

// The oldest unused area, or NULL.
static struct pin_area *oldest_unused(const struct pin_cache *cache)
{
    for (GList *at = cache->lru.tail; at; at = at->prev) {
        struct pin_area *area = at->data;
        if (area->refcount == 0 && area->lru_ok)
            return area;
    }
    return NULL;
}

bool pin_cache_evict(struct cpu_context *context, struct pin_cache *cache)
{
    struct pin_area *old = oldest_unused(cache);
    if (!old)
        return false;
    cache->stats.evictions++;
    area_remove(context, cache, old, "evicted");
    return true;
}

// Registers, and frees old areas one after the other until it succeeds.
static bool register_or_evict(struct cpu_context *context, struct pin_cache *cache,
                              struct pin_area *area)
{
    while (!vip_register_mem(context, cache->nic, area->address, area->end - area->address,
                             cache->ptag, &area->handle)) {
        if (!pin_cache_evict(context, cache))
            return false;
    }
    return true;
}

// Removes all areas that overlap the wanted one, of which `old` was found first (or NULL). False if
// one of them is in use: nothing more can be done now.
static bool remove_overlapped(struct cpu_context *context, struct pin_cache *cache,
                              const struct pin_area *wanted, struct pin_area *old)
{
    for (; old; old = search(context, cache, wanted)) {
        if (old->refcount > 0) {
            cache_trace(context, cache, old, "busy");
            return false;
        }
        cache->stats.replacements++;
        area_remove(context, cache, old, "replaced");
    }
    return true;
}

struct pin_area *pin_cache_acquire(struct cpu_context *context, struct pin_cache *cache,
                                   int64_t address, int64_t bytes)
{
    struct pin_area wanted = {.address = address, .end = address + MAX(bytes, 1), .lru_ok = true};
    struct pin_area *area = search(context, cache, &wanted);
    if (area && area->address <= wanted.address && wanted.end <= area->end) {
        cache->stats.hits++;
        area->refcount++;
        area_touch(cache, area);
        cache_trace(context, cache, area, "hit");
        return area;
    }
    if (!remove_overlapped(context, cache, &wanted, area) ||
        !register_or_evict(context, cache, &wanted)) {
        cache->stats.refusals++;
        cache_trace(context, cache, &wanted, "refused");
        return NULL;
    }
    area = pool_take(&cache->areas);
    *area = wanted;
    area->refcount = 1;
    area->lru.data = area;
    area_insert(cache, area);
    cache->stats.registrations++;
    cache_trace(context, cache, area, "registered");
    return area;
}

void pin_cache_release(struct cpu_context *context, struct pin_cache *cache, struct pin_area *area)
{
    g_assert(area->refcount > 0);
    area->refcount--;
    cache_trace(context, cache, area, "released");
}

struct pin_cache_stats pin_cache_stats(const struct pin_cache *cache)
{
    return cache->stats;
}

int pin_cache_areas(const struct pin_cache *cache)
{
    return g_tree_nnodes(cache->tree);
}
