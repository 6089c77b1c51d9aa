// SPDX-License-Identifier: GPL-3.0-or-later
// Soundings: what messages of some sizes take between two ranks of a case, on packets, with the
// case's stack and all its settings. curve.h makes a curve of them.
#ifndef NETSIM_FLOW_SOUNDING_H
#define NETSIM_FLOW_SOUNDING_H

#include "sim/flow/flow_cluster.h"

// Times and bytes of messages of one size.
struct sounding_found {
    int64_t size;
    double one_way; // s: half a round trip of a PingPong; 0: not asked for
    double start;   // s: that the sender's call takes which starts the send
    double sent;    // s: until that send ends, while the receiver stays away
    double late;    // s: that the receive takes of a message which has arrived
    double away;    // s: for which the receiver stayed away after that
    double wire;    // bytes on the route's busiest link, with gaps between frames
    double frame;   // of the largest of its frames
    double line; // s: from the start of the send to the receiver's interrupt for its last frame; 0:
                 // there was none
    double spread; // s: from its interrupt for the first frame to that; 0: it needs only one
};

struct sounding;

// Prepares soundings between two hosts of a case (the same one: ranks on one host), whose machine
// it is. All must outlive the sounding. The caller frees it with sounding_free.
struct sounding *sounding_new(const struct registry *registry,
                              const struct scenario_case *test_case, struct flow_cluster *machine,
                              int from, int to);
void sounding_free(struct sounding *sounding);

// From now on messages are played by `stack`, without cards, in place of the case's own (NULL).
void sounding_play_on(struct sounding *sounding, const struct stack *stack);

// From now on the cards keep no distance between interrupts, or keep the case's own. Returns the
// setting before.
bool sounding_unpace(struct sounding *sounding, bool unpaced);

// Runs one sounding of messages of the sizes of `found`, one after the other, and fills in the
// rest. round_trips: measures `one_way`, too. `beat` is called occasionally while it runs, with the
// number of sizes that have finished (NULL: no call). Returns false with *error (g_free) if the run
// fails.
bool sounding_run(struct sounding *sounding, struct sounding_found *found, int count,
                  bool round_trips, void (*beat)(void *owner, int sizes), void *owner,
                  char **error);

#endif
