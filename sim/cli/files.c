// SPDX-License-Identifier: GPL-3.0-or-later
// A command must not write a file that it reads, nor two of its outputs to one file.
#include "sim/cli/cli.h"

#include "sim/config/node.h"

// Adds the files that a tree was read from.
static void add_files(GPtrArray *files, const struct node *node)
{
    const char *file = node->mark.file; // interned
    if (file && !g_ptr_array_find(files, file, NULL))
        g_ptr_array_add(files, (gpointer)file);
    for (guint i = 0; node->children && i < node->children->len; i++)
        add_files(files, g_ptr_array_index(node->children, i));
}

bool cli_files_differ(const struct scenario *scenario, const struct file_use *uses, int count)
{
    GError *error = NULL;
    GPtrArray *files = g_ptr_array_new();
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct file_use));
    for (int i = 0; i < count; i++)
        if (uses[i].path)
            g_array_append_val(all, uses[i]);
    for (guint i = 0; scenario && i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (one->tree)
            add_files(files, one->tree);
    }
    for (guint i = 0; i < files->len; i++) {
        struct file_use use = {"the scenario", g_ptr_array_index(files, i), false};
        g_array_append_val(all, use);
    }
    bool differ =
        file_uses_differ((const struct file_use *)(void *)all->data, (int)all->len, &error);
    if (!differ)
        cli_error(NULL, "%s", error->message);
    g_clear_error(&error);
    g_array_unref(all);
    g_ptr_array_unref(files);
    return differ;
}
