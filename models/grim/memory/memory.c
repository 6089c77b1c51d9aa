// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/memory/memory.h"

#include <glib.h>

struct grim_memory {
    const struct memory_config *host;
    const struct grim_memory_config *config;
    GArray *blocks;       // struct grim_block
    GArray *free_regions; // int64_t: physical addresses of runs, ascending; see take_regions
    int64_t pages;        // frames given to pinned pages so far
    GHashTable *pinned;   // endpoint -> bytes pinned page by page
};

// The manager's regions are at the top of the memory, one after the other, but are not joined:
// each was got from the kernel by itself.
struct grim_memory *grim_memory_new(const struct memory_config *host,
                                    const struct grim_memory_config *config)
{
    struct grim_memory *memory = g_new0(struct grim_memory, 1);
    memory->host = host;
    memory->config = config;
    memory->blocks = g_array_new(FALSE, FALSE, sizeof(struct grim_block));
    memory->free_regions = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (int64_t i = config->regions; i > 0; i--) {
        int64_t physical = host->ram - i * config->region;
        g_array_append_val(memory->free_regions, physical);
    }
    memory->pinned = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    return memory;
}

void grim_memory_free(struct grim_memory *memory)
{
    if (!memory)
        return;
    g_hash_table_destroy(memory->pinned);
    g_array_free(memory->free_regions, TRUE);
    g_array_free(memory->blocks, TRUE);
    g_free(memory);
}

// ---- Registration ----

static int64_t *pinned_by(struct grim_memory *memory, int endpoint)
{
    int64_t *bytes = g_hash_table_lookup(memory->pinned, GINT_TO_POINTER(endpoint));
    if (!bytes) {
        bytes = g_new0(int64_t, 1);
        g_hash_table_insert(memory->pinned, GINT_TO_POINTER(endpoint), bytes);
    }
    return bytes;
}

int64_t grim_block_pieces(const struct grim_block *block)
{
    return (block->bytes + block->piece - 1) / block->piece;
}

// Takes regions that follow each other in the list, so that a block's pieces have equal distances.
static bool take_regions(struct grim_memory *memory, struct grim_block *block)
{
    GArray *free_regions = memory->free_regions;
    int64_t region = memory->config->region;
    block->piece = block->stride = region;
    guint count = (guint)grim_block_pieces(block), run = 0;
    for (guint i = 0; i < free_regions->len; i++) {
        int64_t at = g_array_index(free_regions, int64_t, i);
        bool follows = run > 0 && g_array_index(free_regions, int64_t, i - 1) + region == at;
        run = follows ? run + 1 : 1;
        if (run < count)
            continue;
        block->physical = g_array_index(free_regions, int64_t, i + 1 - count);
        g_array_remove_range(free_regions, i + 1 - count, count);
        return true;
    }
    return false;
}

static void give_regions(struct grim_memory *memory, const struct grim_block *block)
{
    GArray *free_regions = memory->free_regions;
    for (int64_t i = 0; i < grim_block_pieces(block); i++) {
        int64_t physical = block->physical + i * block->stride;
        guint at = 0;
        while (at < free_regions->len && g_array_index(free_regions, int64_t, at) < physical)
            at++;
        g_array_insert_val(free_regions, at, physical);
    }
}

// The frames of pages that a process has are anywhere: no two of them lie together.
static bool pin_pages(struct grim_memory *memory, struct grim_block *block)
{
    int64_t page = memory->host->page, *pinned = pinned_by(memory, block->endpoint);
    if (*pinned + block->bytes > memory->host->pin_limit)
        return false;
    *pinned += block->bytes;
    block->piece = page;
    block->stride = 2 * page;
    block->physical = memory->pages * block->stride;
    memory->pages += grim_block_pieces(block);
    return true;
}

static bool overlaps(const struct grim_memory *memory, const struct grim_block *block)
{
    for (guint i = 0; i < memory->blocks->len; i++) {
        const struct grim_block *at = &g_array_index(memory->blocks, struct grim_block, i);
        if (at->endpoint == block->endpoint && at->address < block->address + block->bytes &&
            block->address < at->address + at->bytes)
            return true;
    }
    return false;
}

