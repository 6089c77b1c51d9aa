// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/check.h"

#include "sim/config/reader.h"
#include "sim/config/tolerance.h"
#include "sim/core/intern.h"
#include "sim/validate/check_internal.h"

#include <string.h>

#define MOST_KEYS 9
#define USUAL_LEVEL 0.02

// A word: the keys that it must have, then those that it may have. Those of all words (scenario,
// set, metric) come on top; bounds are four keys under one name.
#define BOUNDS "least", "above", "most", "below"
struct word {
    const char *name, *doc;
    const char *needs[MOST_KEYS], *may[MOST_KEYS];
    bool bounded;        // needs one of the bounds
    bool without_metric; // uses no value of a curve
};

static const struct word words[] = {
    [CHECK_VALUE] = {.name = "value",
                     .doc = "the value is within the tolerance, 3 us or 4 %",
                     .needs = {"series", "expected", "tolerance"},
                     .may = {"size"}},
    [CHECK_VALUES] = {.name = "values",
                      .doc = "a printed table: each value, or at least a share of them, is within "
                             "the tolerance of what is expected there",
                      .needs = {"series", "points", "tolerance"},
                      .may = {"share"}},
    [CHECK_BOUND] = {.name = "bound",
                     .doc = "every value is inside the bounds",
                     .needs = {"series"},
                     .may = {"sizes", "except", "level", BOUNDS},
                     .bounded = true},
    [CHECK_RATIO] = {.name = "ratio",
                     .doc = "every quotient of two curves is inside the bounds",
                     .needs = {"over", "under"},
                     .may = {"sizes", "except", "level", BOUNDS},
                     .bounded = true},
    [CHECK_DIFFERENCE] = {.name = "difference",
                          .doc = "every difference of two curves is inside the bounds",
                          .needs = {"series", "minus"},
                          .may = {"sizes", "except", "level", BOUNDS},
                          .bounded = true},
    [CHECK_GAIN] = {.name = "gain",
                    .doc = "how much the quotient of two curves is above 1: its mean over the "
                           "sizes, or the greatest. All are percentages, and so is the tolerance: "
                           "9 % within 2 % is 7 % to 11 %. Either expected and tolerance, or a "
                           "bound",
                    .needs = {"over", "under", "statistic"},
                    .may = {"sizes", "except", "expected", "tolerance", "level", BOUNDS}},
    [CHECK_MEAN] = {.name = "mean",
                    .doc = "the mean of the values over the sizes, each counting once. Either "
                           "expected and tolerance, or a bound",
                    .needs = {"series"},
                    .may = {"sizes", "except", "expected", "tolerance", "level", BOUNDS}},
    [CHECK_FIRST] = {.name = "first",
                     .doc = "of the sizes in their order, the first whose value is inside the "
                            "bounds is in `between`: of a benchmark over time, when the rate comes "
                            "back",
                     .needs = {"series", "sizes", "between"},
                     .may = {"except", BOUNDS},
                     .bounded = true},
    [CHECK_ORDER] = {.name = "order",
                     .doc = "every `lower` curve lies below every `higher` one, at each size; at a "
                            "share of the sizes at least; or, somewhere, never above and once "
                            "below",
                     .needs = {"lower", "higher", "sizes"},
                     .may = {"except", "share", "somewhere", "level"}},
    [CHECK_CROSSOVER] = {.name = "crossover",
                         .doc = "`before` is lower first, `after` is lower then; they cross once, "
                                "in `between`",
                         .needs = {"before", "after", "sizes", "between"},
                         .may = {"expected"}},
    [CHECK_MONOTONE] = {.name = "monotone",
                        .doc = "never falls (rises) with the size",
                        .needs = {"series", "sizes"},
                        .may = {"except", "falling"}},
    [CHECK_NO_STEP] = {.name = "no_step",
                       .doc = "no value is further than `most` off the line between its neighbours",
                       .needs = {"series", "sizes", "most"},
                       .may = {"except"}},
    [CHECK_PARALLEL] = {.name = "parallel",
                        .doc = "from size to size the distance of both changes by at most `most` "
                               "of the value",
                        .needs = {"series", "to", "sizes", "most"},
                        .may = {"except"}},
    [CHECK_WIDEST] = {.name = "widest",
                      .doc = "the quotient of the highest and the lowest curve is greatest in "
                             "`within`",
                      .needs = {"series", "sizes", "within"},
                      .may = {"except"}},
    [CHECK_NARROWS] = {.name = "narrows",
                       .doc = "the mean quotient is nearer to 1 in `later` than in `sizes`",
                       .needs = {"over", "under", "sizes", "later"},
                       .may = {"level"}},
    [CHECK_SLOWS_BEYOND] = {.name = "slows_beyond",
                            .doc = "bytes per time are fewer at each of `sizes` than at `size`, by "
                                   "a part of at least `least`, 10 %",
                            .needs = {"series", "size", "sizes"},
                            .may = {"least", "level"}},
    [CHECK_AGREEMENT] = {.name = "agreement",
                         .doc = "two simulations of the same: each curve of `with` against the one "
                                "of `series` that stands at its place, and at each size, from "
                                "`from` on, it is at most the tolerance, a percentage of the value "
                                "of `series`, above or below",
                         .needs = {"series", "with", "tolerance"},
                         .may = {"from", "sizes", "except"}},
    [CHECK_ENDS_WITH] = {.name = "ends_with",
                         .doc = "how the run ended; the kind of its reason",
                         .needs = {"series", "status"},
                         .may = {"reason"},
                         .without_metric = true},
    [CHECK_CONTAINS_EVENT] = {.name = "contains_event",
                              .doc = "a counter of the run; at least 1 without a bound",
                              .needs = {"series", "counter"},
                              .may = {BOUNDS},
                              .without_metric = true},
    [CHECK_PARAMETER] = {.name = "parameter",
                         .doc = "a value of the resolved case",
                         .needs = {"series", "path", "equals"},
                         .without_metric = true},
    [CHECK_TRANSITIONS] = {.name = "transitions",
                           .doc = "the lines of the state log (`netsim run --log-states`, by time) "
                                  "that `steps` lists come in this order. A step is written like a "
                                  "line without its time; * matches any text, and the end may be "
                                  "omitted after a whole word. Other lines may come in between, "
                                  "but none that matches `of`",
                           .needs = {"series", "steps"},
                           .may = {"of"},
                           .without_metric = true},
    [CHECK_FIGURE] = {.name = "figure",
                      .doc = "the figure in references/figures/ with this id draws these curves, "
                             "and they have values",
                      .needs = {"spec", "series"},
                      .may = {"sizes", "except"}},
};

