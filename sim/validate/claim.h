// SPDX-License-Identifier: GPL-3.0-or-later
// The claims: references/claims/SYSTEM.yaml, the statements of one source. Each file has two maps
// from ids to claims: `behaviours`, which tests cover, and `others`, which results can be compared
// with. A behaviour has statement, source, inferred and, if a scenario shows it, check; or outside,
// the reason why no simulator can show it.
//
//   via.pingpong.latency_min.via_rpi:
//     kind: number                # number, shape, config, figure, arithmetic, guess or agreement
//     statement: …                # in words of our own
//     source: "6.3.2, figure 6.2"
//     value, unit, inferred       # what is printed, for readers
//     because: …                  # how the statement is read, and why the tolerance is what it is
//     check: {value: {…}}         # check.h; or a list of checks, which must all hold
//     not_checkable: …            # instead of `check`: why not
//     same_as: [ID, …]            # instead of `check`: other claims state this; not counted
//     known_miss: docs/PAGE.md#ANCHOR      # the check fails; this anchor explains why
//     cause: …                    # of a known miss: what it shares with others of the same cause
//     fact: …                     # shared by claims that judge the same simulated numbers
//     by_chance: …                # why the source shows one throw of chance (drawn_facts.h)
//
// Arithmetic follows from the inputs, such as a link's rate, so that its check can't fail unless
// the program is wrong. A guess is what a source's authors expect, aim at, or take for a cause; if
// it does not hold it is refuted, and without a check it is open.
//
// An agreement is no statement of a source: it holds two simulations against one another, as
// packets and flows, and `source` names the place that describes the comparison.
//
// references/tests.yaml lists which tests name which claims (tests/coverage writes it): a behaviour
// holds if those tests were run and passed (test_results.h).
#ifndef NETSIM_VALIDATE_CLAIM_H
#define NETSIM_VALIDATE_CLAIM_H

#include "sim/validate/check.h"

struct claim {
    const char *id, *kind; // interned; kind is "behaviour" for those
    struct source_mark mark;
    const char *statement, *source; // interned, as all texts here
    const char *outside;            // of a behaviour: why no test covers it, or NULL
    const char *not_checkable;      // NULL if it has checks
    GPtrArray *same_as;             // const char *: ids of claims that state it; NULL: none
    const char *known_miss;         // or NULL
    const char *cause, *fact;       // or NULL
    const char *by_chance;          // or NULL
    bool inferred;                  // it follows from what is printed
    GPtrArray *tests;  // char *, "tests/a/test_b.c": the tests that name it; may be empty
    GPtrArray *checks; // struct check *, in the file's order
};

// One of the forty most important results, which rests on one or more claims.
struct claim_rank {
    int64_t rank;
    const char *title; // interned
    GPtrArray *ids;    // const char *, interned
};

struct claim_list {
    GPtrArray *claims; // struct claim *, in the order of the files' names and of each file
    GPtrArray *ranks;  // struct claim_rank *, ascending
};

// The maps of claims.
extern const struct param_table claim_behaviour_table, claim_other_table;

// Reads all files of data_dir/references/claims/, references/top40.yaml and references/tests.yaml.
// Returns NULL after complaints. Also checks that each known miss is analysed, if its page exists
// in data_dir: an installed program may lack it. Free with claims_free.
struct claim_list *claims_load(const char *data_dir, struct diag_list *diags);

// Reads these files of claims alone, which are a user's (NULL-terminated). NULL after complaints.
struct claim_list *claims_load_files(const char *const *files, struct diag_list *diags);

// Reads one file's tree into a list that may already hold others. Returns false after complaints.
bool claims_read(struct claim_list *list, const struct node *tree, struct diag_list *diags);
bool claims_read_ranks(struct claim_list *list, const struct node *tree, struct diag_list *diags);
bool claims_read_tests(struct claim_list *list, const struct node *tree, struct diag_list *diags);

// Complains about each claim whose `same_as` names a claim that does not exist or is not checked.
bool claims_refer(const struct claim_list *list, struct diag_list *diags);

// Complains about each known miss on the page of that name ("docs/fidelity.md") whose anchor is
// missing from its text.
bool claims_are_analysed(const struct claim_list *list, const char *name, const char *page,
                         struct diag_list *diags);

// All files DIRECTORY/*.yaml (char *), sorted by name; none if the directory does not exist. Free
// with g_ptr_array_unref.
GPtrArray *claims_yaml_files(const char *directory);

struct claim_list *claims_new(void);
void claims_free(struct claim_list *list);

bool claim_is_behaviour(const struct claim *claim);
bool claim_is_agreement(const struct claim *claim);
bool claim_is_arithmetic(const struct claim *claim);
bool claim_is_guess(const struct claim *claim);

const struct claim *claims_find(const struct claim_list *list, const char *id);

// Whether a pattern is an id, its start up to a dot, or a glob that matches it.
bool claim_matches(const char *id, const char *pattern);

#endif
