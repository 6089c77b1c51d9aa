// SPDX-License-Identifier: GPL-3.0-or-later
// Claims, facts and theses in draws, in a scorecard.
#include "sim/validate/scorecard_internal.h"

#include "sim/output/text.h"
#include "sim/statistics/share.h"
#include "sim/validate/leave_one_out.h"

#include <string.h>

static bool is_in_class(const json_t *draws, const char *class)
{
    return strcmp(scorecard_text_of(draws, "class"), class) == 0;
}

static double draws_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// ---- A claim ----

static void append_share(GString *out, const json_t *draws)
{
    int level = scorecard_count_of(draws, "level"), holds = scorecard_count_of(draws, "holds");
    struct share share = {.n = holds + level + scorecard_count_of(draws, "misses"),
                          .value = draws_number(draws, "share"),
                          .low = draws_number(draws, "low"),
                          .high = draws_number(draws, "high")};
    char *text = share_text(&share);
    g_string_append_printf(out, "%s %s",
                           level == 0   ? "holds"
                           : holds == 0 ? "is level"
                                        : "holds or is level",
                           text);
    if (level > 0 && holds > 0)
        g_string_append_printf(out, ", level in %d", level);
    const char *stopped = scorecard_text_of(draws, "stopped");
    g_string_append_printf(out, ", n = %.0f%s: %s", share.n,
                           strcmp(stopped, "decided") == 0 ? ", which decide"
                           : strcmp(stopped, "long") == 0  ? ", as its runs are long"
                                                           : "",
                           is_in_class(draws, "robust")            ? "robust"
                           : is_in_class(draws, "robustly_missed") ? "robustly missed"
                           : is_in_class(draws, "by_chance")       ? "a matter of chance"
                                                                   : "undecided");
    if (is_in_class(draws, "by_chance"))
        g_string_append_printf(out, " (%s)", scorecard_text_of(draws, "by_chance"));
    g_free(text);
}

char *scorecard_draws_text(const json_t *row)
{
    const json_t *draws = json_object_get(row, "draws");
    if (!json_is_object(draws))
        return g_strdup("");
    if (json_is_true(json_object_get(draws, "constant")))
        return g_strdup("no draw moves it: its runs read no uncertain constant");
    GString *out = g_string_new(NULL);
    if (is_in_class(draws, "not_judged"))
        g_string_append(out, "judged in no draw");
    else
        append_share(out, draws);
    if (strcmp(scorecard_text_of(row, "verdict"), "known_miss") == 0 &&
        !is_in_class(draws, "robustly_missed") && !is_in_class(draws, "not_judged"))
        g_string_append(out, "; with the constants' medians it is a known miss");
    int failed = scorecard_count_of(draws, "failed");
    if (failed > 0)
        g_string_append_printf(out, "; failed in %d: %s", failed, scorecard_text_of(draws, "why"));
    return g_string_free(out, FALSE);
}

char *scorecard_draws_briefly(const json_t *row)
{
    const json_t *draws = json_object_get(row, "draws");
    if (!json_is_object(draws) || is_in_class(draws, "not_judged"))
        return g_strdup("-");
    return json_is_true(json_object_get(draws, "constant"))
               ? g_strdup("same")
               : share_percent(draws_number(draws, "share"));
}

// ---- Theses ----

static void append_class_counts(GString *out, const char *name, const char *of_what,
                                const json_t *classes)
{
    const char *const keys[] = {of_what,           "robust",     "by_chance", "undecided",
                                "robustly_missed", "not_judged", "constant"};
    static const int widths[] = {7, 8, 11, 11, 17, 12, 15};
    g_string_append_printf(out, "%-11s", name);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        g_string_append_printf(out, "%*d", widths[i], scorecard_count_of(classes, keys[i]));
    g_string_append_c(out, '\n');
}

static void append_classes(GString *out, const json_t *totals)
{
    const json_t *draws = json_object_get(totals, "draws");
    int decided = scorecard_count_of(draws, "decided_claims");
    int first = scorecard_count_of(draws, "first_claims");
    size_t index;
    json_t *thesis;
    g_string_append_printf(out, "\nIn %d draws of the uncertain constants",
                           scorecard_count_of(draws, "draws"));
    if (first > 0)
        g_string_append_printf(out, "; %d claim%s, whose runs are longest, in %d", first,
                               first == 1 ? "" : "s", scorecard_count_of(draws, "first_draws"));
    if (decided > 0)
        g_string_append_printf(out, "; %d with long runs until they were decided", decided);
    g_string_append_printf(out, "\n%-11s%7s%8s%11s%11s%17s%12s%15s\n", "", "", "robust",
                           "by chance", "undecided", "robustly missed", "not judged",
                           "no draw moves");
    append_class_counts(out, "all claims", "claims", json_object_get(draws, "classes"));
    if (json_array_size(json_object_get(totals, "theses")) > 0)
        g_string_append(out, "predicted facts\n");
    json_array_foreach(json_object_get(totals, "theses"), index, thesis)
    {
        append_class_counts(out, scorecard_text_of(thesis, "thesis"), "facts",
                            json_object_get(thesis, "draws"));
    }
}

