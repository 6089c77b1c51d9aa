// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/standing.h"

#include <string.h>

static const char *const names[STANDINGS] = {
    [STANDING_SETTING] = "setting",
    [STANDING_DRAWN] = "drawn",
    [STANDING_TEST] = "test",
    [STANDING_PREDICTED] = "predicted",
    [STANDING_CHOSEN] = "chosen",
    [STANDING_FITTED] = "fitted",
    [STANDING_COMPARED] = "compared",
    [STANDING_GUESS] = "guess",
    [STANDING_ARITHMETIC] = "arithmetic",
};

const char *standing_name(enum standing standing)
{
    return names[standing];
}

enum standing standing_named(const char *name)
{
    for (int i = STANDING_NONE + 1; i < STANDINGS; i++)
        if (g_strcmp0(name, names[i]) == 0)
            return (enum standing)i;
    return STANDING_NONE;
}

// ---- The same numbers ----

static bool check_uses(const struct check *check, int64_t size)
{
    if (check->size >= 0)
        return size == check->size;
    for (guint i = 0; i < check->points->len; i++)
        if (g_array_index(check->points, struct curve_point, i).size == size)
            return true;
    return check->points->len == 0 && check_wants(check, size);
}

// Whether both checks use a value of the curve; any is as good if it has no metric.
static bool share_size(const struct check *check, const struct check *other,
                       const struct curve *curve, const struct runs *runs)
{
    bool failed, share = false;
    char *why = NULL;
    GArray *points = curve->metric ? runs_points(runs, curve, &failed, &why) : NULL;
    for (guint i = 0; points && !share && i < points->len; i++) {
        int64_t size = g_array_index(points, struct curve_point, i).size;
        share = check_uses(check, size) && check_uses(other, size);
    }
    if (points)
        g_array_unref(points);
    g_free(why);
    return share || !curve->metric;
}

static bool same_curve(const struct curve *curve, const struct curve *other)
{
    return curve->scenario == other->scenario && curve->sets == other->sets &&
           curve->series == other->series && curve->metric == other->metric &&
           curve->of_rank == other->of_rank;
}

static bool list_has(const GPtrArray *curves, const struct curve *curve)
{
    for (guint i = 0; i < curves->len; i++)
        for (const struct curve *one = g_ptr_array_index(curves, i); one; one = one->other)
            if (same_curve(one, curve))
                return true;
    return false;
}

// ---- Values of a case ----

// A curve of one of a claim's checks, and what is found in its resolved case.
struct case_search {
    const struct claim *claim;
    const struct check *check;
    const struct curve *curve;
    const struct claim_list *list;
    const struct runs *runs;
    GPtrArray *chosen; // char *, "host.memory.copy_traffic": chosen with its numbers in view
    const struct claim *fitted; // NULL, or the claim whose fit decides its value
};

static void search_value(const json_t *value, const char *path, struct case_search *search);

// Whether a claim judges the same numbers of the curve.
static bool judges_the_same(const struct case_search *search, const struct claim *other)
{
    for (guint i = 0; i < other->checks->len; i++) {
        const struct check *check = g_ptr_array_index(other->checks, i);
        const struct curve alone = {search->curve->scenario,
                                    search->curve->sets,
                                    search->curve->series,
                                    search->curve->metric,
                                    search->curve->of_rank,
                                    CURVE_ALONE,
                                    NULL};
        if ((list_has(check->curves, &alone) || list_has(check->others, &alone)) &&
            share_size(search->check, check, &alone, search->runs))
            return true;
    }
    return false;
}

// Both ids start with the same system.
static bool same_thesis(const char *id, const char *other)
{
    size_t length = strcspn(id, ".");
    return strncmp(id, other, length) == 0 && strcspn(other, ".") == length;
}

// Whether a pattern of a `chosen_for` means the claim, or one that judges the same numbers.
static bool means_claim(const struct case_search *search, const char *pattern)
{
    if (claim_matches(search->claim->id, pattern))
        return true;
    for (guint i = 0; i < search->list->claims->len; i++) {
        const struct claim *other = g_ptr_array_index(search->list->claims, i);
        if (same_thesis(search->claim->id, other->id) && claim_matches(other->id, pattern) &&
            judges_the_same(search, other))
            return true;
    }
    return false;
}

static bool chosen_in_view(const struct case_search *search, const json_t *patterns)
{
    size_t i;
    json_t *one;
    json_array_foreach(patterns, i, one)
    {
        if (means_claim(search, json_string_value(one)))
            return true;
    }
    return false;
}

// Whether a claim is about one value of another series at the same size and place.
static bool is_value_beside(const struct case_search *search, const struct claim *other)
{
    for (guint i = 0; i < other->checks->len; i++) {
        const struct check *check = g_ptr_array_index(other->checks, i);
        const struct curve *curve = g_ptr_array_index(check->curves, 0);
        if (check->word == CHECK_VALUE && check->size == search->check->size &&
            curve->relation == CURVE_ALONE && curve->scenario == search->curve->scenario &&
            curve->sets == search->curve->sets && curve->metric == search->curve->metric)
            return true;
    }
    return false;
}

