// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of the VDMA handler: its messages, peers, reads and channels.
#ifndef NETSIM_MODELS_INTERCEPT_HANDLER_INTERNAL_H
#define NETSIM_MODELS_INTERCEPT_HANDLER_INTERNAL_H

#include "models/intercept/vdma/handler.h"
#include "models/intercept/vdma/handler_align.h"
#include "sim/core/fifo.h"
#include "sim/core/pool.h"
#include "sim/core/sparse.h"

#include <glib.h>

#define VDMA_VNIC (INTERCEPT_VNICS - 1) // the handler's (2.1.3)
#define VDMA_GET_EXTENSION 40           // B of the five fields that Portals adds to GET (5.2.2)
#define VDMA_WORD 8                     // B of a key, or of a number of credits

// ---- Messages ----

enum vdma_kind {
    VDMA_CONNECT,
    VDMA_CONNECT_REFUSED,
    VDMA_CREDIT, // credit update
    VDMA_GET,
    VDMA_PUT,
    VDMA_DONE,
    VDMA_PORTALS_GET_EXT_REPLY,
    VDMA_PORTALS_CLIENT, // the client's own: TRY_MATCH, MATCH_REPLY, UPD_CONN
    VDMA_KINDS
};

struct vdma_get {
    int64_t address, bytes; // bytes 0: there is no slice, only what remains
    struct message_ref message;
    int64_t offset;
    uint64_t key_remaining; // 0: nothing remains, or this is not the first slice
    int64_t first_block_length, first_block_addr;
    int64_t last_block_length, last_block_addr;
};

struct vdma_put {
    int64_t address; // to be written to, at the target
    int64_t source, bytes;
    struct message_ref message;
    int64_t offset;
    uint64_t key;
};

// As it goes into a short message.
struct vdma_body {
    uint8_t kind; // enum vdma_kind
    union {
        uint8_t channel; // of a GET
        uint8_t type;    // of a client's message
    };
    uint16_t slice; // number of a GET's slice, for reports
    uint32_t count; // of credits, or of bytes of an EXT_REPLY
    union {
        struct vdma_get get;
        struct vdma_put put;
        uint64_t key; // of a DONE or an EXT_REPLY
        unsigned char client[VDMA_CLIENT_BYTES];
    };
};

G_STATIC_ASSERT(sizeof(struct vdma_body) <= INTERCEPT_BODY_BYTES);

struct vdma_message {
    struct vdma_message *next;
    sim_time since;          // it waits
    const struct wait *wait; // for what; NULL: for nothing
    struct intercept_sm sm;
};

static inline struct vdma_body *vdma_message_body(struct vdma_message *message)
{
    return (struct vdma_body *)(void *)message->sm.body;
}

// ---- Peers ----

enum vdma_connection { VDMA_NONE, VDMA_CONNECTING, VDMA_CONNECTED };

struct vdma_peer {
    struct machine machine; // enum vdma_connection
    bool asked;             // the client wants to hear of the connection
    bool listed;            // in the handler's list of peers with waiting messages
    bool starved;           // its first waiting message has no credit
    int64_t credits;        // messages that may still be sent to it
    trace_values values;    // of them; 0: not announced
    int64_t taken;          // messages taken from it since the last credit update
    int number;             // IUCA
    struct vdma_message *waiting, *waiting_last;
    struct vdma_peer *next; // in that list
};

// ---- Reads, and what is served of others' ----

enum vdma_read_state { VDMA_READ_READING, VDMA_READ_DONE };

struct vdma_read {
    struct vdma_read *next;
    struct machine machine; // enum vdma_read_state
    uint64_t number;        // from 1
    struct vdma_transfer transfer;
    struct vdma_split split;
    bool written; // it executes another's write: DONE goes to the writer
    uint64_t done_key;
    int64_t begun, done; // bytes of the middle part
    int slices;          // prepared so far
    int in_flight;       // slices
    bool ext_due;        // the GET_EXT_REPLY has not come
};

enum vdma_write_state { VDMA_WRITE_PUT, VDMA_WRITE_DONE };

struct vdma_write {
    struct vdma_write *next;
    struct machine machine; // enum vdma_write_state
    uint64_t number;
    struct vdma_transfer transfer;
};

// A GET of another handler that waits for a channel, or for a buffer.
struct vdma_served {
    struct vdma_served *next;
    int from;
    uint8_t channel; // of the requester
    uint16_t slice;
    struct vdma_get get;
};

enum vdma_use { VDMA_UNUSED, VDMA_RECEIVES, VDMA_SENDS };

struct vdma_channel {
    struct machine machine; // enum vdma_use
    bool over;              // its counter is zero
    struct vdma_read *read; // that it receives for
    int slice;              // number of the slice
    int peer;
    int64_t bytes;
    int buffer; // that the data are sent from; -1: none
};

// ---- Requests ----

enum vdma_request_kind {
    VDMA_REQUEST_CONNECT,
    VDMA_REQUEST_READ,
    VDMA_REQUEST_WRITE,
    VDMA_REQUEST_MESSAGE
};

struct vdma_request {
    struct vdma_request *next;
    enum vdma_request_kind kind;
    sim_time when; // it is in the queue from then on
    int peer;
    struct vdma_transfer transfer;
    struct vdma_message *message;
};

// ---- The handler ----

