// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks as programs and communicators name them: 0, 1..3, all.
#include "sim/program/program.h"

#include <limits.h>
#include <string.h>

bool program_parse_ranks(const char *text, int *first, int *last)
{
    char *end;
    if (!g_ascii_isdigit(*text))
        return false;
    gint64 a = g_ascii_strtoll(text, &end, 10), b = a;
    end += strspn(end, " ");
    if (g_str_has_prefix(end, "..")) {
        const char *digits = end + 2 + strspn(end + 2, " ");
        if (!g_ascii_isdigit(*digits))
            return false;
        b = g_ascii_strtoll(digits, &end, 10);
    }
    *first = (int)MIN(a, INT_MAX - 1);
    *last = (int)MIN(b, INT_MAX - 1);
    return *end == '\0' && *first <= *last;
}

int program_ranks_named(const struct node *list, bool *all)
{
    int named = 1;
    *all = false;
    for (guint i = 0; list->kind == NODE_LIST && i < list->children->len; i++) {
        const struct node *ranks = node_get(g_ptr_array_index(list->children, i), "ranks");
        const struct node *const only[] = {ranks};
        bool is_list = ranks && ranks->kind == NODE_LIST;
        guint count = is_list ? ranks->children->len : ranks != NULL;
        for (guint k = 0; k < count; k++) {
            const struct node *item = is_list ? g_ptr_array_index(ranks->children, k) : only[0];
            int first, last;
            if (item->kind == NODE_SCALAR && item->text &&
                program_parse_ranks(item->text, &first, &last))
                named = MAX(named, last + 1);
            *all |= item->kind == NODE_SCALAR && g_strcmp0(item->text, "all") == 0;
        }
    }
    return named;
}

json_t *program_rank_schema(const char *words)
{
    char *pattern = g_strdup_printf("^(%s[0-9]+( *\\.\\. *[0-9]+)?)$", words);
    json_t *schema = json_pack("[{s:s, s:i}, {s:s, s:s}]", "type", "integer", "minimum", 0, "type",
                               "string", "pattern", pattern);
    g_free(pattern);
    return schema;
}
