// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/validate.h"

#include "sim/validate/claim.h"
#include "sim/validate/judge.h"

#include <math.h>
#include <string.h>

enum verdict { HOLDS, MISSES, KNOWN_MISS, NOT_CHECKABLE, SAME_AS };

static const char *const verdict_names[] = {
    [HOLDS] = "holds",           [MISSES] = "misses",
    [KNOWN_MISS] = "known_miss", [NOT_CHECKABLE] = "not_checkable",
    [SAME_AS] = "same_as",
};

// ---- Which claims ----

static bool is_behaviour(const struct claim *claim)
{
    return strcmp(claim->kind, "behaviour") == 0;
}

static bool in_top40(const struct claim_list *list, const struct claim *claim)
{
    for (guint i = 0; i < list->ranks->len; i++) {
        const struct claim_rank *rank = g_ptr_array_index(list->ranks, i);
        if (g_ptr_array_find(rank->ids, claim->id, NULL))
            return true;
    }
    return false;
}

static bool is_meant(const struct validate_options *options, const struct claim *claim)
{
    if (!options->patterns || !*options->patterns)
        return true;
    for (const char *const *pattern = options->patterns; *pattern; pattern++)
        if (claim_matches(claim->id, *pattern))
            return true;
    return false;
}

static bool is_wanted(const struct validate_options *options, const struct claim_list *list,
                      const struct claim *claim)
{
    return is_meant(options, claim) && (options->behaviours || !is_behaviour(claim)) &&
           (!options->top40 || in_top40(list, claim));
}

// The ids, and their beginnings: what a pattern may have meant.
static char **pattern_candidates(const struct claim_list *list)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        for (const char *dot = strchr(claim->id, '.'); dot; dot = strchr(dot + 1, '.')) {
            char *start = g_strndup(claim->id, (size_t)(dot - claim->id));
            g_hash_table_add(seen, (gpointer)g_intern_string(start));
            g_free(start);
        }
        g_hash_table_add(seen, (gpointer)claim->id);
    }
    guint count;
    char **names = (char **)g_hash_table_get_keys_as_array(seen, &count);
    g_hash_table_destroy(seen);
    return names;
}

static bool patterns_are_right(const struct validate_options *options,
                               const struct claim_list *list, struct diag_list *diags)
{
    bool good = true;
    for (const char *const *pattern = options->patterns; pattern && *pattern; pattern++) {
        bool matched = false;
        for (guint i = 0; i < list->claims->len && !matched; i++)
            matched =
                claim_matches(((struct claim *)g_ptr_array_index(list->claims, i))->id, *pattern);
        if (matched)
            continue;
        char **names = pattern_candidates(list);
        const char *near = diag_nearest(*pattern, (const char *const *)names);
        char *hint = near ? g_strdup_printf("did you mean %s?", near) : NULL;
        diag_add(diags, (struct source_mark){.file = g_intern_static_string("netsim")}, NULL, hint,
                 "no claim is called `%s'", *pattern);
        g_free(hint);
        g_free(names);
        good = false;
    }
    return good;
}

// ---- Verdicts ----

// Of a claim: its worst check, or what all of them found.
struct finding {
    enum verdict verdict;
    GString *expected, *simulated;
    double deviation;
    char *why;
};

// One of several checks of a claim is numbered, from 1 on; 0 is the only one.
static void append_part(GString *out, guint number, const char *text)
{
    if (!text)
        return;
    if (number > 0)
        g_string_append_printf(out, "%s(%u) ", out->len > 0 ? "; " : "", number);
    g_string_append(out, text);
}

// What one more check found: what misses counts more than what can't be checked, and that more than
// what holds. The deviation is that of the first check that decides.
static void finding_add(struct finding *finding, guint number, const struct judgement *judgement)
{
    static const char *const said[] = {[JUDGED_HOLDS] = "",
                                       [JUDGED_MISSES] = "misses: ",
                                       [JUDGED_NOT_CHECKABLE] = "not checkable: "};
    static const enum verdict of_judged[] = {
        [JUDGED_HOLDS] = HOLDS, [JUDGED_MISSES] = MISSES, [JUDGED_NOT_CHECKABLE] = NOT_CHECKABLE};
    static const int weight[] = {[HOLDS] = 0, [NOT_CHECKABLE] = 1, [MISSES] = 2, [KNOWN_MISS] = 2};
    enum verdict verdict = of_judged[judgement->judged];
    int more = weight[verdict] - weight[finding->verdict];
    append_part(finding->expected, number, judgement->expected);
    char *simulated = g_strconcat(number > 0 ? said[judgement->judged] : "",
                                  judgement->simulated ? judgement->simulated : "nothing", NULL);
    if (number > 0 || judgement->simulated)
        append_part(finding->simulated, number, simulated);
    g_free(simulated);
    if (more > 0) {
        finding->verdict = verdict;
        finding->deviation = judgement->deviation;
        g_free(finding->why);
        finding->why = g_strdup(judgement->why);
    }
}

