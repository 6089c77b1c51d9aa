// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/drawn.h"

#include "sim/scenario/draw.h"
#include "sim/statistics/share.h"

#include <math.h>
#include <string.h>

// A scenario under settings, with those of its series that checks read.
struct drawn_run {
    const char *scenario, *sets; // interned
    double events;               // of its dearest series, an estimate
    GPtrArray *series;           // const char *, interned: of the block
    GArray *numbers;             // int, in the block's campaign, by draw; -1: it can't be run
    GPtrArray *whys;             // char *, by draw; NULL: it can be run
};

// A series of a run, and in how many draws it is run: at least and at most.
struct drawn_series {
    guint inputs;  // uncertain constants that it reads
    double events; // of a draw, an estimate
    guint least, most;
};

struct drawn_plan {
    struct campaign_options options;
    struct drawn_claims *claims;
    const struct judge_context *medians;
    GPtrArray *runs;    // struct drawn_run *, the dearest first
    GHashTable *series; // "SCENARIO\nSERIES\nSETS" -> struct drawn_series *
    // Progress, for the caller.
    campaign_progress_fn *progress;
    void *progress_owner;
    int done, to_come; // cases of earlier blocks, of later ones
};

// ---- One claim in one draw ----

static double likelihood_of_judgement(const struct check *check, const struct judgement *judgement,
                                      enum drawn drawn)
{
    bool numbers = judgement->off && judgement->off->len > 0 && !check->next;
    for (guint i = 0; numbers && i < judgement->off->len; i++)
        numbers = isfinite(g_array_index(judgement->off, struct drawn_number, i).tolerance);
    return numbers
               ? likelihood_of_numbers((const struct drawn_number *)(void *)judgement->off->data,
                                       judgement->off->len)
               : likelihood_of_drawn(drawn);
}

// Checks of parameters, of state logs and of figures: no draw is asked about them.
static bool word_is_drawn(enum check_word word)
{
    return word != CHECK_PARAMETER && word != CHECK_TRANSITIONS && word != CHECK_FIGURE;
}

static enum drawn worse_of(enum drawn one, enum drawn other)
{
    static const int weight[] = {
        [DRAWN_HOLDS] = 0, [DRAWN_LEVEL] = 1, [DRAWN_FAILED] = 2, [DRAWN_MISSES] = 3};
    return weight[other] > weight[one] ? other : one;
}

// The worst of a claim's checks, either of those that are drawn or of the others.
static enum drawn judge_checks(const struct judge_context *context, const struct claim *claim,
                               bool of_drawn, GArray *likelihoods, char **why)
{
    static const enum drawn of_judged[] = {[JUDGED_HOLDS] = DRAWN_HOLDS,
                                           [JUDGED_LEVEL] = DRAWN_LEVEL,
                                           [JUDGED_MISSES] = DRAWN_MISSES,
                                           [JUDGED_NOT_CHECKABLE] = DRAWN_FAILED};
    enum drawn worst = DRAWN_HOLDS;
    for (guint i = 0; i < claim->checks->len; i++) {
        const struct check *check = g_ptr_array_index(claim->checks, i);
        if (word_is_drawn(check->word) != of_drawn)
            continue;
        struct judgement judgement = judge(context, check);
        enum drawn drawn = judgement.failed ? DRAWN_FAILED : of_judged[judgement.judged];
        double value = likelihood_of_judgement(check, &judgement, drawn);
        if (drawn != DRAWN_FAILED)
            g_array_append_val(likelihoods, value);
        else if (!*why)
            *why = g_strdup(judgement.why ? judgement.why : "it can't be judged");
        worst = worse_of(worst, drawn);
        judgement_clear(&judgement);
    }
    return worst;
}

enum drawn drawn_judge(const struct judge_context *context, const struct claim *claim,
                       double *likelihood, char **why)
{
    GArray *likelihoods = g_array_new(FALSE, FALSE, sizeof(double));
    enum drawn drawn = judge_checks(context, claim, true, likelihoods, why);
    *likelihood =
        likelihood_of_several((const double *)(void *)likelihoods->data, likelihoods->len);
    g_array_unref(likelihoods);
    return drawn;
}

