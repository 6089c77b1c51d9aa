// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/diag.h"

#include "sim/core/shown.h"

#include <string.h>

static void diag_free(void *data)
{
    struct diag *diag = data;
    g_free(diag->path);
    g_free(diag->message);
    g_free(diag->hint);
    g_free(diag);
}

struct diag_list *diag_list_new(void)
{
    struct diag_list *list = g_new0(struct diag_list, 1);
    list->items = g_ptr_array_new_with_free_func(diag_free);
    return list;
}

void diag_list_free(struct diag_list *list)
{
    if (!list)
        return;
    g_ptr_array_free(list->items, TRUE);
    g_free(list);
}

void diag_add(struct diag_list *list, struct source_mark mark, const char *path, const char *hint,
              const char *format, ...)
{
    list->found++;
    if (diag_full(list)) {
        list->overflow = true;
        return;
    }
    struct diag *diag = g_new0(struct diag, 1);
    diag->mark = mark;
    diag->path = path && *path ? g_strdup(path) : NULL;
    diag->hint = g_strdup(hint);
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    // A text of the input may have been cut in the middle of a character.
    diag->message = g_utf8_make_valid(message, -1);
    g_free(message);
    g_ptr_array_add(list->items, diag);
}

bool diag_any(const struct diag_list *list)
{
    return list->found > 0;
}

bool diag_full(const struct diag_list *list)
{
    return list->items->len >= DIAG_LIMIT;
}

void diag_print(const struct diag_list *list, FILE *out)
{
    for (guint i = 0; i < list->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(list->items, i);
        GString *line = g_string_new(NULL);
        if (diag->mark.line > 0)
            g_string_append_printf(line, "%s:%d:%d: ", diag->mark.file, diag->mark.line,
                                   diag->mark.column);
        else if (diag->mark.file)
            g_string_append_printf(line, "%s: ", diag->mark.file);
        g_string_append(line, "error: ");
        if (diag->path)
            g_string_append_printf(line, "%s: ", diag->path);
        g_string_append(line, diag->message);
        if (diag->hint)
            g_string_append_printf(line, " (%s)", diag->hint);
        shown_print(line->str, SHOWN_LINE, out);
        fputc('\n', out);
        g_string_free(line, TRUE);
    }
    if (list->overflow)
        fprintf(out, "(more errors follow; the first %d are shown)\n", DIAG_LIMIT);
}

// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours, case
// ignored.
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), width = n + 1;
    size_t *d = g_new(size_t, (m + 1) * width);
    for (size_t i = 0; i <= m; i++)
        d[i * width] = i;
    for (size_t j = 0; j <= n; j++)
        d[j] = j;
    for (size_t i = 1; i <= m; i++) {
        for (size_t j = 1; j <= n; j++) {
            char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);
            size_t best = MIN(d[(i - 1) * width + j], d[i * width + j - 1]) + 1;
            best = MIN(best, d[(i - 1) * width + j - 1] + (x != y));
            bool swapped =
                i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) && y == g_ascii_tolower(a[i - 2]);
            if (swapped)
                best = MIN(best, d[(i - 2) * width + j - 2] + 1);
            d[i * width + j] = best;
        }
    }
    size_t distance = d[m * width + n];
    g_free(d);
    return distance;
}

#define LONGEST_WORD 64

// Of two equally near candidates the shorter one wins, then alphabetical order.
static bool is_before(const char *one, const char *other)
{
    size_t length = strlen(one), other_length = strlen(other);
    return length != other_length ? length < other_length : strcmp(one, other) < 0;
}

const char *diag_nearest(const char *word, const char *const *candidates)
{
    size_t length = strlen(word);
    if (length > LONGEST_WORD)
        return NULL;
    size_t best = MAX(1, length / 3) + 1;
    const char *nearest = NULL;
    for (; *candidates; candidates++) {
        if (strlen(*candidates) > LONGEST_WORD)
            continue;
        size_t distance = edit_distance(word, *candidates);
        if (distance > best || (distance == best && !(nearest && is_before(*candidates, nearest))))
            continue;
        best = distance;
        nearest = *candidates;
    }
    return nearest;
}
