// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/compare/tolerances.h"

#include "sim/compare/compare.h"
#include "sim/config/tolerance.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

enum tolerance_side { SIDE_BOTH, SIDE_WORSE, SIDE_MORE, SIDE_LESS };

static const char *const tolerance_side_words[] = {
    [SIDE_WORSE] = "worse",
    [SIDE_MORE] = "more",
    [SIDE_LESS] = "less",
};

// A tolerance as it is for one metric.
struct metric_tolerance {
    const char *metric; // interned
    bool named;         // by the text; else the text is for all metrics
    struct tolerance tolerance;
    int sign; // of the deviations that count; 0: both
};

struct tolerances {
    char **texts;
    GArray *rows; // struct metric_tolerance
};

// ---- Reading ----

// A text taken apart; `amount` is owned.
struct tolerance_text {
    char *metric; // NULL: none is named
    char *amount;
    enum tolerance_side side;
};

static void tolerance_text_take(struct tolerance_text *taken, const char *text)
{
    const char *equals = strchr(text, '=');
    taken->metric = equals ? g_strstrip(g_strndup(text, (gsize)(equals - text))) : NULL;
    taken->amount = g_strstrip(g_strdup(equals ? equals + 1 : text));
    taken->side = SIDE_BOTH;
    for (size_t i = SIDE_WORSE; i < G_N_ELEMENTS(tolerance_side_words); i++) {
        if (!g_str_has_suffix(taken->amount, tolerance_side_words[i]))
            continue;
        taken->amount[strlen(taken->amount) - strlen(tolerance_side_words[i])] = '\0';
        g_strchomp(taken->amount);
        taken->side = (enum tolerance_side)i;
    }
}

static void tolerance_text_clear(struct tolerance_text *taken)
{
    g_free(taken->metric);
    g_free(taken->amount);
}

static int sign_of(enum tolerance_side side, const char *metric)
{
    switch (side) {
    case SIDE_WORSE:
        return metric_worse_sign(metric);
    case SIDE_MORE:
        return 1;
    case SIDE_LESS:
        return -1;
    case SIDE_BOTH:
        break;
    }
    return 0;
}

static const char *fault_text(enum tolerance_fault fault)
{
    switch (fault) {
    case TOLERANCE_BARE:
        return "a number needs its unit or percent sign";
    case TOLERANCE_OTHER_UNIT:
        return "this is no percentage, and no amount in the unit of a metric";
    case TOLERANCE_NO_NUMBER:
    case TOLERANCE_GOOD:
        break;
    }
    return "a percentage or an amount is expected, not negative";
}

// Adds what a text means for each metric that it applies to: those that it names, or those in its
// unit. Returns false if that is none.
static bool add_text(struct tolerances *tolerances, const struct tolerance_text *taken,
                     const GPtrArray *metrics, enum tolerance_fault *fault, const char **unit)
{
    struct metric_tolerance row = {.named = taken->metric != NULL};
    *fault = tolerance_parse(taken->amount, NULL, &row.tolerance);
    bool any = *fault == TOLERANCE_GOOD;
    if (!any && !row.named && *fault != TOLERANCE_OTHER_UNIT)
        return false;
    for (guint i = 0; i < metrics->len; i++) {
        row.metric = g_ptr_array_index(metrics, i);
        if (row.named && !text_metric_is(row.metric, taken->metric))
            continue;
        *unit = row.named ? metric_unit(row.metric) : NULL;
        *fault = tolerance_parse(taken->amount, metric_unit(row.metric), &row.tolerance);
        row.sign = sign_of(taken->side, row.metric);
        any |= *fault == TOLERANCE_GOOD;
        if (*fault == TOLERANCE_GOOD)
            g_array_append_val(tolerances->rows, row);
    }
    return any;
}

static bool is_metric(const GPtrArray *metrics, const char *name)
{
    for (guint i = 0; i < metrics->len; i++)
        if (text_metric_is(g_ptr_array_index(metrics, i), name))
            return true;
    return false;
}

static bool read_tolerance_text(struct tolerances *tolerances, const char *text,
                                const GPtrArray *metrics, GError **error, char **hint)
{
    struct tolerance_text taken;
    enum tolerance_fault fault;
    const char *unit = NULL;
    tolerance_text_take(&taken, text);
    bool good = false;
    if (taken.metric && !is_metric(metrics, taken.metric)) {
        g_set_error(error, compare_error_quark(), 0, "neither result has the metric %s",
                    taken.metric);
    } else if (add_text(tolerances, &taken, metrics, &fault, &unit)) {
        good = true;
    } else {
        g_set_error(error, compare_error_quark(), 0, "%s", fault_text(fault));
        *hint = tolerance_remedy(taken.amount, unit);
    }
    tolerance_text_clear(&taken);
    return good;
}

struct tolerances *tolerances_read(const char *const *texts, const GPtrArray *metrics,
                                   GError **error, char **hint)
{
    struct tolerances *tolerances = g_new0(struct tolerances, 1);
    tolerances->texts = texts ? g_strdupv((char **)texts) : g_new0(char *, 1);
    tolerances->rows = g_array_new(FALSE, FALSE, sizeof(struct metric_tolerance));
    *hint = NULL;
    for (char **text = tolerances->texts; *text; text++) {
        if (read_tolerance_text(tolerances, *text, metrics, error, hint))
            continue;
        g_prefix_error(error, "%s: ", *text);
        tolerances_free(tolerances);
        return NULL;
    }
    return tolerances;
}

void tolerances_free(struct tolerances *tolerances)
{
    if (!tolerances)
        return;
    g_strfreev(tolerances->texts);
    g_array_unref(tolerances->rows);
    g_free(tolerances);
}

const char *const *tolerances_texts(const struct tolerances *tolerances)
{
    return (const char *const *)tolerances->texts;
}

// ---- Judging ----

// The comparison of relative deviations is by their quotient: 10 and 10.5 are 5 % apart.
static bool allows(const struct metric_tolerance *row, double a, double b)
{
    double difference = b - a;
    if (!isfinite(a) || !isfinite(b))
        return false;
    if (row->sign != 0 && difference * row->sign <= 0.0)
        return true;
    if (!row->tolerance.relative)
        return fabs(difference) <= row->tolerance.amount;
    return a != 0.0 && fabs(difference) / fabs(a) <= row->tolerance.amount;
}

bool tolerances_allow(const struct tolerances *tolerances, const char *metric, double a, double b)
{
    bool named = false, within = false, within_named = false;
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    for (guint i = 0; tolerances && i < tolerances->rows->len; i++) {
        const struct metric_tolerance *row =
            &g_array_index(tolerances->rows, struct metric_tolerance, i);
        if (row->metric != metric)
            continue;
        named |= row->named;
        if (allows(row, a, b))
            *(row->named ? &within_named : &within) = true;
    }
    return named ? within_named : within;
}
