// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/grid.h"

#include "sim/output/text.h"

struct grid grid_new(guint columns, unsigned right)
{
    return (struct grid){g_ptr_array_new_with_free_func(g_free), columns, right};
}

void grid_add(struct grid *grid, const char *text)
{
    g_ptr_array_add(grid->cells, g_strdup(text));
}

void grid_take(struct grid *grid, char *text)
{
    g_ptr_array_add(grid->cells, text);
}

void grid_print(struct grid *grid, GString *out)
{
    int *widths = g_new0(int, grid->columns);
    for (guint i = 0; i < grid->cells->len; i++) {
        int width = text_width(g_ptr_array_index(grid->cells, i));
        widths[i % grid->columns] = MAX(widths[i % grid->columns], width);
    }
    for (guint i = 0; i < grid->cells->len; i++) {
        guint column = i % grid->columns;
        const char *text = g_ptr_array_index(grid->cells, i);
        g_string_append(out, "  ");
        if (grid->right & (1u << column))
            text_append_right(out, text, widths[column]);
        else if (column + 1 < grid->columns)
            text_append_left(out, text, widths[column]);
        else
            g_string_append(out, text);
        if (column + 1 < grid->columns)
            continue;
        while (out->len && out->str[out->len - 1] == ' ')
            g_string_truncate(out, out->len - 1);
        g_string_append_c(out, '\n');
    }
    g_free(widths);
    g_ptr_array_unref(grid->cells);
}
