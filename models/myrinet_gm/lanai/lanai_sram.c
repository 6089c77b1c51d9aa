// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/lanai/lanai_internal.h"

#include <string.h>

static struct lanai_region *region_of(const struct lanai *lanai, const char *name)
{
    for (guint i = 0; i < lanai->regions->len; i++) {
        struct lanai_region *region = &g_array_index(lanai->regions, struct lanai_region, i);
        if (region->name == name || strcmp(region->name, name) == 0)
            return region;
    }
    return NULL;
}

int64_t lanai_sram_left(const struct lanai *lanai)
{
    return lanai->config.sram - lanai->sram_used;
}

bool lanai_sram_try(struct lanai *lanai, const char *name, int64_t bytes)
{
    g_assert(bytes > 0);
    if (bytes > lanai_sram_left(lanai))
        return false;
    struct lanai_region *region = region_of(lanai, name);
    if (region) {
        region->bytes += bytes;
    } else {
        struct lanai_region first = {name, bytes};
        g_array_append_val(lanai->regions, first);
    }
    lanai->sram_used += bytes;
    return true;
}

void lanai_sram_give(struct lanai *lanai, const char *name, int64_t bytes)
{
    struct lanai_region *region = region_of(lanai, name);
    g_assert(region && bytes > 0 && bytes <= region->bytes);
    region->bytes -= bytes;
    lanai->sram_used -= bytes;
}

// "nothing else", or "send buffers 8192 B, tables 512 B".
static char *describe_regions(const struct lanai *lanai, json_t *list)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < lanai->regions->len; i++) {
        const struct lanai_region *region = &g_array_index(lanai->regions, struct lanai_region, i);
        if (region->bytes == 0)
            continue;
        g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT " B", text->len > 0 ? ", " : "",
                               region->name, region->bytes);
        json_object_set_new(list, region->name, json_integer(region->bytes));
    }
    if (text->len == 0)
        g_string_append(text, "nothing");
    return g_string_free(text, FALSE);
}

bool lanai_sram_take(struct lanai *lanai, const char *name, int64_t bytes, const char *setting)
{
    if (lanai_sram_try(lanai, name, bytes))
        return true;
    json_t *list = json_object();
    char *others = describe_regions(lanai, list);
    json_t *detail = json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "host", lanai->host->name,
                               "wanted_by", name, "wanted_bytes", (json_int_t)bytes, "free_bytes",
                               (json_int_t)lanai_sram_left(lanai), "sram_bytes",
                               (json_int_t)lanai->config.sram, "taken", list);
    sim_fail(lanai->sim, SIM_FAILED, "sram_exhausted", detail,
             "%s: %s need %" G_GINT64_FORMAT " B of the LANai's SRAM, of whose %" G_GINT64_FORMAT
             " B %" G_GINT64_FORMAT " are free (taken: %s); more %s.sram or less %s would avoid it",
             lanai->host->name, name, bytes, lanai->config.sram, lanai_sram_left(lanai), others,
             lanai->section, setting);
    g_free(others);
    return false;
}
