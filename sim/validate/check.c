// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/check.h"

#include "sim/config/reader.h"
#include "sim/config/tolerance.h"
#include "sim/core/intern.h"
#include "sim/measure/result.h"
#include "sim/validate/check_internal.h"

#include <string.h>

#define MOST_KEYS 8

// A word: the keys that it must have, then those that it may have. Those of all words (scenario,
// set, metric) come on top; bounds are four keys under one name.
#define BOUNDS "least", "above", "most", "below"
struct word {
    const char *name;
    const char *needs[MOST_KEYS], *may[MOST_KEYS];
    bool bounded;        // needs one of the bounds
    bool without_metric; // looks at no value of a curve
};

static const struct word words[] = {
    [CHECK_VALUE] = {.name = "value",
                     .needs = {"series", "expected", "tolerance"},
                     .may = {"size"}},
    [CHECK_VALUES] = {.name = "values",
                      .needs = {"series", "points", "tolerance"},
                      .may = {"share"}},
    [CHECK_BOUND] = {.name = "bound",
                     .needs = {"series"},
                     .may = {"sizes", "except", BOUNDS},
                     .bounded = true},
    [CHECK_RATIO] = {.name = "ratio",
                     .needs = {"over", "under"},
                     .may = {"sizes", "except", BOUNDS},
                     .bounded = true},
    [CHECK_DIFFERENCE] = {.name = "difference",
                          .needs = {"series", "minus"},
                          .may = {"sizes", "except", BOUNDS},
                          .bounded = true},
    [CHECK_GAIN] = {.name = "gain",
                    .needs = {"over", "under", "statistic"},
                    .may = {"sizes", "except", "expected", "tolerance", BOUNDS}},
    [CHECK_MEAN] = {.name = "mean",
                    .needs = {"series"},
                    .may = {"sizes", "except", "expected", "tolerance", BOUNDS}},
    [CHECK_FIRST] = {.name = "first",
                     .needs = {"series", "sizes", "between"},
                     .may = {"except", BOUNDS},
                     .bounded = true},
    [CHECK_ORDER] = {.name = "order",
                     .needs = {"lower", "higher", "sizes"},
                     .may = {"except", "share", "somewhere", "slack"}},
    [CHECK_CROSSOVER] = {.name = "crossover",
                         .needs = {"before", "after", "sizes", "between"},
                         .may = {"expected"}},
    [CHECK_MONOTONE] = {.name = "monotone",
                        .needs = {"series", "sizes"},
                        .may = {"except", "falling"}},
    [CHECK_NO_STEP] = {.name = "no_step", .needs = {"series", "sizes", "most"}, .may = {"except"}},
    [CHECK_PARALLEL] = {.name = "parallel",
                        .needs = {"series", "to", "sizes", "most"},
                        .may = {"except"}},
    [CHECK_WIDEST] = {.name = "widest", .needs = {"series", "sizes", "within"}, .may = {"except"}},
    [CHECK_NARROWS] = {.name = "narrows", .needs = {"over", "under", "sizes", "later"}},
    [CHECK_SLOWS_BEYOND] = {.name = "slows_beyond", .needs = {"series", "size", "sizes"}},
    [CHECK_AGREEMENT] = {.name = "agreement",
                         .needs = {"series", "with", "tolerance"},
                         .may = {"from", "sizes", "except"}},
    [CHECK_ENDS_WITH] = {.name = "ends_with",
                         .needs = {"series", "status"},
                         .may = {"reason"},
                         .without_metric = true},
    [CHECK_CONTAINS_EVENT] = {.name = "contains_event",
                              .needs = {"series", "counter"},
                              .may = {BOUNDS},
                              .without_metric = true},
    [CHECK_PARAMETER] = {.name = "parameter",
                         .needs = {"series", "path", "equals"},
                         .without_metric = true},
    [CHECK_TRANSITIONS] = {.name = "transitions",
                           .needs = {"series", "steps"},
                           .may = {"of"},
                           .without_metric = true},
    [CHECK_FIGURE] = {.name = "figure", .needs = {"spec", "series"}, .may = {"sizes", "except"}},
};

// ---- Curves ----

static bool read_curve(const struct reading *reading, const struct node *node, GPtrArray *list)
{
    struct curve *curve = curve_read(node, reading->path, &reading->defaults, reading->diags);
    if (!curve)
        return false;
    g_ptr_array_add(list, curve);
    for (const struct curve *one = curve; one; one = one->other)
        if (!one->metric && !words[reading->check->word].without_metric) {
            diag_add(reading->diags, node->mark, reading->path, NULL, "a metric is missing");
            return false;
        }
    return true;
}