// A setting is the same in all draws, and no evidence.
static enum drawn judge_settings(const struct judge_context *medians, const struct claim *claim,
                                 char **why)
{
    GArray *ignored = g_array_new(FALSE, FALSE, sizeof(double));
    enum drawn drawn = judge_checks(medians, claim, false, ignored, why);
    g_array_unref(ignored);
    return drawn;
}

// ---- Which runs ----

bool drawn_asks(const struct claim *claim)
{
    bool any = false;
    for (guint i = 0; i < claim->checks->len; i++)
        any |= word_is_drawn(((const struct check *)g_ptr_array_index(claim->checks, i))->word);
    return any && !claim->same_as && !claim->not_checkable && strcmp(claim->kind, "config") != 0;
}

typedef void curve_fn(const struct curve *curve, void *owner);

static void each_of_curves(const GPtrArray *curves, curve_fn *call, void *owner)
{
    for (guint i = 0; i < curves->len; i++)
        for (const struct curve *curve = g_ptr_array_index(curves, i); curve; curve = curve->other)
            call(curve, owner);
}

// Calls for each curve that a claim's checks read.
static void each_curve(const struct claim *claim, curve_fn *call, void *owner)
{
    for (guint i = 0; i < claim->checks->len; i++)
        for (const struct check *check = g_ptr_array_index(claim->checks, i);
             check && word_is_drawn(check->word); check = check->next) {
            each_of_curves(check->curves, call, owner);
            each_of_curves(check->others, call, owner);
        }
}

static struct drawn_run *drawn_run_of(struct drawn_plan *plan, const struct curve *curve)
{
    for (guint i = 0; i < plan->runs->len; i++) {
        struct drawn_run *run = g_ptr_array_index(plan->runs, i);
        if (run->scenario == curve->scenario && run->sets == curve->sets)
            return run;
    }
    struct drawn_run *run = g_new0(struct drawn_run, 1);
    run->scenario = curve->scenario;
    run->sets = curve->sets;
    run->series = g_ptr_array_new();
    run->numbers = g_array_new(FALSE, FALSE, sizeof(int));
    run->whys = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(plan->runs, run);
    return run;
}

static void free_drawn_run(gpointer data)
{
    struct drawn_run *run = data;
    g_ptr_array_unref(run->series);
    g_array_unref(run->numbers);
    g_ptr_array_unref(run->whys);
    g_free(run);
}

// Compares the dearest first, and else by name, so that the order is the same for all claims.
static gint compare_drawn_runs(gconstpointer a, gconstpointer b)
{
    const struct drawn_run *one = *(struct drawn_run *const *)a;
    const struct drawn_run *other = *(struct drawn_run *const *)b;
    int by_name = strcmp(one->scenario, other->scenario);
    return one->events != other->events
               ? (one->events < other->events) - (one->events > other->events)
           : by_name ? by_name
                     : strcmp(one->sets, other->sets);
}

static void need_series(const struct curve *curve, void *owner)
{
    GPtrArray *series = drawn_run_of(owner, curve)->series;
    if (!g_ptr_array_find(series, curve->series, NULL))
        g_ptr_array_add(series, (gpointer)curve->series);
}

// The cost of a claim's draw.
struct drawn_cost {
    struct drawn_plan *plan;
    GHashTable *of; // struct drawn_series *, of its curves
    guint inputs;   // the most uncertain constants that a run reads
    double events;  // of all runs
};

static struct drawn_series *drawn_series_of(struct drawn_plan *plan, const struct curve *curve)
{
    char *key = g_strjoin("\n", curve->scenario, curve->series, curve->sets, NULL);
    struct drawn_series *series = g_hash_table_lookup(plan->series, key);
    if (series) {
        g_free(key);
        return series;
    }
    series = g_new0(struct drawn_series, 1);
    series->inputs = runs_inputs(plan->medians->runs, curve, &series->events);
    g_hash_table_insert(plan->series, key, series);
    return series;
}

