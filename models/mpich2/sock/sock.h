// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH2 1.0.5's channel ch3:sock: the device CH3 over TCP sockets.
//
//   config.c    parameters
//   connect.c   connections: business cards, opening, both ends at once, closing
//   transfer.c  packets and data: written by one writev as far as the socket takes them, read
//               header first, the data straight to their place
//   progress.c  poll over all descriptors, a read or write for each that is ready, then one event
//   stack.c     the stack `ch3_sock`, the device's ops, reports
//
// A VC is connected by the first send: the business card is looked up at the process manager, the
// connector sends OPEN_REQ with the process group's id, the acceptor answers with OPEN_RESP, and
// only then packets follow. If both ends connect, the connection that the higher rank has begun is
// kept and the other one refused (MPIDI_CH3_Sockconn_handle_connopen_event). MPI_Wait blocks in
// poll(2).
//
// Not modelled: the wire format of OPEN_REQ (its length only), several interfaces of a host.
#ifndef NETSIM_MODELS_MPICH2_SOCK_SOCK_H
#define NETSIM_MODELS_MPICH2_SOCK_SOCK_H

#include "models/mpi_tcp/mesh.h"
#include "models/mpich2/ch3/ch3.h"
#include "sim/core/sparse.h"

struct sock_config {
    int64_t socket_buffer; // bytes
    bool no_delay;
    sim_time business_card; // ps
    int64_t group_id;       // bytes
    struct cost turn;
    struct cost event;
};

extern const struct param_table sock_table, mpich4_sock_table;
extern const struct stage sock_stage; // the channel on a processor

// As CONN_STATE_*: C is the end that connects, L the end that listens.
enum sock_connection_state {
    SOCK_UNCONNECTED,
    SOCK_CONNECTING,
    SOCK_OPEN_CSEND,      // OPEN_REQ is being written
    SOCK_OPEN_CRECV,      // for OPEN_RESP
    SOCK_OPEN_LRECV_PKT,  // for OPEN_REQ
    SOCK_OPEN_LRECV_DATA, // for the process group's id after it
    SOCK_OPEN_LSEND,      // OPEN_RESP is being written
    SOCK_CONNECTED,
    SOCK_CLOSING, // once all has been written
    SOCK_CLOSED,
};

// The packets of opening: their types go on after the device's.
enum { SOCK_PKT_OPEN_REQ = CH3_PKT_TYPES, SOCK_PKT_OPEN_RESP };
enum { SOCK_ACCEPTED = 1 }; // flag of OPEN_RESP

enum sock_event_kind {
    SOCK_ACCEPT, // the listener is ready
    SOCK_CONNECT,
    SOCK_READ,    // all of what was to be read
    SOCK_WRITTEN, // all of what was to be written
    SOCK_GONE,    // the peer has closed the connection
};

// Found by the progress engine and not yet handled.
struct sock_event {
    struct sock_event *next;
    struct sock_connection *connection; // NULL: SOCK_ACCEPT
    enum sock_event_kind kind;
    struct mesh_item *written; // SOCK_WRITTEN
};

struct sock_connection {
    struct mesh_link link;              // its rank: RANK_ANY before OPEN_REQ
    int number;                         // counts those of the process from 1, for traces
    struct machine machine;             // enum sock_connection_state
    bool accepts;                       // OPEN_RESP accepts it
    struct ch3_receive receive;         // of the packet whose data are being read
    struct sock_connection *ready_next; // in the queue of those that poll has found ready
    uint8_t ready;                      // enum inet_readiness, not yet served
    struct sock_event in, out;          // at most one of each direction
    int events;                         // of those in the queue
};

// A virtual connection.
struct sock_vc {
    struct sock_connection *connection; // NULL: none
    bool begun;                         // it is being connected, or is connected
    bool closed;                        // its connection has been
    struct ch3_send *head, *tail;       // until it is connected
};

// State of the job.
struct sock_job {
    int listening; // processes that accept connections
};

struct sock_process {
    struct ch3_process ch3;
    struct mesh mesh; // without links
    const struct sock_config *config;
    struct sock_job *job;
    struct tcp_listener *listener;
    struct sparse vcs; // struct sock_vc, by rank
    struct pool pool;  // struct sock_connection
    GPtrArray *connections;
    int connections_made;
    // The progress engine.
    struct sock_connection *ready_head, *ready_tail; // still to be read or written
    struct sock_event *event_head, *event_tail;
    struct sock_event accept;
    struct sock_connection *reading; // the data after a packet, at once
    guint starting;                  // the descriptor that the next pass begins with
    bool polling;                    // asleep in poll
};

static inline struct sock_process *sock_of(const struct mpi_process *process)
{
    return process->device;
}

static inline struct sock_process *sock_of_ch3(struct ch3_process *ch3)
{
    return container_of(ch3, struct sock_process, ch3);
}

static inline struct sock_process *sock_of_connection(const struct sock_connection *connection)
{
    return container_of(connection->link.mesh, struct sock_process, mesh);
}

static inline struct sock_vc *sock_vc_of(struct sock_process *sock, int rank)
{
    return sparse_at(&sock->vcs, rank);
}

// connect.c
extern const struct mpi_startup_step sock_startup[];
void sock_vc_connect(struct cpu_context *context, struct sock_process *sock, int rank);
// Appends the send to the connection's queue.
void sock_queue(struct sock_process *sock, struct sock_connection *connection,
                struct ch3_send *send);
void sock_accept(struct cpu_context *context, struct sock_process *sock);
// A connection is ready for the first time after connect.
void sock_connected(struct cpu_context *context, struct sock_connection *connection);
// OPEN_REQ, the process group's id, or OPEN_RESP has been read.
void sock_open_read(struct cpu_context *context, struct sock_connection *connection);
// OPEN_REQ or OPEN_RESP has been written.
void sock_open_written(struct cpu_context *context, struct sock_connection *connection);
// Its peer has closed it, or it is broken.
void sock_gone(struct cpu_context *context, struct sock_connection *connection);
void sock_close(struct cpu_context *context, struct sock_connection *connection);
void sock_disconnect(struct cpu_context *context, struct ch3_process *ch3, int peer);
enum mpi_progress sock_finalize(struct cpu_context *context, struct mpi_process *process);
extern const struct machine_kind sock_connection_machine; // by enum sock_connection_state

// transfer.c
void sock_send(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send);
// All of an item has been written. Frees it.
void sock_written(struct cpu_context *context, struct sock_connection *connection,
                  struct mesh_item *item);
// All that was expected has been read. Returns true if a read call for the data after a packet
// follows at once (sock_read_data).
bool sock_arrived(struct cpu_context *context, struct sock_connection *connection);
void sock_read_data(struct cpu_context *context, struct sock_connection *connection);

// progress.c
static inline bool sock_pending(const struct sock_process *sock)
{
    return sock->event_head || sock->ready_head || sock->reading;
}
enum mpi_progress sock_advance(struct cpu_context *context, struct mpi_process *process,
                               bool blocking);

// stack.c
struct stack;
extern const struct stack sock_stack, mpich4_sock_stack;

#endif
