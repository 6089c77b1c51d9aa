// SPDX-License-Identifier: GPL-3.0-or-later
// Access to a case that has been read: the values of its sections, and errors at their origins.
#include "sim/scenario/case.h"

#include "sim/scenario/placement.h"

#include <string.h>

const char *const fidelity_names[] = {"packet", "flow", NULL};
const char *const flow_player_names[] = {"device", "simgrid", NULL};

// ---- Sections ----

// Whether the case's stack uses a card of that NIC model.
static bool case_has_card(const struct scenario_case *test_case, const char *nic)
{
    const struct topology *topology = &test_case->topology;
    if (g_strcmp0(nic, test_case->nic) == 0)
        return true;
    for (guint i = 0; topology->cards->len > 0 && i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        for (int end = 0; end < topology_link_ends(link); end++) {
            const struct topology_card *card = topology_link_card(topology, link, end);
            if (card && !link->idle[end] && strcmp(card->nic, nic) == 0)
                return true;
        }
    }
    return false;
}

bool scenario_case_reads(const struct scenario_case *test_case,
                         const struct scenario_schema *schema, const char *path)
{
    const char *card = scenario_section_card(schema, path);
    if (card && !case_has_card(test_case, card))
        return false;
    return scenario_section_is_of(schema, path, test_case->stack) &&
           !scenario_case_leaves_out(test_case, path);
}

static struct param_values *section_at(const struct scenario_case *test_case, const char *path)
{
    for (guint i = 0; i < test_case->sections->len; i++) {
        struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (strcmp(values->path, path) == 0)
            return values;
    }
    g_error("no section \"%s\" in the schema", path);
}

const struct section_choice *scenario_case_leaves_out(const struct scenario_case *test_case,
                                                      const char *path)
{
    for (const struct section_choice *choice = test_case->stack->choices; choice && choice->section;
         choice++) {
        if (strcmp(choice->section, path) != 0)
            continue;
        const struct param_values *values = section_at(test_case, choice->of);
        int index = param_index(values->table, choice->key);
        char *chosen = param_value_text(values, &values->table->params[index]);
        bool other = strcmp(chosen, choice->value) != 0;
        g_free(chosen);
        if (other)
            return choice;
    }
    return NULL;
}

const struct param_values *scenario_section(const struct scenario_case *test_case, const char *path)
{
    return section_at(test_case, path);
}

const void *scenario_section_values(const struct scenario_case *test_case, const char *path)
{
    return section_at(test_case, path)->values;
}

const struct param_values *scenario_host_section(const struct scenario_case *test_case, int host,
                                                 const char *path)
{
    const struct param_values *common = section_at(test_case, path);
    const GPtrArray *own =
        g_array_index(test_case->topology.hosts, struct topology_node, (guint)host).own;
    for (guint i = 0; own && i < own->len; i++) {
        const struct param_values *values = g_ptr_array_index(own, i);
        if (values->table == common->table)
            return values;
    }
    return common;
}

const void *scenario_host_values(const struct scenario_case *test_case, int host, const char *path)
{
    return scenario_host_section(test_case, host, path)->values;
}

void scenario_complain(const struct scenario_case *test_case, struct diag_list *diags,
                       const char *path, const char *name, const char *hint, const char *format,
                       ...)
{
    struct param_values *values = section_at(test_case, path);
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    values->diags = diags;
    param_complain(values, name, hint, "%s", message);
    values->diags = NULL;
    g_free(message);
}

// A parameter of those that an error concerns.
struct conflicting {
    struct param_values *values;
    const char *name; // in its section
    struct source_mark origin;
    int nearness; // to the user: 3: the command line, 2: the scenario, 1: another file, 0: a
                  // default
};

static struct conflicting conflicting_of(const struct scenario_case *test_case, const char *full)
{
    const char *dot = strrchr(full, '.');
    char *path = g_strndup(full, (gsize)(dot - full));
    struct conflicting one = {.values = section_at(test_case, path), .name = dot + 1};
    g_free(path);
    one.origin = one.values->origins[param_index(one.values->table, one.name)];
    if (param_is_default(one.values, one.name))
        return one;
    bool own = test_case->tree && g_strcmp0(one.origin.file, test_case->tree->mark.file) == 0;
    one.nearness = one.origin.line == 0 ? 3 : own ? 2 : 1;
    return one;
}

void scenario_conflict(const struct scenario_case *test_case, struct diag_list *diags,
                       const char *const *names, const char *hint, const char *format, ...)
{
    struct conflicting nearest = conflicting_of(test_case, names[0]);
    va_list arguments;
    va_start(arguments, format);
    GString *message = g_string_new(NULL);
    g_string_append_vprintf(message, format, arguments);
    va_end(arguments);
    for (int i = 1; names[i]; i++) {
        struct conflicting next = conflicting_of(test_case, names[i]);
        if (next.nearness > nearest.nearness)
            nearest = next;
    }
    for (int i = 0; names[i]; i++) {
        const struct conflicting other = conflicting_of(test_case, names[i]);
        bool nearer = other.values == nearest.values && strcmp(other.name, nearest.name) == 0;
        if (!nearer && other.nearness > 0 && other.origin.line > 0)
            g_string_append_printf(message, "; %s is set at %s:%d:%d", names[i], other.origin.file,
                                   other.origin.line, other.origin.column);
    }
    nearest.values->diags = diags;
    param_complain(nearest.values, nearest.name, hint, "%s", message->str);
    nearest.values->diags = NULL;
    g_string_free(message, TRUE);
}

bool case_ranks_are_fewest(const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    const struct node *map = node_get(test_case->tree, "workload");
    return workload->benchmark && workload->benchmark->most_ranks == 0 && map &&
           !node_get(map, "ranks") && !node_get(map, PLACEMENT_KEY) &&
           workload->ranks < (int)test_case->topology.hosts->len;
}