static void add_cost(const struct curve *curve, void *owner)
{
    struct drawn_cost *cost = owner;
    struct drawn_series *series = drawn_series_of(cost->plan, curve);
    if (!g_hash_table_add(cost->of, series))
        return;
    struct drawn_run *run = drawn_run_of(cost->plan, curve);
    run->events = fmax(run->events, series->events);
    cost->inputs = MAX(cost->inputs, series->inputs);
    cost->events += series->events;
}

static void fill_constant(struct drawn_claim *claim, const struct judge_context *medians,
                          guint draws)
{
    double likelihood;
    enum drawn drawn =
        worse_of(claim->set, drawn_judge(medians, claim->claim, &likelihood, &claim->why));
    for (guint i = 0; i < draws; i++) {
        claim->in.drawn[i] = drawn;
        claim->in.likelihoods[i] = likelihood;
    }
}

static enum drawn_depth depth_of(double events)
{
    return events > DRAWN_DEAREST_EVENTS ? DRAWN_IN_FIRST
           : events > DRAWN_DEAR_EVENTS  ? DRAWN_UNTIL_DECIDED
                                         : DRAWN_IN_ALL;
}

// Notes in how many draws the series of a claim are run.
static void plan_draws(const struct drawn_cost *cost, const struct drawn_claim *claim)
{
    GHashTableIter all;
    gpointer key;
    guint least = claim->depth == DRAWN_IN_ALL ? claim->last : MIN(claim->last, DRAW_BLOCK);
    g_hash_table_iter_init(&all, cost->of);
    while (g_hash_table_iter_next(&all, &key, NULL)) {
        struct drawn_series *series = key;
        series->least = MAX(series->least, least);
        series->most = MAX(series->most, claim->last);
    }
}

static struct drawn_claim *drawn_claim_new(struct drawn_plan *plan, const struct claim *claim)
{
    guint draws = plan->claims->draws;
    struct drawn_claim *drawn = g_new0(struct drawn_claim, 1);
    struct drawn_cost cost = {.plan = plan, .of = g_hash_table_new(NULL, NULL)};
    each_curve(claim, add_cost, &cost);
    drawn->claim = claim;
    drawn->set = judge_settings(plan->medians, claim, &drawn->why);
    drawn->constant = cost.inputs == 0;
    drawn->depth = drawn->constant ? DRAWN_IN_ALL : depth_of(cost.events);
    drawn->last = drawn->depth == DRAWN_IN_FIRST ? MIN(draws, DRAW_BLOCK) : draws;
    drawn->in.drawn = g_new(enum drawn, draws);
    drawn->in.likelihoods = g_new(double, draws);
    for (guint i = 0; i < draws; i++) {
        drawn->in.drawn[i] = DRAWN_NOT_RUN;
        drawn->in.likelihoods[i] = likelihood_of_drawn(DRAWN_NOT_RUN);
    }
    if (drawn->constant)
        fill_constant(drawn, plan->medians, draws);
    else
        plan_draws(&cost, drawn);
    g_hash_table_unref(cost.of);
    return drawn;
}

static void plan_claims(struct drawn_plan *plan, const GPtrArray *claims)
{
    for (guint i = 0; i < claims->len; i++)
        if (drawn_asks(g_ptr_array_index(claims, i)))
            g_ptr_array_add(plan->claims->list,
                            drawn_claim_new(plan, g_ptr_array_index(claims, i)));
    g_ptr_array_sort(plan->runs, compare_drawn_runs);
}

static struct drawn_estimate estimate_draws(const struct drawn_plan *plan)
{
    struct drawn_estimate estimate = {0};
    GHashTableIter all;
    gpointer value;
    g_hash_table_iter_init(&all, plan->series);
    while (g_hash_table_iter_next(&all, NULL, &value)) {
        const struct drawn_series *series = value;
        estimate.cases += series->most;
        estimate.least_events += series->events * series->least;
        estimate.most_events += series->events * series->most;
    }
    return estimate;
}

