// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/propose.h"

#include "sim/calibrate/posterior.h"

#include <math.h>
#include <string.h>

// ---- The choice ----

static double effect_length(const double *effect, guint targets)
{
    double sum = 0.0;
    for (guint i = 0; i < targets; i++)
        sum += effect[i] * effect[i];
    return sqrt(sum);
}

static double effect_product(const double *one, const double *other, guint targets)
{
    double sum = 0.0;
    for (guint i = 0; i < targets; i++)
        sum += one[i] * other[i];
    return sum;
}

// Takes off what is parallel to a direction of length 1.
static void take_off(double *effect, const double *direction, guint targets)
{
    double share = effect_product(effect, direction, targets);
    for (guint i = 0; i < targets; i++)
        effect[i] -= share * direction[i];
}

static struct proposed proposed_new(const double *effect, guint constant, guint targets)
{
    struct proposed proposed = {.constant = constant, .like = -1};
    proposed.effect = proposed.left = effect_length(effect, targets);
    for (guint i = 0; i < targets; i++)
        if (fabs(effect[i]) > proposed.most) {
            proposed.most = fabs(effect[i]);
            proposed.most_at = i;
        }
    return proposed;
}

// The index in the list of the constant of which most is left; -1: all are chosen.
static int most_left(const struct proposed *list, guint constants)
{
    int best = -1;
    for (guint i = 0; i < constants; i++)
        if (!list[i].chosen && (best < 0 || list[i].left > list[best].left))
            best = (int)i;
    return best;
}

// Finds the chosen constant whose effect is most parallel to that of each other one.
static void find_alike(const double *effects, guint constants, guint targets, struct proposed *list)
{
    for (guint i = 0; i < constants; i++)
        for (guint k = 0; k < constants && !list[i].chosen && list[i].effect > 0.0; k++) {
            if (!list[k].chosen)
                continue;
            double cosine = effect_product(effects + (size_t)list[i].constant * targets,
                                           effects + (size_t)list[k].constant * targets, targets) /
                            list[i].effect / list[k].effect;
            if (list[i].like >= 0 && fabs(cosine) <= fabs(list[i].cosine))
                continue;
            list[i].like = (int)list[k].constant;
            list[i].cosine = cosine;
            list[i].ratio = list[i].effect / list[k].effect;
        }
}

static int compare_proposed(const void *a, const void *b)
{
    const struct proposed *one = a, *other = b;
    if (one->chosen != other->chosen)
        return one->chosen ? -1 : 1;
    // The rest of an effect falls from each chosen one to the next.
    double first = one->chosen ? one->left : one->effect;
    double second = one->chosen ? other->left : other->effect;
    if (first > second || first < second)
        return first > second ? -1 : 1;
    return one->constant < other->constant ? -1 : one->constant > other->constant;
}

guint propose_choose(const double *effects, guint constants, guint targets, guint most,
                     struct proposed *list)
{
    double *left = g_memdup2(effects, (size_t)constants * targets * sizeof *effects);
    double *direction = g_new0(double, MAX(targets, 1));
    guint chosen = 0;
    for (guint i = 0; i < constants; i++)
        list[i] = proposed_new(effects + (size_t)i * targets, i, targets);
    while (chosen < MIN(most, constants)) {
        int best = most_left(list, constants);
        if (list[best].left < PROPOSE_LEAST && (chosen > 0 || list[best].left <= 0.0))
            break;
        list[best].chosen = true;
        chosen++;
        for (guint i = 0; i < targets; i++)
            direction[i] = left[(size_t)best * targets + i] / list[best].left;
        for (guint i = 0; i < constants; i++) {
            if (list[i].chosen)
                continue;
            take_off(left + (size_t)i * targets, direction, targets);
            list[i].left = effect_length(left + (size_t)i * targets, targets);
        }
    }
    find_alike(effects, constants, targets, list);
    qsort(list, constants, sizeof *list, compare_proposed);
    g_free(direction);
    g_free(left);
    return chosen;
}

// ---- Runs ----

// Whether a constant may be fitted: a number that no other one moves with it.
static bool may_be_fitted(const struct uncertain_constant *constant)
{
    return constant->number && !constant->drawn->prior.uniform &&
           strcmp(constant->drawn->cause, constant->drawn->path) == 0;
}

struct effect_runs {
    GArray *constants; // guint
    int count;         // of the medians, and two of each constant
    char ***points;
    json_t **documents;
    char **faults;
};

static char **moved_setting(const struct uncertain_constant *constant, double normal)
{
    char *text = uncertain_text(constant, normal, 0);
    char *setting = g_strdup_printf("%s=%s", constant->drawn->path, text);
    char **settings = g_new0(char *, 2);
    settings[0] = setting;
    g_free(text);
    return settings;
}

