// SPDX-License-Identifier: GPL-3.0-or-later
// Reads compared values from CSV (RFC 4180): a table with a value in each row, and comments above
// it.
#include "sim/compare/compare.h"

#include "sim/output/csv.h"
#include "sim/output/csv_field.h"
#include "sim/output/csv_rows.h"

#include <string.h>

// The columns that are read; "rank" and "unit" may be missing.
enum column {
    COLUMN_SERIES,
    COLUMN_RANK,
    COLUMN_SIZE,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {"series", "rank", "size",
                                                  "metric", "unit", "value"};

#define MISSING_COLUMNS "the columns series, size, metric and value are expected here"

// "# fingerprint F", "# series NAME: STATUS F [REASON]": what golden curves have above the table.
static void take_comment(struct compared *compared, const char *line)
{
    char **words = g_strsplit(line, " ", 3);
    const char *colon = words[0] && words[1] && words[2] ? strrchr(words[2], ':') : NULL;
    if (words[0] && words[1] && words[2] && strcmp(words[1], "fingerprint") == 0) {
        g_free(compared->fingerprint);
        compared->fingerprint = g_strdup(words[2]);
    } else if (colon && strcmp(words[1], "series") == 0) {
        char *name = g_strndup(words[2], (gsize)(colon - words[2]));
        char **rest = g_strsplit(g_strchug((char *)colon + 1), " ", 3);
        bool two = rest[0] && rest[1];
        compared_add_series(compared, name, rest[0], rest[0] ? rest[1] : NULL,
                            two ? rest[2] : NULL);
        g_strfreev(rest);
        g_free(name);
    }
    g_strfreev(words);
}

// ---- Columns ----

static bool find_columns(const GPtrArray *row, int *columns)
{
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = -1;
        for (guint k = 0; k < row->len; k++)
            if (strcmp(g_ptr_array_index(row, k), column_names[i]) == 0)
                columns[i] = (int)k;
        if (columns[i] < 0 && i != COLUMN_RANK && i != COLUMN_UNIT)
            return false;
    }
    return true;
}

// A whole number up to `most`, or -1 for none: nothing at all, or `none`.
static bool read_whole(const char *text, const char *none, gint64 most, gint64 *value)
{
    guint64 number;
    *value = -1;
    if (!*text || strcmp(text, none) == 0)
        return true;
    if (!g_ascii_string_to_unsigned(text, 10, 0, (guint64)most, &number, NULL))
        return false;
    *value = (gint64)number;
    return true;
}

static bool read_value(const char *text, double *value)
{
    char *end;
    *value = g_ascii_strtod(text, &end);
    return end != text && *end == '\0';
}

// Adds the value of a row, but for a counter's, which is no curve; returns what is wrong with it,
// or NULL.
static const char *add_row(struct compared *compared, const GPtrArray *row, const int *columns)
{
    const char *fields[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i] >= (int)row->len)
            return "this row has no value: it has too few fields";
        fields[i] = columns[i] < 0 ? "" : g_ptr_array_index(row, (guint)columns[i]);
    }
    gint64 rank, size;
    double value;
    if (!read_whole(fields[COLUMN_RANK], "all", G_MAXINT, &rank))
        return "the rank of this row is no number, and not all";
    if (!read_whole(fields[COLUMN_SIZE], "", G_MAXINT64, &size))
        return "the size of this row is no whole number";
    if (!read_value(fields[COLUMN_VALUE], &value))
        return "this row has no value";
    const char *series = csv_field_text(fields[COLUMN_SERIES]);
    compared_add_series(compared, series, NULL, NULL, NULL);
    if (strcmp(fields[COLUMN_UNIT], CSV_COUNT) != 0)
        compared_add_value(compared, series, fields[COLUMN_METRIC], (int)rank, size, value);
    return NULL;
}

// ---- The text ----

static bool fail(GError **error, int line, const char *what)
{
    g_set_error(error, compare_error_quark(), 0, "%d: %s", line, what);
    return false;
}

bool compared_read_csv(struct compared *compared, const char *text, size_t length, GError **error)
{
    struct csv_rows rows = csv_rows_of(text);
    int columns[COLUMNS];
    bool headed = false;
    // Names and metrics go into tables and documents, which are UTF-8; a NUL would end the text.
    int bad = csv_rows_bad_line(text, length);
    if (bad)
        return fail(error, bad, "this is no text in UTF-8");
    for (; *rows.at; csv_rows_next(&rows)) {
        if (*rows.at == '#') {
            char *comment = g_strndup(rows.at, strcspn(rows.at, "\n"));
            rows.at += strlen(comment);
            rows.at += *rows.at == '\n';
            take_comment(compared, comment);
            g_free(comment);
            continue;
        }
        int line = rows.line;
        const char *problem = NULL;
        GPtrArray *row = csv_rows_take(&rows, NULL, &problem);
        if (!problem && !headed && !find_columns(row, columns))
            problem = MISSING_COLUMNS;
        else if (!problem && headed)
            problem = add_row(compared, row, columns);
        g_ptr_array_unref(row);
        if (problem)
            return fail(error, line, problem);
        headed = true;
    }
    return headed || fail(error, rows.line, MISSING_COLUMNS);
}
