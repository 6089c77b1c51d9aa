// SPDX-License-Identifier: GPL-3.0-or-later
// The judge of figures: a figure is there if a file in references/figures/ describes how to draw
// it, if the drawing has the curves that the claim names, and if there are values to draw them
// from. The figure's content is a matter of the other claims.
#include "sim/validate/judge_internal.h"

#include <string.h>

// ---- Finding it ----

// A figure of this id in a file's tree, or NULL.
static const struct node *figure_in(const struct node *tree, const char *id)
{
    const struct node *figures = tree->kind == NODE_MAP ? node_get(tree, "figures") : NULL;
    for (guint i = 0; figures && figures->kind == NODE_LIST && i < figures->children->len; i++) {
        const struct node *one = g_ptr_array_index(figures->children, i);
        const struct node *name = one->kind == NODE_MAP ? node_get(one, "id") : NULL;
        if (name && name->kind == NODE_SCALAR && g_strcmp0(name->text, id) == 0)
            return one;
    }
    return NULL;
}

// The tree of the file that has the figure, and the figure in it; NULL if no file has it. Free with
// node_free.
static struct node *load_figure(const char *data_dir, const char *id, const struct node **figure)
{
    char *path = g_build_filename(data_dir, "references", "figures", NULL);
    GDir *directory = g_dir_open(path, 0, NULL);
    struct node *tree = NULL;
    const char *name;
    *figure = NULL;
    while (!*figure && directory && (name = g_dir_read_name(directory))) {
        if (!g_str_has_suffix(name, ".yaml"))
            continue;
        char *file = g_build_filename(path, name, NULL);
        struct diag_list *diags = diag_list_new();
        node_free(tree);
        tree = node_load(file, diags);
        *figure = tree ? figure_in(tree, id) : NULL;
        diag_list_free(diags);
        g_free(file);
    }
    if (directory)
        g_dir_close(directory);
    g_free(path);
    return tree;
}

// ---- Its curves ----

static bool is_text(const struct node *node, const char *text)
{
    return node && node->kind == NODE_SCALAR && g_strcmp0(node->text, text) == 0;
}

// Whether the second curve of a figure's relation is the claim's: a name, or a map that names its
// series and maybe its scenario.
static bool same_other(const struct node *node, const struct curve *other, const char *scenario)
{
    if (node->kind != NODE_MAP)
        return is_text(node, other->series) && g_strcmp0(other->scenario, scenario) == 0;
    const struct node *own = node_get(node, "scenario");
    return is_text(node_get(node, "series"), other->series) &&
           (own ? is_text(own, other->scenario) : g_strcmp0(other->scenario, scenario) == 0);
}

// Whether an entry of a figure's `series` draws a curve; `scenario` is used if it names none.
static bool entry_draws(const struct node *entry, const struct curve *curve, const char *scenario)
{
    if (entry->kind != NODE_MAP)
        return is_text(entry, curve->series) && curve->relation == CURVE_ALONE &&
               g_strcmp0(curve->scenario, scenario) == 0;
    const struct node *own = node_get(entry, "scenario");
    const struct node *over = node_get(entry, "over"), *minus = node_get(entry, "minus");
    const char *from = own && own->kind == NODE_SCALAR ? own->text : scenario;
    if (!is_text(node_get(entry, "series"), curve->series) || g_strcmp0(curve->scenario, from) != 0)
        return false;
    switch (curve->relation) {
    case CURVE_ALONE:
        return !over && !minus;
    case CURVE_OVER:
        return over && same_other(over, curve->other, from);
    case CURVE_MINUS:
        return minus && same_other(minus, curve->other, from);
    }
    return false;
}

static const struct node *panel_or_figure(const struct node *panel, const struct node *figure,
                                          const char *key)
{
    const struct node *own = node_get(panel, key);
    return own ? own : node_get(figure, key);
}

static bool panel_draws(const struct node *panel, const struct node *figure,
                        const struct curve *curve)
{
    const struct node *y = node_get(panel, "y");
    const struct node *list = panel_or_figure(panel, figure, "series");
    const struct node *scenario = panel_or_figure(panel, figure, "scenario");
    const char *name = scenario && scenario->kind == NODE_SCALAR ? scenario->text : NULL;
    if (!y || y->kind != NODE_MAP || !is_text(node_get(y, "metric"), curve->metric) || !list ||
        list->kind != NODE_LIST)
        return false;
    for (guint i = 0; i < list->children->len; i++)
        if (entry_draws(g_ptr_array_index(list->children, i), curve, name))
            return true;
    return false;
}

static bool figure_draws(const struct node *figure, const struct curve *curve)
{
    const struct node *panels = node_get(figure, "panels");
    for (guint i = 0; panels && panels->kind == NODE_LIST && i < panels->children->len; i++) {
        const struct node *panel = g_ptr_array_index(panels->children, i);
        if (panel->kind == NODE_MAP && panel_draws(panel, figure, curve))
            return true;
    }
    return false;
}

// The curves of a check that a figure does not draw: "A, B"; NULL if it draws all.
static char *not_drawn(const struct check *check, const struct node *figure)
{
    GString *missing = g_string_new(NULL);
    for (guint i = 0; i < check->curves->len; i++) {
        const struct curve *curve = g_ptr_array_index(check->curves, i);
        if (figure_draws(figure, curve))
            continue;
        char *label = curve_label(curve);
        g_string_append_printf(missing, "%s%s", missing->len > 0 ? ", " : "", label);
        g_free(label);
    }
    bool any = missing->len > 0;
    char *text = g_string_free(missing, !any);
    return any ? text : NULL;
}

// ---- The judge ----

static void judge_data(struct judging *judging)
{
    const struct check *check = judging->check;
    guint values = 0;
    for (guint i = 0; i < check->curves->len; i++) {
        GArray *points = judging_points(judging, g_ptr_array_index(check->curves, i));
        if (!points)
            return;
        values += points->len;
        g_array_unref(points);
    }
    judging->result->simulated = g_strdup_printf("drawn: %u curve%s, %u values", check->curves->len,
                                                 check->curves->len == 1 ? "" : "s", values);
    judging_decide(judging, true);
}

void judge_figure(struct judging *judging)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *expected = g_string_new(NULL);
    g_string_append_printf(expected, "`netsim figures %s' draws %s", check->spec, label);
    judge_append_sizes(expected, check);
    judging->result->expected = g_string_free(expected, FALSE);
    g_free(label);

    const struct node *figure;
    struct node *tree = load_figure(judging->context->data_dir, check->spec, &figure);
    bool found = figure != NULL;
    char *missing = found ? not_drawn(check, figure) : NULL;
    node_free(tree);
    if (found && !missing) {
        judge_data(judging);
        return;
    }
    judging->result->simulated = missing ? g_strdup_printf("it does not draw %s", missing)
                                         : g_strdup("references/figures/ has no such figure");
    judging_decide(judging, false);
    g_free(missing);
}