static struct effect_runs effect_runs_new(const struct uncertain_list *constants)
{
    struct effect_runs runs = {.constants = g_array_new(FALSE, FALSE, sizeof(guint))};
    for (guint i = 0; i < constants->constants->len; i++)
        if (may_be_fitted(uncertain_at(constants, i)))
            g_array_append_val(runs.constants, i);
    runs.count = 1 + 2 * (int)runs.constants->len;
    runs.points = g_new0(char **, runs.count);
    runs.documents = g_new0(json_t *, runs.count);
    runs.faults = g_new0(char *, runs.count);
    runs.points[0] = g_new0(char *, 1);
    for (guint i = 0; i < runs.constants->len; i++) {
        const struct uncertain_constant *constant =
            uncertain_at(constants, g_array_index(runs.constants, guint, i));
        runs.points[1 + 2 * i] = moved_setting(constant, -1.0);
        runs.points[2 + 2 * i] = moved_setting(constant, 1.0);
    }
    return runs;
}

static void effect_runs_clear(struct effect_runs *runs)
{
    for (int i = 0; i < runs->count; i++) {
        g_strfreev(runs->points[i]);
        json_decref(runs->documents[i]);
        g_free(runs->faults[i]);
    }
    g_free(runs->points);
    g_free(runs->documents);
    g_free(runs->faults);
    g_array_unref(runs->constants);
}

// How many errors a run is off each target. False if it has no result, with the reason in *why
// (g_free; NULL: not asked for).
static bool errors_off(const struct evaluation *evaluation, const json_t *document, double *off,
                       char **why)
{
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = g_ptr_array_index(evaluation->targets->targets, i);
        double value = document ? target_prediction(target, document, why) : NAN;
        if (isnan(value))
            return false;
        off[i] = (value - target_measured(target)) / target_error(target, 0.0);
    }
    return true;
}

// The effects of those constants that can be moved; the others leave the list.
static GArray *take_effects(const struct evaluation *evaluation, struct effect_runs *runs)
{
    guint targets = evaluation->targets->targets->len, kept = 0;
    GArray *effects = g_array_new(FALSE, FALSE, sizeof(double));
    double *below = g_new0(double, targets), *above = g_new0(double, targets);
    for (guint i = 0; i < runs->constants->len; i++) {
        if (!errors_off(evaluation, runs->documents[1 + 2 * i], below, NULL) ||
            !errors_off(evaluation, runs->documents[2 + 2 * i], above, NULL))
            continue;
        for (guint k = 0; k < targets; k++)
            above[k] = (above[k] - below[k]) / 2;
        g_array_append_vals(effects, above, targets);
        g_array_index(runs->constants, guint, kept++) = g_array_index(runs->constants, guint, i);
    }
    g_array_set_size(runs->constants, kept);
    g_free(below);
    g_free(above);
    return effects;
}

static void choose_by_effects(struct proposal *proposal, const struct evaluation *evaluation,
                              const struct effect_runs *runs, const GArray *effects)
{
    guint count = runs->constants->len, targets = evaluation->targets->targets->len;
    guint most = MIN(PROPOSE_MOST, MAX(targets, 2) - 1);
    g_array_set_size(proposal->list, count);
    struct proposed *list = (struct proposed *)(void *)proposal->list->data;
    proposal->chosen =
        propose_choose((const double *)(const void *)effects->data, count, targets, most, list);
    for (guint i = 0; i < count; i++) {
        list[i].constant = g_array_index(runs->constants, guint, list[i].constant);
        if (list[i].like >= 0)
            list[i].like = (int)g_array_index(runs->constants, guint, list[i].like);
    }
}

static bool take_misfit(struct proposal *proposal, const struct evaluation *evaluation,
                        const struct effect_runs *runs, GError **error)
{
    guint targets = evaluation->targets->targets->len;
    double *off = g_new0(double, targets);
    char *why = NULL;
    bool good = errors_off(evaluation, runs->documents[0], off, &why);
    if (!good)
        g_set_error(error, EVALUATION_ERROR, EVALUATION_LOST, "%s",
                    why ? why : "the scenario gives no result");
    double length = effect_length(off, targets);
    proposal->misfit = length * length;
    proposal->document = json_incref(runs->documents[0]);
    g_free(off);
    g_free(why);
    return good;
}

struct proposal *proposal_new(struct evaluation *evaluation, const struct uncertain_list *constants,
                              GError **error)
{
    struct proposal *proposal = g_new0(struct proposal, 1);
    struct effect_runs runs = effect_runs_new(constants);
    guint asked = runs.constants->len;
    proposal->list = g_array_new(FALSE, TRUE, sizeof(struct proposed));
    bool good = evaluation_documents(evaluation, runs.count, runs.points, runs.documents,
                                     runs.faults, error) &&
                take_misfit(proposal, evaluation, &runs, error);
    if (good) {
        GArray *effects = take_effects(evaluation, &runs);
        proposal->unmovable = asked - runs.constants->len;
        choose_by_effects(proposal, evaluation, &runs, effects);
        g_array_unref(effects);
    }
    effect_runs_clear(&runs);
    if (good)
        return proposal;
    proposal_free(proposal);
    return NULL;
}

void proposal_free(struct proposal *proposal)
{
    if (!proposal)
        return;
    g_array_unref(proposal->list);
    json_decref(proposal->document);
    g_free(proposal);
}
