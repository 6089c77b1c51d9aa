// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/judge_internal.h"

#include "sim/config/quantity.h"
#include "sim/config/reader.h"

#include <math.h>
#include <string.h>

static judge_fn *const judges[] = {
    [CHECK_VALUE] = judge_value,
    [CHECK_BOUND] = judge_inside,
    [CHECK_VALUES] = judge_values,
    [CHECK_GAIN] = judge_gain,
    [CHECK_MEAN] = judge_mean,
    [CHECK_FIRST] = judge_first,
    [CHECK_RATIO] = judge_inside,
    [CHECK_DIFFERENCE] = judge_inside,
    [CHECK_ORDER] = judge_order,
    [CHECK_CROSSOVER] = judge_crossover,
    [CHECK_MONOTONE] = judge_monotone,
    [CHECK_NO_STEP] = judge_no_step,
    [CHECK_PARALLEL] = judge_parallel,
    [CHECK_WIDEST] = judge_widest,
    [CHECK_NARROWS] = judge_narrows,
    [CHECK_SLOWS_BEYOND] = judge_slows_beyond,
    [CHECK_AGREEMENT] = judge_agreement,
    [CHECK_ENDS_WITH] = judge_ends_with,
    [CHECK_CONTAINS_EVENT] = judge_contains_event,
    [CHECK_PARAMETER] = judge_parameter,
    [CHECK_FIGURE] = judge_figure,
    [CHECK_TRANSITIONS] = judge_transitions,
};

static struct judgement judge_one(const struct judge_context *context, const struct check *check)
{
    struct judgement result = {.judged = JUDGED_NOT_CHECKABLE, .deviation = NAN};
    struct judging judging = {context, check, &result};
    judges[check->word](&judging);
    return result;
}

void judgement_clear(struct judgement *judgement)
{
    g_free(judgement->expected);
    g_free(judgement->simulated);
    g_free(judgement->why);
    if (judgement->off)
        g_array_unref(judgement->off);
    *judgement = (struct judgement){.deviation = NAN};
}

// ---- Across settings ----

// Appends "holds with a=1, b=4: 5 us".
static void append_under(GString *out, const struct check *check, const struct judgement *judgement)
{
    static const char *const words[] = {[JUDGED_HOLDS] = "holds",
                                        [JUDGED_LEVEL] = "level",
                                        [JUDGED_MISSES] = "misses",
                                        [JUDGED_NOT_CHECKABLE] = "not checkable"};
    char **settings = g_strsplit(check->under, "\n", -1);
    char *joined = g_strjoinv(", ", settings);
    g_string_append_printf(out, "%s%s with %s: %s", out->len > 0 ? "; " : "",
                           words[judgement->judged], joined,
                           judgement->simulated ? judgement->simulated : "nothing");
    g_free(joined);
    g_strfreev(settings);
}

// Whether the judgement under other settings counts more: it can't be made, or is further off.
static bool counts_more(const struct judgement *other, const struct judgement *judgement)
{
    if (judgement->judged == JUDGED_NOT_CHECKABLE || other->judged == JUDGED_NOT_CHECKABLE)
        return judgement->judged != JUDGED_NOT_CHECKABLE;
    return isnan(judgement->deviation) || fabs(other->deviation) > fabs(judgement->deviation);
}

// Judges under each of the settings. *result is the judgement under the first of them.
static void judge_across(const struct judge_context *context, const struct check *check,
                         struct judgement *result)
{
    guint judged[JUDGED_NOT_CHECKABLE + 1] = {0};
    GString *simulated = g_string_new(NULL);
    append_under(simulated, check, result);
    judged[result->judged]++;
    for (const struct check *next = check->next; next; next = next->next) {
        struct judgement other = judge_one(context, next);
        append_under(simulated, next, &other);
        judged[other.judged]++;
        if (counts_more(&other, result)) {
            struct judgement less = *result;
            *result = other;
            other = less;
        }
        judgement_clear(&other);
    }
    g_free(result->simulated);
    result->simulated = g_string_free(simulated, FALSE);
    if (judged[JUDGED_NOT_CHECKABLE] > 0)
        return;
    bool differ = judged[JUDGED_HOLDS] < check->across && judged[JUDGED_MISSES] < check->across;
    if (differ && judged[JUDGED_HOLDS] > 0 && judged[JUDGED_MISSES] > 0) {
        g_free(result->why);
        result->why = g_strdup("undecided: the source does not say which of the settings it had");
    }
    result->judged = differ                     ? JUDGED_LEVEL
                     : judged[JUDGED_HOLDS] > 0 ? JUDGED_HOLDS
                                                : JUDGED_MISSES;
}

struct judgement judge(const struct judge_context *context, const struct check *check)
{
    struct judgement result = judge_one(context, check);
    if (check->next)
        judge_across(context, check, &result);
    return result;
}

void judge_needs(const struct check *check, struct runs *runs)
{
    for (; check; check = check->next) {
        if (check->word == CHECK_PARAMETER || check->word == CHECK_TRANSITIONS)
            return;
        for (guint i = 0; i < check->curves->len; i++)
            runs_need(runs, g_ptr_array_index(check->curves, i));
        for (guint i = 0; i < check->others->len; i++)
            runs_need(runs, g_ptr_array_index(check->others, i));
    }
}

static const struct curve *only_curve(const struct judging *judging)
{
    return g_ptr_array_index(judging->check->curves, 0);
}