// ---- A block of draws ----

static bool is_in_block(const struct drawn_claim *claim, guint first)
{
    return !claim->constant && first <= claim->last;
}

// Gives each run the series that it has in a block.
static void plan_block(struct drawn_plan *plan, guint first)
{
    for (guint i = 0; i < plan->runs->len; i++)
        g_ptr_array_set_size(((const struct drawn_run *)g_ptr_array_index(plan->runs, i))->series,
                             0);
    for (guint i = 0; i < plan->claims->list->len; i++) {
        const struct drawn_claim *claim = g_ptr_array_index(plan->claims->list, i);
        if (is_in_block(claim, first))
            each_curve(claim->claim, need_series, plan);
    }
}

// Of the draws in which it could be judged.
static struct share drawn_share(const enum drawn *drawn, guint draws)
{
    size_t hits = 0, misses = 0;
    for (guint i = 0; i < draws; i++) {
        hits += drawn[i] == DRAWN_HOLDS || drawn[i] == DRAWN_LEVEL;
        misses += drawn[i] == DRAWN_MISSES;
    }
    return share_of(hits, hits + misses);
}

// Dear claims whose share is decided are in no later block.
static void end_block(struct drawn_plan *plan, guint last)
{
    for (guint i = 0; i < plan->claims->list->len; i++) {
        struct drawn_claim *claim = g_ptr_array_index(plan->claims->list, i);
        if (claim->depth != DRAWN_UNTIL_DECIDED || last >= claim->last)
            continue;
        struct share share = drawn_share(claim->in.drawn, last);
        if (share_is_decided(&share))
            claim->last = last;
    }
}

static void add_draw(const struct drawn_plan *plan, struct campaign *campaign,
                     struct drawn_run *run, const char *const *series, guint draw)
{
    struct diag_list *diags = diag_list_new();
    char *file = runs_file(plan->medians->runs, run->scenario);
    char *joined = g_strdup_printf("%s%sdraw=%u", run->sets, *run->sets ? "\n" : "", draw);
    char **sets = g_strsplit(joined, "\n", -1);
    int number = campaign_add_series(campaign, file, (const char *const *)sets, series, 0, diags);
    g_array_append_val(run->numbers, number);
    g_ptr_array_add(run->whys, number < 0 ? runs_complaint(run->scenario, diags) : NULL);
    g_strfreev(sets);
    g_free(joined);
    g_free(file);
    diag_list_free(diags);
}

static void add_block(struct drawn_plan *plan, struct campaign *campaign, guint first, guint last)
{
    plan_block(plan, first);
    for (guint i = 0; i < plan->runs->len; i++) {
        struct drawn_run *run = g_ptr_array_index(plan->runs, i);
        g_array_set_size(run->numbers, 0);
        g_ptr_array_set_size(run->whys, 0);
        if (run->series->len == 0)
            continue;
        g_ptr_array_add(run->series, NULL);
        for (guint draw = first; draw <= last; draw++)
            add_draw(plan, campaign, run, (const char *const *)run->series->pdata, draw);
    }
}

// The results of a block's draw, by draw - the block's first.
static struct runs *runs_in_draw(const struct drawn_plan *plan, const struct campaign *campaign,
                                 guint at)
{
    struct runs *runs = runs_new_empty();
    for (guint i = 0; i < plan->runs->len; i++) {
        const struct drawn_run *run = g_ptr_array_index(plan->runs, i);
        if (at >= run->numbers->len)
            continue;
        json_t *result = campaign_result(campaign, g_array_index(run->numbers, int, at));
        if (result)
            runs_add_result(runs, run->scenario, run->sets, result);
        else
            runs_add_fault(runs, run->scenario, run->sets, g_ptr_array_index(run->whys, at));
        json_decref(result);
    }
    return runs;
}

