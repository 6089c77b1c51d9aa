// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a case's ranks for the plugin: its program, flattened, with what each part costs.
// A rank's processor is busy with sends and receives by the curve, with copies and reductions by
// its host's memory and its library, and with the program's computations.
//
// Not modelled: processors that several ranks share, and what the library's calls cost besides.
#ifndef NETSIM_FLOW_STEPS_H
#define NETSIM_FLOW_STEPS_H

#include "sim/flatten/flatten.h"
#include "sim/flow/flow_cluster.h"
#include "sim/run/deadlock.h"

struct steps;

// The ranks' sums.
struct steps_books {
    uint64_t sent, sent_bytes;         // messages whose send has been started
    uint64_t received, received_bytes; // whose receive has been waited for
};

// `source` (NULL: the workload's own) yields the calls. All arguments must outlive the steps. The
// caller frees them with steps_free.
struct steps *steps_new(const struct registry *registry, const struct scenario_case *test_case,
                        struct flow_cluster *machine, const struct flow_curve *curve,
                        struct op_source *source);
void steps_free(struct steps *steps);

// Yields the rank's next step, as flow_program.next.
void steps_next(struct steps *steps, int rank, struct flow_step *step);

// The plugin's answer to the rank's FLOW_WAITANY, as flow_program.took.
void steps_took(struct steps *steps, int rank, int which);

// Returns the operation of the rank's latest step; NULL before its first. Valid until its next one.
const struct flat_op *steps_op(const struct steps *steps, int rank);

// Where a rank is in its program, as "FILE:2:5: recv"; the caller frees it.
char *steps_place(const struct steps *steps, int rank);

// The requests that the rank waits for, as the reports of stacks have them; new reference.
json_t *steps_open_json(const struct steps *steps, int rank);

// The context and group of messages of a space of the plugin (flow_step.space).
int steps_context(int space);

// Calls `each` with the open requests of a rank that has not ended, in order of their numbers. Of a
// receive `matched` is left to the caller.
typedef void steps_request_fn(void *owner, struct deadlock_request *request);
void steps_each_open(const struct steps *steps, int rank, steps_request_fn *each, void *owner);

// A call that cannot be run, with its place; NULL: there was none. The steps own it.
const char *steps_wrong(const struct steps *steps);

struct steps_books steps_books(const struct steps *steps);

// How many kinds of messages there are which do not match one another (flow_program.spaces).
int steps_spaces(const struct registry *registry, const struct scenario_case *test_case);

#endif
