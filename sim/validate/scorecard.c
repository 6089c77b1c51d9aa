// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/scorecard.h"

#include "sim/output/fold.h"
#include "sim/output/junit.h"
#include "sim/output/text.h"
#include "sim/validate/scorecard_internal.h"

#include <math.h>
#include <string.h>

#define INDENT 15       // where the text of a claim starts
#define ID 44           // columns of an id in a line
#define BRIEF_WIDTH 110 // from which on a brief line has what was simulated

static const struct {
    const char *verdict, *label, *colour;
} verdicts[] = {
    {"holds", "holds", "\033[32m"},     {"level", "level", "\033[34m"},
    {"misses", "MISSES", "\033[1;31m"}, {"known_miss", "known miss", "\033[33m"},
    {"not_run", "not run", "\033[36m"}, {"not_checkable", "not checkable", "\033[2m"},
    {"refuted", "refuted", "\033[33m"}, {"open", "open", "\033[2m"},
    {"same_as", "same as", "\033[2m"},
};

// ---- Text ----

static void append_verdict(GString *out, const char *verdict, bool colour)
{
    for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++)
        if (strcmp(verdicts[i].verdict, verdict) == 0) {
            g_string_append(out, colour ? verdicts[i].colour : "");
            text_append_left(out, verdicts[i].label, INDENT);
            g_string_append(out, colour ? "\033[0m" : "");
        }
}

static void append_line(GString *out, const char *name, const char *text)
{
    if (!*text)
        return;
    g_string_append_printf(out, "%*s%-11s", INDENT, "", name);
    text_append_wrapped(out, text, SCORECARD_WIDTH - INDENT - 11, INDENT + 11);
    g_string_append_c(out, '\n');
}

// " [chosen: host.memory.copy_traffic]"; nothing for a claim that is not checked.
static void append_standing(GString *out, const json_t *row)
{
    const char *standing = scorecard_text_of(row, "standing"),
               *by = scorecard_text_of(row, "standing_by");
    if (*standing)
        g_string_append_printf(out, " [%s%s%s]", standing, *by ? ": " : "", by);
}

// "-0.21 %"; empty without a deviation. The caller frees it (g_free).
static char *deviation_of(const json_t *row)
{
    const json_t *deviation = json_object_get(row, "deviation");
    return json_is_number(deviation)
               ? g_strdup_printf("%+.2f %%", 100.0 * json_number_value(deviation))
               : g_strdup("");
}

static void append_claim(GString *out, const json_t *row, bool colour)
{
    char *deviation = deviation_of(row), *draws = scorecard_draws_text(row);
    append_verdict(out, scorecard_text_of(row, "verdict"), colour);
    g_string_append(out, scorecard_text_of(row, "id"));
    append_standing(out, row);
    g_string_append_c(out, '\n');
    append_line(out, "expected", scorecard_text_of(row, "expected"));
    append_line(out, "simulated", scorecard_text_of(row, "simulated"));
    append_line(out, "deviation", deviation);
    append_line(out, "draws", draws);
    append_line(out, "why", scorecard_text_of(row, "why"));
    g_free(draws);
    g_free(deviation);
}

// "holds          via.pingpong.c1.smooth    predicted      +0.17 %  1226 us"; with draws the share
// in which it holds stands before the value.
static void append_claim_briefly(GString *out, const json_t *row, bool colour, bool narrow)
{
    char *deviation = deviation_of(row), *draws = scorecard_draws_briefly(row);
    bool drawn = json_object_get(row, "draws") != NULL;
    GString *line = g_string_new(NULL);
    g_string_append_printf(line, "%-*s %-10s", ID, scorecard_text_of(row, "id"),
                           scorecard_text_of(row, "standing"));
    if (!narrow || !drawn)
        g_string_append_printf(line, " %*s", narrow ? 9 : 11, deviation);
    if (drawn)
        g_string_append_printf(line, " %7s", draws);
    if (!narrow)
        g_string_append_printf(line, "  %s", scorecard_text_of(row, "simulated"));
    g_free(draws);
    append_verdict(out, scorecard_text_of(row, "verdict"), colour);
    g_string_append_printf(out, "%s\n", g_strchomp(line->str));
    g_string_free(line, TRUE);
    g_free(deviation);
}

