// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/host_settings.h"

#include "sim/config/reader.h"

#include <string.h>

#define PREFIX HOST_SETTINGS_KEY "."

// The name of a section of hosts ("processor"); NULL: it is another one.
static const char *name_of(const struct scenario_section *section)
{
    return g_str_has_prefix(section->path, PREFIX) ? section->path + strlen(PREFIX) : NULL;
}

static void check_host_keys(const struct scenario_schema *schema, const struct node *own,
                            const char *path, struct diag_list *diags)
{
    GPtrArray *names = g_ptr_array_new();
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        if (name_of(section))
            g_ptr_array_add(names, (char *)name_of(section));
    g_ptr_array_add(names, NULL);
    reader_keys(own, path, (const char *const *)names->pdata, diags);
    g_ptr_array_free(names, TRUE);
}

GPtrArray *host_settings_read(const struct node *common, const struct node *own,
                              const struct scenario_schema *schema, const char *path,
                              struct diag_list *diags)
{
    GPtrArray *settings = g_ptr_array_new_with_free_func((GDestroyNotify)param_values_free);
    if (!reader_is(own, NODE_MAP, path, "settings as of host, {processor: {…}}", diags))
        return settings;
    check_host_keys(schema, own, path, diags);
    struct node *laid = node_merge(common && common->kind == NODE_MAP ? common : NULL, own);
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        const char *name = name_of(section);
        if (!name)
            continue;
        char *section_path = reader_path(path, name);
        const struct node *map = node_get(own, name);
        if (map && reader_is(map, NODE_MAP, section_path, "a map of parameters", diags))
            param_keys(section->table, map, section_path, diags);
        map = node_get(laid, name);
        if (!map || map->kind == NODE_MAP)
            g_ptr_array_add(settings,
                            param_read_part(section->table, map, section_path, true, NULL, diags));
        g_free(section_path);
    }
    node_free(laid);
    return settings;
}

json_t *host_settings_schema(const struct scenario_schema *schema)
{
    json_t *sections = json_object();
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        if (name_of(section)) {
            char *pointer = g_strdup_printf("#/$defs/%s", section->path);
            json_object_set_new(sections, name_of(section), json_pack("{s:s}", "$ref", pointer));
            g_free(pointer);
        }
    return json_pack("{s:s, s:o, s:b, s:s}", "type", "object", "properties", sections,
                     "additionalProperties", 0, "description",
                     "settings of these hosts alone, laid over those of `host`");
}
