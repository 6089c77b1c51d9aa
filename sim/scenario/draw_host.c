// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/draw_host.h"

#include "sim/config/prior.h"
#include "sim/config/reader.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/host_settings.h"

bool draw_host_has_own(const struct param_values *values, const struct prior *prior)
{
    return prior->uniform && g_str_has_prefix(values->path, HOST_SETTINGS_KEY ".");
}

// A host's own parameter of a section.
typedef void host_own_fn(const struct prior *prior, const char *input, void *owner);

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
            each(&prior, input, owner);
            g_free(input);
            g_free(full);
        }
        prior_clear(&prior);
    }
}

static void add_host_input(const struct prior *prior, const char *input, void *owner)
{
    (void)prior;
    g_ptr_array_add(owner, g_strdup(input));
}

void draw_host_inputs(const struct param_values *values, const char *path, const char *host,
                      GPtrArray *names)
{
    each_host_own(values, path, host, add_host_input, names);
}

struct host_draw {
    int64_t number;
    char *copy;
};

static void put_host_value(const struct prior *prior, const char *input, void *owner)
{
    const struct host_draw *draw = owner;
    prior_put(prior, draw_quantile(draw->number, input), draw->copy + prior->param->offset);
}

void draw_host_values(const struct param_values *values, const char *path, int64_t draw,
                      const char *host, void *copy)
{
    struct host_draw own = {draw, copy};
    each_host_own(values, path, host, put_host_value, &own);
}
