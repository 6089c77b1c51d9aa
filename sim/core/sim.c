// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/sim.h"

struct sim *sim_new(uint64_t seed, struct trace *trace)
{
    struct sim *sim = g_new0(struct sim, 1);
    sim->engine = engine_new();
    sim->ledger = ledger_new();
    sim->trace = trace;
    sim->seed = seed;
    sim->status = SIM_COMPLETED;
    sim->counters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return sim;
}

void sim_free(struct sim *sim)
{
    if (!sim)
        return;
    g_hash_table_unref(sim->counters);
    ledger_free(sim->ledger);
    engine_free(sim->engine);
    json_decref(sim->reason);
    g_free(sim);
}

int64_t *sim_loss_counter(struct sim *sim, const char *name, enum sim_loss loss)
{
    struct sim_counter *counter = g_hash_table_lookup(sim->counters, name);
    if (!counter) {
        counter = g_new0(struct sim_counter, 1);
        counter->loss = loss;
        g_hash_table_insert(sim->counters, g_strdup(name), counter);
    }
    return &counter->value;
}

void sim_count_loss(struct sim *sim, int64_t **counter, const char *name, enum sim_loss loss)
{
    if (!*counter)
        *counter = sim_loss_counter(sim, name, loss);
    ++**counter;
}

int64_t *sim_counter(struct sim *sim, const char *name)
{
    return sim_loss_counter(sim, name, LOSS_NONE);
}

void sim_measurement_begins(struct sim *sim)
{
    GHashTableIter at;
    gpointer counter;
    if (sim->measuring)
        return;
    sim->measuring = true;
    g_hash_table_iter_init(&at, sim->counters);
    while (g_hash_table_iter_next(&at, NULL, &counter)) {
        struct sim_counter *one = counter;
        one->before = one->value;
    }
}

struct sim_wait sim_longest_wait(const struct sim *sim, sim_time from, sim_time to)
{
    struct sim_wait longest = {NULL, from, from};
    for (unsigned i = 0; i < MIN(sim->wait_count, SIM_WAITS); i++) {
        const struct sim_wait *wait = &sim->waits[i];
        struct sim_wait part = {wait->what, MAX(wait->from, from), MIN(wait->to, to)};
        if (part.to - part.from > longest.to - longest.from)
            longest = part;
    }
    return longest;
}

void sim_fail(struct sim *sim, enum sim_status status, const char *kind, json_t *detail,
              const char *format, ...)
{
    engine_stop(sim->engine);
    if (sim->status != SIM_COMPLETED) {
        json_decref(detail);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    sim->status = status;
    sim->reason = json_pack("{s:s, s:s, s:f}", "kind", kind, "text", text, "time_us",
                            time_to_us(sim_now(sim)));
    if (detail)
        json_object_update(sim->reason, detail);
    json_decref(detail);
    g_free(text);
}

const char *sim_status_name(enum sim_status status)
{
    switch (status) {
    case SIM_COMPLETED:
        return "completed";
    case SIM_LOST:
        return "lost";
    case SIM_DEADLOCK:
        return "deadlock";
    case SIM_FAILED:
        return "failed";
    }
    return NULL;
}
