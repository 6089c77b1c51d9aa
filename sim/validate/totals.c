// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/totals.h"

#include "sim/core/intern.h"
#include "sim/validate/standing.h"

#include <string.h>

static const char *const verdict_names[VERDICTS] = {
    [HOLDS] = "holds",           [LEVEL] = "level",     [MISSES] = "misses",
    [KNOWN_MISS] = "known_miss", [NOT_RUN] = "not_run", [NOT_CHECKABLE] = "not_checkable",
    [REFUTED] = "refuted",       [OPEN] = "open",       [SAME_AS] = "same_as",
};

const char *verdict_name(enum verdict verdict)
{
    return verdict_names[verdict];
}

static const char *totals_row_text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

// ---- Claims ----

static json_t *counts_new(void)
{
    json_t *counts = json_pack("{s:i}", "claims", 0);
    for (int i = 0; i < VERDICTS; i++)
        json_object_set_new(counts, verdict_names[i], json_integer(0));
    return counts;
}

static void count_one(json_t *counts, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

// A claim that repeats others is counted with the first of them.
static void count_row(json_t *counts, const json_t *row)
{
    const char *verdict = totals_row_text(row, "verdict");
    count_one(counts, verdict);
    if (strcmp(verdict, verdict_names[SAME_AS]) != 0)
        count_one(counts, "claims");
}

// ... in the counts of a group.
static void count_in(json_t *groups, const char *name, const json_t *row)
{
    if (!json_object_get(groups, name))
        json_object_set_new(groups, name, counts_new());
    count_row(json_object_get(groups, name), row);
}

json_t *totals_by_verdict(json_t *rows)
{
    json_t *counts = counts_new(), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        count_row(counts, row);
    }
    return counts;
}

static json_t *by_standing(json_t *rows)
{
    json_t *groups = json_object(), *row;
    size_t index;
    for (int i = STANDINGS - 1; i > STANDING_NONE; i--) // in this order
        json_object_set_new(groups, standing_name((enum standing)i), counts_new());
    json_array_foreach(rows, index, row)
    {
        const char *standing = totals_row_text(row, "standing");
        if (standing)
            count_in(groups, standing, row);
    }
    for (int i = STANDING_NONE + 1; i < STANDINGS; i++) {
        const char *name = standing_name((enum standing)i);
        if (json_integer_value(json_object_get(json_object_get(groups, name), "claims")) == 0)
            json_object_del(groups, name);
    }
    return groups;
}

static bool stands_as(const json_t *row, enum standing standing)
{
    return g_strcmp0(totals_row_text(row, "standing"), standing_name(standing)) == 0;
}

static bool row_is(const json_t *row, enum verdict verdict)
{
    return strcmp(totals_row_text(row, "verdict"), verdict_names[verdict]) == 0;
}

// Of the rows with a standing that can be checked, how many hold and how many are level. For
// predictions this is the number that counts: nothing was fitted to them or chosen for them.
static json_t *that_hold(json_t *rows, enum standing standing, const char *of_what)
{
    int all = 0, hold = 0, level = 0;
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        all += stands_as(row, standing) && !row_is(row, NOT_CHECKABLE);
        hold += stands_as(row, standing) && row_is(row, HOLDS);
        level += stands_as(row, standing) && row_is(row, LEVEL);
    }
    return json_pack("{s:i, s:i, s:i}", of_what, all, "hold", hold, "level", level);
}

json_t *totals_of(json_t *rows)
{
    json_t *totals = totals_by_verdict(rows), *by_kind = json_object(), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        count_in(by_kind, totals_row_text(row, "kind"), row);
    }
    json_object_set_new(totals, "predicted", that_hold(rows, STANDING_PREDICTED, "claims"));
    json_object_set_new(totals, "compared", that_hold(rows, STANDING_COMPARED, "claims"));
    json_object_set_new(totals, "by_kind", by_kind);
    json_object_set_new(totals, "by_standing", by_standing(rows));
    return totals;
}

// ---- Ranks ----

static enum standing standing_of_row(const json_t *row)
{
    return standing_named(totals_row_text(row, "standing"));
}

// The worst verdict of the rank's claims, and their standing by the rule (standing.h).
json_t *totals_of_rank(json_t *rows, const struct claim_rank *rank)
{
    static const enum verdict worst_first[] = {MISSES,  KNOWN_MISS, NOT_RUN, NOT_CHECKABLE,
                                               REFUTED, OPEN,       LEVEL,   HOLDS};
    bool found[VERDICTS] = {false};
    enum standing standing = STANDING_NONE;
    size_t index, worst = 0;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        if (!g_ptr_array_find(rank->ids, intern_text(totals_row_text(row, "id")), NULL))
            continue;
        for (int i = 0; i < VERDICTS; i++)
            found[i] |= row_is(row, (enum verdict)i);
        standing = MAX(standing, standing_of_row(row));
    }
    while (worst_first[worst] != HOLDS && !found[worst_first[worst]])
        worst++;
    json_t *ids = json_array();
    for (guint i = 0; i < rank->ids->len; i++)
        json_array_append_new(ids, json_string(g_ptr_array_index(rank->ids, i)));
    return json_pack("{s:i, s:s, s:s?, s:s, s:o}", "rank", (int)rank->rank, "title", rank->title,
                     "standing", standing_name(standing), "verdict",
                     verdict_names[worst_first[worst]], "ids", ids);
}

json_t *totals_of_ranks(json_t *ranks)
{
    int hold = 0, level = 0;
    size_t index;
    json_t *rank;
    json_array_foreach(ranks, index, rank)
    {
        hold += row_is(rank, HOLDS);
        level += row_is(rank, LEVEL);
    }
    return json_pack("{s:I, s:i, s:i, s:o, s:o}", "ranks", (json_int_t)json_array_size(ranks),
                     "hold", hold, "level", level, "predicted",
                     that_hold(ranks, STANDING_PREDICTED, "ranks"), "list", ranks);
}