static bool read_curves(const struct reading *reading, const struct node *node, GPtrArray *list)
{
    if (node->kind != NODE_LIST)
        return read_curve(reading, node, list);
    bool good = node->children->len > 0;
    if (!good)
        diag_add(reading->diags, node->mark, reading->path, NULL, "a series is missing");
    for (guint i = 0; i < node->children->len; i++)
        good &= read_curve(reading, g_ptr_array_index(node->children, i), list);
    return good;
}

// Puts the curve of another key into relation with the only one that there is.
static bool relate(const struct reading *reading, const struct node *node,
                   enum curve_relation relation)
{
    GPtrArray *curves = reading->check->curves, *others = reading->check->others;
    if (!read_curve(reading, node, others))
        return false;
    struct curve *other = g_ptr_array_steal_index(others, others->len - 1);
    struct curve *curve = curves->len == 1 ? g_ptr_array_index(curves, 0) : NULL;
    if (!curve || curve->other || other->other) {
        diag_add(reading->diags, node->mark, reading->path, NULL,
                 "two plain series are expected here");
        curve_free(other);
        return false;
    }
    curve->relation = relation;
    curve->other = other;
    return true;
}

// ---- Keys, in the order in which they are read: what comes later may build on what came before
// ----

typedef bool key_fn(struct reading *reading, const struct node *node);

static bool key_curves(struct reading *reading, const struct node *node)
{
    return read_curves(reading, node, reading->check->curves);
}

static bool key_others(struct reading *reading, const struct node *node)
{
    return read_curves(reading, node, reading->check->others);
}

static bool key_under(struct reading *reading, const struct node *node)
{
    return relate(reading, node, CURVE_OVER);
}

static bool key_minus(struct reading *reading, const struct node *node)
{
    return relate(reading, node, CURVE_MINUS);
}

static bool key_sizes(struct reading *reading, const struct node *node)
{
    return check_read_ranges(reading, node, reading->check->sizes);
}

static bool key_except(struct reading *reading, const struct node *node)
{
    return check_read_ranges(reading, node, reading->check->except);
}

static bool key_range(struct reading *reading, const struct node *node)
{
    return check_read_range(reading, node, reading->check->range);
}

// The unit that numbers of the check are in.
static const char *unit_of(const struct reading *reading)
{
    const GPtrArray *curves = reading->check->curves;
    if (reading->check->word == CHECK_CROSSOVER)
        return "B";
    return curves->len > 0 ? curve_unit(g_ptr_array_index(curves, 0)) : "";
}

static bool read_size(struct reading *reading, const struct node *node, int64_t *size)
{
    const char *text = reader_text(node, reading->path, "a size", reading->diags);
    char *copy = g_strdup(text);
    bool good = text && check_read_size(reading, node, copy, size);
    g_free(copy);
    return good;
}

static bool key_size(struct reading *reading, const struct node *node)
{
    return read_size(reading, node, &reading->check->size);
}

static bool key_from(struct reading *reading, const struct node *node)
{
    return read_size(reading, node, &reading->check->from);
}

// [SIZE, EXPECTED]
static bool read_point(const struct reading *reading, const struct node *node)
{
    struct curve_point point;
    bool percent;
    if (node->kind != NODE_LIST || node->children->len != 2) {
        diag_add(reading->diags, node->mark, reading->path, NULL, "a point is [SIZE, EXPECTED]");
        return false;
    }
    const struct node *size = g_ptr_array_index(node->children, 0);
    const char *text = reader_text(size, reading->path, "a size", reading->diags);
    char *copy = g_strdup(text);
    bool good = text && check_read_size(reading, size, copy, &point.size) &&
                check_read_number(reading, g_ptr_array_index(node->children, 1), unit_of(reading),
                                  &point.value, &percent);
    g_free(copy);
    if (good)
        g_array_append_val(reading->check->points, point);
    return good;
}

static bool key_points(struct reading *reading, const struct node *node)
{
    if (!reader_is(node, NODE_LIST, reading->path, "a list of [SIZE, EXPECTED]", reading->diags))
        return false;
    bool good = node->children->len > 0;
    if (!good)
        diag_add(reading->diags, node->mark, reading->path, NULL, "a point is missing");
    for (guint i = 0; i < node->children->len; i++)
        good &= read_point(reading, g_ptr_array_index(node->children, i));
    return good;
}

