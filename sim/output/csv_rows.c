// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/csv_rows.h"

int csv_rows_bad_line(const char *text, size_t length)
{
    const char *bad;
    int line = 1;
    if (g_utf8_validate_len(text, length, &bad))
        return 0;
    for (const char *at = text; at < bad; at++)
        line += *at == '\n';
    return line;
}

struct csv_rows csv_rows_of(const char *text)
{
    static const char mark[] = "\xef\xbb\xbf"; // of byte order, which spreadsheets write
    const char *at = g_str_has_prefix(text, mark) ? text + sizeof mark - 1 : text;
    return (struct csv_rows){.at = at, .start = at, .line = 1};
}

void csv_rows_next(struct csv_rows *rows)
{
    rows->line++;
    rows->start = rows->at;
}

// The end of a field in quotes, at its closing quote or at the end of the text; copies it.
static const char *take_quoted(struct csv_rows *rows, GString *field)
{
    const char *at = rows->at + 1;
    for (; *at && (*at != '"' || at[1] == '"'); at++) {
        if (*at == '"')
            at++;
        if (*at == '\n') {
            rows->line++;
            rows->start = at + 1;
        }
        g_string_append_c(field, *at);
    }
    return at;
}

// Reads one field and returns the character after it: ',', '\n' or '\0'. Sets *problem to NULL, or
// to what is wrong.
static char take_field(struct csv_rows *rows, GString *field, const char **problem)
{
    const char *at = rows->at;
    g_string_truncate(field, 0);
    if (*at == '"') {
        at = take_quoted(rows, field);
        if (!*at)
            *problem = "a quote is not closed";
        at += *at == '"';
        at += *at == '\r';
        if (*at && *at != ',' && *at != '\n')
            *problem = "a comma is expected after what is in quotes";
    }
    for (; *at && *at != ',' && *at != '\n'; at++)
        if (*at != '\r')
            g_string_append_c(field, *at);
    char end = *at;
    rows->at = end ? at + 1 : at;
    return end;
}

GPtrArray *csv_rows_take(struct csv_rows *rows, GArray *columns, const char **problem)
{
    GPtrArray *row = g_ptr_array_new_with_free_func(g_free);
    GString *field = g_string_new(NULL);
    char end;
    do {
        int column = (int)(rows->at - rows->start) + 1;
        if (columns)
            g_array_append_val(columns, column);
        end = take_field(rows, field, problem);
        g_ptr_array_add(row, g_strdup(field->str));
    } while (end == ',');
    g_string_free(field, TRUE);
    return row;
}
