// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/theses.h"

#include "sim/validate/standing.h"
#include "sim/validate/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *thesis_text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static enum standing thesis_standing(const json_t *row)
{
    return standing_named(thesis_text(row, "standing"));
}

static bool row_came_out(const json_t *row, enum verdict verdict)
{
    return g_strcmp0(thesis_text(row, "verdict"), verdict_name(verdict)) == 0;
}

static bool row_misses(const json_t *row)
{
    return row_came_out(row, MISSES) || row_came_out(row, KNOWN_MISS);
}

// "via" of "via.pingpong.c1.smooth". The caller frees it.
static char *system_of(const char *id)
{
    return g_strndup(id, strcspn(id, "."));
}

// Whether a claim is of a thesis; NULL is any.
static bool is_of(const char *id, const char *system)
{
    size_t length = system ? strlen(system) : 0;
    return !system || (strncmp(id, system, length) == 0 && id[length] == '.');
}

// The entry of a list whose texts under two keys are these; NULL for a text that it lacks. Borrowed
// or NULL.
static json_t *find_entry(json_t *list, const char *key, const char *text, const char *other_key,
                          const char *other)
{
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        if (g_strcmp0(thesis_text(entry, key), text) == 0 &&
            g_strcmp0(thesis_text(entry, other_key), other) == 0)
            return entry;
    }
    return NULL;
}

static void count_more(json_t *entry, const char *key, int more)
{
    json_int_t count = json_integer_value(json_object_get(entry, key));
    json_object_set_new(entry, key, json_integer(count + more));
}

// ---- Facts ----

// Whether a row is a statement on a result, and not on a machine, a drawing or a behaviour.
static bool states_result(const json_t *row)
{
    static const char *const kinds[] = {"number", "shape", "arithmetic", "guess", NULL};
    return !row_came_out(row, SAME_AS) && g_strv_contains(kinds, thesis_text(row, "kind"));
}

static const char *fact_name(const json_t *row)
{
    const char *fact = thesis_text(row, "fact");
    return fact ? fact : thesis_text(row, "id");
}

// The fact of a row, a new one if there is none yet. Borrowed.
static json_t *fact_entry(json_t *facts, const json_t *row)
{
    char *system = system_of(thesis_text(row, "id"));
    json_t *fact = find_entry(facts, "fact", fact_name(row), "system", system);
    if (!fact) {
        fact = json_pack("{s:s, s:s, s:n, s:n, s:[]}", "fact", fact_name(row), "system", system,
                         "standing", "verdict", "claims");
        json_array_append_new(facts, fact);
    }
    g_free(system);
    return fact;
}

bool theses_decides(const json_t *row, const json_t *fact)
{
    bool measured = thesis_standing(fact) > STANDING_ARITHMETIC;
    return states_result(row) && strcmp(fact_name(row), thesis_text(fact, "fact")) == 0 &&
           is_of(thesis_text(row, "id"), thesis_text(fact, "system")) &&
           (!measured || thesis_standing(row) > STANDING_ARITHMETIC);
}

// The verdict of the rows of a fact that count.
static enum verdict verdict_of_fact(json_t *rows, const json_t *fact)
{
    static const enum verdict first[] = {MISSES, KNOWN_MISS, REFUTED, HOLDS, LEVEL, NOT_RUN, OPEN};
    bool found[VERDICTS] = {false};
    size_t index, place = 0;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        if (!theses_decides(row, fact))
            continue;
        for (int i = 0; i < VERDICTS; i++)
            found[i] |= row_came_out(row, (enum verdict)i);
    }
    while (place < G_N_ELEMENTS(first) && !found[first[place]])
        place++;
    return place < G_N_ELEMENTS(first) ? first[place] : NOT_CHECKABLE;
}

json_t *theses_facts(json_t *rows)
{
    json_t *facts = json_array(), *row, *fact;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        if (!states_result(row))
            continue;
        fact = fact_entry(facts, row);
        json_array_append(json_object_get(fact, "claims"), json_object_get(row, "id"));
        if (thesis_standing(row) > thesis_standing(fact))
            json_object_set(fact, "standing", json_object_get(row, "standing"));
    }
    json_array_foreach(facts, index, fact)
    {
        json_object_set_new(fact, "verdict",
                            json_string(verdict_name(verdict_of_fact(rows, fact))));
    }
    return facts;
}

// ---- Theses ----