static bool key_statistic(struct reading *reading, const struct node *node)
{
    static const char *const names[] = {"greatest", "mean", NULL};
    int choice = reader_choice(node, reading->path, "statistic", names, reading->diags);
    reading->check->mean = choice == 1;
    return choice >= 0;
}

static bool key_expected(struct reading *reading, const struct node *node)
{
    bool percent;
    reading->check->has_expected = true;
    return check_read_number(reading, node, unit_of(reading), &reading->check->expected, &percent);
}

static bool key_tolerance(struct reading *reading, const struct node *node)
{
    const char *text = reader_text(node, reading->path, "a tolerance", reading->diags);
    struct tolerance read;
    if (!text)
        return false;
    if (tolerance_parse(text, unit_of(reading), &read) == TOLERANCE_GOOD) {
        reading->check->tolerance = read.amount;
        reading->check->relative = read.relative;
        return true;
    }
    char *hint = tolerance_remedy(text, unit_of(reading));
    diag_add(reading->diags, node->mark, reading->path, hint,
             "\"%.40s\" is no tolerance: a percentage or an amount in its unit", text);
    g_free(hint);
    return false;
}

static bool read_bound(struct reading *reading, const struct node *node, struct check_bound *bound,
                       bool strict)
{
    bool percent;
    if (bound->given) {
        diag_add(reading->diags, node->key_mark, reading->path, NULL, "this side is bounded twice");
        return false;
    }
    bound->given = true;
    bound->strict = strict;
    return check_read_number(reading, node, unit_of(reading), &bound->value, &percent);
}

static bool key_least(struct reading *reading, const struct node *node)
{
    return read_bound(reading, node, &reading->check->low, false);
}

static bool key_above(struct reading *reading, const struct node *node)
{
    return read_bound(reading, node, &reading->check->low, true);
}

static bool key_most(struct reading *reading, const struct node *node)
{
    return read_bound(reading, node, &reading->check->high, false);
}

static bool key_below(struct reading *reading, const struct node *node)
{
    return read_bound(reading, node, &reading->check->high, true);
}

static bool key_share(struct reading *reading, const struct node *node)
{
    bool percent;
    if (!check_read_number(reading, node, "", &reading->check->share, &percent))
        return false;
    if (reading->check->share > 0.0 && reading->check->share <= 1.0)
        return true;
    diag_add(reading->diags, node->mark, reading->path, NULL,
             "a share is more than 0, at most 100 %%");
    return false;
}

static bool key_slack(struct reading *reading, const struct node *node)
{
    bool percent;
    if (!check_read_number(reading, node, "", &reading->check->slack, &percent))
        return false;
    if (percent && reading->check->slack > 0.0 && reading->check->slack <= 0.1)
        return true;
    diag_add(reading->diags, node->mark, reading->path, NULL,
             "a slack is more than 0 %%, at most 10 %%");
    return false;
}

static bool read_truth(struct reading *reading, const struct node *node, bool *truth)
{
    static const char *const names[] = {"false", "true", NULL};
    int choice = reader_choice(node, reading->path, "truth value", names, reading->diags);
    *truth = choice == 1;
    return choice >= 0;
}

static bool key_somewhere(struct reading *reading, const struct node *node)
{
    return read_truth(reading, node, &reading->check->somewhere);
}

static bool key_falling(struct reading *reading, const struct node *node)
{
    return read_truth(reading, node, &reading->check->falling);
}

static bool read_word(struct reading *reading, const struct node *node, const char **word)
{
    *word = intern_text(reader_text(node, reading->path, "text", reading->diags));
    return *word != NULL;
}

static bool key_status(struct reading *reading, const struct node *node)
{
    static const char *const names[] = {"completed", "lost", "deadlock", "failed", NULL};
    if (reader_choice(node, reading->path, "status", names, reading->diags) < 0)
        return false;
    return read_word(reading, node, &reading->check->status);
}

static bool key_reason(struct reading *reading, const struct node *node)
{
    return read_word(reading, node, &reading->check->reason);
}

static bool key_counter(struct reading *reading, const struct node *node)
{
    return read_word(reading, node, &reading->check->counter);
}

static bool key_path(struct reading *reading, const struct node *node)
{
    return read_word(reading, node, &reading->check->path);
}

