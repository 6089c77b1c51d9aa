// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/draw_mix.h"

#include "sim/config/node.h"
#include "sim/scenario/draw_quantile.h"

#include <string.h>

#define DRAW_MIX_NONE "none"
#define DRAW_MIX_OF " of "

// Whether a path is that of a section or parameter that a draw may have.
static bool mix_path_exists(const struct scenario_schema *schema, const char *path)
{
    static const char *const shared[] = {"link", "switch"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < G_N_ELEMENTS(shared); i++) {
        const struct param_table *table = i == 0 ? schema->link_table : schema->switch_table;
        size_t length = strlen(shared[i]);
        if (strncmp(path, shared[i], length) == 0 &&
            (!path[length] || (path[length] == '.' && param_index(table, path + length + 1) >= 0)))
            return true;
    }
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        if (strcmp(section->path, path) == 0)
            return true;
        if (dot && strlen(section->path) == (size_t)(dot - path) &&
            strncmp(section->path, path, (size_t)(dot - path)) == 0 &&
            param_index(section->table, dot + 1) >= 0)
            return true;
    }
    return false;
}

static bool mix_paths_exist(const struct draw_mix *mix, const struct scenario_schema *schema,
                            struct source_mark mark, struct diag_list *diags)
{
    bool good = true;
    for (char **path = mix->paths; *path; path++) {
        g_strstrip(*path);
        if (mix_path_exists(schema, *path))
            continue;
        diag_add(diags, mark, DRAW_MIX_KEY,
                 "a section has a path as host.kernel, a parameter as "
                 "host.kernel.system_call",
                 "there is no section or parameter %s", *path);
        good = false;
    }
    return good;
}

bool draw_mix_read(const struct node *tree, const struct scenario_schema *schema,
                   struct draw_mix *mix, struct diag_list *diags)
{
    const struct node *node = node_get(tree, DRAW_MIX_KEY);
    *mix = (struct draw_mix){.mixed = node != NULL};
    if (!node || g_strcmp0(node->text, DRAW_MIX_NONE) == 0)
        return true;
    const char *of = node->text ? strstr(node->text, DRAW_MIX_OF) : NULL;
    guint64 number = 0;
    char *first = of ? g_strndup(node->text, (gsize)(of - node->text)) : NULL;
    bool good = first && g_ascii_string_to_unsigned(first, 10, 1, DRAW_MOST, &number, NULL);
    g_free(first);
    if (!good) {
        diag_add(diags, node->mark, DRAW_MIX_KEY, "write 1007 of switch, host.kernel, or none",
                 "it is the number of a draw, from 1 to %d, and what is of it", DRAW_MOST);
        return false;
    }
    mix->draw = (int64_t)number;
    mix->paths = g_strsplit(of + strlen(DRAW_MIX_OF), ",", -1);
    return mix_paths_exist(mix, schema, node->mark, diags);
}

void draw_mix_clear(struct draw_mix *mix)
{
    g_strfreev(mix->paths);
    *mix = (struct draw_mix){0};
}

int64_t draw_mix_of(const struct draw_mix *mix, int64_t draw, const char *input)
{
    for (char **path = mix->paths; path && *path; path++) {
        size_t length = strlen(*path);
        if (strncmp(input, *path, length) == 0 && (!input[length] || input[length] == '.'))
            return mix->draw;
    }
    return draw;
}
