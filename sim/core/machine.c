// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/machine.h"

#include <glib.h>

#ifdef NETSIM_STEPS
#include <stdio.h>

// Appends a step to the file that NETSIM_STEPS names, at most once per process, so that the tests
// can be held against the tables. The one thing here that outlives a run.
static void note_step(const struct machine_kind *kind, unsigned from, unsigned to)
{
    static GHashTable *seen; // machine_kind -> uint64_t[MACHINE_STATES]
    const char *path = g_getenv("NETSIM_STEPS");
    if (!path)
        return;
    if (!seen)
        seen = g_hash_table_new(NULL, NULL);
    uint64_t *steps = g_hash_table_lookup(seen, kind);
    if (!steps) {
        steps = g_new0(uint64_t, MACHINE_STATES);
        g_hash_table_insert(seen, (gpointer)kind, steps);
    }
    if (steps[from] & MACHINE_TO(to))
        return;
    steps[from] |= MACHINE_TO(to);
    FILE *file = fopen(path, "a");
    if (!file)
        return;
    const char *start = kind->states[from].name;
    fprintf(file, "%s\t%s\t%s\n", kind->title, start ? start : "-", kind->states[to].name);
    fclose(file);
}
#else
#define note_step(kind, from, to) ((void)0)
#endif

void machine_enter(const struct machine_kind *kind, struct machine *machine, unsigned state,
                   struct machine_owner owner, const char *event, struct trace *trace,
                   trace_lane lane, sim_time when)
{
    const char *from = machine_state_name(kind, machine);
    if (state >= kind->count || !machine_may(kind, machine->state, state))
        g_error("%s %" G_GINT64_FORMAT " of %s: no step leads from %s to %s (%s)", kind->title,
                owner.subject, owner.where, from ? from : "the start",
                state < kind->count ? kind->states[state].name : "a state that it lacks",
                event ? event : "no event");
    note_step(kind, machine->state, state);
    machine->state = (uint8_t)state;
    trace_transition(trace, lane, when,
                     &(struct trace_transition){
                         .where = owner.where,
                         .machine = owner.machine ? owner.machine : kind->name,
                         .subject = owner.subject,
                         .from = from,
                         .to = kind->states[state].name,
                         .detail = event,
                         .state = &kind->states[state],
                     });
}
