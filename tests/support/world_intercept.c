// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_intercept.h"

#include "sim/workload/model.h"

#include <string.h>

// ---- A stack that is nothing but cards ----

static const struct stack cards_stack = {
    .schema = {.name = "cards",
               .doc = "Intercept cards without software",
               .benchmarks = (const char *const[]){"program", NULL},
               .sections = (const char *const[]){"intercept", NULL},
               .cards = STACK_CARDS_ALL,
               .check = intercept_check_planes},
    .card = INTERCEPT_CARD,
};

static const struct model cards_model = {
    .name = "cards",
    .stacks = (const struct stack *const[]){&cards_stack, NULL},
};

extern const struct model intercept_nic_model;
static const struct registry registry = {
    (const struct model *const[]){&intercept_nic_model, &cards_model, NULL}};

// ---- The world ----

static void build(struct world *world)
{
    intercept_add_nics(world->cluster, world->test_case);
    for (int host = 0; host < world->cluster->host_count; host++) {
        struct host *of = world->cluster->hosts[host];
        struct icpt_process *process = world_process_new(world, host_process_core(of, 0));
        process->nic = intercept_nic(world->cluster, host);
        process->host = of;
    }
}

static const struct world_provider provider = {.process_bytes = sizeof(struct icpt_process),
                                               .build = build};

struct world *icpt_world_new(const char *text, const char *const *sets, struct trace *trace)
{
    return world_new_compiled(&provider, compiled_new_in(&registry, text, sets), trace);
}

bool icpt_refused(const char *text, const char *const *sets, const char *complaint)
{
    struct diag_list *diags = diag_list_new();
    struct compiled compiled = compiled_try_in(&registry, text, sets, diags);
    bool found = false;
    for (guint i = 0; i < diags->items->len && !compiled.scenario; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        char *said = g_strdup_printf("%s:%d:%d: %s", diag->mark.file, diag->mark.line,
                                     diag->mark.column, diag->message);
        found |= strstr(said, complaint) != NULL;
        if (!found)
            fprintf(stderr, "%s\n", said);
        g_free(said);
    }
    compiled_free(&compiled);
    diag_list_free(diags);
    return found;
}

struct icpt_process *icpt_process(const struct world *world, int host)
{
    return world_process(world, host);
}
