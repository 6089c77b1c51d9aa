// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/parameter.h"

#include "sim/config/param_kind.h"
#include "sim/config/reader.h"

#include <math.h>
#include <string.h>

#define DIGITS 4
// How far out the logistic is followed: 0.03 % of the distance from a bound. Farther out it is
// flat, and a search would be lost.
#define MOST_U 8.0
#define WIDTH 10.0 // default bounds: so many times the default, and a part of it

G_GNUC_PRINTF(2, 3)
static bool fails(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, text);
    g_free(text);
    return false;
}

// ---- Its place ----

// The parameters of a case that a path can name, visited one by one until `each` returns true.
typedef bool visit_fn(void *owner, const char *path, const struct param_values *values,
                      const struct param *param);

static bool visit_table(const char *prefix, const struct param_values *values, visit_fn *each,
                        void *owner)
{
    bool found = false;
    for (const struct param *param = values->table->params; !found && param->name; param++) {
        char *path = g_strconcat(prefix, ".", param->name, NULL);
        found = each(owner, path, values, param);
        g_free(path);
    }
    return found;
}

static bool visit_case(const struct scenario_case *test_case, visit_fn *each, void *owner)
{
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (visit_table(values->path, values, each, owner))
            return true;
    }
    const struct topology *topology = &test_case->topology;
    if (topology->switches->len > 0) {
        const struct topology_switch *first = g_ptr_array_index(topology->switches, 0);
        if (visit_table("switch", first->values, each, owner))
            return true;
    }
    if (topology->links->len > 0) {
        const struct topology_link *first = g_ptr_array_index(topology->links, 0);
        return visit_table("link", first->values, each, owner);
    }
    return false;
}

struct parameter_search {
    const char *path;
    const struct param_values *values;
    const struct param *param;
    const struct reader_renamed *renamed; // the path had been a parameter's name; NULL: it had not
    GPtrArray *names;
};

static bool visit_path(void *owner, const char *path, const struct param_values *values,
                       const struct param *param)
{
    struct parameter_search *search = owner;
    const char *dot = strrchr(search->path, '.'), *end = strrchr(path, '.');
    if (strcmp(path, search->path) != 0) {
        bool beside = dot && dot - search->path == end - path &&
                      strncmp(path, search->path, (size_t)(end - path)) == 0;
        if (beside && !search->renamed)
            search->renamed = reader_renamed_find(values->table->renamed, dot + 1);
        g_ptr_array_add(search->names, g_strdup(path));
        return false;
    }
    search->values = values;
    search->param = param;
    return true;
}

static bool find(struct parameter_search *search, const struct scenario *scenario, GError **error)
{
    search->names = g_ptr_array_new_with_free_func(g_free);
    bool found = false;
    for (guint i = 0; !found && i < scenario->cases->len; i++)
        found = visit_case(g_ptr_array_index(scenario->cases, i), visit_path, search);
    if (!found && search->renamed) {
        char *text = reader_renamed_text(search->renamed);
        const char *note = search->renamed->note;
        fails(error, "--fit %s: %s%s%s%s", search->path, text, note ? " (" : "", note ? note : "",
              note ? ")" : "");
        g_free(text);
    } else if (!found) {
        g_ptr_array_add(search->names, NULL);
        const char *near = diag_nearest(search->path, (const char *const *)search->names->pdata);
        fails(error, "--fit %s: there is no such parameter (%s%s%s)", search->path,
              near ? "did you mean " : "see `netsim describe`", near ? near : "", near ? "?" : "");
    }
    g_ptr_array_unref(search->names);
    return found;
}

// ---- Its unit ----

// Returns the kind of quantity of such a parameter, or -1 if it is no quantity.
static int quantity_kind_of(enum param_kind kind, const char *text)
{
    if (kind == PARAM_COST && text && strstr(text, "cycle"))
        return QUANTITY_CYCLES;
    return param_types[kind].number && kind != PARAM_BITS ? (int)param_types[kind].quantity : -1;
}

static bool parse(const char *text, enum quantity_kind kind, double *value, GError **error)
{
    struct quantity quantity;
    char *why = NULL, *hint = NULL;
    bool good = quantity_parse(text, kind, &quantity, &why, &hint);
    if (good)
        *value = kind == QUANTITY_REAL ? quantity.real : (double)quantity.integer;
    else
        fails(error, "--fit: %s: %s%s%s%s", text, why, hint ? " (" : "", hint ? hint : "",
              hint ? ")" : "");
    g_free(why);
    g_free(hint);
    return good;
}

// The number that a text denotes, or `fallback` if it is none of this kind.
static double number_or(const char *text, enum quantity_kind kind, double fallback)
{
    double value = fallback;
    return text && parse(text, kind, &value, NULL) ? value : fallback;
}

// ---- Bounds ----