static struct check *check_of(const struct param_reading *reading)
{
    return reading->map->values;
}

// ---- Curves ----

static bool read_sets(const struct param_reading *reading)
{
    const char **sets = reading->field;
    *sets = curve_sets_read(reading->node, reading->path, reading->diags);
    return *sets != NULL;
}

// Of the settings of `across` those that the check is under, besides the ones of `set`.
static bool read_across(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    struct check *check = check_of(reading);
    guint count = node->kind == NODE_LIST ? node->children->len : 1;
    if (count < 2)
        return param_refuse(reading, NULL, "write [PATH=VALUE, PATH=VALUE]",
                            "it needs at least two settings to be judged across");
    check->across = count;
    const char *under = curve_sets_read(g_ptr_array_index(node->children, check->place),
                                        reading->path, reading->diags);
    if (!under)
        return false;
    check->under = under;
    char *sets = g_strconcat(check->defaults.sets, *check->defaults.sets ? "\n" : "", under, NULL);
    check->defaults.sets = intern_text(sets);
    g_free(sets);
    return true;
}

static bool read_curve(const struct param_reading *reading, const struct node *node,
                       GPtrArray *list)
{
    struct curve *curve =
        curve_read(node, reading->path, &check_of(reading)->defaults, reading->diags);
    if (!curve)
        return false;
    g_ptr_array_add(list, curve);
    for (const struct curve *one = curve; one; one = one->other)
        if (!one->metric && !words[check_of(reading)->word].without_metric)
            return param_refuse(reading, node, NULL, "a metric is missing");
    return true;
}

static bool read_curves(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    GPtrArray *list = *(GPtrArray **)reading->field;
    if (node->kind != NODE_LIST)
        return read_curve(reading, node, list);
    bool good = node->children->len > 0 || param_refuse(reading, NULL, NULL, "a series is missing");
    for (guint i = 0; i < node->children->len; i++)
        good &= read_curve(reading, g_ptr_array_index(node->children, i), list);
    return good;
}

