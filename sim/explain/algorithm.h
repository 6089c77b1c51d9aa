// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters that choose how the operations of a case are done: the algorithm of a collective, the
// variant of a put. Such a parameter has the operation's name and is in the table of a section that
// the case's stack reads.
#ifndef NETSIM_EXPLAIN_ALGORITHM_H
#define NETSIM_EXPLAIN_ALGORITHM_H

#include "sim/model/model.h"

struct algorithm_choice {
    const struct param_values *values; // of the section
    const struct param *param;         // a PARAM_CHOICE
    bool part; // used by the measured operation only through another choice: lam.bcast of an
               // allreduce
};

// The choices of the measured operation (of a benchmark), or of the whole program, as struct
// algorithm_choice. Free with g_array_unref.
GArray *algorithm_choices(const struct registry *registry, const struct scenario_case *test_case);

// "lam.allreduce=reduce_bcast (or recursive_doubling)". The caller frees it.
char *algorithm_text(const struct algorithm_choice *choice);

// "lam.allreduce", and its value. The caller frees the first.
char *algorithm_path(const struct algorithm_choice *choice);
const char *algorithm_value(const struct algorithm_choice *choice);

#endif
