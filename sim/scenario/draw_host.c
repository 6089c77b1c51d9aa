// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/draw_host.h"

#include "sim/config/prior.h"
#include "sim/config/reader.h"
#include "sim/scenario/draw_quantile.h"
#include "sim/scenario/host_settings.h"

#include <string.h>

bool draw_host_has_own(const struct param_values *values, const struct prior *prior)
{
    return prior->uniform && g_str_has_prefix(values->path, HOST_SETTINGS_KEY ".");
}

// A host's own parameter of a section.
typedef void host_own_fn(const struct prior *prior, const char *path, const char *input,
                         void *owner);

static void each_host_own(const struct param_values *values, const char *path, const char *host,
                          host_own_fn *each, void *owner)
{
    for (int index = 0; values->table->params[index].name; index++) {
        struct prior prior;
        if (!values->priors[index] || !prior_of(values, index, &prior))
            continue;
        if (prior.uniform) {
            char *full = reader_path(path, prior.param->name);
            char *input = g_strdup_printf("%s of %s", full, host);
            each(&prior, full, input, owner);
            g_free(input);
            g_free(full);
        }
        prior_clear(&prior);
    }
}

// ---- A draw ----

int64_t draw_of_host(const struct scenario_case *test_case, int host)
{
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (strcmp(values->path, DRAW_HOST_SECTION) != 0)
            continue;
        if (host >= 0)
            values = scenario_host_section(test_case, host, DRAW_HOST_SECTION);
        const struct param *param =
            &values->table->params[param_index(values->table, DRAW_HOST_KEY)];
        return *(const int64_t *)(const void *)((const char *)values->values + param->offset);
    }
    return 0;
}

struct host_list {
    int64_t draw;
    json_t *values;
};

static void list_host_value(const struct prior *prior, const char *path, const char *input,
                            void *owner)
{
    const struct host_list *list = owner;
    char *value = prior_quantile(prior, draw_quantile(list->draw, input));
    json_object_set_new(list->values, path, json_string(value));
    g_free(value);
}

json_t *draw_hosts_json(const struct scenario_case *test_case)
{
    json_t *json = NULL;
    const GArray *hosts = test_case->topology.hosts;
    for (guint i = 0; i < hosts->len; i++) {
        const char *name = g_array_index(hosts, struct topology_node, i).name;
        struct host_list list = {draw_of_host(test_case, (int)i), NULL};
        if (list.draw == 0)
            continue;
        list.values = json_object();
        for (guint k = 0; k < test_case->sections->len; k++) {
            const char *path =
                ((const struct param_values *)g_ptr_array_index(test_case->sections, k))->path;
            if (g_str_has_prefix(path, HOST_SETTINGS_KEY "."))
                each_host_own(scenario_host_section(test_case, (int)i, path), path, name,
                              list_host_value, &list);
        }
        json = json ? json : json_object();
        json_object_set_new(json, name, list.values);
    }
    return json;
}

struct host_draw {
    int64_t number;
    char *copy;
};

static void put_host_value(const struct prior *prior, const char *path, const char *input,
                           void *owner)
{
    (void)path;
    const struct host_draw *draw = owner;
    prior_put(prior, draw_quantile(draw->number, input), draw->copy + prior->param->offset);
}

void draw_host_values(const struct param_values *values, const char *path, int64_t draw,
                      const char *host, void *copy)
{
    struct host_draw own = {draw, copy};
    each_host_own(values, path, host, put_host_value, &own);
}
