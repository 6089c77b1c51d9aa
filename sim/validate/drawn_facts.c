// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/drawn_facts.h"

#include "sim/scenario/draw.h"
#include "sim/statistics/share.h"
#include "sim/validate/standing.h"
#include "sim/validate/theses.h"

#include <math.h>
#include <string.h>

static const char *drawn_json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// ---- Tallies ----

static const char *class_of(const struct share *share, bool by_chance)
{
    switch (share_judge(share)) {
    case SHARE_IN_ALL:
    case SHARE_IN_MOST:
        return "robust";
    case SHARE_IN_NONE:
    case SHARE_IN_FEW:
        return "robustly_missed";
    case SHARE_UNDECIDED:
        break;
    }
    return by_chance ? "by_chance" : "undecided";
}

// The share is of the draws in which it was judged.
static json_t *tally(const struct drawn_fact *in, guint draws, bool constant, bool by_chance)
{
    guint seen[DRAWN_NOT_RUN + 1] = {0};
    for (guint i = 0; i < draws; i++)
        seen[in->drawn[i]]++;
    guint judged = seen[DRAWN_HOLDS] + seen[DRAWN_LEVEL] + seen[DRAWN_MISSES];
    struct share share = share_of(seen[DRAWN_HOLDS] + seen[DRAWN_LEVEL], judged);
    json_t *json =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:b}", "run", (int)(draws - seen[DRAWN_NOT_RUN]),
                  "holds", (int)seen[DRAWN_HOLDS], "level", (int)seen[DRAWN_LEVEL], "misses",
                  (int)seen[DRAWN_MISSES], "failed", (int)seen[DRAWN_FAILED], "constant", constant);
    json_object_set_new(json, "share", judged > 0 ? json_real(share.value) : json_null());
    json_object_set_new(json, "low", judged > 0 ? json_real(share.low) : json_null());
    json_object_set_new(json, "high", judged > 0 ? json_real(share.high) : json_null());
    json_object_set_new(json, "class",
                        json_string(judged > 0 ? class_of(&share, by_chance) : "not_judged"));
    return json;
}

json_t *drawn_row(const struct drawn_claim *claim, guint draws)
{
    static const char *const stopped_by[] = {
        [DRAWN_UNTIL_DECIDED] = "decided", [DRAWN_IN_FIRST] = "long"};
    if (!claim)
        return json_null();
    const char *chance = claim->claim->by_chance;
    json_t *json = tally(&claim->in, draws, claim->constant, chance);
    json_object_set_new(json, "by_chance", chance ? json_string(chance) : json_null());
    json_object_set_new(json, "stopped",
                        claim->last < draws ? json_string(stopped_by[claim->depth]) : json_null());
    json_object_set_new(json, "why", claim->why ? json_string(claim->why) : json_null());
    return json;
}

// ---- Facts ----

// A fact of a thesis that draws were asked about.
struct judged_fact {
    json_t *fact;             // borrowed
    bool constant, by_chance; // all, or one of its claims
    struct drawn_fact in;
};

static void free_judged_fact(gpointer data)
{
    struct judged_fact *fact = data;
    g_free(fact->in.drawn);
    g_free(fact->in.likelihoods);
    g_free(fact);
}

// The claims of a fact that decide it and that draws were asked about (struct drawn_claim *).
static GPtrArray *claims_of_fact(json_t *rows, const json_t *fact,
                                 const struct drawn_claims *claims)
{
    GPtrArray *found = g_ptr_array_new();
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        const struct drawn_claim *claim = drawn_claims_find(claims, drawn_json_text(row, "id"));
        if (claim && theses_decides(row, fact))
            g_ptr_array_add(found, (gpointer)claim);
    }
    return found;
}

