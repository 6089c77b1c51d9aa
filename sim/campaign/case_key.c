// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/case_key.h"

#include <stdlib.h>
#include <string.h>

void case_reduce(struct scenario_case *test_case, const struct scenario_schema *schema)
{
    for (guint i = test_case->sections->len; i > 0; i--) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i - 1);
        if (!scenario_case_reads(test_case, schema, values->path))
            g_ptr_array_remove_index(test_case->sections, i - 1);
    }
}

// {"NAME": {"value": V, "origin": ..., "source": ...}} becomes {"NAME": V}.
static json_t *values_only(json_t *parameters)
{
    json_t *values = json_object(), *entry;
    const char *name;
    json_object_foreach(parameters, name, entry)
    {
        json_object_set(values, name, json_object_get(entry, "value"));
    }
    return values;
}

// Does so for every member of an object of such, or every item of a list of such.
static json_t *each_values_only(json_t *container)
{
    json_t *result = json_is_array(container) ? json_array() : json_object(), *one;
    const char *name;
    size_t i;
    json_array_foreach(container, i, one)
    {
        json_array_append_new(result, values_only(one));
    }
    json_object_foreach(container, name, one)
    {
        json_object_set_new(result, name, values_only(one));
    }
    return result;
}

static void strip(json_t *object, const char *name)
{
    json_t *container = json_object_get(object, name);
    if (container)
        json_object_set_new(object, name, each_values_only(container));
}

static char *canonical(json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    if (!text)
        g_error("a case could not be written as JSON");
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

char *case_definition(const struct scenario_case *test_case)
{
    json_t *json = scenario_case_json(test_case);
    json_t *topology = json_object_get(json, "topology");
    json_object_del(json, "name");
    json_object_del(json, "testbed");
    strip(json, "parameters");
    json_t *workload = json_object_get(json, "workload");
    json_t *own = json_object_get(workload, "parameters");
    if (own)
        json_object_set_new(workload, "parameters", values_only(own));
    strip(topology, "switch_parameters");
    strip(topology, "link_parameters");
    strip(topology, "bus_parameters");
    char *text = canonical(json);
    json_decref(json);
    return text;
}

char *case_key(const char *definition, uint64_t seed, const char *source_id)
{
    char *text = g_strdup_printf("%s\n%" G_GUINT64_FORMAT "\n%s\n", source_id, seed, definition);
    char *key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    g_free(text);
    return key;
}