// Puts the curve of another key into relation with the only one that there is.
static bool relate(const struct param_reading *reading, enum curve_relation relation)
{
    GPtrArray *curves = check_of(reading)->curves, *others = check_of(reading)->others;
    if (!read_curve(reading, reading->node, others))
        return false;
    struct curve *other = g_ptr_array_steal_index(others, others->len - 1);
    struct curve *curve = curves->len == 1 ? g_ptr_array_index(curves, 0) : NULL;
    if (!curve || curve->other || other->other) {
        curve_free(other);
        return param_refuse(reading, NULL, NULL, "two plain series are expected here");
    }
    curve->relation = relation;
    curve->other = other;
    return true;
}

static bool read_under(const struct param_reading *reading)
{
    return relate(reading, CURVE_OVER);
}

static bool read_minus(const struct param_reading *reading)
{
    return relate(reading, CURVE_MINUS);
}

// ---- Numbers ----

// The unit that numbers of the check are in.
static const char *unit_of(const struct param_reading *reading)
{
    const struct check *check = check_of(reading);
    if (check->word == CHECK_CROSSOVER)
        return "B";
    return check->curves->len > 0 ? curve_unit(g_ptr_array_index(check->curves, 0)) : "";
}

static bool read_size(const struct param_reading *reading)
{
    return check_read_size(reading, reading->node, reading->field);
}

// [SIZE, EXPECTED]
static bool read_point(const struct param_reading *reading, const struct node *node)
{
    struct curve_point point;
    bool percent;
    if (node->kind != NODE_LIST || node->children->len != 2)
        return param_refuse(reading, node, NULL, "a point is [SIZE, EXPECTED]");
    bool good = check_read_size(reading, g_ptr_array_index(node->children, 0), &point.size) &&
                check_read_number(reading, g_ptr_array_index(node->children, 1), unit_of(reading),
                                  &point.value, &percent);
    if (good)
        g_array_append_val(check_of(reading)->points, point);
    return good;
}

static bool read_points(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    if (!reader_is(node, NODE_LIST, reading->path, "a list of [SIZE, EXPECTED]", reading->diags))
        return false;
    bool good = node->children->len > 0 || param_refuse(reading, NULL, NULL, "a point is missing");
    for (guint i = 0; i < node->children->len; i++)
        good &= read_point(reading, g_ptr_array_index(node->children, i));
    return good;
}

static bool read_expected(const struct param_reading *reading)
{
    bool percent;
    check_of(reading)->has_expected = true;
    return check_read_number(reading, reading->node, unit_of(reading), reading->field, &percent);
}

static bool read_tolerance(const struct param_reading *reading)
{
    const char *text = reader_text(reading->node, reading->path, "a tolerance", reading->diags);
    struct tolerance read;
    if (!text)
        return false;
    if (tolerance_parse(text, unit_of(reading), &read) == TOLERANCE_GOOD) {
        check_of(reading)->tolerance = read.amount;
        check_of(reading)->relative = read.relative;
        return true;
    }
    char *hint = tolerance_remedy(text, unit_of(reading));
    param_refuse(reading, NULL, hint,
                 "\"%.40s\" is no tolerance: a percentage or an amount in its unit", text);
    g_free(hint);
    return false;
}

static bool read_bound(const struct param_reading *reading, bool strict)
{
    struct check_bound *bound = reading->field;
    bool percent;
    if (bound->given) {
        diag_add(reading->diags, reading->node->key_mark, reading->path, NULL,
                 "this side is bounded twice");
        return false;
    }
    bound->given = true;
    bound->strict = strict;
    return check_read_number(reading, reading->node, unit_of(reading), &bound->value, &percent);
}

static bool read_loose_bound(const struct param_reading *reading)
{
    return read_bound(reading, false);
}

static bool read_strict_bound(const struct param_reading *reading)
{
    return read_bound(reading, true);
}

static bool read_share(const struct param_reading *reading)
{
    double *share = reading->field;
    bool percent;
    if (!check_read_number(reading, reading->node, "", share, &percent))
        return false;
    return (*share > 0.0 && *share <= 1.0) ||
           param_refuse(reading, NULL, NULL, "a share is more than 0, at most 100 %%");
}

