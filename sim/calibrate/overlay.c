// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/overlay.h"

#include <string.h>

#define INDENT 2

// "fitted: CLAIM, CLAIM", or the targets themselves where they name no claim; of measured points
// their file.
static char *fitted_source(const struct evaluation *evaluation)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = g_ptr_array_index(evaluation->targets->targets, i);
        char *name = target->claim       ? g_strdup(target->claim)
                     : target->mark.line ? g_strdup(target->mark.file)
                                         : target_text(target);
        if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
            g_free(name);
        else
            g_ptr_array_add(names, name);
    }
    GString *text = g_string_new("fitted: ");
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "",
                               (const char *)g_ptr_array_index(names, i));
    g_ptr_array_unref(names);
    return g_string_free(text, FALSE);
}

void overlay_append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *c);
    }
    g_string_append_c(out, '"');
}

// A tree whose leaves are maps {value, source}, written as those of the testbeds are.
static void append_node(GString *out, const struct node *map, int indent)
{
    for (guint i = 0; i < map->children->len; i++) {
        const struct node *child = g_ptr_array_index(map->children, i);
        const struct node *value = node_get(child, "value");
        g_string_append_printf(out, "%*s%s:", indent, "", child->key);
        if (!value) {
            g_string_append_c(out, '\n');
            append_node(out, child, indent + INDENT);
            continue;
        }
        g_string_append_printf(out, " {value: %s, source: ", value->text);
        overlay_append_quoted(out, node_get(child, "source")->text);
        g_string_append(out, "}\n");
    }
}

static void add_child(struct node *map, const char *key, struct node *value)
{
    value->key = g_strdup(key);
    g_ptr_array_add(map->children, value);
}

// The map at a path, all but its last key; made if missing.
static struct node *map_for(struct node *root, char **keys)
{
    for (int i = 0; keys[i] && keys[i + 1]; i++) {
        struct node *next = node_get(root, keys[i]);
        if (!next)
            add_child(root, keys[i], next = node_new_map(root->mark));
        root = next;
    }
    return root;
}

static struct node *overlay_tree(const struct fit *fit, const struct evaluation *evaluation)
{
    struct source_mark nowhere = {0};
    struct node *root = node_new_map(nowhere);
    char *source = fitted_source(evaluation);
    for (guint i = 0; i < evaluation->parameters->len; i++) {
        const struct fit_parameter *parameter = g_ptr_array_index(evaluation->parameters, i);
        char **keys = g_strsplit(parameter->path, ".", -1);
        char *text = fit_parameter_text(parameter, fit->values[i]);
        struct node *leaf = node_new_map(nowhere);
        add_child(leaf, "value", node_new_scalar(nowhere, text));
        add_child(leaf, "source", node_new_scalar(nowhere, source));
        add_child(map_for(root, keys), keys[g_strv_length(keys) - 1], leaf);
        g_free(text);
        g_strfreev(keys);
    }
    g_free(source);
    return root;
}

char *overlay_text(const struct fit *fit, const struct evaluation *evaluation, const char *command)
{
    GString *out = g_string_new("# Fitted; made by the command below, which gives the same values "
                                "again. Do not edit.\n#\n");
    g_string_append_printf(out, "#     %s\n#\n", command);
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = g_ptr_array_index(evaluation->targets->targets, i);
        char *what = target_text(target);
        double simulated = target_simulated(target, fit->document);
        if (target_has_value(target))
            g_string_append_printf(out, "# %s: %.6g, simulated %.6g\n", what, target->value,
                                   simulated);
        else
            g_string_append_printf(out, "# %s: off by %.3g tolerances\n", what, simulated);
        g_free(what);
    }
    g_string_append(out, "schema: 1\n");
    struct node *tree = overlay_tree(fit, evaluation);
    append_node(out, tree, 0);
    node_free(tree);
    return g_string_free(out, FALSE);
}

// ---- Comparing ----

static const struct node *node_at(const struct node *root, const char *path)
{
    char **keys = g_strsplit(path, ".", -1);
    for (int i = 0; root && keys[i]; i++)
        root = root->kind == NODE_MAP ? node_get(root, keys[i]) : NULL;
    g_strfreev(keys);
    return root;
}

static void compare(GPtrArray *lines, const struct node *root,
                    const struct fit_parameter *parameter, double value)
{
    const struct node *node = node_at(root, parameter->path);
    if (node && node->kind == NODE_MAP)
        node = node_get(node, "value");
    const char *old = node && node->kind == NODE_SCALAR ? node->text : NULL;
    char *text = fit_parameter_text(parameter, value);
    if (!old)
        g_ptr_array_add(lines,
                        g_strdup_printf("%s: %s, and the file has none", parameter->path, text));
    else if (strcmp(old, text) != 0)
        g_ptr_array_add(lines,
                        g_strdup_printf("%s: %s, and the file has %s", parameter->path, text, old));
    g_free(text);
}

GPtrArray *overlay_differences(const char *file, const struct fit *fit,
                               const struct evaluation *evaluation, struct diag_list *diags)
{
    struct node *root = node_load(file, diags);
    if (!root)
        return NULL;
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < evaluation->parameters->len; i++)
        compare(lines, root, g_ptr_array_index(evaluation->parameters, i), fit->values[i]);
    node_free(root);
    return lines;
}
