// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs over a stack: they must end, with every byte delivered once and in MPI's order,
// and equal runs must be equal.
//
// A program is a few rounds. In each, messages go between random ranks (also to the same), of
// random size, tag and mode; every rank starts its sends and receives in random order with random
// pauses, and waits for all. The stack's test says which sizes and settings are worth trying, and
// what the programs together have to reach.
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried, NETSIM_RANDOM_FIRST the first seed (1).
#ifndef NETSIM_TESTS_SUPPORT_RANDOM_PROGRAM_H
#define NETSIM_TESTS_SUPPORT_RANDOM_PROGRAM_H

#include "tests/support/program_run.h"

#define RANDOM_MOST_RANKS 6
#define RANDOM_MOST_MESSAGES 24 // of a round
#define RANDOM_MOST_WANTED 24

struct random_message {
    int from, to, tag;
    int64_t size;
    bool synchronous;
};

struct random_round {
    struct random_message messages[RANDOM_MOST_MESSAGES];
    int count;
};

struct random_program {
    GRand *random;
    int ranks;
    GString *ops[RANDOM_MOST_RANKS];
    GString *sets; // lines "PATH=VALUE"
    // How rounds are made; the test may change it before the first.
    int most_messages; // of a round
    double wild;       // probability that all receives of a rank take any source and tag
    double barrier;    // ... that a round without such receives ends with a barrier; those with do
    bool arena;        // all buffers lie in a few pages and overlap
};

struct random_test {
    const char *stack; // NULL: lam_via
    int programs;      // tried if nothing else is asked for
    void (*generate)(struct random_program *program);
    // A second run of a program that went well: whether it is equal to the first.
    bool (*repeats)(const struct test_program *program, const struct program_run *run);
    // Parts of state lines, ends with NULL: each must stand in one of the programs, or they would
    // show little.
    const char *const *wanted;
};

// In [from, below).
int program_pick(struct random_program *program, int from, int below);
bool program_chance(struct random_program *program, double probability);

void program_set(struct random_program *program, const char *path, int64_t value, const char *unit);
void program_set_text(struct random_program *program, const char *path, const char *value);

// Begins the programs of all ranks, which are then `ranks`.
void program_ranks(struct random_program *program, int ranks);

// One round of messages whose sizes `pick_size` gives, written to the ranks' programs.
void program_round(struct random_program *program, struct random_round *round,
                   int64_t (*pick_size)(struct random_program *program, const void *owner),
                   const void *owner);

// For tests without anything of their own to look at.
bool program_repeats(const struct test_program *program, const struct program_run *run);

// Fails the running case if a program goes wrong or something is never reached.
void program_test_run(const struct random_test *test);

#endif
