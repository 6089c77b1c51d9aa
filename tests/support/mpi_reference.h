// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a program that MPI demands, derived from its calls alone, and the faults of a
// run's log by that.
//
// The reference knows nothing of libraries: messages of a source overtake none that fits the same
// receive, receives take messages in the order in which they were started, contexts are apart.
// Where a receive can get one message only, the reference predicts it; where it may get several,
// the one that it got must be legal. A probe finds what a receive would have got. A message that
// was sent before one that has come is there for an iprobe. A synchronous send is done after its
// receive is matched, and what is done was matched.
//
// Of a collective a rank must have heard, directly or by others, from all whose data it needs
// before it leaves, and have received as many bytes as it must hold then.
#ifndef NETSIM_TESTS_SUPPORT_MPI_REFERENCE_H
#define NETSIM_TESTS_SUPPORT_MPI_REFERENCE_H

#include "tests/support/call_log.h"
#include "tests/support/free_program.h"

struct reference {
    const struct free_program *program;
    const struct call_log *log;
    bool whole;            // the run has completed: nothing may be left
    bool loses;            // what is lost stays lost, and receivers may not see that
    bool bare;             // messages have neither tag nor number
    GString *complaints;   // "" if all is right
    int64_t exact, chosen; // receives and probes of which it was known beforehand; and not
    int64_t hits, misses;  // of iprobe
};

// Both add to `complaints`.
void reference_check_matching(struct reference *reference);
void reference_check_collectives(struct reference *reference);

void reference_complain(struct reference *reference, const struct logged *entry, const char *format,
                        ...) G_GNUC_PRINTF(3, 4);

#endif
