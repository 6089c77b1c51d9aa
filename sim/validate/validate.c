// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/validate.h"

#include "sim/campaign/source_id.h"
#include "sim/core/intern.h"
#include "sim/validate/claim.h"
#include "sim/validate/drawn_facts.h"
#include "sim/validate/judge.h"
#include "sim/validate/standing.h"
#include "sim/validate/test_results.h"
#include "sim/validate/theses.h"
#include "sim/validate/totals.h"

#include <math.h>
#include <string.h>

// All that verdicts are made of.
struct scoring {
    const struct validate_options *options;
    const struct claim_list *list;
    const struct fits *fits;
    const struct runs *runs;
    const struct test_results *tests;
    const struct drawn_claims *drawn; // NULL: no draws
};

// ---- Which claims ----

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

// Behaviours are judged also where they are not listed: ranks stand on them.
static bool is_wanted(const struct validate_options *options, const struct claim_list *list,
                      const struct claim *claim)
{
    return is_meant(options, claim) && (!options->top40 || in_top40(list, claim));
}

// The ids, and their beginnings, of which a pattern may have meant one.
static char **pattern_candidates(const struct claim_list *list)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        for (const char *dot = strchr(claim->id, '.'); dot; dot = strchr(dot + 1, '.')) {
            char *start = g_strndup(claim->id, (size_t)(dot - claim->id));
            g_hash_table_add(seen, (gpointer)intern_text(start));
            g_free(start);
        }
        g_hash_table_add(seen, (gpointer)claim->id);
    }
    guint count;
    char **names = (char **)g_hash_table_get_keys_as_array(seen, &count);
    g_hash_table_destroy(seen);
    return names;
}

static gint by_result_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Returns the beginnings of claims, "known: armci.*, via.*"; the caller frees the text.
static char *known_systems(char **names)
{
    GPtrArray *systems = g_ptr_array_new();
    for (char **name = names; *name; name++)
        if (!strchr(*name, '.'))
            g_ptr_array_add(systems, *name);
    g_ptr_array_sort(systems, by_result_name);
    g_ptr_array_add(systems, NULL);
    char *list = g_strjoinv(", ", (char **)systems->pdata);
    char *hint = g_strdup_printf("known: %s, and claims of these", list);
    g_free(list);
    g_ptr_array_free(systems, TRUE);
    return hint;
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
        char *hint = near ? g_strdup_printf("did you mean %s?", near) : known_systems(names);
        diag_add(diags, (struct source_mark){.file = intern_text("netsim")}, NULL, hint,
                 "no claim is called `%s'", *pattern);
        g_free(hint);
        g_free(names);
        good = false;
    }
    return good;
}

// ---- Verdicts ----

// A claim's worst check, and the values of all its checks.
struct finding {
    enum verdict verdict;
    GString *expected, *simulated;
    double deviation;
    char *why;
    json_t *printed; // how far values are off what is printed (theses.h)
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

static void note_printed(json_t *printed, const struct judgement *judgement)
{
    for (guint i = 0; judgement->off && i < judgement->off->len; i++)
        json_array_append_new(printed,
                              json_pack("{s:f, s:b}", "off",
                                        g_array_index(judgement->off, struct drawn_number, i).off,
                                        "points", judgement->points));
}

// Adds one more check's judgement: a miss counts more than a check that can't be made, that more
// than one that is level, and that more than one that holds. The deviation is that of the first
// check that decides.
static void finding_add(struct finding *finding, guint number, const struct judgement *judgement)
{
    static const char *const said[] = {[JUDGED_HOLDS] = "",
                                       [JUDGED_LEVEL] = "level: ",
                                       [JUDGED_MISSES] = "misses: ",
                                       [JUDGED_NOT_CHECKABLE] = "not checkable: "};
    static const enum verdict of_judged[] = {[JUDGED_HOLDS] = HOLDS,
                                             [JUDGED_LEVEL] = LEVEL,
                                             [JUDGED_MISSES] = MISSES,
                                             [JUDGED_NOT_CHECKABLE] = NOT_CHECKABLE};
    static const int weight[] = {[HOLDS] = 0, [LEVEL] = 1, [NOT_CHECKABLE] = 2, [MISSES] = 3};
    enum verdict verdict = of_judged[judgement->judged];
    int more = weight[verdict] - weight[finding->verdict];
    note_printed(finding->printed, judgement);
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

// "tests/a.c, tests/b.py": a claim's tests that ended so, or all. The caller frees it; NULL if
// there is none.
static char *tests_that(const struct scoring *scoring, const struct claim *claim,
                        const enum test_outcome *outcome)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < claim->tests->len; i++) {
        const char *test = g_ptr_array_index(claim->tests, i);
        enum test_outcome ended = test_results_of(scoring->tests, test);
        if (!outcome || ended == *outcome)
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", test);
    }
    return g_string_free(out, out->len == 0);
}