// The outcome of a fact in one draw, by its claims.
static enum drawn fact_in_draw(const GPtrArray *claims, guint at, double *likelihood)
{
    static const enum drawn first[] = {DRAWN_NOT_RUN, DRAWN_MISSES, DRAWN_HOLDS, DRAWN_LEVEL};
    bool found[DRAWN_NOT_RUN + 1] = {false};
    double *likelihoods = g_new(double, claims->len);
    guint judged = 0;
    for (guint i = 0; i < claims->len; i++) {
        const struct drawn_claim *claim = g_ptr_array_index(claims, i);
        found[claim->in.drawn[at]] = true;
        if (claim->in.drawn[at] < DRAWN_FAILED)
            likelihoods[judged++] = claim->in.likelihoods[at];
    }
    *likelihood = likelihood_of_several(likelihoods, judged);
    g_free(likelihoods);
    for (size_t i = 0; i < G_N_ELEMENTS(first); i++)
        if (found[first[i]])
            return first[i];
    return DRAWN_FAILED;
}

static struct judged_fact *judged_fact_new(json_t *fact, const GPtrArray *claims, guint draws)
{
    struct judged_fact *judged = g_new0(struct judged_fact, 1);
    judged->fact = fact;
    judged->constant = true;
    judged->in.drawn = g_new(enum drawn, draws);
    judged->in.likelihoods = g_new(double, draws);
    for (guint i = 0; i < claims->len; i++) {
        const struct drawn_claim *claim = g_ptr_array_index(claims, i);
        judged->constant &= claim->constant;
        judged->by_chance |= claim->claim->by_chance != NULL;
    }
    for (guint i = 0; i < draws; i++)
        judged->in.drawn[i] = fact_in_draw(claims, i, &judged->in.likelihoods[i]);
    return judged;
}

// The facts of a thesis that weigh draws: those that measurements state, whether predicted, chosen
// or fitted.
static GPtrArray *facts_of_thesis(json_t *rows, json_t *facts, const char *system,
                                  const struct drawn_claims *claims)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(free_judged_fact);
    size_t index;
    json_t *fact;
    json_array_foreach(facts, index, fact)
    {
        if (strcmp(drawn_json_text(fact, "system"), system) != 0 ||
            standing_named(drawn_json_text(fact, "standing")) < STANDING_PREDICTED)
            continue;
        GPtrArray *of = claims_of_fact(rows, fact, claims);
        if (of->len > 0)
            g_ptr_array_add(list, judged_fact_new(fact, of, claims->draws));
        g_ptr_array_unref(of);
    }
    return list;
}

// ---- Leave-one-out ----

static const char *outcome_of_left_out(const struct left_out *left)
{
    return left->holds >= LEFT_OUT_SHARE                 ? "holds"
           : left->holds + left->level >= LEFT_OUT_SHARE ? "level"
                                                         : "misses";
}

static json_t *left_out_json(const struct left_out *left)
{
    if (left->draws == 0)
        return json_null();
    bool few = left->effective < LEFT_OUT_FEW * (1.0 - 1e-9); // but for rounding
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:b, s:f, s:f, s:f, s:f, s:b}", "outcome",
                     outcome_of_left_out(left), "draws", (int)left->draws, "others",
                     (int)left->others, "power", left->power, "effective", left->effective, "few",
                     few, "holds", left->holds, "level", left->level, "plain_holds",
                     left->plain_holds, "plain_level", left->plain_level, "moved", left->moved);
}

static void leave_each_out(const GPtrArray *list, guint draws)
{
    struct drawn_fact *in = g_new(struct drawn_fact, MAX(list->len, 1));
    for (guint i = 0; i < list->len; i++)
        in[i] = ((const struct judged_fact *)g_ptr_array_index(list, i))->in;
    for (guint i = 0; i < list->len; i++) {
        const struct judged_fact *judged = g_ptr_array_index(list, i);
        json_object_set_new(judged->fact, "draws",
                            tally(&judged->in, draws, judged->constant, judged->by_chance));
        if (standing_named(drawn_json_text(judged->fact, "standing")) != STANDING_PREDICTED)
            continue;
        struct left_out left = leave_one_out(in, list->len, draws, i);
        json_object_set_new(judged->fact, "left_out", left_out_json(&left));
    }
    g_free(in);
}

// ---- Sums ----

static void count_in_draws(json_t *counts, const char *key, bool more)
{
    json_object_set_new(counts, key,
                        json_integer(json_integer_value(json_object_get(counts, key)) + more));
}