static bool read_level(const struct param_reading *reading)
{
    double *level = reading->field;
    bool percent;
    if (!check_read_number(reading, reading->node, "", level, &percent))
        return false;
    return (percent && *level >= 0.0 && *level <= 0.1) ||
           param_refuse(reading, NULL, NULL, "a level is at least 0 %%, at most 10 %%");
}

// ---- Lines ----

// A line of the state log, or a list of such.
static bool read_lines(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    bool several = node->kind == NODE_LIST;
    guint count = several ? node->children->len : 1;
    for (guint i = 0; i < count; i++) {
        const struct node *one = several ? g_ptr_array_index(node->children, i) : node;
        const char *text = reader_text(one, reading->path, "a line", reading->diags);
        if (!text)
            return false;
        g_ptr_array_add(*(GPtrArray **)reading->field, (gpointer)intern_text(text));
    }
    return count > 0 || param_refuse(reading, NULL, NULL, "a line is missing");
}

// ---- Keys, in the order in which they are read: later ones may build on earlier ones ----

static const char *const statistics[] = {"greatest", "mean", NULL};
static const char *const statuses[] = {"completed", "lost", "deadlock", "failed", NULL};

PARAM_FORM(sets_form, read_sets, "PATH=VALUE, or a list of such")
PARAM_FORM(across_form, read_across, "a list of PATH=VALUE, or of lists of such")
PARAM_FORM(curves_form, read_curves, "a curve, or a list of such")
PARAM_FORM(under_form, read_under, "a curve")
PARAM_FORM(minus_form, read_minus, "a curve")
PARAM_FORM(size_form, read_size, "a size")
PARAM_FORM(range_form, check_read_range, "a range of sizes, FROM .. TO")
PARAM_FORM(ranges_form, check_read_ranges, "a range of sizes, FROM .. TO, or a list of such")
PARAM_FORM(points_form, read_points, "a list of [SIZE, EXPECTED]")
PARAM_FORM(expected_form, read_expected, "a number in the metric's unit")
PARAM_FORM(tolerance_form, read_tolerance, "a percentage, or an amount in the metric's unit")
PARAM_FORM(loose_form, read_loose_bound, "a number in the metric's unit")
PARAM_FORM(strict_form, read_strict_bound, "a number in the metric's unit")
PARAM_FORM(share_form, read_share, "more than 0 %, at most 100 %")
PARAM_FORM(level_form, read_level, "at least 0 %, at most 10 %")
PARAM_FORM(lines_form, read_lines, "a line, or a list of such")

#define KEY(name_, field, kind_, ...)                                                              \
    PARAM_AS(struct check, name_, field, kind_, .optional = true, __VA_ARGS__)
#define KEY_OF(name_, field, form_, ...)                                                           \
    KEY(name_, field, PARAM_NODE, .node = &(form_), __VA_ARGS__)