// The worst outcome of a claim's tests: one that was not run may have failed.
static enum test_outcome outcome_of(const struct scoring *scoring, const struct claim *claim)
{
    static const int weight[] = {
        [TEST_PASSED] = 0, [TEST_SKIPPED] = 1, [TEST_NOT_RUN] = 2, [TEST_FAILED] = 3};
    enum test_outcome worst = TEST_PASSED;
    for (guint i = 0; i < claim->tests->len; i++) {
        enum test_outcome ended =
            test_results_of(scoring->tests, g_ptr_array_index(claim->tests, i));
        if (weight[ended] > weight[worst])
            worst = ended;
    }
    return claim->tests->len > 0 ? worst : TEST_NOT_RUN;
}

// Adds the outcome of a behaviour's tests to the findings of its checks, which decide alone where
// the tests were not run.
static void finding_of_tests(struct finding *finding, const struct scoring *scoring,
                             const struct claim *claim)
{
    enum test_outcome outcome = outcome_of(scoring, claim);
    char *tests = tests_that(scoring, claim, &outcome);
    const char *checked = finding->simulated->len > 0 ? "; " : "";
    if (outcome == TEST_PASSED || outcome == TEST_FAILED)
        g_string_append_printf(finding->simulated, "%s%s: %s", checked,
                               outcome == TEST_PASSED ? "passed" : "failed", tests);
    if (outcome == TEST_FAILED) {
        finding->verdict = MISSES;
    } else if (outcome != TEST_PASSED && claim->checks->len == 0) {
        finding->verdict = NOT_RUN;
        g_free(finding->why);
        finding->why = tests
                           ? g_strdup_printf("%s for this build, and `netsim test' runs: %s",
                                             outcome == TEST_SKIPPED ? "skipped" : "not run", tests)
                           : g_strdup("no test names it: docs/coverage.md");
    }
    g_free(tests);
}

static void finding_of_behaviour(struct finding *finding, const struct scoring *scoring,
                                 const struct claim *claim)
{
    if (!claim->outside) {
        finding_of_tests(finding, scoring, claim);
        return;
    }
    finding->verdict = NOT_CHECKABLE;
    finding->why = g_strdup(claim->outside);
}

// Why no scenario is held against a claim: the reason that it gives, and the tests that name it.
static char *why_not(const struct scoring *scoring, const struct claim *claim)
{
    char *tests = tests_that(scoring, claim, NULL);
    char *why = tests ? g_strdup_printf("not checkable here, but named by %s (%s)", tests,
                                        claim->not_checkable)
                      : g_strdup(claim->not_checkable);
    g_free(tests);
    return why;
}

// "counted as a, b": the claims that state the same.
static char *named_claims(GPtrArray *ids)
{
    GString *out = g_string_new("counted as ");
    for (guint i = 0; i < ids->len; i++)
        g_string_append_printf(out, "%s%s", i ? ", " : "", (const char *)g_ptr_array_index(ids, i));
    return g_string_free(out, FALSE);
}

// A guess never misses: a check refutes it, and without one it stays open.
static void finding_of_guess(struct finding *finding, const struct claim *claim)
{
    if (finding->verdict == MISSES)
        finding->verdict = REFUTED;
    if (claim->checks->len > 0 && finding->verdict != NOT_CHECKABLE)
        return;
    finding->verdict = OPEN;
    if (!finding->why)
        finding->why = g_strdup(claim->not_checkable);
}

// A known miss is one as long as it misses.
static void finding_of_known_miss(struct finding *finding, const struct claim *claim)
{
    char *why = NULL;
    if (finding->verdict == MISSES) {
        finding->verdict = KNOWN_MISS;
        why = g_strdup(claim->known_miss);
    } else if (finding->verdict == HOLDS || finding->verdict == LEVEL) {
        why = g_strdup_printf("no longer a miss, but listed as one (%s): take its known_miss out "
                              "of references/claims/",
                              claim->known_miss);
    }
    if (!why)
        return;
    g_free(finding->why);
    finding->why = why;
}

