// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/prior.h"

#include "sim/config/param_kind.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define WITHIN "within "
#define ANYWHERE "anywhere "
#define OR "or "
#define MOST_WITHIN 100.0
#define CENTRAL_TAIL 0.025 // on either side of the central 95 %
#define AT_LEAST_LEFT 1e-9 // of the value itself

const struct prior_usual prior_kinds[PRIOR_KINDS] = {
    [PRIOR_INSTRUCTIONS] = {"instructions", 2.0,
                            "counts of instructions from a description differ by a factor of two"},
    [PRIOR_KERNEL] = {"a kernel", 1.6, "paths of one operating system differ so between releases"},
    [PRIOR_BUS] = {"a bus", 1.2, "clocks of bridges of one generation"},
    [PRIOR_MEMORY] = {"memory", 1.25, "measured rates of boards with the same memory"},
    [PRIOR_DEVICE] = {"a device", 1.3, "data sheets against what was measured of cards"},
};

// ---- Numbers ----

// A value of any kind of number.
union number {
    int64_t integer;
    double real;
    struct cost cost;
};

static bool is_number(const struct param *param)
{
    return param_types[param->kind].number && param->kind != PARAM_BITS;
}

static double number_of(const struct param *param, const union number *number)
{
    if (param->kind == PARAM_COST)
        return (double)(number->cost.cycles ? number->cost.cycles : number->cost.time);
    return param_types[param->kind].quantity == QUANTITY_REAL ? number->real
                                                              : (double)number->integer;
}

// Reads a value's text as the parameter would be read. Returns false and sets *fault.
static bool read_number_text(const char *text, const struct param *param, void *field, char **fault)
{
    struct diag_list *diags = diag_list_new();
    struct node *node = node_new_scalar((struct source_mark){0}, text);
    const struct param_reading reading = {param, node, param->name, field, diags, NULL};
    bool good = param_types[param->kind].read(&reading);
    if (!good)
        *fault = g_strdup(((const struct diag *)diags->items->pdata[0])->message);
    node_free(node);
    diag_list_free(diags);
    return good;
}

// In a distribution's scale: the logarithm, or of a probability that of its odds.
static double scaled(const struct prior *prior, double value)
{
    return prior->param->kind == PARAM_PROBABILITY ? log(value / (1.0 - value)) : log(value);
}

static double unscaled(const struct prior *prior, double scale)
{
    return prior->param->kind == PARAM_PROBABILITY ? 1.0 / (1.0 + exp(-scale)) : exp(scale);
}

static bool check_band(const struct prior *prior, char **fault)
{
    double top = prior->param->kind == PARAM_PROBABILITY ? 1.0 : INFINITY;
    if (prior->low > prior->high)
        *fault = g_strdup("the range is empty: write the smaller value first");
    else if (!prior->uniform && (prior->low <= 0.0 || prior->high >= top))
        *fault = g_strdup_printf("a range is drawn on a logarithmic scale: its ends are above 0%s",
                                 isinf(top) ? "" : " and below 1");
    else if (prior->value < prior->low || prior->value > prior->high)
        *fault = g_strdup("the range does not hold the value");
    return !*fault;
}

// Whether an end is in another unit than the value. 0 is the same in both where it may be an end.
static bool ends_differ(const struct prior *prior, const union number *end)
{
    bool zero = end->cost.cycles == 0 && end->cost.time == 0;
    return (end->cost.cycles > 0) != prior->cycles && !(prior->uniform && zero);
}

static bool parse_range(const char *text, const char *dots, struct prior *prior, char **fault)
{
    char *ends[] = {g_strstrip(g_strndup(text, (gsize)(dots - text))),
                    g_strstrip(g_strdup(dots + strlen("..")))};
    union number low, high;
    bool good = read_number_text(ends[0], prior->param, &low, fault) &&
                read_number_text(ends[1], prior->param, &high, fault);
    if (good && prior->uniform && prior->param->kind == PARAM_COST && prior->value == 0.0)
        prior->cycles = high.cost.cycles > 0; // 0 has no unit
    if (good && prior->param->kind == PARAM_COST &&
        (ends_differ(prior, &low) || ends_differ(prior, &high))) {
        *fault = g_strdup("value and range are in different units, time and cycles");
        good = false;
    }
    if (good) {
        prior->low = number_of(prior->param, &low);
        prior->high = number_of(prior->param, &high);
    }
    g_free(ends[0]);
    g_free(ends[1]);
    return good && check_band(prior, fault);
}

