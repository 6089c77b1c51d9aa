// SPDX-License-Identifier: GPL-3.0-or-later
// State of the author of random programs while it writes (free_author.c), for free_section.c, which
// chooses what to write.
#ifndef NETSIM_TESTS_SUPPORT_FREE_AUTHOR_H
#define NETSIM_TESTS_SUPPORT_FREE_AUTHOR_H

#include "tests/support/free_program.h"

// A send or receive that is started and not matched.
struct started {
    int source, tag, request; // request: 0: the call blocks
    guint draft;              // of a receive: its call
    int64_t size;
};

// Receives from any source that may take each other's messages, and these.
struct pool {
    int sends, receives; // started
};

// Messages to a rank and its receives.
struct inbox {
    GArray *sends, *receives; // struct started; no receive fits a send
    bool wild_later;          // receives take anything from some time on
    bool wild_all;            // ... and do so now
    uint32_t wild_tags;       // tags of which receives take any source
    struct pool pools[FREE_TAGS];
    int64_t largest; // of all messages of the section
};

struct open_request {
    int number;
    bool matched;
    const struct pool *pool; // of a receive
    int nth;                 // receive of it
};

struct draft {
    struct free_call call;
    bool sized;    // a receive, whose size is still to be set
    int64_t exact; // its message's; -1: any of the section
};

struct author {
    GRand *random;
    const struct free_shape *shape;
    struct free_program *program;
    GArray *drafts[FREE_MOST_RANKS]; // struct draft, of the section
    GArray *open[FREE_MOST_RANKS];   // struct open_request
    int requests[FREE_MOST_RANKS];   // so far
    int before[FREE_MOST_RANKS];     // ... when the section began
    struct inbox inbox[FREE_MOST_RANKS];
    bool draining; // no receive is started any more in a pool that has more of them than sends
    int epoch;
    unsigned style; // of all calls (free_program.h)
};

int author_pick(struct author *author, int from, int below);
bool author_chance(struct author *author, double probability);
int author_rank(struct author *author);
int author_tag(struct author *author);
bool author_fixed(const struct author *author); // no wildcards
int64_t author_size(struct author *author);

// The pool of messages with that tag to a rank; NULL if receives name their source.
struct pool *author_pool(struct author *author, int to, int tag);

// Whether a send that needs its receiver, or a receive, may block its rank now.
bool author_may_block(struct author *author, int from, int to, int tag);
bool author_may_receive(struct author *author, int to, int source, int tag);

void author_send(struct author *author, enum free_kind kind, int from, int to, int tag,
                 int64_t size);
void author_receive(struct author *author, enum free_kind kind, int to, int source, int tag);

// Nothing is written if it can't be done now.
void author_pair(struct author *author, int from, int to, int tag); // both may block
void author_sendrecv(struct author *author);
void author_probe(struct author *author);

void author_pause(struct author *author, int rank);
void author_wait(struct author *author, int rank, bool all);
void author_wait_all(struct author *author, int rank);
void author_collective(struct author *author, enum free_kind kind);

#endif