// The checks of a claim.
static struct finding finding_of_checks(const struct scoring *scoring, const struct claim *claim)
{
    struct judge_context context = {scoring->runs, scoring->options->data_dir};
    struct finding finding = {HOLDS, g_string_new(NULL), g_string_new(NULL), NAN,
                              NULL,  json_array()};
    for (guint i = 0; i < claim->checks->len; i++) {
        struct judgement judgement = judge(&context, g_ptr_array_index(claim->checks, i));
        if (i == 0)
            finding.deviation = judgement.deviation;
        finding_add(&finding, claim->checks->len > 1 ? i + 1 : 0, &judgement);
        judgement_clear(&judgement);
    }
    return finding;
}

static struct finding finding_of_claim(const struct scoring *scoring, const struct claim *claim)
{
    struct finding finding = finding_of_checks(scoring, claim);
    if (claim->same_as) {
        finding.verdict = SAME_AS;
        finding.why = named_claims(claim->same_as);
    } else if (claim_is_behaviour(claim)) {
        finding_of_behaviour(&finding, scoring, claim);
    } else if (claim_is_guess(claim)) {
        finding_of_guess(&finding, claim);
    } else if (claim->not_checkable) {
        finding.verdict = NOT_CHECKABLE;
        finding.why = why_not(scoring, claim);
    } else if (claim->known_miss) {
        finding_of_known_miss(&finding, claim);
    }
    return finding;
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

// Returns the checks' expectation, or the claim's statement if they have none.
static const char *expectation(const struct claim *claim, const struct finding *finding)
{
    return finding->expected->len > 0 ? finding->expected->str : claim->statement;
}

static json_t *judge_claim(const struct scoring *scoring, const struct claim *claim)
{
    struct finding finding = finding_of_claim(scoring, claim);
    char *by = NULL;
    struct standing_context context = {scoring->list, scoring->fits, scoring->runs};
    enum standing standing = standing_of(claim, &context, &by);
    json_t *row = json_object();
    json_object_set_new(row, "id", json_string(claim->id));
    json_object_set_new(row, "kind", json_string(claim->kind));
    json_object_set_new(row, "standing", text_or_null(standing_name(standing)));
    json_object_set_new(row, "standing_by", text_or_null(by));
    json_object_set_new(row, "expected", text_or_null(expectation(claim, &finding)));
    json_object_set_new(row, "simulated", text_or_null(finding.simulated->str));
    json_object_set_new(row, "deviation",
                        isfinite(finding.deviation) ? json_real(finding.deviation) : json_null());
    json_object_set_new(row, "verdict", json_string(verdict_name(finding.verdict)));
    json_object_set_new(row, "why", text_or_null(finding.why));
    json_object_set_new(row, "source", text_or_null(claim->source));
    json_object_set_new(row, "fact", text_or_null(claim->fact));
    json_object_set_new(row, "known_miss", text_or_null(claim->known_miss));
    json_object_set_new(row, "cause", text_or_null(claim->cause));
    json_object_set_new(row, "printed",
                        claim->inferred ? json_array() : json_incref(finding.printed));
    if (scoring->drawn)
        json_object_set_new(
            row, "draws",
            drawn_row(drawn_claims_find(scoring->drawn, claim->id), scoring->drawn->draws));
    json_decref(finding.printed);
    g_string_free(finding.expected, TRUE);
    g_string_free(finding.simulated, TRUE);
    g_free(finding.why);
    g_free(by);
    return row;
}

// ---- The scorecard ----

// Whether all claims that a rank rests on are asked for: a rank judged in part is not reported.
static bool rank_is_meant(const struct validate_options *options, const struct claim_list *list,
                          const struct claim_rank *rank)
{
    for (guint i = 0; i < rank->ids->len; i++)
        if (!is_meant(options, claims_find(list, g_ptr_array_index(rank->ids, i))))
            return false;
    return true;
}

static json_t *top40_of(const struct scoring *scoring, json_t *rows)
{
    json_t *ranks = json_array();
    for (guint i = 0; i < scoring->list->ranks->len; i++) {
        const struct claim_rank *rank = g_ptr_array_index(scoring->list->ranks, i);
        if (rank_is_meant(scoring->options, scoring->list, rank))
            json_array_append_new(ranks, totals_of_rank(rows, rank));
    }
    return totals_of_ranks(ranks);
}

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

static const char *reference_row_text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

// Claims that hold, or are level, although they are listed as known to miss.
static json_int_t listed_but_hold(json_t *rows)
{
    json_int_t count = 0;
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        const char *verdict = reference_row_text(row, "verdict");
        count +=
            reference_row_text(row, "known_miss") && (strcmp(verdict, verdict_name(HOLDS)) == 0 ||
                                                      strcmp(verdict, verdict_name(LEVEL)) == 0);
    }
    return count;
}