static void set_within(struct prior *prior, double factor)
{
    if (prior->param->kind == PARAM_PROBABILITY) { // of its odds
        prior->low = unscaled(prior, scaled(prior, prior->value) - log(factor));
        prior->high = unscaled(prior, scaled(prior, prior->value) + log(factor));
        return;
    }
    prior->low = prior->value / factor;
    prior->high = prior->value * factor;
}

static bool parse_within(const char *text, struct prior *prior, char **fault)
{
    char *end;
    double factor = g_ascii_strtod(text, &end);
    if (end == text || *end || !(factor > 1.0) || factor > MOST_WITHIN) {
        *fault = g_strdup_printf("\"%.60s\" is no factor above 1, at most %g", text, MOST_WITHIN);
        return false;
    }
    set_within(prior, factor);
    return check_band(prior, fault);
}

// ---- Other values ----

union other_value {
    union number number;
    int choice;
    bool flag;
    const char *text;
};

// Of texts, lists and the like none is compared.
static bool is_same_value(const struct param *param, const union other_value *read,
                          const void *field)
{
    if (param->kind == PARAM_CHOICE)
        return read->choice == *(const int *)field;
    if (param->kind == PARAM_BOOL)
        return read->flag == *(const bool *)field;
    if (!is_number(param) || number_of(param, &read->number) != number_of(param, field))
        return false;
    return param->kind != PARAM_COST ||
           (read->number.cost.cycles > 0) == (((const struct cost *)field)->cycles > 0);
}

static bool is_another_value(const struct prior *prior, const struct prior_other *other,
                             const union other_value *read, const void *field, char **fault)
{
    bool same = is_same_value(prior->param, read, field), twice = false;
    for (guint i = 0; i < prior->others->len; i++)
        twice |= g_array_index(prior->others, struct prior_other, i).text == other->text;
    if (same)
        *fault = g_strdup_printf("\"%.60s\" is the value itself: name others", other->text);
    else if (twice)
        *fault = g_strdup_printf("\"%.60s\" is named twice", other->text);
    return !same && !twice;
}

static bool parse_other(const char *item, const void *field, struct prior *prior, char **fault)
{
    struct prior_other other = {.probability = NAN};
    char **parts = g_strsplit(item, ":", 2);
    union other_value read;
    g_strstrip(parts[0]);
    bool good = read_number_text(parts[0], prior->param, &read, fault);
    if (good && parts[1]) {
        char *end;
        other.probability = g_ascii_strtod(g_strstrip(parts[1]), &end);
        good = *parts[1] && !*end && other.probability > 0.0 && other.probability < 1.0;
        if (!good)
            *fault = g_strdup_printf("\"%.60s\" is no probability between 0 and 1", parts[1]);
    }
    other.text = intern_text(parts[0]);
    good = good && is_another_value(prior, &other, &read, field, fault);
    if (good)
        g_array_append_val(prior->others, other);
    g_strfreev(parts);
    return good;
}

// Shares out what is left among the value and the others that have no probability.
static bool share_out(const struct prior *prior, char **fault)
{
    double left = 1.0;
    guint sharers = 1;
    for (guint i = 0; i < prior->others->len; i++) {
        double probability = g_array_index(prior->others, struct prior_other, i).probability;
        if (isnan(probability))
            sharers++;
        else
            left -= probability;
    }
    if (left < AT_LEAST_LEFT) {
        *fault = g_strdup("the probabilities of the others leave nothing for the value");
        return false;
    }
    for (guint i = 0; i < prior->others->len; i++) {
        double *probability = &g_array_index(prior->others, struct prior_other, i).probability;
        if (isnan(*probability))
            *probability = left / sharers;
    }
    return true;
}

