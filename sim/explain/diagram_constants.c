// SPDX-License-Identifier: GPL-3.0-or-later
// Which constants a time depends on is found by changing them: no list of it could stay true.
#include "sim/core/intern.h"
#include "sim/explain/diagram.h"
#include "sim/run/schema.h"

#include <math.h>
#include <string.h>

#define CHANGE 1.01      // a time or cost is multiplied by it
#define RATE_CHANGE 2    // a rate too, or by this where bytes must take whole picoseconds
#define MOST_CONSTANTS 4 // of a time; with more it is an outcome rather than a cost

struct constant_search {
    struct diagram *diagram;
    const struct diagram_request *request;
    const struct explain_again *again;
    GHashTable *spans; // key -> struct diagram_span *
};

static const void *constant_field(const struct param_values *values, const struct param *param)
{
    return (const char *)values->values + param->offset;
}

static char *changed_rate(int64_t rate, double factor, const char *unit)
{
    return rate > 0 ? g_strdup_printf("%" G_GINT64_FORMAT " %s",
                                      (int64_t)llround((double)rate * factor), unit)
                    : NULL;
}

// The changed value as --set takes it; NULL: it is no time, cost or rate, or 0.
static char *changed_value(const struct param_values *values, const struct param *param,
                           double factor)
{
    const void *field = constant_field(values, param);
    const struct cost *cost = field;
    switch (param->kind) {
    case PARAM_DURATION:
        return changed_rate(*(const sim_time *)field, factor, "ps");
    case PARAM_COST:
        return cost->cycles
                   ? g_strdup_printf("%" G_GINT64_FORMAT " cycles",
                                     cost->cycles +
                                         MAX(1, (int64_t)((double)cost->cycles * (factor - 1))))
                   : changed_rate(cost->time, factor, "ps");
    case PARAM_BIT_RATE:
        return changed_rate(*(const int64_t *)field, factor, "b/s");
    case PARAM_BYTE_RATE:
        return changed_rate(*(const int64_t *)field, factor, "B/s");
    case PARAM_FREQUENCY:
        return changed_rate(*(const int64_t *)field, factor, "Hz");
    default:
        return NULL;
    }
}

static char *span_key(const struct diagram_span *span)
{
    return g_strdup_printf("%u %u %s", span->key[0], span->key[1], span->name);
}

static void add_constant(GPtrArray **constants, const char *name)
{
    if (!*constants)
        *constants = g_ptr_array_new();
    g_ptr_array_add(*constants, (gpointer)name);
}

// Waits come of what others do, and so does the time until a poll.
static bool has_constants(const struct diagram_span *span)
{
    return span->kind != DIAGRAM_CALL && span->class < STAGE_FOR_CREDIT &&
           span->class != STAGE_BEHIND &&
           !(span->kind == DIAGRAM_DELAY && span->class == STAGE_WAKE_UP);
}

static void compare_spans(struct constant_search *search, const struct diagram *changed,
                          const char *name)
{
    for (guint i = 0; i < changed->spans->len; i++) {
        const struct diagram_span *now = &g_array_index(changed->spans, struct diagram_span, i);
        char *key = span_key(now);
        struct diagram_span *span = g_hash_table_lookup(search->spans, key);
        g_free(key);
        if (span && has_constants(span) && span->to - span->from != now->to - now->from)
            add_constant(&span->constants, name);
    }
}

// Parts of the critical path that are no spans, while it is the same path.
static void compare_parts_of_path(struct constant_search *search, const struct diagram *changed,
                                  const char *name)
{
    GArray *path = search->diagram->path;
    for (guint i = 0; i < path->len && i < changed->path->len; i++) {
        struct diagram_part *part = &g_array_index(path, struct diagram_part, i);
        const struct diagram_part *now = &g_array_index(changed->path, struct diagram_part, i);
        if (strcmp(part->stage, now->stage) != 0)
            return;
        if (part->span < 0 && part->class < STAGE_FOR_CREDIT && part->class != STAGE_BEHIND &&
            part->to - part->from != now->to - now->from)
            add_constant(&part->constants, name);
    }
}

