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

// ---- What was chosen ----

// The parameters by which something was chosen, for a claim.
struct choice {
    const char *id;
    GPtrArray *found; // char *: "host.memory.copy_traffic"
};

static void find_choices(const json_t *value, const char *path, const struct choice *choice);

static bool names_claim(const json_t *ids, const char *id)
{
    size_t i;
    json_t *one;
    json_array_foreach(ids, i, one)
    {
        if (claim_matches(id, json_string_value(one)))
            return true;
    }
    return false;
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

static void find_in_map(json_t *map, const char *path, const struct choice *choice)
{
    const char *key;
    json_t *value;
    if (names_claim(json_object_get(map, "chosen_for"), choice->id) &&
        !g_ptr_array_find_with_equal_func(choice->found, path, g_str_equal, NULL))
        g_ptr_array_add(choice->found, g_strdup(path));
    json_object_foreach(map, key, value)
    {
        char *below = path_below(path, key);
        find_choices(value, below, choice);
        g_free(below);
    }
}

// In a resolved case, wherever a value has a `chosen_for`.
static void find_choices(const json_t *value, const char *path, const struct choice *choice)
{
    size_t i;
    json_t *one;
    if (json_is_object(value))
        find_in_map((json_t *)value, path, choice);
    json_array_foreach(value, i, one)
    {
        find_choices(one, path, choice);
    }
}

static void find_in_curves(const GPtrArray *curves, const struct runs *runs,
                           const struct choice *choice)
{
    for (guint i = 0; i < curves->len; i++)
        for (const struct curve *curve = g_ptr_array_index(curves, i); curve;
             curve = curve->other) {
            char *why = NULL;
            json_t *resolved = runs_case(runs, curve, &why);
            find_choices(resolved, "", choice);
            json_decref(resolved);
            g_free(why);
        }
}

// The parameters by which a claim was chosen, "a.b, c.d", or NULL.
static char *chosen_by(const struct claim *claim, const struct runs *runs)
{
    struct choice choice = {claim->id, g_ptr_array_new_with_free_func(g_free)};
    for (guint i = 0; i < claim->checks->len; i++) {
        const struct check *check = g_ptr_array_index(claim->checks, i);
        find_in_curves(check->curves, runs, &choice);
        find_in_curves(check->others, runs, &choice);
    }
    g_ptr_array_add(choice.found, NULL);
    char *by = choice.found->len > 1 ? g_strjoinv(", ", (char **)choice.found->pdata) : NULL;
    g_ptr_array_unref(choice.found);
    return by;
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

enum standing standing_of(const struct claim *claim, const struct fits *fits,
                          const struct runs *runs, char **by)
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
    const char *file = fits_claim(fits, claim, runs);
    if (file) {
        *by = g_strdup(file);
        return STANDING_FITTED;
    }
    *by = chosen_by(claim, runs);
    return *by ? STANDING_CHOSEN : STANDING_PREDICTED;
}
