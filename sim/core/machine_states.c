// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/machine_states.h"

#include "sim/core/machine.h"

#include <string.h>

struct machine_states {
    struct trace trace;
    GHashTable *at; // struct machine_at *, which is its own key
    uint64_t steps;
};

// A machine, known by place, name and number, and its state.
struct machine_at {
    const char *where, *machine; // outlive the trace
    int64_t subject;
    const struct machine_state *state;
    sim_time since;
    uint64_t step; // number of its latest step among those of all machines
};

static guint machine_at_hash(gconstpointer key)
{
    const struct machine_at *at = key;
    return g_str_hash(at->where) * 31 + g_str_hash(at->machine) + g_int64_hash(&at->subject);
}

static gboolean machine_at_same(gconstpointer a, gconstpointer b)
{
    const struct machine_at *one = a, *other = b;
    return one->subject == other->subject && strcmp(one->where, other->where) == 0 &&
           strcmp(one->machine, other->machine) == 0;
}

static void machine_states_step(struct trace *trace, trace_lane lane, sim_time when,
                                const struct trace_transition *transition)
{
    struct machine_states *states = (struct machine_states *)trace;
    const struct machine_state *state = transition->state;
    struct machine_at at = {.where = transition->where,
                            .machine = transition->machine,
                            .subject = transition->subject,
                            .state = state,
                            .since = when,
                            .step = states->steps++};
    (void)lane;
    if (state && state->next)
        g_hash_table_replace(states->at, g_memdup2(&at, sizeof at), NULL);
    else if (state)
        g_hash_table_remove(states->at, &at);
}

static const struct trace_ops machine_states_ops = {.transition = machine_states_step};

struct machine_states *machine_states_new(void)
{
    struct machine_states *states = g_new0(struct machine_states, 1);
    states->trace.ops = &machine_states_ops;
    states->at = g_hash_table_new_full(machine_at_hash, machine_at_same, g_free, NULL);
    return states;
}

void machine_states_free(struct machine_states *states)
{
    if (!states)
        return;
    g_hash_table_unref(states->at);
    g_free(states);
}

struct trace *machine_states_trace(struct machine_states *states)
{
    return &states->trace;
}

static gint latest_first(gconstpointer a, gconstpointer b)
{
    const struct machine_at *one = *(void *const *)a, *other = *(void *const *)b;
    return (one->step < other->step) - (one->step > other->step);
}

json_t *machine_states_json(const struct machine_states *states, guint most, guint *total)
{
    gpointer *all = g_hash_table_get_keys_as_array(states->at, total);
    qsort(all, *total, sizeof *all, latest_first);
    json_t *list = json_array();
    for (guint i = 0; i < MIN(*total, most); i++) {
        const struct machine_at *at = all[i];
        json_t *one = json_pack("{s:s, s:s, s:I, s:s, s:f}", "where", at->where, "machine",
                                at->machine, "number", (json_int_t)at->subject, "state",
                                at->state->name, "since_us", time_to_us(at->since));
        if (at->state->wait.text)
            json_object_set_new(one, "waits_for", json_string(at->state->wait.text));
        json_array_append_new(list, one);
    }
    g_free(all);
    return list;
}