static void compare_hops(struct constant_search *search, const struct diagram *changed,
                         const char *name)
{
    GArray *arrows = search->diagram->arrows;
    for (guint i = 0; i < arrows->len && i < changed->arrows->len; i++) {
        struct diagram_arrow *arrow = &g_array_index(arrows, struct diagram_arrow, i);
        const struct diagram_arrow *now = &g_array_index(changed->arrows, struct diagram_arrow, i);
        if (strcmp(arrow->words.text, now->words.text) != 0 || arrow->bytes != now->bytes)
            return; // they are not the same packets any more
        for (guint k = 0; k < arrow->hops->len && k < now->hops->len; k++) {
            struct diagram_hop *hop = &g_array_index(arrow->hops, struct diagram_hop, k);
            const struct diagram_hop *then = &g_array_index(now->hops, struct diagram_hop, k);
            if (hop->to - hop->from != then->to - then->from ||
                hop->arrived - hop->to != then->arrived - then->to)
                add_constant(&hop->constants, name);
        }
    }
}

static const struct scenario_case *same_case(const struct scenario *scenario, const char *name)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (strcmp(one->name, name) == 0)
            return one;
    }
    return NULL;
}

// Runs with the setting. Returns false if it can't be applied.
static bool try_setting(struct constant_search *search, const char *name, const char *value)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    char *why = NULL;
    g_ptr_array_add(sets, g_strdup_printf("%s=%s", name, value));
    struct scenario *scenario = search->again->load(search->again->owner, sets, &why);
    g_ptr_array_unref(sets);
    g_free(why);
    if (!scenario)
        return false;
    struct explain_run run = *search->request->run;
    struct diagram_request request = {&run, search->diagram->message.number};
    run.test_case = same_case(scenario, run.test_case->name);
    struct diagram *changed = diagram_of(&request);
    if (!changed->why) {
        compare_spans(search, changed, intern_text(name));
        compare_hops(search, changed, intern_text(name));
        compare_parts_of_path(search, changed, intern_text(name));
    }
    diagram_free(changed);
    scenario_free(scenario);
    return true;
}

static void try_table(struct constant_search *search, const struct param_values *values,
                      const char *path)
{
    for (const struct param *param = values->table->params; param->name; param++) {
        char *value = changed_value(values, param, CHANGE);
        char *name = g_strdup_printf("%s.%s", path, param->name);
        bool rate = param->kind == PARAM_BIT_RATE;
        if (value && !try_setting(search, name, value) && rate) {
            g_free(value);
            value = changed_value(values, param, RATE_CHANGE);
            try_setting(search, name, value);
        }
        g_free(name);
        g_free(value);
    }
}

static void try_network(struct constant_search *search, const struct topology *topology)
{
    if (topology->links->len > 0) {
        const struct topology_link *link = g_ptr_array_index(topology->links, 0);
        try_table(search, link->values, "link");
    }
    if (topology->switches->len > 0) {
        const struct topology_switch *box = g_ptr_array_index(topology->switches, 0);
        try_table(search, box->values, "switch");
    }
}

static void drop_outcomes(GPtrArray **constants)
{
    if (*constants && (*constants)->len > MOST_CONSTANTS)
        g_clear_pointer(constants, g_ptr_array_unref);
}

void diagram_constants(struct diagram *diagram, const struct diagram_request *request,
                       const struct explain_again *again)
{
    const struct scenario_case *test_case = request->run->test_case;
    struct scenario_schema *schema = registry_schema(request->run->registry);
    struct constant_search search = {diagram, request, again,
                                     g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    for (guint i = 0; i < diagram->spans->len; i++) {
        struct diagram_span *span = &g_array_index(diagram->spans, struct diagram_span, i);
        g_hash_table_insert(search.spans, span_key(span), span);
    }
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (scenario_case_reads(test_case, schema, values->path))
            try_table(&search, values, values->path);
    }
    try_network(&search, &test_case->topology);
    for (guint i = 0; i < diagram->spans->len; i++)
        drop_outcomes(&g_array_index(diagram->spans, struct diagram_span, i).constants);
    for (guint i = 0; i < diagram->path->len; i++)
        drop_outcomes(&g_array_index(diagram->path, struct diagram_part, i).constants);
    g_hash_table_unref(search.spans);
    registry_schema_free(schema);
}
