// SPDX-License-Identifier: GPL-3.0-or-later
// Used by every handler of the firmware: time spent, work put off while another handler waits,
// and traces.
#include "models/grim/ni/ni_internal.h"

const struct stage ni_scan_stage = {"scan", STAGE_NIC};
const struct stage ni_sequence_stage = {"sequence number", STAGE_NIC};

void ni_spend(struct cpu_context *context, const struct grim_ni *ni, struct cost cost,
              const struct stage *stage, struct message_ref message)
{
    cpu_spend_message(context, cpu_cost(lanai_cpu(ni->card), cost), stage, message);
}

bool ni_defers(struct grim_ni *ni, enum grim_handler handler, struct lanai_item *item)
{
    if (!ni->waiting)
        return false;
    if (item) {
        item->next = ni->deferred;
        ni->deferred = item;
    } else {
        ni->deferred_calls |= UINT32_C(1) << handler;
    }
    return true;
}

void ni_resume(struct grim_ni *ni)
{
    struct lanai_item *item = ni->deferred, *first = NULL;
    ni->waiting = false;
    ni->deferred = NULL;
    while (item) { // the list has the last one first
        struct lanai_item *next = item->next;
        item->next = first;
        first = item;
        item = next;
    }
    while (first) {
        struct lanai_item *next = first->next;
        lanai_arrive(ni->card, first);
        first = next;
    }
    for (int handler = 0; handler < GRIM_HANDLERS; handler++)
        if (ni->deferred_calls >> handler & 1)
            lanai_ready(ni->card, handler);
    ni->deferred_calls = 0;
    if (ni->arrived)
        lanai_ready(ni->card, GRIM_RECEIVED);
}

bool ni_traced(const struct grim_ni *ni)
{
    return ni->fabric->sim->trace != NULL;
}

void ni_trace(const struct grim_ni *ni, sim_time when, const char *where, const char *machine,
              int64_t subject, const char *from, const char *to, const char *detail)
{
    struct trace_transition transition = {where, machine, subject, from, to, detail};
    trace_transition(ni->fabric->sim->trace, cpu_lane(lanai_cpu(ni->card)), when, &transition);
}
