// SPDX-License-Identifier: GPL-3.0-or-later
// A model: the parameter sections, cards, stacks, benchmarks and operations of a folder of models/,
// as one symbol. models/registry.c lists the models; sim/ knows none of them by name.
#ifndef NETSIM_MODEL_MODEL_H
#define NETSIM_MODEL_MODEL_H

#include "sim/benchmark/benchmark.h"
#include "sim/core/machine.h"
#include "sim/model/stack.h"
#include "sim/scenario/rule.h"

// A network card. `nic:` selects it by name, and its parameter section has the same name. Stacks
// name the kind of card that they drive (struct stack, `card`).
struct card {
    const char *name, *kind;
    // Puts one at every station of the cluster. NULL: the stack that drives it does.
    void (*add)(struct cluster *cluster, const struct scenario_case *test_case);
    const struct card_rates *rates; // of the links at which it runs
    const char *bus;                // kind of bus that it plugs into (host.bus.kind)
    // Names of its parameters: the least time between two interrupts, and the time after which a
    // sent frame asks for one. NULL: it has none.
    const char *distance, *sent_delay;
};

struct model {
    const char *name;                               // of its folder
    const char *const *stands_on;                   // models that it includes, NULL-terminated
    const struct scenario_section *const *sections; // NULL-terminated; each ends with a NULL path
    const struct card *cards;                       // ends with a NULL name; NULL: none
    const struct stack *const *stacks;              // NULL-terminated; NULL: none
    const struct benchmark *benchmarks;             // ends with a NULL schema.name; NULL: none
    // Kinds of operations that only its stacks have; ends with a NULL name; NULL: none.
    const struct operation_kind *operations;
    const struct scenario_rule *rules; // ends with a NULL name; NULL: none
    // Besides those of its stacks' devices (mpi_device_ops). NULL-terminated; NULL: none.
    const struct machine_kind *const *machines;
};

struct registry {
    const struct model *const *models; // NULL-terminated
};

// Defined by models/registry.c.
extern const struct registry model_registry;

// Returns the benchmark of that name, of a model or of sim/, or NULL if there is none.
const struct benchmark *registry_benchmark(const struct registry *registry, const char *name);

// Returns the card of that name and kind (NULL: any kind), or NULL if there is none or `name` is
// NULL.
const struct card *registry_card(const struct registry *registry, const char *name,
                                 const char *kind);

// NULL if there is none.
const struct stack *registry_stack(const struct registry *registry, const char *name);

// All machines of the network, of the models and of their stacks' devices, each once (const struct
// machine_kind *). The caller frees the array.
GPtrArray *registry_machines(const struct registry *registry);

#endif