static gint by_amount(gconstpointer a, gconstpointer b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static json_t *real_or_null(const GArray *sorted, guint rank)
{
    return sorted->len > 0 ? json_real(g_array_index(sorted, double, rank)) : json_null();
}

// The median and the nearest rank to 90 % of amounts, which are sorted here.
static json_t *amounts(GArray *values)
{
    g_array_sort(values, by_amount);
    guint count = values->len;
    json_t *median = real_or_null(values, count / 2);
    if (count > 0 && count % 2 == 0)
        json_real_set(
            median, (json_real_value(median) + g_array_index(values, double, count / 2 - 1)) / 2.0);
    return json_pack("{s:i, s:o, s:o}", "count", (int)count, "median", median, "p90",
                     real_or_null(values, count > 0 ? (9 * count + 9) / 10 - 1 : 0));
}

// Adds how far a row's printed numbers are off; those in points, or the others.
static void add_off(GArray *values, const json_t *row, bool points)
{
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(row, "printed"), index, one)
    {
        double off = fabs(json_number_value(json_object_get(one, "off")));
        if (json_is_true(json_object_get(one, "points")) == points)
            g_array_append_val(values, off);
    }
}

// How far the printed numbers of predicted facts of a thesis (NULL: all) are off.
static json_t *numbers_of(json_t *rows, json_t *facts, const char *system, bool points)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        const char *id = thesis_text(row, "id");
        if (!is_of(id, system) || !states_result(row) || thesis_standing(row) != STANDING_PREDICTED)
            continue;
        char *of = system_of(id);
        if (thesis_standing(find_entry(facts, "fact", fact_name(row), "system", of)) ==
            STANDING_PREDICTED)
            add_off(values, row, points);
        g_free(of);
    }
    json_t *numbers = amounts(values);
    g_array_unref(values);
    return numbers;
}

// Counts a fact that holds, is level or misses.
static void count_fact(json_t *counts, const json_t *fact)
{
    bool holds = row_came_out(fact, HOLDS), level = row_came_out(fact, LEVEL);
    bool misses = row_misses(fact);
    count_more(counts, "facts", holds + level + misses);
    count_more(counts, "hold", holds);
    count_more(counts, "level", level);
    count_more(counts, "miss", misses);
}

static json_t *thesis_summary(json_t *rows, json_t *facts, const char *system)
{
    json_t *summary = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "thesis", system ? system : "all",
                                "facts", 0, "hold", 0, "level", 0, "miss", 0, "not_decidable", 0);
    json_t *others =
        json_pack("{s:i, s:i, s:i, s:i}", "facts", 0, "hold", 0, "level", 0, "miss", 0);
    size_t index;
    json_t *fact;
    json_array_foreach(facts, index, fact)
    {
        enum standing standing = thesis_standing(fact);
        if (system && strcmp(thesis_text(fact, "system"), system) != 0)
            continue;
        if (standing == STANDING_PREDICTED)
            count_fact(summary, fact);
        else if (standing > STANDING_PREDICTED)
            count_fact(others, fact);
        if (standing == STANDING_PREDICTED || standing == STANDING_NONE)
            count_more(summary, "not_decidable", row_came_out(fact, NOT_CHECKABLE));
    }
    json_object_set_new(summary, "others", others);
    json_object_set_new(summary, "numbers", numbers_of(rows, facts, system, false));
    json_object_set_new(summary, "percentages", numbers_of(rows, facts, system, true));
    return summary;
}

json_t *theses_summary(json_t *rows, json_t *facts)
{
    json_t *theses = json_array(), *fact;
    size_t index;
    json_array_foreach(facts, index, fact)
    {
        const char *system = thesis_text(fact, "system");
        if (!find_entry(theses, "thesis", system, "", NULL))
            json_array_append_new(theses, thesis_summary(rows, facts, system));
    }
    if (json_array_size(theses) > 1)
        json_array_append_new(theses, thesis_summary(rows, facts, NULL));
    return theses;
}

// ---- Figures ----

// The end of a figure's number, "4.8" of "4.8a-b"; the text itself if there is none.
static const char *number_end(const char *text)
{
    size_t chapter = strspn(text, "0123456789");
    if (chapter == 0 || text[chapter] != '.')
        return text;
    size_t figure = strspn(text + chapter + 1, "0123456789");
    return figure > 0 ? text + chapter + 1 + figure : text;
}

// The text after one figure in a list of them: "4.7" of "a-b and 4.7".
static const char *after_number(const char *text)
{
    static const char *const between[] = {", ", " and ", "-"};
    while (g_ascii_isalpha(*text) || (*text == '-' && g_ascii_isalpha(text[1])))
        text++;
    for (size_t i = 0; i < G_N_ELEMENTS(between); i++)
        if (g_str_has_prefix(text, between[i]))
            return text + strlen(between[i]);
    return "";
}