static json_t *classes_new(const char *of_what)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", of_what, 0, "robust", 0, "by_chance", 0,
                     "undecided", 0, "robustly_missed", 0, "not_judged", 0, "constant", 0);
}

static void count_class(json_t *classes, const char *of_what, const json_t *draws)
{
    if (!json_is_object(draws))
        return;
    count_in_draws(classes, of_what, true);
    count_in_draws(classes, drawn_json_text(draws, "class"), true);
    count_in_draws(classes, "constant", json_is_true(json_object_get(draws, "constant")));
}

static void count_left_out(json_t *counts, const json_t *left)
{
    if (!json_is_object(left))
        return;
    double effective = json_number_value(json_object_get(left, "effective"));
    bool moved = json_is_true(json_object_get(left, "moved"));
    bool holds = strcmp(drawn_json_text(left, "outcome"), "holds") == 0;
    count_in_draws(counts, "facts", true);
    count_in_draws(counts, "come_out", holds);
    count_in_draws(counts, "level", strcmp(drawn_json_text(left, "outcome"), "level") == 0);
    count_in_draws(counts, "moved", moved);
    count_in_draws(counts, "moved_come_out", moved && holds);
    count_in_draws(counts, "few", json_is_true(json_object_get(left, "few")));
    double least = json_number_value(json_object_get(counts, "least_effective"));
    if (least == 0.0 || effective < least)
        json_object_set_new(counts, "least_effective", json_real(effective));
    double power = json_number_value(json_object_get(left, "power"));
    if (power < json_number_value(json_object_get(counts, "least_power")))
        json_object_set_new(counts, "least_power", json_real(power));
}

// The predicted facts of a thesis, or of all.
static void sum_thesis(json_t *thesis, json_t *facts)
{
    const char *system = drawn_json_text(thesis, "thesis");
    json_t *classes = classes_new("facts"), *fact;
    json_t *left = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f}", "facts", 0, "come_out", 0,
                             "level", 0, "moved", 0, "moved_come_out", 0, "few", 0,
                             "least_effective", 0.0, "least_power", 1.0);
    size_t index;
    json_array_foreach(facts, index, fact)
    {
        if ((strcmp(system, "all") != 0 && strcmp(drawn_json_text(fact, "system"), system) != 0) ||
            standing_named(drawn_json_text(fact, "standing")) != STANDING_PREDICTED)
            continue;
        count_class(classes, "facts", json_object_get(fact, "draws"));
        count_left_out(left, json_object_get(fact, "left_out"));
    }
    json_object_set_new(thesis, "draws", classes);
    json_object_set_new(thesis, "left_out", left);
}

void drawn_facts_add(json_t *rows, json_t *facts, json_t *theses, const struct drawn_claims *claims)
{
    size_t index;
    json_t *thesis;
    json_array_foreach(theses, index, thesis)
    {
        const char *system = drawn_json_text(thesis, "thesis");
        GPtrArray *list = facts_of_thesis(rows, facts, system, claims);
        leave_each_out(list, claims->draws);
        g_ptr_array_unref(list);
    }
    json_array_foreach(theses, index, thesis)
    {
        sum_thesis(thesis, facts);
    }
}

json_t *drawn_totals(json_t *rows, const struct drawn_claims *claims)
{
    json_t *classes = classes_new("claims"), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        count_class(classes, "claims", json_object_get(row, "draws"));
    }
    guint decided = 0, first = 0;
    for (guint i = 0; i < claims->list->len; i++) {
        const struct drawn_claim *claim = g_ptr_array_index(claims->list, i);
        decided += claim->depth == DRAWN_UNTIL_DECIDED && claim->last < claims->draws;
        first += claim->depth == DRAWN_IN_FIRST && claim->last < claims->draws;
    }
    return json_pack("{s:i, s:i, s:i, s:i, s:o}", "draws", (int)claims->draws, "first_draws",
                     (int)MIN(claims->draws, DRAW_BLOCK), "first_claims", (int)first,
                     "decided_claims", (int)decided, "classes", classes);
}
