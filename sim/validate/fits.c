// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/fits.h"

#include "sim/config/quantity.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <string.h>

// Values that a target fixes: those of a curve at a size. The curve is the claim's own, as the
// target names no scenario.
struct fixed {
    const char *scenario, *sets, *metric, *series, *under; // interned; under: NULL, or a quotient
    int64_t size;
    const char *file;
};

struct fits {
    GHashTable *claims; // const char *, interned -> const char *, the file's name
    GArray *fixed;      // struct fixed
};

struct fits *fits_new(void)
{
    struct fits *fits = g_new0(struct fits, 1);
    fits->claims = g_hash_table_new(g_str_hash, g_str_equal);
    fits->fixed = g_array_new(FALSE, FALSE, sizeof(struct fixed));
    return fits;
}

void fits_free(struct fits *fits)
{
    if (!fits)
        return;
    g_hash_table_destroy(fits->claims);
    g_array_unref(fits->fixed);
    g_free(fits);
}

// ---- Reading ----

// A target of one file, and the claim that it names.
struct aim {
    struct fits *fits;
    const struct claim *claim;
    const char *metric, *file;
};

static void fix_curve(const struct aim *aim, const struct curve *curve, const char *series,
                      const char *under, int64_t size)
{
    const struct curve *other = under ? curve->other : NULL;
    if (strcmp(curve->series, series) != 0 || curve->metric != aim->metric ||
        (under && (!other || curve->relation != CURVE_OVER || strcmp(other->series, under) != 0)))
        return;
    struct fixed fixed = {curve->scenario,
                          curve->sets,
                          curve->metric,
                          curve->series,
                          other ? other->series : NULL,
                          size,
                          aim->file};
    g_array_append_val(aim->fits->fixed, fixed);
}

// Fixes the value wherever the claim's checks use the series, or the quotient of both.
static void fix(const struct aim *aim, const char *series, const char *under, int64_t size)
{
    for (guint i = 0; i < aim->claim->checks->len; i++) {
        const struct check *check = g_ptr_array_index(aim->claim->checks, i);
        for (guint k = 0; k < check->curves->len; k++)
            for (const struct curve *curve = g_ptr_array_index(check->curves, k); curve;
                 curve = under ? NULL : curve->other)
                fix_curve(aim, curve, series, under, size);
        for (guint k = 0; !under && k < check->others->len; k++)
            for (const struct curve *curve = g_ptr_array_index(check->others, k); curve;
                 curve = curve->other)
                fix_curve(aim, curve, series, NULL, size);
    }
}

// A size as targets have it, "16 B" or, if something else is counted, "16"; -1 if it is none.
static int64_t size_of(const struct node *node)
{
    static const enum quantity_kind kinds[] = {QUANTITY_COUNT, QUANTITY_SIZE};
    for (size_t i = 0; node && node->text && i < G_N_ELEMENTS(kinds); i++) {
        struct quantity size;
        char *error = NULL, *hint = NULL;
        bool good = quantity_parse(node->text, kinds[i], &size, &error, &hint);
        g_free(error);
        g_free(hint);
        if (good)
            return size.integer;
    }
    return -1;
}

// Notes the values that a point or a gain fixes; an order and a crossover fix none.
static void fix_values(const struct aim *aim, const struct node *target)
{
    const struct node *series = node_get(target, "series"), *gain = node_get(target, "gain");
    const struct node *sizes = node_get(target, "sizes");
    if (series && series->text)
        fix(aim, series->text, NULL, size_of(node_get(target, "size")));
    if (!gain || gain->kind != NODE_LIST || gain->children->len != 2)
        return;
    const struct node *over = g_ptr_array_index(gain->children, 0);
    const struct node *under = g_ptr_array_index(gain->children, 1);
    if (!over->text || !under->text)
        return;
    for (guint i = 0; sizes && sizes->kind == NODE_LIST && i < sizes->children->len; i++)
        fix(aim, over->text, under->text, size_of(g_ptr_array_index(sizes->children, i)));
}

static void read_target(struct fits *fits, const struct node *target, const char *file,
                        const struct claim_list *list, struct diag_list *diags)
{
    const struct node *id = target->kind == NODE_MAP ? node_get(target, "claim") : NULL;
    const char *text = id ? reader_text(id, "targets", "the id of a claim", diags) : NULL;
    if (!text)
        return;
    const struct claim *claim = claims_find(list, text);
    if (!claim) {
        diag_add(diags, id->mark, "targets", NULL, "there is no claim %s", text);
        return;
    }
    const struct node *metric = node_get(target, "metric");
    struct aim aim = {fits, claim, intern_text(metric ? metric->text : "latency_us"), file};
    g_hash_table_insert(fits->claims, (gpointer)claim->id, (gpointer)file);
    fix_values(&aim, target);
}