static bool key_equals(struct reading *reading, const struct node *node)
{
    return read_word(reading, node, &reading->check->equals);
}

static bool key_spec(struct reading *reading, const struct node *node)
{
    return read_word(reading, node, &reading->check->spec);
}

// A line of the state log, or a list of such.
static bool read_lines(const struct reading *reading, const struct node *node, GPtrArray *lines)
{
    bool several = node->kind == NODE_LIST;
    guint count = several ? node->children->len : 1;
    if (count == 0)
        diag_add(reading->diags, node->mark, reading->path, NULL, "a line is missing");
    for (guint i = 0; i < count; i++) {
        const struct node *one = several ? g_ptr_array_index(node->children, i) : node;
        const char *text = reader_text(one, reading->path, "a line", reading->diags);
        if (!text)
            return false;
        g_ptr_array_add(lines, (gpointer)intern_text(text));
    }
    return count > 0;
}

static bool key_steps(struct reading *reading, const struct node *node)
{
    return read_lines(reading, node, reading->check->steps);
}

static bool key_of(struct reading *reading, const struct node *node)
{
    return read_lines(reading, node, reading->check->of);
}

static const struct {
    const char *name;
    key_fn *read;
} keys[] = {
    {"with", key_others},         {"from", key_from},
    {"steps", key_steps},         {"of", key_of},
    {"series", key_curves},       {"over", key_curves},
    {"lower", key_curves},        {"before", key_curves},
    {"under", key_under},         {"minus", key_minus},
    {"to", key_others},           {"higher", key_others},
    {"after", key_others},        {"sizes", key_sizes},
    {"except", key_except},       {"between", key_range},
    {"within", key_range},        {"later", key_range},
    {"size", key_size},           {"points", key_points},
    {"statistic", key_statistic}, {"expected", key_expected},
    {"tolerance", key_tolerance}, {"least", key_least},
    {"above", key_above},         {"most", key_most},
    {"below", key_below},         {"share", key_share},
    {"slack", key_slack},         {"somewhere", key_somewhere},
    {"falling", key_falling},     {"status", key_status},
    {"reason", key_reason},       {"counter", key_counter},
    {"path", key_path},           {"equals", key_equals},
    {"spec", key_spec},
};

// ---- The check ----

static bool keys_are_right(const struct reading *reading)
{
    static const char *const common[] = {"scenario", "set", "metric", NULL};
    const struct word *word = &words[reading->check->word];
    GPtrArray *known = g_ptr_array_new();
    for (size_t i = 0; i < MOST_KEYS && word->needs[i]; i++)
        g_ptr_array_add(known, (gpointer)word->needs[i]);
    for (size_t i = 0; i < MOST_KEYS && word->may[i]; i++)
        g_ptr_array_add(known, (gpointer)word->may[i]);
    for (size_t i = 0; common[i]; i++)
        g_ptr_array_add(known, (gpointer)common[i]);
    g_ptr_array_add(known, NULL);
    bool good =
        reader_keys(reading->map, reading->path, (const char *const *)known->pdata, reading->diags);
    g_ptr_array_unref(known);
    for (size_t i = 0; i < MOST_KEYS && word->needs[i]; i++)
        if (node_is_null(node_get(reading->map, word->needs[i]))) {
            diag_add(reading->diags, reading->map->mark, reading->path, NULL, "`%s' is missing",
                     word->needs[i]);
            good = false;
        }
    return good;
}

static bool read_defaults(struct reading *reading)
{
    const struct node *scenario = node_get(reading->map, "scenario");
    const struct node *metric = node_get(reading->map, "metric");
    const struct node *set = node_get(reading->map, "set");
    if (scenario && !read_word(reading, scenario, &reading->defaults.scenario))
        return false;
    if (metric && !read_word(reading, metric, &reading->defaults.metric))
        return false;
    reading->defaults.sets = set ? curve_sets_read(set, reading->path, reading->diags) : "";
    return reading->defaults.sets != NULL;
}

// Curves come in pairs, and what is compared is relative.
static bool agreement_is_right(const struct reading *reading)
{
    const struct check *check = reading->check;
    const struct node *with = node_get(reading->map, "with");
    const struct node *tolerance = node_get(reading->map, "tolerance");
    if (check->curves->len != check->others->len) {
        diag_add(reading->diags, with->mark, reading->path, NULL,
                 "each curve of `series' needs one of `with': there are %u and %u",
                 check->curves->len, check->others->len);
        return false;
    }
    if (!check->relative || check->tolerance <= 0.0) {
        diag_add(reading->diags, tolerance->mark, reading->path, NULL,
                 "the tolerance of an agreement is a percentage above 0 %%");
        return false;
    }
    return true;
}

