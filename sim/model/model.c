// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"

#include "sim/net/network.h"

#include <string.h>

const struct stack *registry_stack(const struct registry *registry, const char *name)
{
    for (const struct model *const *model = registry->models; *model; model++)
        for (const struct stack *const *stack = (*model)->stacks; stack && *stack; stack++)
            if (strcmp((*stack)->schema.name, name) == 0)
                return *stack;
    return NULL;
}

static void add_machine(GPtrArray *machines, const struct machine_kind *kind)
{
    if (kind && !g_ptr_array_find(machines, kind, NULL))
        g_ptr_array_add(machines, (gpointer)kind);
}

GPtrArray *registry_machines(const struct registry *registry)
{
    GPtrArray *machines = g_ptr_array_new();
    add_machine(machines, &network_slack_machine);
    for (const struct model *const *model = registry->models; *model; model++) {
        for (const struct machine_kind *const *kind = (*model)->machines; kind && *kind; kind++)
            add_machine(machines, *kind);
        for (const struct stack *const *stack = (*model)->stacks; stack && *stack; stack++) {
            add_machine(machines, (*stack)->device->startup_machine);
            add_machine(machines, (*stack)->device->machine);
        }
    }
    return machines;
}

const struct card *registry_card(const struct registry *registry, const char *name,
                                 const char *kind)
{
    for (const struct model *const *model = registry->models; *model; model++)
        for (const struct card *card = (*model)->cards; card && card->name; card++)
            if (g_strcmp0(card->name, name) == 0 && (!kind || strcmp(card->kind, kind) == 0))
                return card;
    return NULL;
}

static const struct benchmark *find_benchmark(const struct benchmark *list, const char *name)
{
    for (; list && list->schema.name; list++)
        if (strcmp(list->schema.name, name) == 0)
            return list;
    return NULL;
}

const struct benchmark *registry_benchmark(const struct registry *registry, const char *name)
{
    const struct benchmark *found = find_benchmark(mpi_benchmarks, name);
    for (const struct model *const *model = registry->models; !found && *model; model++)
        found = find_benchmark((*model)->benchmarks, name);
    return found;
}