// Some of the rows: those of behaviours; or those that are listed, which behaviours are if that was
// asked for, or if they miss.
static json_t *rows_of(const struct scoring *scoring, json_t *rows, bool behaviours)
{
    json_t *some = json_array(), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        bool behaviour =
            claim_is_behaviour(claims_find(scoring->list, reference_row_text(row, "id")));
        bool listed = !behaviour || scoring->options->behaviours ||
                      strcmp(reference_row_text(row, "verdict"), verdict_name(MISSES)) == 0;
        if (behaviours ? behaviour : listed)
            json_array_append(some, row);
    }
    return some;
}

static json_t *behaviours_of(const struct scoring *scoring, json_t *rows)
{
    json_t *behaviours = rows_of(scoring, rows, true);
    json_t *totals = totals_by_verdict(behaviours);
    const char *lack = test_results_lack(scoring->tests);
    json_object_set_new(totals, "lack", lack ? json_string(lack) : json_null());
    json_decref(behaviours);
    return totals;
}

static json_t *score(const struct scoring *scoring)
{
    json_t *rows = json_array();
    for (guint i = 0; i < scoring->list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(scoring->list->claims, i);
        if (is_wanted(scoring->options, scoring->list, claim))
            json_array_append_new(rows, judge_claim(scoring, claim));
    }
    json_t *listed = rows_of(scoring, rows, false), *totals = totals_of(listed);
    json_object_set_new(totals, "listed_but_hold", json_integer(listed_but_hold(listed)));
    json_object_set_new(totals, "behaviours", behaviours_of(scoring, rows));
    json_t *facts = theses_facts(listed), *theses = theses_summary(listed, facts);
    if (scoring->drawn) {
        drawn_facts_add(listed, facts, theses, scoring->drawn);
        json_object_set_new(totals, "draws", drawn_totals(listed, scoring->drawn));
    }
    json_object_set_new(totals, "theses", theses);
    json_object_set_new(totals, "facts", facts);
    json_object_set_new(totals, "figures", theses_figures(listed));
    json_object_set_new(totals, "causes", theses_causes(listed));
    json_object_set_new(totals, "top40", top40_of(scoring, rows));
    json_decref(rows);
    return json_pack("{s:o, s:o}", "claims", listed, "totals", totals);
}

// The claims in draws, if they are asked for. Returns false and sets *error if they can't be run.
static bool run_draws_of_claims(const struct registry *registry,
                                const struct campaign_options *campaign, struct scoring *scoring,
                                struct drawn_claims **drawn, GError **error)
{
    const struct validate_options *options = scoring->options;
    struct judge_context medians = {scoring->runs, options->data_dir};
    if (options->draws.draws == 0)
        return true;
    // Behaviours are the tests' to judge, and what compares simulations no source states.
    GPtrArray *claims = g_ptr_array_new();
    for (guint i = 0; i < scoring->list->claims->len; i++) {
        struct claim *claim = g_ptr_array_index(scoring->list->claims, i);
        if (is_wanted(options, scoring->list, claim) &&
            (options->behaviours || !(claim_is_behaviour(claim) || claim_is_agreement(claim))))
            g_ptr_array_add(claims, claim);
    }
    *drawn = drawn_claims_run(registry, campaign, claims, &medians, &options->draws, error);
    scoring->drawn = *drawn;
    g_ptr_array_unref(claims);
    return *drawn != NULL;
}

