// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef NETSIM_TESTS_P3_WORLD_P3_INTERNAL_H
#define NETSIM_TESTS_P3_WORLD_P3_INTERNAL_H

#include "models/intercept/p3/handler_cb.h"
#include "tests/p3/world_p3.h"
#include "tests/support/suite.h"

#include <string.h>

#define PID 5 // of every process

struct p3_node;

// ---- What a world has ----

struct vnic {
    struct intercept_nic *nic;
    const struct vnic_ops *ops;
    void *owner;
    void (*room)(void *owner);
    GQueue arrived; // struct intercept_sm *
    int used[2];
    bool refused;
};

// A client's message between VDMA handlers.
struct client_message {
    struct event event;
    struct p3_node *to;
    int from;
    unsigned char body[VDMA_CLIENT_BYTES];
};

// The thread of a VDMA handler, as far as it hands messages to its client.
struct vdma_handler {
    struct p3_node *node;
    struct cpu_task thread;
    GQueue arrived; // struct client_message *
    int messages;   // sent
};

struct intercept_nic {
    struct p3_world *world;
    int node;
    struct vnic vnic;
    struct cpu_task service;
    int packets[2][P3_KINDS];
};

// A packet between two cards.
struct flying {
    struct event event;
    struct intercept_nic *from;
    struct intercept_sm sm;
    int tx;
    bool left;
};

struct job {
    int to, pid, nth;
    int64_t bytes;
    enum portals_kind kind;
};

struct p3_node {
    struct portals_ni ni;
    struct p3_process p3;
    struct host *host;
    struct mpi_process *process;
    struct intercept_nic nic;
    struct vdma_handler handler;
    struct cpu_task caller;
    GQueue jobs; // struct job *
};

struct p3_world {
    struct trace trace;
    struct p3_world_options options;
    struct portals_config library;
    struct random_stream *random;
    struct sim *sim;
    struct host *hosts[P3_WORLD_NODES];
    struct p3_node nodes[P3_WORLD_NODES];
    GArray *told;       // struct p3_told
    GPtrArray *lines;   // transitions
    GPtrArray *flights; // struct flying *
    GPtrArray *transfers;
    GPtrArray *client_messages;
    int starts;
};

#endif
