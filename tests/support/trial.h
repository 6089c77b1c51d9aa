// SPDX-License-Identifier: GPL-3.0-or-later
// Tries random programs (free_program.h) on a stack with random settings, and compares the results
// with those that MPI demands (mpi_reference.h), and with the program unfolded (flat_reference.h).
// Each program must end with balanced books, and a second run of it must be equal; with losses, the
// stack's own reports must be true.
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried of each stack (half as many under the sanitizers
// by default), NETSIM_RANDOM_FIRST the first seed (1), NETSIM_RANDOM_STACK the only stack that is
// tried. A program that goes wrong is printed with its seed, settings and text.
#ifndef NETSIM_TESTS_SUPPORT_TRIAL_H
#define NETSIM_TESTS_SUPPORT_TRIAL_H

#include "tests/support/free_program.h"
#include "tests/support/mpi_reference.h"
#include "tests/support/program_run.h"

#define TRIAL_MOST_SETS 31
#define TRIAL_MOST_WANTED 24

// Sizes at which a stack does something else, for trial_size.
struct trial_limits {
    int64_t at[4];
    int count;
    int64_t longest;
};

struct trial {
    GRand *random;
    struct trial_limits limits;
    struct free_shape shape;
    int hosts;
    int cards;                       // of each host; 0: one, or as many as the machine has
    bool faults;                     // links lose packets
    bool makes_good;                 // the stack makes all losses good; the settings may change it
    char *sets[TRIAL_MOST_SETS + 1]; // "PATH=VALUE"
    int set_count;
};

struct trial_stack {
    const char *name;
    const char *machine; // YAML; NULL: program_run.h's
    const char *library; // section with the rules of collectives, or NULL
    struct free_shape shape;
    bool shares_hosts;
    int programs; // tried if nothing else is asked for
    bool bare;    // messages have no tag and no number
    // A lost message stays lost: the run may end with one of these kinds of reason, ended by NULL,
    // in a deadlock, or with books that do not balance. NULL: it makes all losses good, at least
    // where the settings let it.
    const char *const *gives_up;
    // Settings, and limits of sizes by them.
    void (*settings)(struct trial *trial);
    // Settings for the program, where there is no flow control. May be NULL.
    void (*room)(struct trial *trial, const struct free_program *program);
    // Looks at a program that went well, in a run of its own. May be NULL.
    bool (*inspect)(const struct test_program *program, const struct program_run *run);
    // Parts of state lines that the programs together must have, ended by NULL. May be NULL.
    const char *const *wanted;
};

int trial_pick(struct trial *trial, int from, int below);
bool trial_chance(struct trial *trial, double probability);
void trial_set(struct trial *trial, const char *format, ...) G_GNUC_PRINTF(2, 3);

// One of `choices`, which ends with NULL.
const char *trial_choice(struct trial *trial, const char *const *choices);

// Most messages, and bytes with `overhead` for each, that one rank sends another between two
// barriers, sends and parts of collectives together.
struct trial_room {
    int64_t messages, bytes;
};
struct trial_room trial_room(const struct free_program *program, int64_t overhead);

// Runs the stack's programs; fails the running case if one goes wrong. With `faults`, links lose
// packets.
void trial_run(const struct trial_stack *stack, bool faults);

#endif