// Known misses that are none for a part of the constants that the priors allow.
static void append_soft_misses(GString *out, json_t *rows)
{
    size_t index;
    json_t *row;
    bool any = false;
    json_array_foreach(rows, index, row)
    {
        const json_t *draws = json_object_get(row, "draws");
        if (strcmp(scorecard_text_of(row, "verdict"), "known_miss") != 0 ||
            !json_is_object(draws) || is_in_class(draws, "robustly_missed") ||
            is_in_class(draws, "not_judged"))
            continue;
        char *text = scorecard_draws_briefly(row);
        if (!any)
            g_string_append(out, "\nKnown misses that hold or are level in more than 5 % of the "
                                 "draws\n");
        any = true;
        text_append_right(out, text, 7);
        g_string_append_printf(out, "  %s\n", scorecard_text_of(row, "id"));
        g_free(text);
    }
}

// ---- Leave-one-out ----

static void append_left_out_fact(GString *out, const json_t *fact)
{
    const json_t *left = json_object_get(fact, "left_out");
    double effective = draws_number(left, "effective");
    char *holds = share_percent(draws_number(left, "holds"));
    char *level = share_percent(draws_number(left, "level"));
    text_append_left(out, scorecard_text_of(left, "outcome"), 7);
    text_append_right(out, holds, 8);
    text_append_right(out, level, 8);
    g_string_append_printf(out, "%11.1f", effective);
    if (json_is_true(json_object_get(left, "few")) || draws_number(left, "power") < 1.0) {
        char *plain = share_percent(draws_number(left, "plain_holds"));
        text_append_right(out, plain, 12);
        g_free(plain);
    } else {
        g_string_append_printf(out, "%12s", "");
    }
    g_string_append_printf(out, "  %s: %s\n", scorecard_text_of(fact, "system"),
                           scorecard_text_of(fact, "fact"));
    g_free(level);
    g_free(holds);
}

// The facts on which the draws differ.
static void append_left_out_facts(GString *out, const json_t *facts)
{
    size_t index;
    json_t *fact;
    bool any = false;
    json_array_foreach(facts, index, fact)
    {
        const json_t *left = json_object_get(fact, "left_out");
        if (!json_is_object(left) || !json_is_true(json_object_get(left, "moved")))
            continue;
        if (!any)
            g_string_append_printf(out, "\n%-7s%8s%8s%11s%12s  %s\n", "", "holds", "level",
                                   "effective", "unweighted", "left-out facts that draws move");
        any = true;
        append_left_out_fact(out, fact);
    }
}

static void append_left_out_thesis(GString *out, const json_t *thesis)
{
    const json_t *left = json_object_get(thesis, "left_out");
    int level = scorecard_count_of(left, "level"), few = scorecard_count_of(left, "few");
    g_string_append_printf(out,
                           "%-6s of %d independent facts, %d come out when the others are known",
                           scorecard_text_of(thesis, "thesis"), scorecard_count_of(left, "facts"),
                           scorecard_count_of(left, "come_out"));
    if (level > 0)
        g_string_append_printf(out, ", %d %s level", level, level == 1 ? "is" : "are");
    g_string_append_printf(out, " (draws move %d, of which %d come out)",
                           scorecard_count_of(left, "moved"),
                           scorecard_count_of(left, "moved_come_out"));
    if (few > 0)
        g_string_append_printf(out,
                               "\n%7sfewer than %.0f effective draws for %d of them, %.1f at "
                               "least: their weighted shares say little",
                               "", LEFT_OUT_FEW, few, draws_number(left, "least_effective"));
    if (draws_number(left, "least_power") < 1.0)
        g_string_append_printf(out,
                               "\n%7sthe others' likelihood counts to a power of %.2f at least, so "
                               "that %.0f draws are effective",
                               "", draws_number(left, "least_power"), LEFT_OUT_FEW);
    g_string_append_c(out, '\n');
}

static void append_left_out(GString *out, const json_t *totals, bool brief)
{
    size_t index;
    json_t *thesis;
    if (!brief)
        append_left_out_facts(out, json_object_get(totals, "facts"));
    g_string_append(out, "\nEach predicted fact judged by the draws as all other facts of its "
                         "thesis weigh them\n");
    json_array_foreach(json_object_get(totals, "theses"), index, thesis)
    {
        append_left_out_thesis(out, thesis);
    }
}

void scorecard_append_draws(GString *out, const json_t *scorecard, bool brief)
{
    const json_t *totals = json_object_get(scorecard, "totals");
    if (!json_is_object(json_object_get(totals, "draws")))
        return;
    append_classes(out, totals);
    append_soft_misses(out, json_object_get(scorecard, "claims"));
    if (json_array_size(json_object_get(totals, "theses")) > 0)
        append_left_out(out, totals, brief);
}
