// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a scorecard: known misses by cause, figures, and facts by thesis.
#include "sim/validate/scorecard_internal.h"

#include "sim/output/text.h"

#include <string.h>

#define CAUSE_INDENT 7

const char *scorecard_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

int scorecard_count_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static void append_causes(GString *out, const json_t *totals)
{
    size_t index, place;
    json_t *cause, *id;
    const json_t *causes = json_object_get(totals, "causes");
    if (json_array_size(causes) > 0)
        g_string_append(out, "\nKnown misses by cause\n");
    json_array_foreach(causes, index, cause)
    {
        const char *name = scorecard_text_of(cause, "cause");
        GString *ids = g_string_new(NULL);
        json_array_foreach(json_object_get(cause, "claims"), place, id)
        {
            g_string_append_printf(ids, "%s%s", place > 0 ? ", " : "", json_string_value(id));
        }
        g_string_append_printf(out, "%-6s %s\n%*s", scorecard_text_of(cause, "thesis"),
                               *name ? name : "(no cause is named)", CAUSE_INDENT, "");
        text_append_wrapped(out, ids->str, SCORECARD_WIDTH - CAUSE_INDENT, CAUSE_INDENT);
        g_string_append_c(out, '\n');
        g_string_free(ids, TRUE);
    }
}

static void append_figures(GString *out, const json_t *totals)
{
    size_t index;
    json_t *figure;
    const json_t *figures = json_object_get(totals, "figures");
    if (json_array_size(figures) > 0)
        g_string_append(out, "\nfigure      statements   hold  level   miss  the miss that is "
                             "furthest off\n");
    json_array_foreach(figures, index, figure)
    {
        const json_t *worst = json_object_get(figure, "worst_deviation");
        g_string_append_printf(
            out, "%-6s %-5s%10d%7d%7d%7d", scorecard_text_of(figure, "thesis"),
            scorecard_text_of(figure, "figure"), scorecard_count_of(figure, "statements"),
            scorecard_count_of(figure, "hold"), scorecard_count_of(figure, "level"),
            scorecard_count_of(figure, "miss"));
        if (json_is_number(worst))
            g_string_append_printf(out, "  %+.2f %%  %s", 100.0 * json_number_value(worst),
                                   scorecard_text_of(figure, "worst"));
        g_string_append_c(out, '\n');
    }
}

// "  7   3.3 %   9.4 %": how many there are, their median and what nine of ten keep within.
static void append_off(GString *out, const json_t *numbers, const char *unit)
{
    static const char *const keys[] = {"median", "p90"};
    int width = 9 - (int)strlen(unit);
    g_string_append_printf(out, "%7d", scorecard_count_of(numbers, "count"));
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const json_t *value = json_object_get(numbers, keys[i]);
        if (json_is_number(value))
            g_string_append_printf(out, "%*.1f%s", width, 100.0 * json_number_value(value), unit);
        else
            g_string_append_printf(out, "%9s", "-");
    }
}

static void append_counts(GString *out, const json_t *counts)
{
    static const char *const keys[] = {"facts", "hold", "level", "miss"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        g_string_append_printf(out, "%6d", scorecard_count_of(counts, keys[i]));
}

// The end of a scorecard: facts that nothing was fitted to or chosen for, then those of the others
// that miss all the same.
static void append_facts(GString *out, const json_t *totals)
{
    size_t index;
    json_t *thesis;
    const json_t *theses = json_object_get(totals, "theses");
    if (json_array_size(theses) == 0)
        return;
    g_string_append_printf(out, "\n%-6s%39s%24s%25s%25s\n%-6s%6s%6s%6s%6s%15s%6s%6s%6s%6s", "",
                           "predicted facts", "chosen or fitted", "numbers, off by",
                           "percentages, by points", "thesis", "facts", "hold", "level", "miss",
                           "not decidable", "facts", "hold", "level", "miss");
    for (int i = 0; i < 2; i++)
        g_string_append_printf(out, "%7s%9s%9s", "count", "median", "90 %");
    json_array_foreach(theses, index, thesis)
    {
        g_string_append_printf(out, "\n%-6s", scorecard_text_of(thesis, "thesis"));
        append_counts(out, thesis);
        g_string_append_printf(out, "%15d", scorecard_count_of(thesis, "not_decidable"));
        append_counts(out, json_object_get(thesis, "others"));
        append_off(out, json_object_get(thesis, "numbers"), " %");
        append_off(out, json_object_get(thesis, "percentages"), "");
    }
    g_string_append_c(out, '\n');
}

void scorecard_append_theses(GString *out, const json_t *totals)
{
    append_causes(out, totals);
    append_figures(out, totals);
    append_facts(out, totals);
}