static bool read_bounds(struct fit_parameter *parameter, const char *text, GError **error)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return fails(error, "--fit %s=%s: bounds are written lo..hi", parameter->path, text);
    char *lo = g_strstrip(g_strndup(text, (gsize)(dots - text)));
    char *hi = g_strstrip(g_strdup(dots + 2));
    bool good = parse(lo, parameter->kind, &parameter->lo, error) &&
                parse(hi, parameter->kind, &parameter->hi, error);
    g_free(lo);
    g_free(hi);
    if (good && !(parameter->lo < parameter->hi))
        good = fails(error, "--fit %s: the lower bound is not below the upper", parameter->path);
    if (good && parameter->lo < 0)
        good = fails(error, "--fit %s: a bound is negative", parameter->path);
    return good;
}

static bool set_range(struct fit_parameter *parameter, const struct param *param,
                      const char *bounds, GError **error)
{
    double middle = number_or(param->fallback, parameter->kind, parameter->current);
    double least = number_or(param->least, parameter->kind, 0);
    double most = number_or(param->most, parameter->kind, (double)INT64_MAX / WIDTH);
    parameter->lo = MAX(middle / WIDTH, least);
    parameter->hi = MIN(middle * WIDTH, most);
    if (bounds && !read_bounds(parameter, bounds, error))
        return false;
    if (parameter->lo < least || parameter->hi > most)
        return fails(error, "--fit %s: the bounds leave the parameter's range, %s .. %s",
                     parameter->path, param->least ? param->least : "0",
                     param->most ? param->most : "any");
    if (!(parameter->lo < parameter->hi))
        return fails(error, "--fit %s: give it bounds (--fit %s=lo..hi)", parameter->path,
                     parameter->path);
    // Not where the scenario stands: an overlay of an earlier fit must not move the next one.
    if (bounds || middle <= parameter->lo || middle >= parameter->hi)
        middle = parameter->lo > 0 ? sqrt(parameter->lo * parameter->hi) : parameter->hi / 2;
    parameter->start = fit_parameter_round(parameter, middle);
    return true;
}

struct fit_parameter *fit_parameter_read(const char *text, const struct scenario *scenario,
                                         GError **error)
{
    struct fit_parameter *parameter = g_new0(struct fit_parameter, 1);
    const char *equals = strchr(text, '=');
    parameter->path = g_strstrip(equals ? g_strndup(text, (gsize)(equals - text)) : g_strdup(text));
    struct parameter_search search = {.path = parameter->path};
    bool good = find(&search, scenario, error);
    if (good) {
        char *current = param_value_text(search.values, search.param);
        const char *fallback = search.param->fallback;
        // Bounds may be in another unit than the value: a cost in us instead of cycles.
        int kind = quantity_kind_of(search.param->kind, equals     ? equals
                                                        : fallback ? fallback
                                                                   : current);
        parameter->kind = (enum quantity_kind)MAX(kind, 0);
        parameter->doc = search.param->doc;
        parameter->current = number_or(current, parameter->kind, 0);
        good = kind >= 0 ? set_range(parameter, search.param, equals ? equals + 1 : NULL, error)
                         : fails(error, "--fit %s: it is no quantity that could be fitted",
                                 parameter->path);
        g_free(current);
    }
    if (good)
        return parameter;
    fit_parameter_free(parameter);
    return NULL;
}

void fit_parameter_free(struct fit_parameter *parameter)
{
    if (!parameter)
        return;
    g_free(parameter->path);
    g_free(parameter);
}

// ---- Values ----

double fit_parameter_value(const struct fit_parameter *parameter, double u)
{
    double share = 1 / (1 + exp(-CLAMP(u, -MOST_U, MOST_U)));
    if (parameter->lo <= 0)
        return parameter->hi * share;
    return parameter->lo * pow(parameter->hi / parameter->lo, share);
}

double fit_parameter_u(const struct fit_parameter *parameter, double value)
{
    double share = parameter->lo > 0
                       ? log(value / parameter->lo) / log(parameter->hi / parameter->lo)
                       : value / parameter->hi;
    if (share <= 0)
        return -MOST_U;
    return share >= 1 ? MOST_U : CLAMP(log(share / (1 - share)), -MOST_U, MOST_U);
}

char *fit_parameter_text(const struct fit_parameter *parameter, double value)
{
    struct quantity quantity = {.integer = (int64_t)llround(value), .real = value};
    return quantity_format(parameter->kind, quantity);
}

bool fit_parameter_number(const struct fit_parameter *parameter, const char *text, double *value)
{
    return parse(text, parameter->kind, value, NULL);
}

double fit_parameter_round(const struct fit_parameter *parameter, double value)
{
    if (value <= 0)
        return parameter->lo;
    double unit = pow(10, floor(log10(value)) - (DIGITS - 1));
    // Not round(value / unit) * unit: powers below 1 are not exact.
    double rounded =
        unit >= 1 ? round(value / unit) * unit : round(value * (1 / unit)) / (1 / unit);
    if (parameter->kind != QUANTITY_REAL)
        rounded = round(rounded);
    return CLAMP(rounded, parameter->lo, parameter->hi);
}