// Adds the numbers of the figures that a source names: "4.6" and "4.7" of "4.4.1, figures 4.6
// and 4.7" (char *).
static void figures_named(GPtrArray *numbers, const char *source)
{
    static const char word[] = "figure";
    const char *at = source ? strstr(source, word) : NULL;
    if (!at)
        return;
    at += strlen(word);
    at += *at == 's';
    at += *at == ' ';
    for (const char *end = number_end(at); end > at; end = number_end(at)) {
        g_ptr_array_add(numbers, g_strndup(at, (gsize)(end - at)));
        at = after_number(end);
    }
}

static void add_to_figure(json_t *figures, const char *system, const char *number,
                          const json_t *row)
{
    json_t *figure = find_entry(figures, "thesis", system, "figure", number);
    if (!figure) {
        figure = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:n, s:n}", "thesis", system, "figure",
                           number, "statements", 0, "hold", 0, "level", 0, "miss", 0,
                           "worst_deviation", "worst");
        json_array_append_new(figures, figure);
    }
    count_more(figure, "statements", 1);
    count_more(figure, "hold", row_came_out(row, HOLDS));
    count_more(figure, "level", row_came_out(row, LEVEL));
    count_more(figure, "miss", row_misses(row));
    json_t *deviation = json_object_get(row, "deviation");
    const json_t *worst = json_object_get(figure, "worst_deviation");
    if (!row_misses(row) || !json_is_number(deviation) ||
        (json_is_number(worst) &&
         fabs(json_number_value(worst)) >= fabs(json_number_value(deviation))))
        return;
    json_object_set(figure, "worst_deviation", deviation);
    json_object_set(figure, "worst", json_object_get(row, "id"));
}

// Chapter and number of "4.10", in their order.
static int64_t figure_place(const json_t *figure)
{
    char *rest;
    int64_t chapter = g_ascii_strtoll(thesis_text(figure, "figure"), &rest, 10);
    return chapter * 1000 + g_ascii_strtoll(rest + (*rest == '.'), NULL, 10);
}

// By thesis, then by chapter and number.
static gint by_figure(gconstpointer a, gconstpointer b)
{
    const json_t *p = *(json_t *const *)a, *q = *(json_t *const *)b;
    int order = strcmp(thesis_text(p, "thesis"), thesis_text(q, "thesis"));
    int64_t one = figure_place(p), two = figure_place(q);
    return order != 0 ? order : (one > two) - (one < two);
}

static json_t *sorted_figures(json_t *figures)
{
    GPtrArray *all = g_ptr_array_new();
    json_t *sorted = json_array(), *figure;
    size_t index;
    json_array_foreach(figures, index, figure)
    {
        g_ptr_array_add(all, figure);
    }
    g_ptr_array_sort(all, by_figure);
    for (guint i = 0; i < all->len; i++)
        json_array_append(sorted, g_ptr_array_index(all, i));
    g_ptr_array_unref(all);
    json_decref(figures);
    return sorted;
}

json_t *theses_figures(json_t *rows)
{
    json_t *figures = json_array(), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        if (!states_result(row) || thesis_standing(row) < STANDING_PREDICTED)
            continue;
        GPtrArray *numbers = g_ptr_array_new_with_free_func(g_free);
        char *system = system_of(thesis_text(row, "id"));
        figures_named(numbers, thesis_text(row, "source"));
        for (guint i = 0; i < numbers->len; i++)
            add_to_figure(figures, system, g_ptr_array_index(numbers, i), row);
        g_free(system);
        g_ptr_array_unref(numbers);
    }
    return sorted_figures(figures);
}

// ---- Causes ----

static void add_causes(json_t *causes, json_t *rows, bool named)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        const char *cause = thesis_text(row, "cause");
        if (!row_came_out(row, KNOWN_MISS) || (cause != NULL) != named)
            continue;
        char *system = system_of(thesis_text(row, "id"));
        json_t *entry = find_entry(causes, "thesis", system, "cause", cause);
        if (!entry) {
            entry = json_pack("{s:s, s:s?, s:[]}", "thesis", system, "cause", cause, "claims");
            json_array_append_new(causes, entry);
        }
        json_array_append(json_object_get(entry, "claims"), json_object_get(row, "id"));
        g_free(system);
    }
}

json_t *theses_causes(json_t *rows)
{
    json_t *causes = json_array();
    add_causes(causes, rows, true);
    add_causes(causes, rows, false);
    return causes;
}
