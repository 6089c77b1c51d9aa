// SPDX-License-Identifier: GPL-3.0-or-later
// A process as a client of ARMCI: it executes its operations one after the other, in the order in
// which they were issued, each as a state machine whose steps are slices of processor time. Between
// steps that have to wait it calls MPI_Iprobe in a loop and polls flags in its memory.
#ifndef NETSIM_MODELS_ARMCI_CLIENT_H
#define NETSIM_MODELS_ARMCI_CLIENT_H

#include "models/armci/armci.h"
#include "models/armci/buffers.h"
#include "models/armci/job.h"
#include "models/armci/request_message.h"
#include "models/mpich_gm/mpich.h"
#include "sim/core/sparse.h"

struct armci_client;
struct armci_server;

// The outcome of an operation's step.
enum armci_step {
    ARMCI_GOES_ON,
    ARMCI_WAITS,
    ARMCI_ENDS,
    ARMCI_THROUGH_BUFFERS, // of a variant's contiguous put: it does not serve, nothing has moved
};

// States of an operation at the client, named as in thesis 001, Figs 3.2, 3.3, 4.1, 4.2.
enum armci_state {
    ARMCI_START = MPICH_START,
    ARMCI_DONE = MPICH_DONE,
    ARMCI_QUEUED = MPICH_STATES, // after an operation that was issued earlier
    ARMCI_BUFFER,                // needs a free send buffer
    ARMCI_COPYS,                 // put: the data have been packed; needs the send token
    ARMCI_XMIT,                  // put: sent; sequential: waits for the acknowledgement
    ARMCI_ACKS,                  // put: all is sent; waits for the outstanding acknowledgements
    ARMCI_PACKREQ,               // get: a request is made; needs the send token
    ARMCI_REQUEST,               // asked: waits for data or an answer
    ARMCI_REGISTERING,           // direct: the user's memory is being registered
    ARMCI_DIRECT,                // direct put: the next piece is to be registered and sent
    ARMCI_COPYC,                 // get: data have been unpacked
    ARMCI_SHARED,                // peer on the same node: a copy in shared memory
};

struct armci_client;

// A variant of put and accumulate.
struct armci_put_variant {
    const char *name;
    int64_t (*buffers)(const struct armci_config *config); // their number
    bool each_waits; // waits for the acknowledgement of a piece before packing the next
    // Each step of a contiguous put, if it is not packing; else NULL.
    enum armci_step (*contiguous)(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request);
};

// How the client of a get learns that data have arrived, and the server that buffers are free.
enum armci_notice {
    ARMCI_NOTICE_FLAG,    // written directly
    ARMCI_NOTICE_MESSAGE, // by a message to the data server, which is interrupted
};

struct armci_get_variant {
    const char *name;
    bool each_piece;   // one request per piece; else one for all, and the server cuts
    bool packing_sent; // the request carries a descriptor per piece
    bool direct;       // into the user's memory, if that can be registered
    enum armci_notice arrival, availability;
};

extern const struct armci_put_variant armci_put_variants[];
extern const struct armci_get_variant armci_get_variants[];
extern const char *const armci_put_names[], *const armci_get_names[]; // NULL-terminated
enum { ARMCI_GET_SEQUENTIAL, ARMCI_GET_SERVER_SPLIT, ARMCI_GET_CLIENT_PACKING, ARMCI_GET_DIRECT };

struct armci_request { // the device's part of a request
    enum armci_step (*step)(struct cpu_context *context, struct armci_client *client,
                            struct mpi_request *request);
    const struct armci_get_variant *get;
    struct data_layout contiguous; // if the program gave none
    struct armci_pieces pieces;
    struct armci_piece piece;
    struct armci_slot *slot;
    int64_t limit;                          // of a piece
    int64_t count, fetched;                 // get: number of pieces, and how many have arrived
    int64_t announced, to_announce;         // get: buffers announced as free, and not yet announced
    int host;                               // fence: the next node to ask
    bool by_variant;                        // put: by the variant's steps
    bool registered_here, registered_there; // direct: the user's memory at both ends
};