static bool parse_others(const char *text, const void *field, struct prior *prior, char **fault)
{
    prior->others = g_array_new(FALSE, FALSE, sizeof(struct prior_other));
    char **items = g_strsplit(text, ",", -1);
    bool good = *items;
    if (!good)
        *fault = g_strdup("the list of other values is empty");
    for (char **item = items; good && *item; item++)
        good = parse_other(*item, field, prior, fault);
    g_strfreev(items);
    return good && share_out(prior, fault);
}

// ---- One prior ----

void prior_clear(struct prior *prior)
{
    if (prior->others)
        g_array_unref(prior->others);
    prior->others = NULL;
}

bool prior_parse(const char *text, const struct param *param, const void *field,
                 struct prior *prior, char **fault)
{
    *fault = NULL;
    *prior = (struct prior){.param = param, .text = intern_text(text)};
    bool good;
    prior->uniform = g_str_has_prefix(text, ANYWHERE);
    const char *range = prior->uniform ? text + strlen(ANYWHERE) : text;
    const char *dots = strstr(range, "..");
    if (g_str_has_prefix(text, OR)) {
        good = parse_others(text + strlen(OR), field, prior, fault);
    } else if (!is_number(param)) {
        *fault = g_strdup("only a number has a range; write or: [ANOTHER VALUE]");
        good = false;
    } else {
        prior->value = number_of(param, field);
        prior->cycles = param->kind == PARAM_COST && ((const struct cost *)field)->cycles > 0;
        good = g_str_has_prefix(text, WITHIN) ? parse_within(text + strlen(WITHIN), prior, fault)
               : dots                         ? parse_range(range, dots, prior, fault)
                                              : false;
        if (!good && !*fault)
            *fault = g_strdup_printf("\"%.60s\" is no range LOW .. HIGH", range);
    }
    if (!good)
        prior_clear(prior);
    return good;
}

// The kind of a parameter in a table, for its usual factor. Instructions of a device's driver are
// instructions, and so is what takes time on a host elsewhere.
static enum prior_kind usual_kind(const struct param_values *values, const struct param *param)
{
    static const struct {
        const char *path;
        enum prior_kind kind;
    } places[] = {
        {"host.kernel", PRIOR_KERNEL}, {"host.memory", PRIOR_MEMORY}, {"host.bus", PRIOR_BUS}};
    const struct cost *cost = (const void *)((const char *)values->values + param->offset);
    bool work = param->kind == PARAM_COST;
    enum prior_kind kind = values->table->prior_kind;
    if (kind == PRIOR_DEVICE && work && cost->cycles)
        return PRIOR_INSTRUCTIONS;
    for (size_t i = 0; kind == PRIOR_BY_PLACE && i < G_N_ELEMENTS(places); i++)
        if (strcmp(values->path, places[i].path) == 0)
            kind = places[i].kind;
    if (kind == PRIOR_BY_PLACE)
        kind = work ? PRIOR_INSTRUCTIONS : PRIOR_DEVICE;
    return kind;
}

// A program fixes its counts and sizes, so they have no usual prior.
static bool has_usual(const struct param *param, const char *source)
{
    bool guessed =
        source && (g_str_has_prefix(source, "prior") || g_str_has_prefix(source, "assumed"));
    return guessed && is_number(param) && param->kind != PARAM_COUNT && param->kind != PARAM_SIZE;
}

bool prior_of(const struct param_values *values, int index, struct prior *prior)
{
    const struct param *param = &values->table->params[index];
    const void *field = (const char *)values->values + param->offset;
    char *fault;
    if (values->ensembles[index])
        return false;
    if (values->priors[index]) {
        bool good = prior_parse(values->priors[index], param, field, prior, &fault);
        g_assert(good); // it was read so
        return true;
    }
    if (!has_usual(param, values->sources[index]))
        return false;
    double value = number_of(param, field);
    if (value <= 0.0 || (param->kind == PARAM_PROBABILITY && value >= 1.0))
        return false;
    const struct prior_usual *usual = &prior_kinds[usual_kind(values, param)];
    char *text = g_strdup_printf(WITHIN "%g", usual->within);
    bool good = prior_parse(text, param, field, prior, &fault);
    g_assert(good);
    prior->usual = usual;
    g_free(text);
    return true;
}