static const char *name_of(const char *file)
{
    char *base = g_path_get_basename(file);
    if (g_str_has_suffix(base, ".yaml"))
        base[strlen(base) - strlen(".yaml")] = '\0';
    const char *name = intern_text(base);
    g_free(base);
    return name;
}

bool fits_read(struct fits *fits, const struct node *tree, const struct claim_list *list,
               struct diag_list *diags)
{
    guint before = diags->found;
    const struct node *targets = tree->kind == NODE_MAP ? node_get(tree, "targets") : NULL;
    if (!targets || targets->kind != NODE_LIST) {
        diag_add(diags, tree->mark, "targets", NULL, "a list of targets is expected here");
        return false;
    }
    for (guint i = 0; i < targets->children->len; i++)
        read_target(fits, g_ptr_array_index(targets->children, i), name_of(tree->mark.file), list,
                    diags);
    return diags->found == before;
}

struct fits *fits_load(const char *data_dir, const struct claim_list *list, struct diag_list *diags)
{
    char *directory = g_build_filename(data_dir, "references", "calibration", NULL);
    GPtrArray *files = claims_yaml_files(directory);
    struct fits *fits = fits_new();
    bool good = true;
    for (guint i = 0; i < files->len; i++) {
        struct node *tree = node_load(g_ptr_array_index(files, i), diags);
        good &= tree && fits_read(fits, tree, list, diags);
        node_free(tree);
    }
    g_ptr_array_unref(files);
    g_free(directory);
    if (good)
        return fits;
    fits_free(fits);
    return NULL;
}

// ---- Asking ----

static bool is_fixed_curve(const struct fixed *fixed, const struct curve *curve, const char *under)
{
    return fixed->scenario == curve->scenario && fixed->sets == curve->sets &&
           fixed->metric == curve->metric && fixed->series == curve->series &&
           fixed->under == under;
}

// The file that fixes a curve at a size, or at one below it and at one above it.
static const char *fixed_at(const struct fits *fits, const struct curve *curve, const char *under,
                            int64_t size)
{
    const char *below = NULL, *above = NULL;
    for (guint i = 0; i < fits->fixed->len; i++) {
        const struct fixed *fixed = &g_array_index(fits->fixed, struct fixed, i);
        if (!is_fixed_curve(fixed, curve, under))
            continue;
        if (fixed->size <= size)
            below = fixed->file;
        if (fixed->size >= size)
            above = fixed->file;
    }
    return above ? below : NULL;
}

// The file that fixes a curve's value at a size: the quotient, or each by itself.
static const char *fixes_point(const struct fits *fits, const struct curve *curve, int64_t size)
{
    const char *file =
        curve->relation == CURVE_OVER ? fixed_at(fits, curve, curve->other->series, size) : NULL;
    if (file)
        return file;
    file = fixed_at(fits, curve, NULL, size);
    if (!file || curve->relation == CURVE_ALONE)
        return file;
    return fixed_at(fits, curve->other, NULL, size);
}

// ... at all sizes that a check uses.
static const char *fixes_curve(const struct fits *fits, const struct check *check,
                               const struct curve *curve, const struct runs *runs)
{
    bool failed;
    char *why = NULL;
    GArray *points = runs_points(runs, curve, &failed, &why);
    g_free(why);
    const char *file = NULL;
    bool all = true;
    for (guint i = 0; points && all && i < points->len; i++) {
        int64_t size = g_array_index(points, struct curve_point, i).size;
        if (check->size >= 0 ? size != check->size : !check_wants(check, size))
            continue;
        file = fixes_point(fits, curve, size);
        all = file != NULL;
    }
    if (points)
        g_array_unref(points);
    return all ? file : NULL;
}

static const char *fixes_check(const struct fits *fits, const struct check *check,
                               const struct runs *runs)
{
    if (check->word == CHECK_PARAMETER || check->word == CHECK_ENDS_WITH ||
        check->word == CHECK_CONTAINS_EVENT)
        return NULL;
    const char *file = NULL;
    const GPtrArray *const curves[] = {check->curves, check->others};
    for (size_t i = 0; i < G_N_ELEMENTS(curves); i++)
        for (guint k = 0; k < curves[i]->len; k++) {
            file = fixes_curve(fits, check, g_ptr_array_index(curves[i], k), runs);
            if (!file)
                return NULL;
        }
    return file;
}

const char *fits_claim(const struct fits *fits, const struct claim *claim, const struct runs *runs)
{
    const char *file = g_hash_table_lookup(fits->claims, claim->id);
    if (file)
        return file;
    for (guint i = 0; i < claim->checks->len; i++) {
        file = fixes_check(fits, g_ptr_array_index(claim->checks, i), runs);
        if (!file)
            return NULL;
    }
    return file;
}