struct vdma_handler {
    struct sim *sim;
    struct host *host;
    struct host *const *hosts; // by IUCA
    int host_count;
    const char *where; // "node0 VDMA handler", interned
    struct vdma_handler_config config;
    bool splits; // transfers of any alignment
    struct intercept_nic *nic;
    struct vnic *vnic;
    const struct vdma_client *client;
    void *owner;

    struct cpu_task thread;
    bool asleep, waking;

    struct vdma_request *requests, *requests_last;
    struct sparse peers; // struct vdma_peer
    struct vdma_peer *waiting_peers;
    struct vdma_message *control, *control_last; // messages that need no credit
    bool room;                                   // a TX-CB that was full has room

    struct vdma_read *reads, *reads_last;
    struct vdma_write *writes, *writes_last;
    struct vdma_served *served, *served_last;
    struct vdma_channel channels[INTERCEPT_CHANNELS];
    int receiving;      // channels
    unsigned buffers;   // bit n: copy buffer n is taken
    bool channels_wait; // something waits for a channel
    uint64_t numbers;

    struct pool request_pool, message_pool, read_pool, write_pool, served_pool;
    int64_t *sent[VDMA_KINDS];
    int64_t *slices, *stray_credits, *copies;
};

static inline struct vdma_peer *vdma_peer(struct vdma_handler *handler, int number)
{
    struct vdma_peer *peer = sparse_at(&handler->peers, number);
    peer->number = number;
    return peer;
}

extern const struct stage vdma_handler_stage;

static inline void vdma_spend(struct cpu_context *context, struct cost cost,
                              struct message_ref message)
{
    cpu_spend_for(context, cost, &vdma_handler_stage, message);
}

// ---- handler_machine.c ----

extern const struct machine_kind vdma_connection_machine; // by enum vdma_connection
extern const struct machine_kind vdma_read_machine;       // by enum vdma_read_state
extern const struct machine_kind vdma_write_machine;      // by enum vdma_write_state
extern const struct machine_kind vdma_channel_machine;    // by enum vdma_use

static inline struct machine_owner vdma_owner(const struct vdma_handler *handler,
                                              const struct machine_kind *kind, uint64_t subject)
{
    return (struct machine_owner){
        .where = handler->where, .subject = (int64_t)subject, .machine = kind->name};
}

extern const char *const vdma_kind_names[VDMA_KINDS]; // by enum vdma_kind

// "GET", or the client's name of its own messages.
const char *vdma_message_name(const struct vdma_handler *handler, const struct vdma_body *body);

// Traces a message "to" or "from" a peer.
void vdma_trace_message(const struct cpu_context *context, const struct vdma_handler *handler,
                        const struct vdma_body *body, const char *direction, int peer);

// Writes a message's first bytes for captures (struct vnic_ops, frame).
void vdma_frame(const struct intercept_sm *message, struct intercept_frame *frame);

// Describes it for traces (struct vnic_ops, words).
void vdma_words(const struct intercept_sm *message, struct trace_words *words);

// Wakes the thread; charges the waker if it sleeps.
void vdma_wake(struct cpu_context *context, struct vdma_handler *handler);

// ---- handler_connect.c ----

// A message of `bytes` besides the header, to be filled in and sent. On behalf of `on_behalf`.
struct vdma_message *vdma_message_new(struct vdma_handler *handler, int peer, enum vdma_kind kind,
                                      int64_t bytes, struct message_ref on_behalf);

// Sends it as soon as there is credit and room; it is gone then.
void vdma_message_send(struct cpu_context *context, struct vdma_handler *handler,
                       struct vdma_message *message);

// Sends what waits and can go.
void vdma_flush(struct cpu_context *context, struct vdma_handler *handler);

void vdma_connect(struct cpu_context *context, struct vdma_handler *handler, int number);
void vdma_connect_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                          int64_t credits);
void vdma_refused_arrived(struct cpu_context *context, struct vdma_handler *handler, int from);
void vdma_credit_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                         int64_t credits);

// A message that took a credit has been handled.
void vdma_message_taken(struct cpu_context *context, struct vdma_handler *handler, int from);

// ---- handler_read.c ----

void vdma_read_begin(struct cpu_context *context, struct vdma_handler *handler,
                     const struct vdma_transfer *transfer);
void vdma_write_begin(struct cpu_context *context, struct vdma_handler *handler,
                      const struct vdma_transfer *transfer);
void vdma_put_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                      const struct vdma_put *put);
void vdma_done_arrived(struct cpu_context *context, struct vdma_handler *handler, uint64_t key);
void vdma_ext_reply_arrived(struct cpu_context *context, struct vdma_handler *handler,
                            uint64_t key);

// Prepares one slice and sends its GET. Returns false if no read needs one now, or no channel is
// free.
bool vdma_next_slice(struct cpu_context *context, struct vdma_handler *handler);

// The channel's counter is zero at the receiver.
void vdma_slice_received(struct cpu_context *context, struct vdma_handler *handler, int number);

// ---- handler_serve.c ----

void vdma_get_arrived(struct cpu_context *context, struct vdma_handler *handler, int from,
                      const struct vdma_body *body);

// Starts to send one slice. Returns false if no GET waits, or no channel or buffer is free.
bool vdma_serve(struct cpu_context *context, struct vdma_handler *handler);

// The channel's counter is zero at the sender.
void vdma_slice_sent(struct cpu_context *context, struct vdma_handler *handler, int number);

#endif
