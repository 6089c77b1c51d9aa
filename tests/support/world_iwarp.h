// SPDX-License-Identifier: GPL-3.0-or-later
// iWARP over SCTP in the tests' world (world_sctp.h): on each host a process with an RNIC, a
// protection domain, one CQ and registered memory. Node 0 has a QP to each other node, in their
// order, and each of those one to node 0.
//
// Actions of a node are done one after the other, in the process's task.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_IWARP_H
#define NETSIM_TESTS_SUPPORT_WORLD_IWARP_H

#include "models/iwarp/internal.h"
#include "tests/support/world_sctp.h"

#define IWARP_WORLD_NODES 4
#define IWARP_WORLD_ADDRESS 65536   // of each node's registered memory
#define IWARP_WORLD_MEMORY 67108864 // bytes of it

struct iwarp_node {
    struct iwarp_world *world;
    int number;
    struct sctp_node *node;
    struct iwarp_rnic *rnic;
    struct iwarp_cq *cq;
    struct iwarp_qp *qps[IWARP_WORLD_NODES];
    struct iwarp_listener listener;
    uint32_t domain, stag;
    GArray *entries;        // struct iwarp_completion, as polls have brought them
    GArray *results;        // enum iwarp_result of the postings
    int placed;             // messages of writes and read responses
    int64_t polls, nothing; // polls, and those that found nothing
};

struct iwarp_world {
    struct world *world;
    struct iwarp_config config; // may be changed before a QP uses it
    struct iwarp_node nodes[IWARP_WORLD_NODES];
    int count;
};

// All connected, at the time that has passed then. `sets` as with --set. `config`: NULL: defaults.
struct iwarp_world *iwarp_world_new(int nodes, const char *const *sets,
                                    const struct iwarp_config *config, struct trace *trace);
void iwarp_world_free(struct iwarp_world *world);

// The defaults of section iwarp.
struct iwarp_config iwarp_world_defaults(void);

// Calls the function within a node's task, after its earlier actions.
typedef void iwarp_call_fn(struct cpu_context *context, struct iwarp_node *node, void *argument);
void iwarp_call(struct iwarp_world *world, int node, iwarp_call_fn *run, void *argument);

// A work request on the node's memory from `offset` on; a message of the ledger to that node from
// this one (of a read: from that to this) belongs to it if `to` is not negative.
struct iwarp_work_request iwarp_request(struct iwarp_world *world, int node, int to,
                                        enum iwarp_operation operation, int64_t offset,
                                        int64_t bytes);

// Posts it to the node's n-th QP.
void iwarp_post(struct iwarp_world *world, int node, int qp,
                const struct iwarp_work_request *request);

// Polls, and sleeps between, until so many entries have arrived in all, and so many messages have
// been placed here.
void iwarp_poll(struct iwarp_world *world, int node, int entries, int placed);

// Runs for so long.
void iwarp_run(struct iwarp_world *world, sim_time time);

const struct iwarp_completion *iwarp_entry(const struct iwarp_world *world, int node, int index);
enum iwarp_result iwarp_result(const struct iwarp_world *world, int node, int index);

#endif
