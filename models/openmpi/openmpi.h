// SPDX-License-Identifier: GPL-3.0-or-later
// Open MPI over TCP, 1.2.1 and 5.0: the PML ob1 (requests, matching), the BML r2 (which rails lead
// to a peer) and the BTL tcp (fragments on connections). A rail is a card of this host with the
// card of a peer that it is paired with; each has a connection of its own, made when it is first
// used.
//
//   config.c       parameters
//   stack.c        the stack, checks of a case
//   startup.c      MPI_Init (listener, exchange of addresses), MPI_Finalize
//   bml.c          rails of a peer, weights, round robin
//   btl.c          fragments: queues, writing
//   btl_connect.c  connections: calling, accepting, both at once
//   btl_receive.c  reading ahead, fragments out of what was read
//   pml.c          requests: states; numbers of messages between two processes
//   pml_send.c     eager, rendezvous, fragments, PUT
//   pml_receive.c  matching in order, ACK, requests to PUT
//   progress.c     turns of the event library
//   device.c       the device: start, reports, calls of the BTL
//
// Eager: one fragment, on the rails of least latency in turn. Longer: a rendezvous (RTS). As a BTL
// without a memory pool counts as registered, the receiver of contiguous data answers with requests
// to PUT, a part for each rail by weight, and the sender writes them as PUT data and a FIN each
// (`put`). Data that are not registered are pipelined (`pipeline`): the RTS has the first data, an
// ACK has the offset of the first PUT, fragments go up to there, and PUTs of the rest follow.
//
// The source: the public sources of Open MPI's trunk from before release 1.2 (ompi/mca/pml/ob1,
// bml/r2, btl/tcp) and its developers' list, 20 February 2008, on what release 1.2 does over TCP.
// Release 5.0.9 has the same protocols, with limits and headers of its own (config.c).
//
// Not modelled: the BTLs sm and self (ranks are on hosts of their own; messages to oneself are
// sim/mpi's), exclusivity (all BTLs are tcp), several connections per rail (btl_tcp_links), limits
// of free lists, mpi_yield_when_idle, conversion between byte orders, checksums of the PML dr,
// retries of a refused connection.
#ifndef NETSIM_MODELS_OPENMPI_OPENMPI_H
#define NETSIM_MODELS_OPENMPI_OPENMPI_H

#include "models/openmpi/pml.h"
#include "sim/config/param.h"
#include "sim/core/pool.h"
#include "sim/mpi/startup.h"

struct openmpi_config {
    struct param_counts cards;             // that take part; empty: all
    int64_t bandwidth[OPENMPI_MOST_RAILS]; // by card
    int64_t latency[OPENMPI_MOST_RAILS];   // by card
    int64_t eager, min_send, max_send;     // bytes
    int64_t min_rdma, max_rdma;            // bytes; max_rdma 0: no bound
    int rendezvous;                        // enum openmpi_rendezvous
    int64_t send_depth, receive_depth;     // fragments; PUTs
    int64_t send_buffer, receive_buffer;   // bytes
    bool no_delay;
    int64_t cache;      // bytes
    int64_t btl_header; // bytes, as all below
    int64_t match_header, rendezvous_header, ack_header, fragment_header, put_header, fin_header;
    int64_t segment, largest_header;
    struct cost progress; // a turn, without the call
    struct cost start, send, receive;
    sim_time daemon; // ps
};

enum openmpi_rendezvous { OPENMPI_PUT, OPENMPI_PIPELINE };

extern const struct param_table openmpi_tcp_table, openmpi5_tcp_table;

// State that the processes of a job share.
struct openmpi_job {
    struct job *job;
    int published, leaving; // processes that have published, and that have entered MPI_Finalize
    bool addresses_known;   // all have been published
    bool finalized;         // all processes have entered MPI_Finalize
    struct event modex, barrier;
    struct tcp_piece *pieces; // of one read
    int most_pieces;
};

// A descriptor of a turn's poll: a connection, or one that has not sent its name, or the listener.
struct openmpi_watched {
    struct btl_endpoint *endpoint;
    struct btl_caller *caller;
};

struct openmpi_process {
    struct mpi_process *process;
    const char *section; // of its parameters
    const struct openmpi_config *config;
    struct openmpi_job *job;
    struct cluster *cluster;
    const struct btl_user *btl_user;
    struct tcp_host *host;
    struct tcp_listener *listener;
    int stations[OPENMPI_MOST_RAILS]; // of the own cards that take part
    int cards[OPENMPI_MOST_RAILS];    // their numbers among the cards that the stack uses
    int card_count;
    struct bml_peer **peers; // by rank; NULL: not yet used
    struct pool fragments;   // struct btl_fragment
    struct pool early;       // struct pml_early
    GPtrArray *open;         // struct btl_endpoint *, those with a socket
    GPtrArray *callers;      // struct btl_caller *
    // Progress.
    GArray *selected, *watched; // struct inet_selected and openmpi_watched, of the last poll
    guint at;                   // the one that is served now
    struct btl_endpoint *again; // its handler has not come to its end
    bool again_writes;
    bool found;      // the last poll of the turn under way has found something
    bool wrote;      // in this slice: what is written now may leave before its time
    GPtrArray *owed; // struct btl_endpoint *: the next slices write for them
    bool leaving;    // it has come to MPI_Finalize
    int64_t *connections, *rejected, *out_of_order, *put_bytes;
};

static inline struct openmpi_process *openmpi_of(const struct mpi_process *process)
{
    return process->device;
}

extern const struct stage openmpi_stage;

// ---- progress.c ----

enum mpi_progress openmpi_go_on(struct cpu_context *context, struct mpi_process *process);
// One event: of the turn under way, or its poll. PROGRESS_BLOCKED: the process polls.
enum mpi_progress openmpi_advance(struct cpu_context *context, struct mpi_process *process,
                                  bool blocking);

// ---- startup.c ----

extern const struct mpi_startup_step openmpi_startup[];
enum mpi_progress openmpi_finalize(struct cpu_context *context, struct mpi_process *process);
void openmpi_job_events(struct openmpi_job *job);

#endif