// ---- How a run ended ----

void judge_ends_with(struct judging *judging)
{
    const struct check *check = judging->check;
    char *why = NULL;
    judging->result->expected =
        check->reason ? g_strdup_printf("ends as %s (%s)", check->status, check->reason)
                      : g_strdup_printf("ends as %s", check->status);
    json_t *series = runs_series(judging->context->runs, only_curve(judging), &why);
    if (!series) {
        judging_give_up(judging, why);
        return;
    }
    json_t *reason = json_object_get(series, "reason");
    const char *status = json_string_value(json_object_get(series, "status"));
    const char *kind = json_string_value(json_object_get(reason, "kind"));
    judging->result->simulated = kind ? g_strdup_printf("ended as %s (%s)", status, kind)
                                      : g_strdup_printf("ended as %s", status);
    judging_decide(judging, g_strcmp0(status, check->status) == 0 &&
                                (!check->reason || g_strcmp0(kind, check->reason) == 0));
}

void judge_contains_event(struct judging *judging)
{
    const struct check *check = judging->check;
    char *why = NULL;
    GString *expected = g_string_new(check->counter);
    judge_append_bounds(expected, check, "");
    judging->result->expected = g_string_free(expected, FALSE);
    json_t *series = runs_series(judging->context->runs, only_curve(judging), &why);
    if (!series) {
        judging_give_up(judging, why);
        return;
    }
    json_t *count = json_object_get(json_object_get(series, "counters"), check->counter);
    if (!json_is_number(count)) {
        judging_give_up(judging, g_strdup_printf("%s of %s has no counter \"%s\"",
                                                 only_curve(judging)->series,
                                                 only_curve(judging)->scenario, check->counter));
        return;
    }
    double value = json_number_value(count), bound;
    double excess = judge_bounds_excess(check, value, &bound);
    judging->result->simulated = judge_number_text(value, "");
    if (bound != 0.0)
        judging->result->deviation = excess / fabs(bound);
    judging_decide(judging, judge_bounds_hold(check, value));
}

// ---- Values of a case ----

static bool same_quantity(const char *a, const char *b)
{
    for (int kind = QUANTITY_COUNT; kind <= QUANTITY_FLOP_RATE; kind++) {
        struct quantity values[2];
        char *error = NULL, *hint = NULL;
        bool good = quantity_parse(a, (enum quantity_kind)kind, &values[0], &error, &hint);
        g_free(error);
        g_free(hint);
        if (!good)
            continue;
        good = quantity_parse(b, (enum quantity_kind)kind, &values[1], &error, &hint);
        g_free(error);
        g_free(hint);
        if (good)
            return kind == QUANTITY_REAL ? values[0].real == values[1].real
                                         : values[0].integer == values[1].integer;
    }
    return strcmp(a, b) == 0;
}

static char *json_plain(const json_t *value)
{
    if (json_is_string(value))
        return g_strdup(json_string_value(value));
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    char *text = g_strdup(dumped ? dumped : "nothing");
    free(dumped);
    return text;
}

bool judge_same_value(const json_t *value, const char *text)
{
    char *plain = json_plain(value);
    bool same = same_quantity(plain, text);
    g_free(plain);
    return same;
}

// A value of a case: "lam_via.tiny" is a parameter, "link.rate" one of the first link, "hosts" how
// many there are, all else stands as it is shown ("workload.ranks", "nic"). Borrowed or NULL.
static json_t *case_value(json_t *json, const char *path)
{
    json_t *topology = json_object_get(json, "topology");
    json_t *parameters = json_object_get(json, "parameters");
    const char *dot = strrchr(path, '.');
    if (!dot)
        return json_object_get(json, path);
    char *section = g_strndup(path, (size_t)(dot - path));
    json_t *table = json_object_get(parameters, section);
    if (strcmp(section, "link") == 0)
        table = json_array_get(json_object_get(topology, "link_parameters"), 0);
    if (strcmp(section, "switch") == 0)
        table = json_array_get(json_object_get(topology, "switch_parameters"), 0);
    json_t *workload = json_object_get(json, "workload"), *value = NULL;
    if (strcmp(section, "workload") == 0) {
        value = json_object_get(workload, dot + 1);
        table = json_object_get(workload, "parameters");
    }
    if (!value)
        value = json_object_get(json_object_get(table, dot + 1), "value");
    g_free(section);
    return value;
}

void judge_parameter(struct judging *judging)
{
    const struct check *check = judging->check;
    char *why = NULL;
    judging->result->expected = g_strdup_printf("%s = %s", check->path, check->equals);
    json_t *json = runs_case(judging->context->runs, only_curve(judging), &why);
    if (!json) {
        judging_give_up(judging, why);
        return;
    }
    json_t *hosts = json_object_get(json_object_get(json, "topology"), "hosts");
    json_object_set_new(json, "hosts", json_integer((json_int_t)json_array_size(hosts)));
    json_t *value = case_value(json, check->path);
    if (value) {
        char *text = json_plain(value);
        judging->result->simulated = g_strdup_printf("%s = %s", check->path, text);
        judging_decide(judging, judge_same_value(value, check->equals));
        g_free(text);
    } else {
        judging_give_up(judging,
                        g_strdup_printf("%s of %s has no parameter %s", only_curve(judging)->series,
                                        only_curve(judging)->scenario, check->path));
    }
    json_decref(json);
}
