// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a page.
#include "sim/cli/report.h"

#include "sim/output/csv_rows.h"

#include <string.h>

static json_t *page_fields(GPtrArray *fields)
{
    json_t *row = json_array();
    for (guint i = 0; i < fields->len; i++)
        json_array_append_new(row, json_string(g_ptr_array_index(fields, i)));
    g_ptr_array_unref(fields);
    return row;
}

json_t *page_table(const char *name, const char *file, const char *text)
{
    const char *problem = csv_rows_bad_line(text, strlen(text)) ? "not UTF-8" : NULL;
    struct csv_rows rows = csv_rows_of(text);
    json_t *columns = NULL, *list = json_array();
    json_int_t left = 0;
    for (; !problem && *rows.at; csv_rows_next(&rows)) {
        json_t *row = page_fields(csv_rows_take(&rows, NULL, &problem));
        if (!columns)
            columns = json_incref(row);
        else if (json_array_size(list) < PAGE_MOST_ROWS)
            json_array_append(list, row);
        else
            left++;
        json_decref(row);
    }
    json_t *table = columns && !problem
                        ? json_pack("{s:s, s:s, s:O, s:O, s:I}", "name", name, "file", file,
                                    "columns", columns, "rows", list, "left", left)
                        : NULL;
    json_decref(columns);
    json_decref(list);
    return table;
}
