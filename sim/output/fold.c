// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/fold.h"

#include <stdbool.h>
#include <string.h>

#define FOLD_GAP 2         // blanks between two columns of a table
#define FOLD_LEAST_TEXT 24 // columns that the last column of text needs, to be folded in its place
#define FOLD_TITLE 10      // blanks before the one heading of a table's line

// A line, and for each of its columns the byte at which it starts, with the ANSI sequences before
// it. The last member is the end.
struct fold_line {
    const char *text;
    GArray *starts; // guint
    GString *marks; // of each column: ' ' or 'x'
    bool is_row;    // of a table
};

static int fold_width(const struct fold_line *line)
{
    return (int)line->marks->len;
}

static bool fold_blank(const struct fold_line *line, int column)
{
    return column >= fold_width(line) || line->marks->str[column] == ' ';
}

// The first column from `column` on that is blank, or is not.
static int fold_next(const struct fold_line *line, int column, bool blank)
{
    while (column < fold_width(line) && fold_blank(line, column) != blank)
        column++;
    return column;
}

static const char *skip_sequence(const char *text)
{
    if (text[0] != '\033' || text[1] != '[')
        return text;
    text += 2;
    while (*text && !g_ascii_isalpha(*text))
        text++;
    return *text ? text + 1 : text;
}

static bool line_is_row(const struct fold_line *line)
{
    int start = fold_next(line, 0, false);
    for (int column = start; column < fold_width(line);) {
        int end = fold_next(line, column, true);
        column = fold_next(line, end, false);
        if (column < fold_width(line) && column - end >= FOLD_GAP)
            return true;
    }
    return start >= FOLD_TITLE;
}

static struct fold_line *fold_line_new(const char *text)
{
    struct fold_line *line = g_new0(struct fold_line, 1);
    line->text = text;
    line->starts = g_array_new(FALSE, FALSE, sizeof(guint));
    line->marks = g_string_new(NULL);
    while (*text) {
        guint start = (guint)(text - line->text);
        const char *after = skip_sequence(text);
        if (after != text && !*after)
            break;
        while (after != text) {
            text = after;
            after = skip_sequence(text);
        }
        gunichar character = g_utf8_get_char_validated(text, -1);
        bool valid = character < (gunichar)-2;
        int width = !valid                             ? 1
                    : g_unichar_iszerowidth(character) ? 0
                    : g_unichar_iswide(character)      ? 2
                                                       : 1;
        for (int i = 0; i < width; i++) {
            g_array_append_val(line->starts, start);
            g_string_append_c(line->marks, *text == ' ' ? ' ' : 'x');
        }
        text = valid ? g_utf8_next_char(text) : text + 1;
    }
    guint end = (guint)strlen(line->text);
    g_array_append_val(line->starts, end);
    line->is_row = line_is_row(line);
    return line;
}

static void fold_line_free(void *data)
{
    struct fold_line *line = data;
    g_array_unref(line->starts);
    g_string_free(line->marks, TRUE);
    g_free(line);
}

// The columns from `from` up to `to`, without the blanks at their end.
static void append_columns(GString *out, const struct fold_line *line, int from, int to)
{
    bool whole = to >= fold_width(line);
    to = MIN(to, fold_width(line));
    if (from >= to)
        return;
    guint start = g_array_index(line->starts, guint, from);
    guint end = g_array_index(line->starts, guint, to);
    g_string_append_len(out, line->text + start, end - start);
    while (!whole && out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
}

static int fold_label_width(const char *text)
{
    struct fold_line *line = fold_line_new(text);
    int width = fold_width(line);
    fold_line_free(line);
    return width;
}

// ---- Lines of words ----

// Where the lines below the first one start.
static int fold_hanging(const struct fold_line *line, int width)
{
    int start = fold_next(line, 0, false), hanging = MIN(start + 2, width / 2);
    for (int column = start; column < fold_width(line);) {
        int end = fold_next(line, column, true);
        column = fold_next(line, end, false);
        if (column - end >= FOLD_GAP && column <= width - FOLD_LEAST_TEXT)
            hanging = column;
    }
    return hanging;
}

// The blank before which a line ends that has room up to the column `last`: the last one, or else
// the first one after it.
static int fold_place(const struct fold_line *line, int from, int last)
{
    for (int column = last; column > from; column--)
        if (fold_blank(line, column))
            return column;
    return fold_next(line, last, true);
}

// Whether a column of text starts there, before which a line does not end.
static bool is_column(const struct fold_line *line, int column)
{
    return column >= FOLD_GAP && !fold_blank(line, column) && fold_blank(line, column - 1) &&
           fold_blank(line, column - FOLD_GAP);
}

// The ANSI sequences among the blanks that are left out at the end of a line.
static void append_sequences(GString *out, const struct fold_line *line, int from, int to)
{
    const char *text = line->text + g_array_index(line->starts, guint, from);
    const char *end = line->text + g_array_index(line->starts, guint, to);
    while (text < end) {
        const char *after = skip_sequence(text);
        g_string_append_len(out, text, after - text);
        text = after == text ? text + 1 : after;
    }
}

static void fold_words(GString *out, const struct fold_line *line, int width, int hanging)
{
    int start = 0, room = width;
    while (fold_width(line) - start > room) {
        int from = start > 0                  ? start
                   : is_column(line, hanging) ? hanging
                                              : fold_next(line, 0, false);
        int end = fold_place(line, from, start + room);
        append_columns(out, line, start, end);
        start = fold_next(line, end, false);
        append_sequences(out, line, end, start);
        if (start >= fold_width(line))
            break;
        g_string_append_printf(out, "\n%*s", hanging, "");
        room = width - hanging;
    }
    append_columns(out, line, start, fold_width(line));
    g_string_append_c(out, '\n');
}

// ---- Tables ----

// Columns of the text that lie together in all rows.
struct fold_group {
    int start, end;
};

static bool all_blank(struct fold_line *const *rows, guint count, int column)
{
    for (guint i = 0; i < count; i++)
        if (!fold_blank(rows[i], column))
            return false;
    return true;
}

static GArray *fold_groups(struct fold_line *const *rows, guint count, int width)
{
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(struct fold_group));
    int gap = FOLD_GAP;
    for (int column = 0; column < width; column++) {
        if (all_blank(rows, count, column)) {
            gap++;
            continue;
        }
        if (gap >= FOLD_GAP || groups->len == 0) {
            struct fold_group group = {column, column};
            g_array_append_val(groups, group);
        }
        g_array_index(groups, struct fold_group, groups->len - 1).end = column + 1;
        gap = 0;
    }
    return groups;
}

