// SPDX-License-Identifier: GPL-3.0-or-later
// A new scenario: the choice of its machine from the shipped testbeds (new_machine.c), and its text
// with comments from the models' tables (new_text.c).
#ifndef NETSIM_CLI_NEW_H
#define NETSIM_CLI_NEW_H

#include "sim/scenario/case.h"

#include <glib.h>
#include <stdbool.h>

// How the switches of a network are joined.
enum new_shape {
    NEW_SHAPE_AUTO, // by the number of switches and how they forward
    NEW_SHAPE_STAR, // one switch
    NEW_SHAPE_CHAIN,
    NEW_SHAPE_RING,
    NEW_SHAPE_TREE,   // a root over leaves
    NEW_SHAPE_CLOS,   // spines over leaves, each joined with each
    NEW_SHAPE_DIRECT, // no switch: two hosts back to back
};

// Their names, as --topology has them but for the last; NULL-terminated.
extern const char *const new_shape_names[];

struct new_request {
    const char *name; // of the scenario
    const char *file; // that it is written to
    const struct stack_schema *stack;
    const struct benchmark_schema *benchmark; // NULL: a free program
    const char *testbed, *nic;                // NULL: chosen
    int hosts, switches, ranks;               // 0 hosts or ranks, -1 switches: chosen
    enum new_shape shape;
};

// A shipped testbed.
struct new_testbed {
    char *name, *description;
    struct node *tree; // of the file
    struct topology topology;
};

// One network of the new machine: each host has a card in each.
struct new_rail {
    const char *card;                // of a host, if the testbed's hosts list their cards
    const struct param_values *link; // of the testbed's links of this network
    const struct param_values *box;  // of its switches; NULL: it has none
    char *prefix;                    // of the names of its switches
    int64_t ports;                   // that a switch is given; 0: as the testbed has it
};

struct new_machine {
    struct new_testbed *testbed;
    GArray *rails; // struct new_rail
    int hosts, switches;
    enum new_shape shape;
    bool as_testbed; // the testbed's own hosts, switches and links
};

// Chooses testbed, networks and shape for a request. Prints warnings; returns false after a printed
// error. The caller clears it with new_machine_clear in any case.
bool new_machine_choose(struct new_machine *machine, const struct new_request *request,
                        const struct scenario_schema *schema);
void new_machine_clear(struct new_machine *machine);

// The number of switches at the edge, to which hosts are joined, and of those above them.
int new_machine_leaves(const struct new_machine *machine);
int new_machine_spines(const struct new_machine *machine);

// The text of the scenario; the caller frees it.
char *new_text(const struct new_request *request, const struct new_machine *machine, int ranks,
               const struct scenario_schema *schema);

// A list of names in one line, for messages: "a, b, c". The caller frees it.
char *new_names_text(const char *const *names);

#endif
