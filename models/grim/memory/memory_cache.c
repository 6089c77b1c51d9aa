// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of translations in the card's memory (thesis 003, 4.5.2, figure 4.13). The card looks
// through it entry by entry: first the static ones, which the library has programmed, then those
// that the kernel has answered with.
#include "models/grim/memory/memory.h"

#include <glib.h>

struct entry {
    struct grim_translation translation;
    uint64_t used; // when last, as a count of uses
};

struct grim_cache {
    GArray *entries[2]; // struct entry: static, dynamic
    guint most[2];
    uint64_t uses;
};

enum { STATIC, DYNAMIC };

struct grim_cache *grim_cache_new(int64_t static_entries, int64_t dynamic_entries)
{
    struct grim_cache *cache = g_new0(struct grim_cache, 1);
    cache->most[STATIC] = (guint)static_entries;
    cache->most[DYNAMIC] = (guint)dynamic_entries;
    for (int part = STATIC; part <= DYNAMIC; part++)
        cache->entries[part] =
            g_array_sized_new(FALSE, FALSE, sizeof(struct entry), cache->most[part]);
    return cache;
}

void grim_cache_free(struct grim_cache *cache)
{
    if (!cache)
        return;
    for (int part = STATIC; part <= DYNAMIC; part++)
        g_array_free(cache->entries[part], TRUE);
    g_free(cache);
}

bool grim_cache_add_static(struct grim_cache *cache, const struct grim_translation *translation)
{
    struct entry entry = {*translation, ++cache->uses};
    if (cache->entries[STATIC]->len >= cache->most[STATIC])
        return false;
    g_array_append_val(cache->entries[STATIC], entry);
    return true;
}

void grim_cache_add_dynamic(struct grim_cache *cache, const struct grim_translation *translation,
                            struct grim_translation *evicted)
{
    GArray *entries = cache->entries[DYNAMIC];
    struct entry made = {*translation, ++cache->uses}, *oldest = NULL;
    evicted->endpoint = -1;
    if (entries->len < cache->most[DYNAMIC]) {
        g_array_append_val(entries, made);
        return;
    }
    for (guint i = 0; i < entries->len; i++) {
        struct entry *entry = &g_array_index(entries, struct entry, i);
        if (!oldest || entry->used < oldest->used)
            oldest = entry;
    }
    if (!oldest)
        return;
    *evicted = oldest->translation;
    *oldest = made;
}

static bool entry_covers(const struct grim_translation *translation, int endpoint, int64_t address)
{
    return translation->endpoint == endpoint && address >= translation->address &&
           address < translation->address + translation->bytes;
}

const struct grim_translation *grim_cache_find(struct grim_cache *cache, int endpoint,
                                               int64_t address, int64_t *looked)
{
    *looked = 0;
    for (int part = STATIC; part <= DYNAMIC; part++)
        for (guint i = 0; i < cache->entries[part]->len; i++) {
            struct entry *entry = &g_array_index(cache->entries[part], struct entry, i);
            (*looked)++;
            if (!entry_covers(&entry->translation, endpoint, address))
                continue;
            entry->used = ++cache->uses;
            return &entry->translation;
        }
    return NULL;
}

int64_t grim_cache_remove(struct grim_cache *cache, int endpoint, int64_t address, int64_t bytes)
{
    guint before = cache->entries[STATIC]->len;
    for (int part = STATIC; part <= DYNAMIC; part++)
        for (guint i = cache->entries[part]->len; i > 0; i--) {
            const struct grim_translation *at =
                &g_array_index(cache->entries[part], struct entry, i - 1).translation;
            if (at->endpoint == endpoint && at->address < address + bytes &&
                address < at->address + at->bytes)
                g_array_remove_index(cache->entries[part], i - 1);
        }
    return before - cache->entries[STATIC]->len;
}