json_t *validate_scorecard(const struct registry *registry, const struct validate_options *options,
                           struct diag_list *diags, GError **error)
{
    json_t *scorecard = NULL;
    bool own = options->claims && options->claims[0];
    struct claim_list *list =
        own ? claims_load_files(options->claims, diags) : claims_load(options->data_dir, diags);
    // Shipped constants were fitted to claims that are shipped.
    struct fits *fits = !list ? NULL : own ? fits_new() : fits_load(options->data_dir, list, diags);
    if (fits && patterns_are_right(options, list, diags)) {
        struct campaign_options campaign = options->campaign;
        campaign.data_dir = options->data_dir;
        struct runs *runs = runs_new(registry, &campaign, error);
        struct test_results *tests = test_results_load(options->tests, campaign_source_id);
        struct scoring scoring = {options, list, fits, runs, tests, NULL};
        struct drawn_claims *drawn = NULL;
        if (runs && run_all(options, list, runs, error) &&
            run_draws_of_claims(registry, &campaign, &scoring, &drawn, error))
            scorecard = score(&scoring);
        drawn_claims_free(drawn);
        test_results_free(tests);
        runs_free(runs);
    }
    fits_free(fits);
    claims_free(list);
    return scorecard;
}

// ---- A given result ----

static bool curve_is_of(const struct curve *curve, const char *scenario)
{
    return !curve || (g_strcmp0(curve->scenario, scenario) == 0 &&
                      (!curve->sets || !*curve->sets) && curve_is_of(curve->other, scenario));
}

static bool curves_are_of(const GPtrArray *curves, const char *scenario)
{
    for (guint i = 0; curves && i < curves->len; i++)
        if (!curve_is_of(g_ptr_array_index(curves, i), scenario))
            return false;
    return true;
}

// Whether a check can be made with a result of the scenario alone. State logs need a run.
static bool check_is_of(const struct check *check, const char *scenario)
{
    return check->word != CHECK_TRANSITIONS && !check->next && check->curves &&
           check->curves->len > 0 && curves_are_of(check->curves, scenario) &&
           curves_are_of(check->others, scenario);
}

static bool claim_is_of(const struct claim *claim, const char *scenario)
{
    bool is_of = claim->checks->len > 0;
    for (guint i = 0; i < claim->checks->len; i++)
        is_of = is_of && check_is_of(g_ptr_array_index(claim->checks, i), scenario);
    return is_of;
}

json_t *validate_result(const struct registry *registry, const char *data_dir, const char *scenario,
                        json_t *result, struct diag_list *diags, GError **error)
{
    struct claim_list *list = claims_load(data_dir, diags);
    struct fits *fits = list ? fits_load(data_dir, list, diags) : NULL;
    const struct validate_options options = {.data_dir = data_dir,
                                             .campaign = {.data_dir = data_dir}};
    struct runs *runs = fits ? runs_new(registry, &options.campaign, error) : NULL;
    json_t *rows = runs ? json_array() : NULL;
    if (runs) {
        struct test_results *tests = test_results_load(NULL, campaign_source_id);
        struct scoring scoring = {&options, list, fits, runs, tests, NULL};
        runs_add_result(runs, scenario, "", result);
        for (guint i = 0; i < list->claims->len; i++) {
            const struct claim *claim = g_ptr_array_index(list->claims, i);
            if (claim_is_of(claim, scenario))
                json_array_append_new(rows, judge_claim(&scoring, claim));
        }
        test_results_free(tests);
    }
    runs_free(runs);
    fits_free(fits);
    claims_free(list);
    return rows;
}

bool validate_failed(const json_t *scorecard)
{
    json_t *totals = json_object_get(scorecard, "totals");
    return json_integer_value(json_object_get(totals, verdict_name(MISSES))) > 0 ||
           json_integer_value(json_object_get(totals, "listed_but_hold")) > 0;
}

bool validate_not_run(const json_t *scorecard)
{
    json_t *totals = json_object_get(scorecard, "totals");
    json_t *behaviours = json_object_get(totals, "behaviours");
    return json_integer_value(json_object_get(behaviours, verdict_name(NOT_RUN))) > 0;
}

bool validate_unjudged(const json_t *scorecard)
{
    size_t index;
    const json_t *row;
    json_array_foreach(json_object_get(scorecard, "claims"), index, row)
    {
        if (strcmp(reference_row_text(row, "verdict"), verdict_name(NOT_CHECKABLE)) == 0 &&
            reference_row_text(row, "expected"))
            return true;
    }
    return false;
}