struct armci_client {
    struct mpich mpich;
    struct armci_job *job;
    const struct armci_config *config;
    struct mpi_process *process;
    struct gm_port *port; // MPICH's
    struct mpi_queue queue;
    struct mpi_request *current;
    int64_t sends_out;            // ARMCI's, not yet acknowledged
    struct armci_buffers buffers; // for puts
    int64_t request_address;      // registered memory for a request without data
    int64_t flag_address;         // … for an outgoing flag
    int64_t get_address;          // buffers of gets
    int64_t landing;              // where answers are written
    struct armci_flag *arrived;   // by buffer of gets
    int64_t *landed;              // the same: bytes of the last data, if they came without a flag
    struct armci_flag answer;
    struct sparse unfenced; // bool, by host: something was put there since the last fence
    // Looking at memory: the process sleeps, and wakes at the end of a turn.
    bool asleep;
    sim_time asleep_since, turn;
    struct event tick;
    int64_t *sends, *most_out, *interrupts;
};

static inline struct armci_request *armci_request_of(struct mpi_request *request)
{
    return (struct armci_request *)(void *)request->device;
}

static inline struct armci_client *armci_client_at(const struct armci_job *job, int rank)
{
    return job->processes[rank]->device;
}

static inline struct armci_client *armci_client_of(const struct mpi_request *request)
{
    return request->process->device;
}

const struct data_layout *armci_layout_of(struct mpi_request *request);

extern const struct stage armci_stage; // the library on a processor
extern const struct mpi_device_ops armci_ops;
extern const struct machine_kind armci_request_machine; // by enum armci_state

void armci_client_init(struct armci_client *client, struct armci_job *job,
                       struct mpi_process *process, struct gm_port *port,
                       const struct mpich_gm_config *mpich);
void armci_client_clear(struct armci_client *client);

// ---- For the operations ----

// Enters a state and traces it; `detail` as for printf, evaluated only if there is a trace.
void armci_enter(struct cpu_context *context, struct mpi_request *request, enum armci_state state,
                 const char *detail, ...) G_GNUC_PRINTF(4, 5);

struct armci_server *armci_server_of(const struct armci_client *client, int rank);
bool armci_same_node(const struct armci_client *client, int rank);

// Something was written into the process's memory; called from an event.
void armci_client_written(struct armci_client *client, const struct armci_flag *flag);

// ---- client_send.c ----

// Whether ARMCI may send now: it holds a token.
bool armci_may_send(const struct armci_client *client);

// Sends a request to the peer's data server; takes the token. slot: the buffer that holds the
// message, whose first `message->header` bytes are the header; NULL: a request without data, sent
// from memory of its own. The pool owns `message`.
void armci_send(struct cpu_context *context, struct armci_client *client,
                struct armci_message *message, struct armci_slot *slot);

// A new message for the request, with the fields that all kinds share filled in; `descriptors`:
// bytes after the header.
struct armci_message *armci_message_new(struct armci_client *client, enum armci_kind kind,
                                        struct mpi_request *request, int64_t descriptors);

// Writes a flag into the data server's memory; takes the token.
void armci_write_flag(struct cpu_context *context, struct armci_client *client, int peer,
                      const struct armci_flag *flag);

// Sends [offset, offset + bytes) of the request's data from the user's memory directly to the same
// offset in the peer's; takes the token. Both memories are registered.
void armci_send_direct(struct cpu_context *context, struct armci_client *client,
                       struct mpi_request *request, const struct armci_piece *piece);

// ---- The operations ----

// The first step of each kind.
enum armci_step armci_put_step(struct cpu_context *context, struct armci_client *client,
                               struct mpi_request *request);
// For a put that may go directly from user memory to user memory (direct.c).
enum armci_step armci_direct_step(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request);
enum armci_step armci_get_step(struct cpu_context *context, struct armci_client *client,
                               struct mpi_request *request);
// Records whether something was put to that host since the last fence.
void armci_unfenced_set(struct armci_client *client, int host, bool unfenced);
enum armci_step armci_synchronise_step(struct cpu_context *context, struct armci_client *client,
                                       struct mpi_request *request);

#endif