static void append_ranks(GString *out, const json_t *top40, bool colour)
{
    size_t index;
    json_t *rank;
    if (scorecard_count_of(top40, "ranks") == 0)
        return;
    g_string_append(out, "\nThe most important results\n");
    json_array_foreach(json_object_get(top40, "list"), index, rank)
    {
        g_string_append_printf(out, "%3d  ", scorecard_count_of(rank, "rank"));
        append_verdict(out, scorecard_text_of(rank, "verdict"), colour);
        text_append_left(out, scorecard_text_of(rank, "standing"), 11);
        g_string_append_printf(out, "%s\n", scorecard_text_of(rank, "title"));
    }
    const json_t *predicted = json_object_get(top40, "predicted");
    g_string_append_printf(out, "%d of %d hold", scorecard_count_of(top40, "hold"),
                           scorecard_count_of(top40, "ranks"));
    if (scorecard_count_of(top40, "level") > 0)
        g_string_append_printf(out, ", %d level", scorecard_count_of(top40, "level"));
    if (scorecard_count_of(predicted, "ranks") > 0)
        g_string_append_printf(out, "; of the predicted, %d of %d",
                               scorecard_count_of(predicted, "hold"),
                               scorecard_count_of(predicted, "ranks"));
    g_string_append_c(out, '\n');
}

// The columns of a verdict in a table of totals.
static int verdict_width(size_t verdict)
{
    return (int)strlen(verdicts[verdict].label) + 2;
}

static void append_total(GString *out, const char *kind, const json_t *totals)
{
    g_string_append_printf(out, "%-11s%7d", kind, scorecard_count_of(totals, "claims"));
    for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++)
        g_string_append_printf(out, "%*d", verdict_width(i),
                               scorecard_count_of(totals, verdicts[i].verdict));
    g_string_append_c(out, '\n');
}

static void append_groups(GString *out, const char *title, json_t *groups)
{
    const char *name;
    json_t *group;
    g_string_append_printf(out, "\n%-11s%7s", title, "claims");
    for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++)
        g_string_append_printf(out, "%*s", verdict_width(i), verdicts[i].label);
    g_string_append_c(out, '\n');
    json_object_foreach(groups, name, group)
    {
        append_total(out, name, group);
    }
}

// Behaviours that are not listed are not in the tables; and why there are no results of tests.
static void append_behaviours(GString *out, const json_t *behaviours)
{
    const char *lack = scorecard_text_of(behaviours, "lack");
    if (scorecard_count_of(behaviours, "claims") == 0)
        return;
    g_string_append_printf(out, "\n%d of %d behaviours hold",
                           scorecard_count_of(behaviours, "holds"),
                           scorecard_count_of(behaviours, "claims"));
    if (scorecard_count_of(behaviours, "not_run") > 0)
        g_string_append_printf(out, "; %d were not run%s%s: `netsim test' does",
                               scorecard_count_of(behaviours, "not_run"), *lack ? ", as " : "",
                               lack);
    g_string_append_c(out, '\n');
}

// Agreements stand apart, as they are no evidence for a source.
static void append_compared(GString *out, const json_t *totals)
{
    const json_t *compared = json_object_get(totals, "compared");
    int claims = scorecard_count_of(compared, "claims");
    if (claims > 0)
        g_string_append_printf(out, "\n%d of %d comparisons of simulations hold\n",
                               scorecard_count_of(compared, "hold"), claims);
}

static void append_predicted(GString *out, const json_t *totals)
{
    const json_t *predicted = json_object_get(totals, "predicted");
    int claims = scorecard_count_of(predicted, "claims"),
        level = scorecard_count_of(predicted, "level");
    if (claims == 0)
        return;
    g_string_append_printf(out, "\n%d of %d predicted claims hold",
                           scorecard_count_of(predicted, "hold"), claims);
    if (level > 0)
        g_string_append_printf(out, ", %d level", level);
    g_string_append_c(out, '\n');
}