enum grim_memory_result grim_memory_register(struct grim_memory *memory, int endpoint,
                                             enum grim_registration kind, int64_t address,
                                             int64_t bytes, const struct grim_block **block)
{
    int64_t page = memory->host->page, first = address / page * page;
    struct grim_block made = {
        .endpoint = endpoint,
        .kind = kind,
        .address = first,
        .bytes = (address + bytes + page - 1) / page * page - first,
    };
    if (overlaps(memory, &made))
        return GRIM_OVERLAP;
    if (kind == GRIM_CONTIGUOUS && !take_regions(memory, &made))
        return GRIM_NO_REGION;
    if (kind == GRIM_PAGED && !pin_pages(memory, &made))
        return GRIM_PIN_LIMIT;
    g_array_append_val(memory->blocks, made);
    *block = &g_array_index(memory->blocks, struct grim_block, memory->blocks->len - 1);
    return GRIM_REGISTERED;
}

sim_time grim_memory_register_cost(const struct host *host, const struct grim_memory_config *config,
                                   const struct grim_block *block)
{
    int64_t clock = processor_rate(&host->config.processor);
    struct cost each = block->kind == GRIM_PAGED ? host->config.memory.pin_page : config->map;
    return cost_time(host->config.kernel.system_call, clock) +
           time_times(grim_block_pieces(block), cost_time(each, clock));
}

sim_time grim_memory_deregister_cost(const struct host *host, const struct grim_block *block)
{
    int64_t clock = processor_rate(&host->config.processor);
    sim_time cost = cost_time(host->config.kernel.system_call, clock);
    if (block->kind == GRIM_PAGED)
        cost +=
            time_times(grim_block_pieces(block), cost_time(host->config.memory.unpin_page, clock));
    return cost;
}

bool grim_memory_deregister(struct grim_memory *memory, int endpoint, int64_t address,
                            struct grim_block *block)
{
    int64_t first = address / memory->host->page * memory->host->page;
    for (guint i = 0; i < memory->blocks->len; i++) {
        *block = g_array_index(memory->blocks, struct grim_block, i);
        if (block->endpoint != endpoint || block->address != first)
            continue;
        g_array_remove_index(memory->blocks, i);
        if (block->kind == GRIM_PAGED)
            *pinned_by(memory, endpoint) -= block->bytes;
        else
            give_regions(memory, block);
        return true;
    }
    return false;
}

const struct grim_block *grim_memory_find(const struct grim_memory *memory, int endpoint,
                                          int64_t address)
{
    for (guint i = 0; i < memory->blocks->len; i++) {
        const struct grim_block *block = &g_array_index(memory->blocks, struct grim_block, i);
        if (block->endpoint == endpoint && address >= block->address &&
            address < block->address + block->bytes)
            return block;
    }
    return NULL;
}

bool grim_memory_has(const struct grim_memory *memory, int64_t physical, int64_t bytes)
{
    for (guint i = 0; i < memory->blocks->len; i++) {
        const struct grim_block *block = &g_array_index(memory->blocks, struct grim_block, i);
        int64_t offset = physical - block->physical, inside = offset % block->stride;
        if (offset >= 0 && offset / block->stride < grim_block_pieces(block) &&
            inside + bytes <= block->piece)
            return true;
    }
    return false;
}

int64_t grim_block_physical(const struct grim_block *block, int64_t address, int64_t *contiguous)
{
    int64_t offset = address - block->address, piece = offset / block->piece,
            inside = offset % block->piece;
    *contiguous = MIN(block->piece - inside, block->bytes - offset);
    return block->physical + piece * block->stride + inside;
}

// ---- Translations ----

struct grim_translation grim_block_translation(const struct grim_block *block, int64_t address,
                                               int64_t ranges)
{
    int64_t first = (address - block->address) / block->piece * block->piece;
    return (struct grim_translation){
        .endpoint = block->endpoint,
        .address = block->address + first,
        .bytes = MIN(ranges * block->piece, block->bytes - first),
        .piece = block->piece,
    };
}

int64_t grim_translation_run(const struct grim_translation *translation, int64_t address)
{
    int64_t offset = address - translation->address;
    return MIN(translation->piece - offset % translation->piece, translation->bytes - offset);
}