// Why no scenario is held against a claim: the reason that it gives, and the tests that hold it.
static char *why_not(const struct claim *claim, const char *reason)
{
    if (!claim->tests)
        return g_strdup(reason ? reason : "a behaviour, which tests cover: docs/coverage.md");
    char *held = g_strdup_printf("not checkable here: held by %s", claim->tests);
    char *why = reason ? g_strdup_printf("%s (%s)", held, reason) : g_strdup(held);
    g_free(held);
    return why;
}

// "a, b": the claims that say the same.
static char *named_claims(GPtrArray *ids)
{
    GString *out = g_string_new("counted as ");
    for (guint i = 0; i < ids->len; i++)
        g_string_append_printf(out, "%s%s", i ? ", " : "", (const char *)g_ptr_array_index(ids, i));
    return g_string_free(out, FALSE);
}

static void finding_of_claim(struct finding *finding, const struct judge_context *context,
                             const struct claim *claim)
{
    *finding = (struct finding){HOLDS, g_string_new(NULL), g_string_new(NULL), NAN, NULL};
    for (guint i = 0; i < claim->checks->len; i++) {
        struct judgement judgement = judge(context, g_ptr_array_index(claim->checks, i));
        if (i == 0)
            finding->deviation = judgement.deviation;
        finding_add(finding, claim->checks->len > 1 ? i + 1 : 0, &judgement);
        judgement_clear(&judgement);
    }
    if (claim->same_as) {
        finding->verdict = SAME_AS;
        finding->why = named_claims(claim->same_as);
    } else if (is_behaviour(claim)) {
        finding->verdict = NOT_CHECKABLE;
        finding->why = why_not(claim, claim->outside);
    } else if (claim->not_checkable) {
        finding->verdict = NOT_CHECKABLE;
        finding->why = why_not(claim, claim->not_checkable);
    } else if (claim->known_miss && finding->verdict == MISSES) {
        finding->verdict = KNOWN_MISS;
        g_free(finding->why);
        finding->why = g_strdup(claim->known_miss);
    } else if (claim->known_miss && finding->verdict == HOLDS) {
        finding->why = g_strdup_printf("no longer a miss, but listed as one (%s): take its "
                                       "known_miss out of references/claims/",
                                       claim->known_miss);
    }
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

// What is claimed, if there is no check that says it.
static const char *expectation(const struct claim *claim, const struct finding *finding)
{
    return finding->expected->len > 0 ? finding->expected->str : claim->statement;
}

static json_t *judge_claim(const struct judge_context *context, const struct claim *claim)
{
    struct finding finding;
    finding_of_claim(&finding, context, claim);
    json_t *row = json_object();
    json_object_set_new(row, "id", json_string(claim->id));
    json_object_set_new(row, "kind", json_string(claim->kind));
    json_object_set_new(row, "expected", text_or_null(expectation(claim, &finding)));
    json_object_set_new(row, "simulated", text_or_null(finding.simulated->str));
    json_object_set_new(row, "deviation",
                        isfinite(finding.deviation) ? json_real(finding.deviation) : json_null());
    json_object_set_new(row, "verdict", json_string(verdict_names[finding.verdict]));
    json_object_set_new(row, "why", text_or_null(finding.why));
    g_string_free(finding.expected, TRUE);
    g_string_free(finding.simulated, TRUE);
    g_free(finding.why);
    return row;
}

// ---- Totals ----

static json_t *totals_new(void)
{
    json_t *totals = json_object();
    json_object_set_new(totals, "claims", json_integer(0));
    for (size_t i = 0; i < G_N_ELEMENTS(verdict_names); i++)
        json_object_set_new(totals, verdict_names[i], json_integer(0));
    return totals;
}

static void count_one(json_t *totals, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(totals, name));
    json_object_set_new(totals, name, json_integer(count + 1));
}

static const char *row_text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static json_t *totals_of(json_t *rows)
{
    json_t *totals = totals_new(), *by_kind = json_object(), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const char *kind = row_text(row, "kind"), *verdict = row_text(row, "verdict");
        if (!json_object_get(by_kind, kind))
            json_object_set_new(by_kind, kind, totals_new());
        count_one(totals, verdict);
        count_one(json_object_get(by_kind, kind), verdict);
        if (strcmp(verdict, verdict_names[SAME_AS]) == 0)
            continue; // counted where it is said first
        count_one(totals, "claims");
        count_one(json_object_get(by_kind, kind), "claims");
    }
    json_object_set_new(totals, "by_kind", by_kind);
    return totals;
}

