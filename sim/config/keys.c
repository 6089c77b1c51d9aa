// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/keys.h"

#include "sim/config/reader.h"
#include "sim/config/workload.h"

#include <string.h>

const char *const series_keys[] = {"name", "stack", "set", NULL};

static GPtrArray *new_list(void)
{
    return g_ptr_array_new_with_free_func(g_free);
}

static void add(GPtrArray *list, char *name)
{
    if (g_ptr_array_find_with_equal_func(list, name, g_str_equal, NULL))
        g_free(name);
    else
        g_ptr_array_add(list, name);
}

// What follows `path` in `section`: "" if they are the same, the rest behind the dot if it lies
// below, else NULL.
static const char *below(const char *section, const char *path)
{
    size_t length = strlen(path);
    if (length == 0)
        return section;
    if (strncmp(section, path, length) != 0 || (section[length] && section[length] != '.'))
        return NULL;
    return section + length + (section[length] == '.');
}

static void add_table(GPtrArray *list, const char *path, const struct param_table *table)
{
    for (const struct param *param = table->params; param->name; param++)
        add(list, reader_path(path, param->name));
}

GPtrArray *keys_of_section(const struct scenario_schema *schema, const char *path)
{
    GPtrArray *list = new_list();
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        const char *rest = below(section->path, path);
        if (rest && *rest)
            add(list, g_strndup(rest, strcspn(rest, ".")));
        else if (rest)
            add_table(list, "", section->table);
    }
    g_ptr_array_add(list, NULL);
    return list;
}

GPtrArray *keys_at_top(const struct scenario_schema *schema, enum key_place place)
{
    GPtrArray *list = keys_of_section(schema, "");
    g_ptr_array_set_size(list, (int)list->len - 1);
    for (const struct scenario_key *key = scenario_keys; key->name; key++)
        if (key->places & place)
            add(list, g_strdup(key->name));
    g_ptr_array_add(list, NULL);
    return list;
}

// ---- Paths ----

// Every path that --set may name, but for those into lists.
static GPtrArray *all_paths(const struct scenario_schema *schema)
{
    GPtrArray *list = keys_at_top(schema, KEY_IN_SCENARIO);
    g_ptr_array_set_size(list, (int)list->len - 1);
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        for (const char *dot = strchr(section->path, '.'); dot; dot = strchr(dot + 1, '.'))
            add(list, g_strndup(section->path, (gsize)(dot - section->path)));
        add(list, g_strdup(section->path));
        add_table(list, section->path, section->table);
    }
    add_table(list, "link", schema->link_table);
    add_table(list, "switch", schema->switch_table);
    for (const char *const *key = workload_keys; *key; key++)
        add(list, reader_path("workload", *key));
    g_ptr_array_add(list, NULL);
    return list;
}

bool keys_check(const struct node *map, const char *path, const GPtrArray *known,
                const struct scenario_schema *schema, struct diag_list *diags)
{
    bool all = true;
    for (guint i = 0; all && i < map->children->len; i++) {
        const struct node *child = g_ptr_array_index(map->children, i);
        all = g_strv_contains((const char *const *)known->pdata, child->key);
    }
    if (all)
        return true;
    GPtrArray *paths = all_paths(schema);
    bool good = reader_keys_or(map, path, (const char *const *)known->pdata,
                               (const char *const *)paths->pdata, diags);
    g_ptr_array_free(paths, TRUE);
    return good;
}

bool keys_path_exists(const struct scenario_schema *schema, const char *path,
                      struct source_mark mark, struct diag_list *diags)
{
    char *plain = g_strndup(path, strcspn(path, "["));
    bool in_list = strlen(plain) < strlen(path);
    char *parent = g_strdup(plain), *dot = strrchr(parent, '.');
    bool sourced = dot && (strcmp(dot, ".value") == 0 || strcmp(dot, ".source") == 0);
    if (sourced)
        *dot = '\0';
    GPtrArray *paths = all_paths(schema);
    const char *const *known = (const char *const *)paths->pdata;
    bool exists = g_strv_contains(known, plain) || (sourced && g_strv_contains(known, parent));
    if (!exists) {
        char *hint = reader_path_hint(plain, known);
        diag_add(diags, mark, path, hint,
                 in_list ? "there is no such list" : "there is no such key");
        g_free(hint);
    }
    g_ptr_array_free(paths, TRUE);
    g_free(parent);
    g_free(plain);
    return exists;
}