// The claim that a value was fitted to ("fitted: ID, ID"), if that is one about a value of the
// same scenario, metric and size as the search's; NULL else.
static const struct claim *fitted_beside(const struct case_search *search, const char *source)
{
    static const char before[] = "fitted: ";
    if (!source || !g_str_has_prefix(source, before) || search->check->word != CHECK_VALUE ||
        search->curve->relation != CURVE_ALONE)
        return NULL;
    char **ids = g_strsplit(source + strlen(before), ", ", -1);
    const struct claim *found = NULL;
    for (char **id = ids; *id && !found; id++) {
        const struct claim *other = claims_find(search->list, *id);
        if (other && same_thesis(search->claim->id, other->id) && is_value_beside(search, other))
            found = other;
    }
    g_strfreev(ids);
    return found;
}

// "host.memory" and "copy_traffic"; the value's group of a case is no part of its name.
static char *path_below(const char *path, const char *key)
{
    static const char *const groups[] = {
        "parameters",     "topology", "link_parameters", "switch_parameters", "host_parameters",
        "bus_parameters", NULL};
    if (g_strv_contains(groups, key))
        return g_strdup(g_str_has_prefix(key, "link_")     ? "link"
                        : g_str_has_prefix(key, "switch_") ? "switch"
                        : g_str_has_prefix(key, "host_")   ? "host"
                        : g_str_has_prefix(key, "bus_")    ? "buses"
                                                           : path);
    return *path ? g_strconcat(path, ".", key, NULL) : g_strdup(key);
}

static void search_map(json_t *map, const char *path, struct case_search *search)
{
    const char *key;
    json_t *value;
    if (!g_ptr_array_find_with_equal_func(search->chosen, path, g_str_equal, NULL) &&
        chosen_in_view(search, json_object_get(map, "chosen_for")))
        g_ptr_array_add(search->chosen, g_strdup(path));
    if (!search->fitted)
        search->fitted = fitted_beside(search, json_string_value(json_object_get(map, "source")));
    json_object_foreach(map, key, value)
    {
        char *below = path_below(path, key);
        search_value(value, below, search);
        g_free(below);
    }
}

// In a resolved case, wherever a value has a source or a `chosen_for`.
static void search_value(const json_t *value, const char *path, struct case_search *search)
{
    size_t i;
    json_t *one;
    if (json_is_object(value))
        search_map((json_t *)value, path, search);
    json_array_foreach(value, i, one)
    {
        search_value(one, path, search);
    }
}

static void search_curves(const GPtrArray *curves, struct case_search *search)
{
    for (guint i = 0; i < curves->len; i++)
        for (search->curve = g_ptr_array_index(curves, i); search->curve;
             search->curve = search->curve->other) {
            char *why = NULL;
            json_t *resolved = runs_read_case(search->runs, search->curve, &why);
            search_value(resolved, "", search);
            json_decref(resolved);
            g_free(why);
        }
}

// Searches the cases of all curves of a claim that is held against results.
static void search_claim(struct case_search *search)
{
    for (guint i = 0; i < search->claim->checks->len; i++)
        for (search->check = g_ptr_array_index(search->claim->checks, i); search->check;
             search->check = search->check->next) {
            search_curves(search->check->curves, search);
            search_curves(search->check->others, search);
        }
}

// ---- The standing ----

static enum standing standing_of_check(const struct check *check)
{
    switch (check->word) {
    case CHECK_PARAMETER:
        return STANDING_SETTING;
    case CHECK_FIGURE:
        return STANDING_DRAWN;
    case CHECK_TRANSITIONS: // a mechanism was built so
        return STANDING_TEST;
    default:
        return STANDING_PREDICTED;
    }
}

// Of a claim that is held against results: whether these were fitted or chosen.
static enum standing standing_of_results(const struct claim *claim,
                                         const struct standing_context *context, char **by)
{
    const char *file = fits_claim(context->fits, claim, context->runs);
    struct case_search search = {.claim = claim,
                                 .list = context->list,
                                 .runs = context->runs,
                                 .chosen = g_ptr_array_new_with_free_func(g_free)};
    if (!file)
        search_claim(&search);
    if (!file && search.fitted)
        file = fits_claim(context->fits, search.fitted, context->runs);
    enum standing standing = file                     ? STANDING_FITTED
                             : search.chosen->len > 0 ? STANDING_CHOSEN
                                                      : STANDING_PREDICTED;
    g_ptr_array_add(search.chosen, NULL);
    if (file)
        *by = g_strdup(file);
    else if (standing == STANDING_CHOSEN)
        *by = g_strjoinv(", ", (char **)search.chosen->pdata);
    g_ptr_array_unref(search.chosen);
    return standing;
}

enum standing standing_of(const struct claim *claim, const struct standing_context *context,
                          char **by)
{
    enum standing standing = STANDING_NONE;
    *by = NULL;
    if (claim_is_behaviour(claim))
        return claim->outside ? STANDING_NONE : STANDING_TEST;
    if (claim_is_agreement(claim))
        return claim->checks->len > 0 ? STANDING_COMPARED : STANDING_NONE;
    if (claim_is_guess(claim))
        return STANDING_GUESS;
    if (claim_is_arithmetic(claim))
        return claim->checks->len > 0 ? STANDING_ARITHMETIC : STANDING_NONE;
    bool sequence = false;
    for (guint i = 0; i < claim->checks->len; i++) {
        const struct check *check = g_ptr_array_index(claim->checks, i);
        standing = MAX(standing, standing_of_check(check));
        sequence |= check->word == CHECK_TRANSITIONS;
    }
    if (standing != STANDING_NONE && strcmp(claim->kind, "config") == 0)
        return STANDING_SETTING;
    if (sequence)
        return STANDING_TEST;
    if (standing != STANDING_PREDICTED)
        return standing;
    return standing_of_results(claim, context, by);
}