static const char *const common_keys[] = {"scenario", "set", "across", "metric", NULL};
static const struct param check_keys[] = {
    KEY("scenario", defaults.scenario, PARAM_STRING, .doc = "of curves that name no other"),
    KEY("metric", defaults.metric, PARAM_STRING, .doc = "of curves that name no other"),
    KEY_OF("set", defaults.sets, sets_form, .doc = "settings of curves that have no others"),
    KEY_OF("across", defaults.sets, across_form,
           .doc = "settings besides those of `set`, of which the source does not print the one "
                  "that it had: it "
                  "holds (misses) if it does under each"),
    KEY_OF("with", others, curves_form, .doc = "the other simulation's curves"),
    KEY_OF("from", from, size_form, .doc = "the least size that is compared"),
    KEY_OF("steps", steps, lines_form, .doc = "lines of the state log, in this order"),
    KEY_OF("of", of, lines_form, .doc = "patterns of lines that may not come in between"),
    KEY_OF("series", curves, curves_form, .doc = "the curves"),
    KEY_OF("over", curves, curves_form, .doc = "the numerator"),
    KEY_OF("lower", curves, curves_form, .doc = "the curves that lie below"),
    KEY_OF("before", curves, curves_form, .doc = "the curve that is lower first"),
    KEY_OF("under", others, under_form, .doc = "the denominator"),
    KEY_OF("minus", others, minus_form, .doc = "what is subtracted"),
    KEY_OF("to", others, curves_form, .doc = "the other curve"),
    KEY_OF("higher", others, curves_form, .doc = "the curves that lie above"),
    KEY_OF("after", others, curves_form, .doc = "the curve that is lower then"),
    KEY_OF("sizes", sizes, ranges_form, .doc = "the sizes that count, ends included; else all"),
    KEY_OF("except", except, ranges_form, .doc = "sizes that do not count"),
    KEY_OF("between", range, range_form, .doc = "where it is expected"),
    KEY_OF("within", range, range_form, .doc = "where it is expected"),
    KEY_OF("later", range, range_form, .doc = "the sizes of the second mean"),
    KEY_OF("size", size, size_form, .doc = "the size that counts"),
    KEY_OF("points", points, points_form, .doc = "the printed values"),
    KEY("statistic", mean, PARAM_CHOICE, .choices = statistics, .noun = "statistic",
        .doc = "of the quotients over the sizes"),
    KEY_OF("expected", expected, expected_form, .doc = "what is printed"),
    KEY_OF("tolerance", tolerance, tolerance_form, .doc = "how far off is as expected"),
    KEY_OF("least", low, loose_form, .doc = "the lower bound"),
    KEY_OF("above", low, strict_form, .doc = "the lower bound, itself excluded"),
    KEY_OF("most", high, loose_form, .doc = "the upper bound"),
    KEY_OF("below", high, strict_form, .doc = "the upper bound, itself excluded"),
    KEY_OF("share", share, share_form, .doc = "of the sizes at which it must hold"),
    KEY_OF("level", level, level_form,
           .doc = "values that differ by less are level, and count neither way; 2 % unless given. "
                  "Only of an order or of a sign: a single bound, of 1 for a quotient, of 0 for a "
                  "difference or a gain"),
    KEY("somewhere", somewhere, PARAM_BOOL, .doc = "never above, and once below"),
    KEY("falling", falling, PARAM_BOOL, .doc = "never rises, instead of never falls"),
    KEY_OF("status", status, param_node_word, .choices = statuses, .noun = "status",
           .doc = "how the run ended"),
    KEY("reason", reason, PARAM_STRING, .doc = "the kind of the reason"),
    KEY("counter", counter, PARAM_STRING, .doc = "its name"),
    KEY("path", path, PARAM_STRING, .doc = "of the parameter"),
    KEY("equals", equals, PARAM_STRING, .doc = "its value as text"),
    KEY("spec", spec, PARAM_STRING, .doc = "the figure's id"),
};

// ---- The check ----

static bool word_has(const char *const keys[MOST_KEYS], const char *name)
{
    for (size_t i = 0; i < MOST_KEYS && keys[i]; i++)
        if (strcmp(keys[i], name) == 0)
            return true;
    return false;
}

// The keys of a word; the caller frees them.
static struct param *word_rows(const struct word *word)
{
    struct param *rows = g_new0(struct param, G_N_ELEMENTS(check_keys) + 1), *row = rows;
    for (size_t i = 0; i < G_N_ELEMENTS(check_keys); i++) {
        bool needed = word_has(word->needs, check_keys[i].name);
        if (!needed && !word_has(word->may, check_keys[i].name) &&
            !g_strv_contains(common_keys, check_keys[i].name))
            continue;
        *row = check_keys[i];
        row++->optional = !needed;
    }
    return rows;
}

// Curves are compared in pairs, relatively.
static bool agreement_is_right(const struct param_map *map)
{
    const struct check *check = map->values;
    if (check->curves->len != check->others->len) {
        diag_add(map->diags, node_get(map->node, "with")->mark, map->path, NULL,
                 "each curve of `series' needs one of `with': there are %u and %u",
                 check->curves->len, check->others->len);
        return false;
    }
    if (!check->relative || check->tolerance <= 0.0) {
        diag_add(map->diags, node_get(map->node, "tolerance")->mark, map->path, NULL,
                 "the tolerance of an agreement is a percentage above 0 %%");
        return false;
    }
    return true;
}