// Claims that would be overlooked among those that hold.
static void append_listed(GString *out, const json_t *totals)
{
    int count = scorecard_count_of(totals, "listed_but_hold");
    if (count > 0)
        g_string_append_printf(out,
                               "\n%d claim%s listed as known to miss and %s not: see `why' above\n",
                               count, count == 1 ? " is" : "s are", count == 1 ? "does" : "do");
}

static void append_totals(GString *out, json_t *totals)
{
    append_groups(out, "kind", json_object_get(totals, "by_kind"));
    append_total(out, "all", totals);
    if (json_object_size(json_object_get(totals, "by_standing")) > 0)
        append_groups(out, "standing", json_object_get(totals, "by_standing"));
    append_behaviours(out, json_object_get(totals, "behaviours"));
    append_listed(out, totals);
    append_compared(out, totals);
    append_predicted(out, totals);
    scorecard_append_theses(out, totals);
}

void scorecard_print(const json_t *scorecard, bool brief, bool colour, int width, FILE *file)
{
    GString *out = g_string_new(NULL);
    json_t *totals = json_object_get(scorecard, "totals"), *row;
    size_t index;
    json_array_foreach(json_object_get(scorecard, "claims"), index, row)
    {
        if (brief)
            append_claim_briefly(out, row, colour, width > 0 && width < BRIEF_WIDTH);
        else
            append_claim(out, row, colour);
    }
    append_ranks(out, json_object_get(totals, "top40"), colour);
    append_totals(out, totals);
    scorecard_append_draws(out, scorecard, brief);
    GString *folded = g_string_new(NULL);
    fold_append(folded, out->str, width);
    fputs(folded->str, file);
    g_string_free(folded, TRUE);
    g_string_free(out, TRUE);
}

// ---- JUnit ----

// "via" of "via.pingpong.c1.smooth", up to the dot of that number.
static char *start_of(const char *id, int dots)
{
    const char *end = id;
    for (; *end; end++)
        if (*end == '.' && --dots == 0)
            break;
    return g_strndup(id, (gsize)(end - id));
}

// A miss, or a claim that is none though it is listed as known to miss.
static enum junit_outcome junit_outcome_of(const json_t *row)
{
    const char *verdict = scorecard_text_of(row, "verdict");
    bool holds = strcmp(verdict, "holds") == 0, level = strcmp(verdict, "level") == 0;
    if (strcmp(verdict, "misses") == 0 ||
        ((holds || level) && *scorecard_text_of(row, "known_miss")))
        return JUNIT_FAILED;
    return holds ? JUNIT_PASSED : JUNIT_SKIPPED;
}

// "known miss: expected 1, simulated 2; so far"
static char *message_of(const json_t *row)
{
    const char *verdict = scorecard_text_of(row, "verdict"), *why = scorecard_text_of(row, "why");
    GString *message = g_string_new(NULL);
    if (strcmp(verdict, "not_checkable") != 0 && strcmp(verdict, "same_as") != 0 &&
        strcmp(verdict, "not_run") != 0 && strcmp(verdict, "open") != 0)
        g_string_printf(message, "%sexpected %s, simulated %s",
                        strcmp(verdict, "known_miss") == 0 ? "known miss: " : "",
                        scorecard_text_of(row, "expected"), scorecard_text_of(row, "simulated"));
    if (*why)
        g_string_append_printf(message, "%s%s", message->len > 0 ? "; " : "", why);
    char *draws = scorecard_draws_text(row);
    if (*draws)
        g_string_append_printf(message, "%s%s", message->len > 0 ? "; " : "", draws);
    g_free(draws);
    return g_string_free(message, FALSE);
}

char *scorecard_junit(const json_t *scorecard)
{
    struct junit *junit = junit_new();
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(scorecard, "claims"), index, row)
    {
        const char *id = scorecard_text_of(row, "id"),
                   *standing = scorecard_text_of(row, "standing");
        char *system = start_of(id, 1), *group = start_of(id, 2), *message = message_of(row);
        char *suite = g_strdup_printf("%s, %s", system, *standing ? standing : "not checked");
        junit_add(junit, suite, group, id, junit_outcome_of(row), scorecard_text_of(row, "verdict"),
                  message);
        g_free(suite);
        g_free(message);
        g_free(group);
        g_free(system);
    }
    char *text = junit_text(junit);
    junit_free(junit);
    return text;
}
