// SPDX-License-Identifier: GPL-3.0-or-later
// The common part of MPI libraries over sockets: a TCP connection to every other process of the
// job, made at startup; per connection a queue of items to write, as far as the socket takes them,
// and a reader of headers and bodies, since a socket delivers bytes and not messages; and select
// over the connections.
//
// A library defines its headers and their handling, and decides when to read, write or wait: here
// libraries differ.
//
// Not modelled: connections made only when they are first used (ch_p4), several of a pair, and how
// the daemons or listeners pass on a port (it takes `exchange`; a greeting names the connecting
// rank).
#ifndef NETSIM_MODELS_MPI_TCP_MESH_H
#define NETSIM_MODELS_MPI_TCP_MESH_H

#include "models/tcp/socket.h"
#include "sim/core/pool.h"
#include "sim/mpi/startup.h"

#define MESH_RUNS 3 // in one item: transport header, library header, data

// The differences in how the connections are made.
struct mesh_config {
    struct tcp_options options;
    int64_t header;    // bytes that the reader reads first of each message, 0: there is no header
    sim_time exchange; // ps, until the peer knows a port
    enum inet_call reads_body;  // the call that reads what no header is; headers are read by read
    enum inet_call writes_rest; // the call that writes the rest of an item
};

// One thing to be written, header and data, in one call as far as the socket takes it.
struct mesh_item {
    struct mesh_item *next;
    struct tcp_run runs[MESH_RUNS]; // still to be written
    int count;
    bool begun;     // some of it has been taken
    uint32_t order; // its place among the others of its link
    struct mesh_link *link;
    struct mpi_request *request;              // the library's
    void *sends;                              // the library's, in place of a request
    int use;                                  // the library's: what it is
    unsigned char content[TCP_CONTENT_BYTES]; // of its header
};

// The header or body that is being read from a peer, and how much of it has come.
struct mesh_reader {
    bool in_header;
    int64_t wanted, got;
    struct message_ref message; // of the last bytes read
    int64_t data_read;          // bytes of `message` that have been read in this body
    unsigned char header[TCP_CONTENT_BYTES];
    uint32_t header_filled;
    // The library's: the body goes to the buffer of a request or of an unexpected message.
    struct mpi_request *request;
    struct mpi_unexpected *unexpected;
};

// The connection to one peer. In a large job most carry no message, so what only messages need is
// made with the first.
struct mesh_link {
    struct mesh *mesh;
    int rank;                      // of the peer
    bool port_known;               // the peer, of a lower rank, accepts this rank now
    bool closed;                   // by the peer
    bool blocking;                 // the library has set the socket to block
    struct tcp_socket *socket;     // NULL: none (oneself, or not yet)
    struct mesh_item *head, *tail; // to be written; the head may be partly written
    struct mesh_reader *reader;    // NULL before the first message
};

// How far a rank is with the peer whose turn it is; it finishes with one before it goes on to the
// next, in the order of ranks. That LAM does so is assumed, from memory of its connect_all: its
// source was not at hand.
enum mesh_joining {
    MESH_NEXT,    // nothing done yet; the port is sent to a higher one
    MESH_CONNECT, // to a lower one, once its port is known
    MESH_GREET,
    MESH_ACCEPT, // a higher one
    MESH_NAME,   // the rank of the accepted one
};

// Stands first in what the device of each rank has (mpi_process.device).
struct mesh {
    struct mpi_process *process;
    struct tcp_host *host; // its own
    struct mesh_config config;
    struct mesh_link *links; // by rank; the own one has no socket; NULL: the library's own
    // For select, by rank: enum inet_readiness. Bytes, since most of a large job's are 0 and are
    // passed over eight at a time, without a visit to the links.
    uint8_t *wanted, *ready;
    enum mesh_joining joining;
    struct event exchange; // the peer knows the port
    int closing;           // rank of the connection to be closed next
    struct tcp_listener *listener;
    struct tcp_socket *unnamed; // accepted, has not sent its rank
    struct pool items, readers;
    GArray *selected; // struct inet_selected: of one mesh_select
};

// `host` is the mesh's from now on.
void mesh_init(struct mesh *mesh, struct mpi_process *process, struct tcp_host *host,
               const struct mesh_config *config);