static const struct fold_group *group_at(const GArray *groups, guint index)
{
    return &g_array_index(groups, struct fold_group, index);
}

// Whether the rows differ up to a column; those that are blank there don't count.
static bool rows_differ(struct fold_line *const *rows, guint count, int column)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool differ = true;
    for (guint i = 0; i < count && differ; i++) {
        GString *label = g_string_new(NULL);
        append_columns(label, rows[i], 0, column);
        g_strchug(label->str);
        differ = !*label->str || g_hash_table_add(seen, g_strdup(label->str));
        g_string_free(label, TRUE);
    }
    g_hash_table_unref(seen);
    return differ;
}

// The groups that name a row: the first ones by which all rows differ, if they have room.
static guint label_groups(struct fold_line *const *rows, guint count, int width,
                          const GArray *groups)
{
    for (guint i = 0; i + 1 < groups->len && group_at(groups, i)->end <= width / 2; i++)
        if (rows_differ(rows, count, group_at(groups, i)->end))
            return i + 1;
    return 1;
}

// Groups from `first` up to `end`, next to the label.
static void append_groups(GString *out, struct fold_line *const *rows, guint count, int width,
                          const GArray *groups, guint label, guint first, guint end)
{
    int label_end = group_at(groups, label - 1)->end, start = group_at(groups, first)->start;
    int last = group_at(groups, end - 1)->end;
    for (guint i = 0; i < count; i++) {
        GString *part = g_string_new(NULL);
        append_columns(part, rows[i], 0, first == label ? last : label_end);
        if (first > label && fold_next(rows[i], start, false) < MIN(last, fold_width(rows[i]))) {
            int missing = label_end + FOLD_GAP - MIN(label_end, fold_label_width(part->str));
            g_string_append_printf(part, "%*s", missing, "");
            append_columns(part, rows[i], start, last);
        }
        struct fold_line *line = fold_line_new(part->str);
        fold_words(out, line, width, fold_hanging(line, width));
        fold_line_free(line);
        g_string_free(part, TRUE);
    }
}

static void fold_split(GString *out, struct fold_line *const *rows, guint count, int width,
                       const GArray *groups)
{
    guint label = label_groups(rows, count, width, groups);
    int label_end = group_at(groups, label - 1)->end;
    for (guint first = label; first < groups->len;) {
        int shift = first == label ? 0 : group_at(groups, first)->start - label_end - FOLD_GAP;
        guint end = first + 1;
        while (end < groups->len && group_at(groups, end)->end - shift <= width)
            end++;
        if (first > label)
            g_string_append_c(out, '\n');
        append_groups(out, rows, count, width, groups, label, first, end);
        first = end;
    }
}

// Consecutive rows of a table, or one line of words.
static void fold_rows(GString *out, struct fold_line *const *rows, guint count, int width)
{
    int widest = 0;
    for (guint i = 0; i < count; i++)
        widest = MAX(widest, fold_width(rows[i]));
    GArray *groups = widest > width && count > 1 ? fold_groups(rows, count, widest) : NULL;
    const struct fold_group *last = groups && groups->len > 1
                                        ? &g_array_index(groups, struct fold_group, groups->len - 1)
                                        : NULL;
    if (last && last->start > width - FOLD_LEAST_TEXT)
        fold_split(out, rows, count, width, groups);
    else
        for (guint i = 0; i < count; i++)
            fold_words(out, rows[i], width, last ? last->start : fold_hanging(rows[i], width));
    if (groups)
        g_array_unref(groups);
}

// Whether no line has more than `width` bytes, and so columns.
static bool fold_fits(const char *text, int width)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length > (size_t)width)
            return false;
        text += length + (text[length] == '\n');
    }
    return true;
}

void fold_append(GString *out, const char *text, int width)
{
    if (width <= 0 || fold_fits(text, width)) {
        g_string_append(out, text);
        return;
    }
    char **texts = g_strsplit(text, "\n", -1);
    bool ended = g_str_has_suffix(text, "\n");
    GPtrArray *lines = g_ptr_array_new_with_free_func(fold_line_free);
    for (char **one = texts; *one && (one[1] || !ended); one++)
        g_ptr_array_add(lines, fold_line_new(*one));
    for (guint first = 0; first < lines->len;) {
        struct fold_line *const *rows = (struct fold_line *const *)lines->pdata + first;
        guint count = 1;
        while (rows[0]->is_row && first + count < lines->len && rows[count]->is_row)
            count++;
        fold_rows(out, rows, count, width);
        first += count;
    }
    if (!ended)
        g_string_truncate(out, out->len - 1);
    g_ptr_array_unref(lines);
    g_strfreev(texts);
}