static void judge_draw(struct drawn_plan *plan, const struct campaign *campaign, guint first,
                       guint draw)
{
    struct runs *runs = runs_in_draw(plan, campaign, draw - first);
    struct judge_context context = {runs, plan->medians->data_dir};
    for (guint i = 0; i < plan->claims->list->len; i++) {
        struct drawn_claim *claim = g_ptr_array_index(plan->claims->list, i);
        if (!is_in_block(claim, first))
            continue;
        enum drawn drawn =
            drawn_judge(&context, claim->claim, &claim->in.likelihoods[draw - 1], &claim->why);
        claim->in.drawn[draw - 1] = worse_of(claim->set, drawn);
    }
    runs_free(runs);
}

static void tell_progress(void *owner, int done, int total, const char *name)
{
    struct drawn_plan *plan = owner;
    if (plan->progress)
        plan->progress(plan->progress_owner, plan->done + done, plan->done + total + plan->to_come,
                       name);
    if (done == total)
        plan->done += total;
}

// The most cases of the draws after a block's last.
static int cases_to_come(struct drawn_plan *plan, guint last)
{
    guint cases = 0;
    plan_block(plan, last + 1);
    for (guint i = 0; i < plan->runs->len; i++)
        cases += ((const struct drawn_run *)g_ptr_array_index(plan->runs, i))->series->len;
    return (int)(cases * (plan->claims->draws - last));
}

static bool run_block(struct drawn_plan *plan, struct campaign *campaign, guint first, guint last,
                      GError **error)
{
    plan->to_come = cases_to_come(plan, last);
    add_block(plan, campaign, first, last);
    bool good = campaign_run(campaign, error);
    for (guint draw = first; good && draw <= last; draw++)
        judge_draw(plan, campaign, first, draw);
    if (good)
        end_block(plan, last);
    campaign_forget(campaign);
    return good;
}

// ---- All draws ----

static void free_drawn_claim(gpointer data)
{
    struct drawn_claim *claim = data;
    g_free(claim->in.drawn);
    g_free(claim->in.likelihoods);
    g_free(claim->why);
    g_free(claim);
}

struct drawn_claims *drawn_claims_run(const struct registry *registry,
                                      const struct campaign_options *options,
                                      const GPtrArray *claims, const struct judge_context *medians,
                                      const struct drawn_options *how, GError **error)
{
    struct drawn_claims *drawn = g_new0(struct drawn_claims, 1);
    guint draws = how->draws;
    drawn->draws = draws;
    drawn->list = g_ptr_array_new_with_free_func(free_drawn_claim);
    struct drawn_plan plan = {.options = *options,
                              .claims = drawn,
                              .medians = medians,
                              .runs = g_ptr_array_new_with_free_func(free_drawn_run),
                              .series =
                                  g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                              .progress = options->progress,
                              .progress_owner = options->progress_owner};
    plan.options.progress = tell_progress;
    plan.options.progress_owner = &plan;
    plan_claims(&plan, claims);
    struct drawn_estimate estimate = estimate_draws(&plan);
    if (how->planned)
        how->planned(how->owner, &estimate);
    struct campaign *campaign = campaign_open(registry, &plan.options, error);
    bool good = campaign != NULL;
    for (guint first = 1; good && first <= draws; first += DRAW_BLOCK)
        good = run_block(&plan, campaign, first, MIN(first + DRAW_BLOCK - 1, draws), error);
    campaign_close(campaign);
    g_ptr_array_unref(plan.runs);
    g_hash_table_unref(plan.series);
    if (good)
        return drawn;
    drawn_claims_free(drawn);
    return NULL;
}

void drawn_claims_free(struct drawn_claims *claims)
{
    if (!claims)
        return;
    g_ptr_array_unref(claims->list);
    g_free(claims);
}

const struct drawn_claim *drawn_claims_find(const struct drawn_claims *claims, const char *id)
{
    for (guint i = 0; i < claims->list->len; i++) {
        const struct drawn_claim *claim = g_ptr_array_index(claims->list, i);
        if (strcmp(claim->claim->id, id) == 0)
            return claim;
    }
    return NULL;
}
