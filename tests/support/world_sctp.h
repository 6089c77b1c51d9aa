// SPDX-License-Identifier: GPL-3.0-or-later
// SCTP as the provider of the tests' world (world.h): hosts with a card in each of several
// networks, a stack and a process on each host, and a log of the chunks that cards have put on the
// wire.
//
// Host h's n-th card is "nodeH.ethN"; its link, links[h * networks + n], leads to switch "netN".
// Costs are those of the tables; links have 100 Mb/s.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_SCTP_H
#define NETSIM_TESTS_SUPPORT_WORLD_SCTP_H

#include "models/sctp_cmt/sctp/association.h"
#include "tests/support/wire.h"
#include "tests/support/world.h"

#define SCTP_WORLD_PORT 5000

// A chunk as it went onto the wire, read back from the packet's bytes.
struct sctp_line {
    sim_time when;
    int node, card; // the sender
    uint8_t type, flags;
    uint16_t length;
    uint32_t tsn;   // of DATA; of SACK and SHUTDOWN the cumulative one
    int64_t packet; // number of its packet, from 0
};

struct sctp_node {
    struct world_process process;
    struct sctp_host *host;
    struct sctp_socket *listener;
    struct sctp_socket *socket;      // of the jobs
    int64_t bytes_read, bytes_taken; // in all; of the job that runs
    int64_t last_read;               // when the last byte came
    int error;                       // enum sctp_result of the first call that failed
    unsigned notified;               // bits of enum sctp_notification
};

struct sctp_wire {
    struct wire wire;
    GArray *lines; // struct sctp_line
    int64_t packets;
};

// `networks` at least 1. `sets` as with --set, NULL-terminated, or NULL.
struct world *sctp_world(int hosts, int networks, const char *const *sets, struct trace *trace);

// Like sctp_world, but with cards of that model.
struct world *sctp_world_of(const char *nic, int hosts, int networks, const char *const *sets,
                            struct trace *trace);

struct sctp_node *sctp_node(const struct world *world, int number);
struct sctp_wire *sctp_wire(const struct world *world);
struct sctp_association *sctp_node_association(const struct world *world, int number);

// Jobs.
world_job_fn sctp_listen_job, sctp_accept_job;
// One-to-one, to the first address of node 1, which announces its others; or, if there is an
// argument, to all, which are confirmed then (RFC 9260, 5.4).
world_job_fn sctp_connect_job;
world_job_fn sctp_close_job;

struct sctp_traffic {
    int64_t bytes, message; // in all; per user message
    int streams;            // in turn; 0: stream 0
    bool unordered;
    // The jobs'.
    int64_t done;
    int sent;
    struct message_ref waits; // the socket had no room for it
};
world_job_fn sctp_send_job; // struct sctp_traffic; until the socket has taken all
world_job_fn sctp_read_job; // struct sctp_traffic: that many bytes, or to the end

// Calls a function of the test's within the process's task.
struct sctp_call {
    void (*run)(struct cpu_context *context, struct sctp_node *node, void *argument);
    void *argument;
};
world_job_fn sctp_call_job; // struct sctp_call

// Node 1 listens and accepts, node 0 connects at 1 ms; both have a socket.
void sctp_connect_nodes(struct world *world);

// Like sctp_connect_nodes; node 1 then reads what node 0 sends from `when` on. Returns node 0's
// traffic.
struct sctp_traffic *sctp_transfer(struct world *world, sim_time when, int64_t bytes,
                                   int64_t message);

// Runs until that time has come, even if only heartbeats are left to happen.
void sctp_run_until(struct world *world, sim_time until);

// Calls the function within a node's task and runs for a millisecond. The node must have no job
// left.
void sctp_world_call(struct world *world, int number,
                     void (*run)(struct cpu_context *context, struct sctp_node *node,
                                 void *argument),
                     void *argument);

// Nodes 0 and 1 associate; then two seconds pass.
void sctp_world_up(struct world *world);

int sctp_log_count(const struct world *world);
const struct sctp_line *sctp_log_at(const struct world *world, int index);

// Lines from `index` on of that node, card (-1: any) and type: the first one's index, or -1.
int sctp_log_find(const struct world *world, int index, int node, int card, int type);

// How many such lines there are in [from, to).
int sctp_log_between(const struct world *world, sim_time from, sim_time to, int node, int card,
                     int type);

#endif