static bool has_relation(const struct check *check, enum curve_relation relation)
{
    for (guint i = 0; i < check->curves->len; i++)
        if (((const struct curve *)g_ptr_array_index(check->curves, i))->relation != relation)
            return false;
    return true;
}

bool check_states_sign(const struct check *check)
{
    const struct check_bound *bound = check->low.given ? &check->low : &check->high;
    switch (check->word) {
    case CHECK_ORDER:
    case CHECK_NARROWS:
        return true;
    case CHECK_SLOWS_BEYOND:
        return !check->low.given;
    case CHECK_GAIN:
        return check->low.given != check->high.given && bound->value == 0.0;
    case CHECK_BOUND:
    case CHECK_RATIO:
    case CHECK_DIFFERENCE:
    case CHECK_MEAN:
        return check->low.given != check->high.given &&
               ((has_relation(check, CURVE_OVER) && bound->value == 1.0) ||
                (has_relation(check, CURVE_MINUS) && bound->value == 0.0));
    default:
        return false;
    }
}

// The level of a check that states no more than an order or a sign.
static bool finish_level(const struct param_map *map)
{
    struct check *check = map->values;
    const struct node *given = node_get(map->node, "level");
    bool sign = check_states_sign(check);
    if (given && !sign) {
        diag_add(map->diags, given->mark, map->path, NULL,
                 "only an order or a sign can be level: a single bound, of 1 for a quotient, of 0 "
                 "for a difference or a gain");
        return false;
    }
    if (!given)
        check->level = sign ? USUAL_LEVEL : 0.0;
    return true;
}

static bool finish_check(const struct param_map *map)
{
    struct check *check = map->values;
    bool bounded = check->low.given || check->high.given;
    bool expects = node_get(map->node, "expected") && node_get(map->node, "tolerance");
    if (words[check->word].bounded && !bounded) {
        diag_add(map->diags, map->node->mark, map->path, "least, above, most or below",
                 "a bound is missing");
        return false;
    }
    if ((check->word == CHECK_GAIN || check->word == CHECK_MEAN) && bounded == expects) {
        diag_add(map->diags, map->node->mark, map->path, NULL,
                 "either expected and tolerance, or a bound, must be given");
        return false;
    }
    if (check->word == CHECK_CONTAINS_EVENT && !bounded)
        check->low = (struct check_bound){.given = true, .value = 1.0};
    return finish_level(map) && (check->word != CHECK_AGREEMENT || agreement_is_right(map));
}

// The map of a word, whose rows the caller frees.
static struct param_table word_table(const struct word *word)
{
    return (struct param_table)PARAM_TABLE(struct check, word_rows(word), .name = word->name,
                                           .doc = word->doc, .noun = "the check's keys",
                                           .in_order = true, .finish = finish_check);
}

bool check_table(unsigned word, struct param_table *table)
{
    if (word < G_N_ELEMENTS(words))
        *table = word_table(&words[word]);
    return word < G_N_ELEMENTS(words);
}

static bool read_body(struct check *check, const struct node *node, const char *path,
                      struct diag_list *diags)
{
    char *below = reader_path(path, words[check->word].name);
    struct param_table table = word_table(&words[check->word]);
    const struct param_map map = {&table, node, below, check, NULL, NULL, diags};
    bool good = param_map_read(&map);
    g_free((gpointer)table.params);
    g_free(below);
    return good;
}

static struct check *check_new(enum check_word word, guint place, struct source_mark mark)
{
    struct check *check = g_new0(struct check, 1);
    check->word = word;
    check->place = place;
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
    check->defaults.sets = "";
    return check;
}

// Reads it under the settings at a place of `across`.
static struct check *read_at(enum check_word word, guint place, const struct node *body,
                             const char *path, struct diag_list *diags)
{
    struct check *check = check_new(word, place, body->key_mark);
    if (read_body(check, body, path, diags))
        return check;
    check_free(check);
    return NULL;
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
    struct check *first = read_at((enum check_word)word, 0, body, path, diags), *last = first;
    for (guint place = 1; last && place < first->across; place++)
        last = last->next = read_at((enum check_word)word, place, body, path, diags);
    if (last)
        return first;
    check_free(first);
    return NULL;
}

void check_free(struct check *check)
{
    if (!check)
        return;
    check_free(check->next);
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