// ---- Quantiles ----

// A number within what the parameter takes.
static char *number_text(const struct prior *prior, double value)
{
    enum quantity_kind kind =
        prior->cycles ? QUANTITY_CYCLES : param_types[prior->param->kind].quantity;
    const char *least, *most;
    union number bound;
    char *fault = NULL;
    param_bounds(prior->param, &least, &most);
    if (!prior->cycles && read_number_text(least, prior->param, &bound, &fault))
        value = MAX(value, number_of(prior->param, &bound));
    if (!prior->cycles && most && read_number_text(most, prior->param, &bound, &fault))
        value = MIN(value, number_of(prior->param, &bound));
    g_assert(!fault);
    return quantity_format(kind, (struct quantity){.integer = llround(value), .real = value});
}

char *prior_quantile(const struct prior *prior, double u)
{
    if (prior->uniform)
        return number_text(prior, prior->low + u * (prior->high - prior->low));
    if (!prior->others) {
        double normal = gsl_cdf_ugaussian_Pinv(u), middle = scaled(prior, prior->value);
        double end = scaled(prior, normal < 0.0 ? prior->low : prior->high);
        double deviation = fabs(end - middle) / gsl_cdf_ugaussian_Qinv(CENTRAL_TAIL);
        return number_text(prior, unscaled(prior, middle + normal * deviation));
    }
    double above = 1.0;
    for (guint i = prior->others->len; i > 0; i--) {
        const struct prior_other *other = &g_array_index(prior->others, struct prior_other, i - 1);
        above -= other->probability;
        if (u >= above)
            return g_strdup(other->text);
    }
    return NULL;
}

void prior_put(const struct prior *prior, double u, void *field)
{
    g_assert(!prior->others);
    char *text = prior_quantile(prior, u), *fault;
    bool good = read_number_text(text, prior->param, field, &fault);
    g_assert(good);
    g_free(text);
}

// ---- In a file ----

// "or a, b" of [a, b], "or a: 0.3" of {a: 0.3}. The caller frees it.
static char *others_text(const struct node *node, const char *path, struct diag_list *diags)
{
    GString *text = g_string_new(OR);
    bool single = node->kind == NODE_SCALAR;
    for (guint i = 0; i < (single ? 1 : node->children->len); i++) {
        const struct node *item = single ? node : g_ptr_array_index(node->children, i);
        const char *value = reader_text(item, path, "another value", diags);
        if (!value) {
            g_string_free(text, TRUE);
            return NULL;
        }
        g_string_append(text, i ? ", " : "");
        if (node->kind == NODE_MAP)
            g_string_append_printf(text, "%s: ", item->key);
        g_string_append(text, value);
    }
    return g_string_free(text, FALSE);
}

const char *prior_read(const struct node *node, const char *path, struct diag_list *diags,
                       bool *good)
{
    const struct node *range = node_get(node, "range"), *within = node_get(node, "within");
    const struct node *others = node_get(node, "or"), *anywhere = node_get(node, "anywhere");
    char *text = NULL;
    *good = true;
    if (!!range + !!within + !!others + !!anywhere > 1) {
        diag_add(diags, node->mark, path, NULL,
                 "range, within, anywhere and or exclude each other");
        *good = false;
        return NULL;
    }
    if (range)
        text = g_strdup(reader_text(range, path, "a range LOW .. HIGH", diags));
    else if (within) {
        const char *factor = reader_text(within, path, "a factor", diags);
        text = factor ? g_strconcat(WITHIN, factor, NULL) : NULL;
    } else if (anywhere) {
        const char *ends = reader_text(anywhere, path, "a range LOW .. HIGH", diags);
        text = ends ? g_strconcat(ANYWHERE, ends, NULL) : NULL;
    } else if (others)
        text = others_text(others, path, diags);
    *good = text || !(range || within || others || anywhere);
    const char *interned = text ? intern_text(text) : NULL;
    g_free(text);
    return interned;
}