// The verdict on a rank: the worst of its claims, and behaviours count as held, as the test suite
// holds them. A rank that stands on nothing else holds for that reason.
static enum verdict verdict_of_rank(json_t *rows, const struct claim_rank *rank)
{
    bool found[G_N_ELEMENTS(verdict_names)] = {false};
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const char *id = g_intern_string(row_text(row, "id"));
        if (!g_ptr_array_find(rank->ids, id, NULL) ||
            strcmp(row_text(row, "kind"), "behaviour") == 0)
            continue;
        for (size_t i = 0; i < G_N_ELEMENTS(verdict_names); i++)
            found[i] |= strcmp(row_text(row, "verdict"), verdict_names[i]) == 0;
    }
    return found[MISSES]          ? MISSES
           : found[KNOWN_MISS]    ? KNOWN_MISS
           : found[NOT_CHECKABLE] ? NOT_CHECKABLE
                                  : HOLDS;
}

// Whether all that a rank stands on is asked for: of one that is judged in part nothing is said.
static bool rank_is_meant(const struct validate_options *options, const struct claim_list *list,
                          const struct claim_rank *rank)
{
    for (guint i = 0; i < rank->ids->len; i++)
        if (!is_meant(options, claims_find(list, g_ptr_array_index(rank->ids, i))))
            return false;
    return true;
}

static json_t *top40_of(const struct validate_options *options, const struct claim_list *list,
                        json_t *rows)
{
    json_t *ranks = json_array();
    int hold = 0;
    for (guint i = 0; i < list->ranks->len; i++) {
        const struct claim_rank *rank = g_ptr_array_index(list->ranks, i);
        if (!rank_is_meant(options, list, rank))
            continue;
        enum verdict verdict = verdict_of_rank(rows, rank);
        json_t *ids = json_array();
        for (guint k = 0; k < rank->ids->len; k++)
            json_array_append_new(ids, json_string(g_ptr_array_index(rank->ids, k)));
        json_array_append_new(ranks, json_pack("{s:i, s:s, s:s, s:o}", "rank", rank->rank, "title",
                                               rank->title, "verdict", verdict_names[verdict],
                                               "ids", ids));
        hold += verdict == HOLDS;
    }
    return json_pack("{s:I, s:i, s:o}", "ranks", (json_int_t)json_array_size(ranks), "hold", hold,
                     "list", ranks);
}

// ---- The scorecard ----

static bool run_all(const struct validate_options *options, const struct claim_list *list,
                    struct runs *runs, GError **error)
{
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        for (guint k = 0; is_wanted(options, list, claim) && k < claim->checks->len; k++)
            judge_needs(g_ptr_array_index(claim->checks, k), runs);
    }
    return runs_run(runs, error);
}

// Claims that hold although they are listed as known to miss.
static json_int_t listed_but_hold(const struct claim_list *list, json_t *rows)
{
    json_int_t count = 0;
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        const struct claim *claim = claims_find(list, row_text(row, "id"));
        count += claim->known_miss && strcmp(row_text(row, "verdict"), verdict_names[HOLDS]) == 0;
    }
    return count;
}

static json_t *score(const struct validate_options *options, const struct claim_list *list,
                     const struct runs *runs)
{
    struct judge_context context = {runs, options->data_dir};
    json_t *rows = json_array();
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        if (is_wanted(options, list, claim))
            json_array_append_new(rows, judge_claim(&context, claim));
    }
    json_t *totals = totals_of(rows);
    json_object_set_new(totals, "listed_but_hold", json_integer(listed_but_hold(list, rows)));
    json_object_set_new(totals, "top40", top40_of(options, list, rows));
    return json_pack("{s:o, s:o}", "claims", rows, "totals", totals);
}

json_t *validate_scorecard(const struct registry *registry, const struct validate_options *options,
                           struct diag_list *diags, GError **error)
{
    json_t *scorecard = NULL;
    struct claim_list *list = claims_load(options->data_dir, diags);
    if (list && patterns_are_right(options, list, diags)) {
        struct campaign_options campaign = options->campaign;
        campaign.data_dir = options->data_dir;
        struct runs *runs = runs_new(registry, &campaign, error);
        if (runs && run_all(options, list, runs, error))
            scorecard = score(options, list, runs);
        runs_free(runs);
    }
    claims_free(list);
    return scorecard;
}

bool validate_failed(const json_t *scorecard)
{
    json_t *totals = json_object_get(scorecard, "totals");
    return json_integer_value(json_object_get(totals, verdict_names[MISSES])) > 0 ||
           json_integer_value(json_object_get(totals, "listed_but_hold")) > 0;
}
