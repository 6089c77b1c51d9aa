// SPDX-License-Identifier: GPL-3.0-or-later
// A world for the NAL over Intercept, with its neighbours made up: a card that carries short
// messages, each with a delay of its own, so that they may overtake one another; and a library that
// wants so many bytes of each message. Nothing of the real ones is linked.
#ifndef NETSIM_TESTS_P3_WORLD_P3_H
#define NETSIM_TESTS_P3_WORLD_P3_H

#include "models/intercept/p3/p3_internal.h"
#include "sim/core/random.h"

#include <glib.h>

#define P3_WORLD_NODES 3
#define P3_WORLD_NO_MATCH (-1) // accept: nothing matches

struct p3_world;

// The fate of a message, in the order in which programs sent them.
struct p3_told {
    int from, to;
    bool get;
    int64_t bytes, mlen;
    int started, ended, sent; // how often the library was notified
    int start_order;          // among all, from 1
    enum portals_status status, sent_status;
    sim_time sent_at, last_copy;
    struct message_ref message;
};

struct p3_world_options {
    struct p3_config config;
    sim_time latency, jitter; // of the card: from latency to latency + jitter
    int room;                 // packets that a TX-CB holds
    int64_t accept;           // most bytes that a library wants of a message
    uint64_t seed;
    // NULL; or returns how often a packet arrives (0: never).
    int (*copies)(struct p3_world *world, const struct intercept_sm *sm);
};

// Interrupt build, no jitter, room for 128 packets, all bytes wanted.
struct p3_world_options p3_world_defaults(void);

struct p3_world *p3_world_new(const struct p3_world_options *options);
void p3_world_free(struct p3_world *world);

// The process of a node sends, as soon as it has sent its earlier messages.
void p3_world_put(struct p3_world *world, int from, int to, int64_t bytes);
void p3_world_get(struct p3_world *world, int from, int to, int64_t bytes);

// Like p3_world_put, but to a pid that no process has.
void p3_world_put_nobody(struct p3_world *world, int from, int to, int64_t bytes);

// A packet of 24 B, for p3_world_inject.
struct intercept_sm p3_world_packet(int from, int to, enum p3_kind kind, uint64_t number);

// A packet reaches a node after that time.
void p3_world_inject(struct p3_world *world, const struct intercept_sm *sm, sim_time after);

void p3_world_run(struct p3_world *world);

struct p3_process *p3_world_process(struct p3_world *world, int node);
struct sim *p3_world_sim(struct p3_world *world);
struct p3_told *p3_world_told(struct p3_world *world, int nth);
int p3_world_messages(const struct p3_world *world);

// All messages of the world have ended, once at each end, and the ledger is balanced. Fails the
// running case otherwise.
void p3_world_expect_over(struct p3_world *world);

// Packets of a kind that a node has put into a TX-CB (0 or 1), or into both (-1).
int p3_world_packets(const struct p3_world *world, int node, enum p3_kind kind, int tx);
// Messages that a node has handed to its VDMA handler.
int p3_world_client_messages(const struct p3_world *world, int node);
int64_t p3_world_counter(struct p3_world *world, const char *name);

// The lines of the trace with a text, each ended by a line feed: transitions without their details,
// "rank 0 short send[0] NEW -> RTS_SENT", and what held messages up, "rank 0 held up by CTS". The
// caller frees it.
char *p3_world_lines(const struct p3_world *world, const char *text);

void p3_world_expect_lines(const struct p3_world *world, const char *text, const char *expected);
void p3_world_expect_waits(struct p3_world *world, int node, const char *expected);

// The waits of a node's process, joined by "; ". The caller frees it.
char *p3_world_waits(struct p3_world *world, int node);

#endif