// The same without links, for a library that makes its own when it connects (mesh_link_init), and
// waits for them itself.
void mesh_init_bare(struct mesh *mesh, struct mpi_process *process, struct tcp_host *host,
                    const struct mesh_config *config);

// A link of the mesh without a socket. rank: of the peer; RANK_ANY: not known yet.
void mesh_link_init(struct mesh_link *link, struct mesh *mesh, int rank);
// Gives back what the link holds, but the socket.
void mesh_link_clear(struct mesh_link *link);
void mesh_clear(struct mesh *mesh);

static inline struct mesh *mesh_of(const struct mpi_process *process)
{
    return process->device;
}

// Bytes of the simulator's memory that a process keeps for each other one before they have
// exchanged messages.
int64_t mesh_link_footprint(void);

// The device's startup and finalize (sim/mpi/process.h).
extern const struct mpi_startup_step mesh_startup[];
enum mpi_progress mesh_finalize(struct cpu_context *context, struct mpi_process *process);

static inline bool mesh_open(const struct mesh_link *link)
{
    return link->socket && !link->closed;
}

// ---- Writing ----

// A new item for a link with nothing in it yet.
struct mesh_item *mesh_item_new(struct mesh_link *link, struct mpi_request *request, int use);
void mesh_item_free(struct mesh_item *item);

// Adds `length` bytes (0: adds nothing): a header with content (copied; at most one of an item), or
// data of a message from `offset`.
void mesh_item_header(struct mesh_item *item, int64_t length, const void *content,
                      uint32_t content_length);
void mesh_item_data(struct mesh_item *item, int64_t length, struct message_ref message,
                    int64_t offset);

// Adds `length` bytes that represent an empty message.
void mesh_item_stand_in(struct mesh_item *item, int64_t length, struct message_ref message);

// Puts it into its link's queue, after all items of a lower or equal order and after one that is
// partly written.
void mesh_queue(struct mesh_item *item, uint32_t order);

enum mesh_progress {
    MESH_EMPTY,  // nothing: it would block
    MESH_PART,   // some
    MESH_WHOLE,  // to its end
    MESH_CLOSED, // the connection is gone
};

// One write call for the first item of the link's queue (there is one). MESH_WHOLE: it was taken
// to its end, is out of the queue and in *done; the caller frees it.
enum mesh_progress mesh_write(struct cpu_context *context, struct mesh_link *link,
                              struct mesh_item **done);

// ---- Reading ----

// Returns the link's reader, which it makes if the link has none.
struct mesh_reader *mesh_reader(struct mesh_link *link);

// Sets the next read: `bytes` that are no header. By default a header follows them.
void mesh_expect(struct mesh_link *link, int64_t bytes);
void mesh_expect_header(struct mesh_link *link);

// One read call for the missing bytes. MESH_WHOLE: the reader's `header` holds the header's
// content, or the body is here; the caller sets the next read. A body of no bytes is whole without
// a call.
enum mesh_progress mesh_read(struct cpu_context *context, struct mesh_link *link);

// Nothing of a message has been read yet: a connection that ends here was closed by a peer that has
// ended. Elsewhere it is lost, and the run fails.
static inline bool mesh_at_start(const struct mesh_link *link)
{
    return !link->reader || (link->reader->in_header && link->reader->got == 0);
}
void mesh_lost(const struct mesh_link *link);

// ---- Waiting ----

// Nothing is wanted of any link, or this of every one.
void mesh_want_all(struct mesh *mesh, int readiness);

// The first rank from `rank` on whose byte in the mesh's `wanted` or `ready` is set; the number of
// ranks if there is none.
int mesh_next_set(const struct mesh *mesh, const uint8_t *bytes, int rank);

// select over the links of which something is wanted; sets their `ready`, returns how many are
// ready. 0 and block: the process sleeps.
int mesh_select(struct cpu_context *context, struct mesh *mesh, bool block);

// The process repeats calls on the links of which something is wanted, in a loop of `turn` ps (>
// 0), until one is ready (inet_spin_several). Returns true if one is; false: the process sleeps.
bool mesh_spin(struct cpu_context *context, struct mesh *mesh, sim_time turn);

#endif
