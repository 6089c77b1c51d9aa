// SPDX-License-Identifier: GPL-3.0-or-later
// The uncertainty of a parameter's value, as a machine can read it: how far the true value may lie
// from the one that is used.
//
//   500 cycles .. 2000 cycles    the central 95 % of what it may be
//   within 1.5                   its central 95 % are from a value 1.5 times smaller to one 1.5
//                                times greater
//   anywhere 0 us .. 125 us      each value of it is as likely as any other, as of a phase; of a
//                                parameter of hosts each host has its own
//                                (sim/scenario/draw_host.h)
//   or small_or_few: 0.3         another value, by its probability; several after commas; those
//                                without one share with the value what is left, in equal parts
//
// A table has it in `prior` (sim/config/param.h), a file next to the value: `{value: 1000 cycles,
// range: 500 cycles .. 2000 cycles, source: …}`, `within: 1.5`, `anywhere: 0 us .. 125 us`, `or:
// [small_or_few]` or `or: {small_or_few: 0.3}`. A value whose source begins with "prior" or
// "assumed" has one by its kind where none is given (prior_kinds); a value that is stated, set by a
// user, 0, or a count, size or name has none.
//
// A number is drawn from a log-normal distribution on either side of the value, which is its
// median: a run without draws is the draw of the median. The sides differ where the range is not
// symmetric. A probability is drawn so in its odds. With `anywhere` the value is no median, and may
// be at an end: a run without draws has the phase that the table or file gives.
#ifndef NETSIM_CONFIG_PRIOR_H
#define NETSIM_CONFIG_PRIOR_H

#include "sim/config/param.h"

// Of a table, for the values that have no prior of their own: how far a value of this kind is
// usually off. By default that of the section that the table is in, and of the parameter's kind.
enum prior_kind {
    PRIOR_BY_PLACE,
    PRIOR_INSTRUCTIONS, // a user's code, from a description of what it does
    PRIOR_KERNEL,       // paths of an operating system
    PRIOR_BUS,
    PRIOR_MEMORY,
    PRIOR_DEVICE, // cards, switches, cables, from data sheets
    PRIOR_KINDS,
};

struct prior_usual {
    const char *name;
    double within;
    const char *reason;
};
extern const struct prior_usual prior_kinds[PRIOR_KINDS];

struct prior_other {
    const char *text; // as after --set PATH=; interned
    double probability;
};

struct prior {
    const struct param *param;
    const char *text;                // "within 1.6"; interned
    const struct prior_usual *usual; // NULL: it is given
    // Of a number, in the base unit of its kind (ps, cycles, B/s, …): the ends of the central 95 %.
    // value is 0 if there are others.
    double value, low, high;
    bool uniform;   // between low and high, which are its ends
    bool cycles;    // of a cost: cycles, not time
    GArray *others; // struct prior_other; NULL: a number
};

// The prior of a table's value. Returns false if it has none, or an ensemble in its place; else the
// caller clears it with prior_clear.
bool prior_of(const struct param_values *values, int index, struct prior *prior);

// Reads the text of a prior for a value, which is at `field`. Returns false and sets *fault
// (g_free) to what is wrong with it.
bool prior_parse(const char *text, const struct param *param, const void *field,
                 struct prior *prior, char **fault);

void prior_clear(struct prior *prior);

// The value at a quantile, 0 < u < 1, as after --set PATH=. Of others: the value itself is at the
// low quantiles. NULL: the value itself. The caller frees it.
char *prior_quantile(const struct prior *prior, double u);

// Puts a number's value at a quantile into its field.
void prior_put(const struct prior *prior, double u, void *field);

// The keys of a value in a file, as the text above, interned; NULL without such keys, or after
// a complaint.
const char *prior_read(const struct node *node, const char *path, struct diag_list *diags,
                       bool *good);

#endif
