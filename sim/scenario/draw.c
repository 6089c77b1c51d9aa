// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/draw.h"

#include "sim/config/prior.h"
#include "sim/config/reader.h"
#include "sim/core/random.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define MOST_CAUSES 16 // from a parameter by `with` to the one that it is drawn with

// ---- Quantiles ----

// The place of a draw in a random order of its block.
static int place_in_block(struct random_stream *stream, int index)
{
    int order[DRAW_BLOCK];
    for (int i = 0; i < DRAW_BLOCK; i++)
        order[i] = i;
    for (int i = DRAW_BLOCK - 1; i > 0; i--) {
        int other = (int)random_below(stream, (uint64_t)i + 1), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
    return order[index];
}

double draw_quantile(int64_t draw, const char *path)
{
    uint64_t block = (uint64_t)(draw - 1) / DRAW_BLOCK;
    int index = (int)((draw - 1) % DRAW_BLOCK);
    char *own = g_strdup_printf("%s in draw %" G_GINT64_FORMAT, path, draw);
    struct random_stream *order = random_new(block + 1, path), *within = random_new(1, own);
    int place = place_in_block(order, index);
    double part = 1.0 - random_uniform(within); // above 0
    random_free(order);
    random_free(within);
    g_free(own);
    return (place + part * (1.0 - 1e-9)) / DRAW_BLOCK;
}

double draw_shared_quantile(int64_t draw, const char *path, const char *table)
{
    double own = gsl_cdf_ugaussian_Pinv(draw_quantile(draw, path));
    double shared = gsl_cdf_ugaussian_Pinv(draw_quantile(draw, table));
    return gsl_cdf_ugaussian_P(sqrt(1.0 - DRAW_SHARED) * own + sqrt(DRAW_SHARED) * shared);
}

// ---- Causes ----

struct drawing {
    int64_t draw;
    const struct scenario_case *base;
    GPtrArray *sections; // struct param_values *: of the case, of all links, of all switches
    struct node **tree;
    struct diag_list *diags;
};

// The section and index of the parameter at a path; NULL: there is none.
static const struct param_values *parameter_at(const struct drawing *drawing, const char *path,
                                               int *index)
{
    const char *dot = strrchr(path, '.');
    for (guint i = 0; dot && i < drawing->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(drawing->sections, i);
        if (strlen(values->path) != (size_t)(dot - path) ||
            strncmp(values->path, path, (size_t)(dot - path)) != 0)
            continue;
        *index = param_index(values->table, dot + 1);
        return *index >= 0 ? values : NULL;
    }
    return NULL;
}

// The path of the parameter that one is drawn with at last, often its own; NULL after a complaint.
static const char *cause_of(const struct drawing *drawing, const struct param_values *values,
                            int index, const char *path)
{
    struct source_mark mark = values->origins[index];
    for (int hops = 0; values->withs[index]; hops++) {
        const char *with = values->withs[index];
        if (hops == MOST_CAUSES) {
            diag_add(drawing->diags, mark, path, "let one of them stand alone",
                     "`with` leads from %s in a circle", with);
            return NULL;
        }
        values = parameter_at(drawing, with, &index);
        if (!values) {
            diag_add(drawing->diags, mark, path, NULL, "`with`: there is no parameter %s", with);
            return NULL;
        }
        path = with;
    }
    return path;
}

// ---- A draw ----

static bool lay_value(struct drawing *drawing, const char *path, const char *value,
                      const char *source)
{
    struct source_mark mark = {.file = "draw"};
    struct node *map = node_new_map(mark);
    char *text = g_strdup_printf("draw %" G_GINT64_FORMAT "%s%s", drawing->draw,
                                 source ? " of " : "", source ? source : "");
    struct node *from = node_new_scalar(mark, text);
    node_unset(*drawing->tree, path); // its source, range and the rest, too
    bool good = node_set(&map, "value", value, "draw", drawing->diags) &&
                node_put(&map, "source", from, drawing->diags) &&
                node_put(drawing->tree, path, map, drawing->diags);
    node_free(from);
    node_free(map);
    g_free(text);
    return good;
}

// The quantile of a parameter in the draw; 0 after a complaint.
static double quantile_of(const struct drawing *drawing, const struct param_values *values,
                          int index, const char *path, bool usual)
{
    const char *cause = cause_of(drawing, values, index, path);
    if (!cause)
        return 0.0;
    return usual && !values->withs[index] ? draw_shared_quantile(drawing->draw, path, values->path)
                                          : draw_quantile(drawing->draw, cause);
}

static bool draw_parameter(struct drawing *drawing, const struct param_values *values, int index)
{
    struct prior prior;
    if (!prior_of(values, index, &prior))
        return true;
    char *path = reader_path(values->path, prior.param->name);
    double u = quantile_of(drawing, values, index, path, prior.usual != NULL);
    char *value = u > 0.0 ? prior_quantile(&prior, u) : NULL;
    bool good = u > 0.0 && (!value || lay_value(drawing, path, value, values->sources[index]));
    prior_clear(&prior);
    g_free(value);
    g_free(path);
    return good;
}

static void add_shared(struct drawing *drawing, const struct param_table *table, const char *path)
{
    struct diag_list *ignored = diag_list_new();
    g_ptr_array_add(drawing->sections, param_read_part(table, node_get(*drawing->tree, path), path,
                                                       false, NULL, ignored));
    diag_list_free(ignored);
}

static void free_drawn_values(void *data)
{
    param_values_free(data);
}

bool draw_lay(int64_t draw, const struct scenario_case *test_case,
              const struct scenario_schema *schema, struct node **tree, struct diag_list *diags)
{
    struct drawing drawing = {draw, test_case, g_ptr_array_new_with_free_func(free_drawn_values),
                              tree, diags};
    for (guint i = 0; i < test_case->sections->len; i++) {
        struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (scenario_case_reads(test_case, schema, values->path))
            g_ptr_array_add(drawing.sections, param_values_ref(values));
    }
    add_shared(&drawing, schema->link_table, "link");
    add_shared(&drawing, schema->switch_table, "switch");
    bool good = true;
    for (guint i = 0; i < drawing.sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(drawing.sections, i);
        for (int index = 0; values->table->params[index].name; index++)
            good &= draw_parameter(&drawing, values, index);
    }
    g_ptr_array_unref(drawing.sections);
    return good;
}