static bool read_keys(struct reading *reading)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const struct node *node = node_get(reading->map, keys[i].name);
        if (node && !keys[i].read(reading, node))
            return false;
    }
    struct check *check = reading->check;
    if (words[check->word].bounded && !check->low.given && !check->high.given) {
        diag_add(reading->diags, reading->map->mark, reading->path, "least, above, most or below",
                 "a bound is missing");
        return false;
    }
    bool bounded = check->low.given || check->high.given;
    const struct node *map = reading->map;
    bool expects = node_get(map, "expected") && node_get(map, "tolerance");
    if ((check->word == CHECK_GAIN || check->word == CHECK_MEAN) && bounded == expects) {
        diag_add(reading->diags, map->mark, reading->path, NULL,
                 "either expected and tolerance, or a bound, must be given");
        return false;
    }
    if (check->word == CHECK_AGREEMENT && !agreement_is_right(reading))
        return false;
    if (check->word == CHECK_CONTAINS_EVENT && !check->low.given && !check->high.given)
        check->low = (struct check_bound){.given = true, .value = 1.0};
    return true;
}

static bool read_body(struct check *check, const struct node *map, const char *path,
                      struct diag_list *diags)
{
    char *below = reader_path(path, words[check->word].name);
    struct reading reading = {.check = check, .map = map, .path = below, .diags = diags};
    bool good = reader_is(map, NODE_MAP, below, "the check's keys", diags) &&
                keys_are_right(&reading) && read_defaults(&reading) && read_keys(&reading);
    g_free(below);
    return good;
}

static struct check *check_new(enum check_word word, struct source_mark mark)
{
    struct check *check = g_new0(struct check, 1);
    check->word = word;
    check->mark = mark;
    check->curves = g_ptr_array_new_with_free_func((GDestroyNotify)curve_free);
    check->others = g_ptr_array_new_with_free_func((GDestroyNotify)curve_free);
    check->sizes = g_array_new(FALSE, FALSE, sizeof(struct size_range));
    check->except = g_array_new(FALSE, FALSE, sizeof(struct size_range));
    check->range = g_array_new(FALSE, FALSE, sizeof(struct size_range));
    check->points = g_array_new(FALSE, FALSE, sizeof(struct curve_point));
    check->steps = g_ptr_array_new();
    check->of = g_ptr_array_new();
    check->size = -1;
    check->from = -1;
    check->share = 1.0;
    return check;
}

struct check *check_read(const struct node *node, const char *path, struct diag_list *diags)
{
    if (!reader_is(node, NODE_MAP, path, "a check", diags))
        return NULL;
    const char *names[G_N_ELEMENTS(words) + 1] = {NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        names[i] = words[i].name;
    if (!reader_keys(node, path, names, diags))
        return NULL;
    if (node->children->len != 1) {
        diag_add(diags, node->mark, path, "several checks are a list",
                 "a check has one word, not %u", node->children->len);
        return NULL;
    }
    const struct node *body = g_ptr_array_index(node->children, 0);
    int word = 0;
    while (strcmp(names[word], body->key) != 0)
        word++;
    struct check *check = check_new((enum check_word)word, body->key_mark);
    if (read_body(check, body, path, diags))
        return check;
    check_free(check);
    return NULL;
}

void check_free(struct check *check)
{
    if (!check)
        return;
    g_ptr_array_unref(check->curves);
    g_ptr_array_unref(check->others);
    g_array_unref(check->sizes);
    g_array_unref(check->except);
    g_array_unref(check->range);
    g_array_unref(check->points);
    g_ptr_array_unref(check->steps);
    g_ptr_array_unref(check->of);
    g_free(check);
}

bool size_in(const GArray *ranges, int64_t size)
{
    for (guint i = 0; i < ranges->len; i++) {
        const struct size_range *range = &g_array_index(ranges, struct size_range, i);
        if (size >= range->from && size <= range->to)
            return true;
    }
    return false;
}

bool check_wants(const struct check *check, int64_t size)
{
    return size >= check->from && (check->sizes->len == 0 || size_in(check->sizes, size)) &&
           !size_in(check->except, size);
}
