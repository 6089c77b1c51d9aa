// SPDX-License-Identifier: GPL-3.0-or-later
// What clients and data servers say to one another (thesis 001, 2.3.2): a request is a header and,
// depending on its kind, a descriptor of the client's buffer, a descriptor of the remote memory,
// and data. What is written straight into the other's memory is a flag.
#ifndef NETSIM_MODELS_ARMCI_REQUEST_MESSAGE_H
#define NETSIM_MODELS_ARMCI_REQUEST_MESSAGE_H

#include "models/armci/layout.h"
#include "sim/core/engine.h"
#include "sim/core/ledger.h"

enum armci_kind {
    ARMCI_PUT,
    ARMCI_ACCUMULATE,
    ARMCI_GET,
    ARMCI_FETCH_ADD,
    ARMCI_LOCK,
    ARMCI_UNLOCK,
    ARMCI_FENCE,
    ARMCI_REGISTER,   // direct put: the target's memory is to be registered
    ARMCI_UNREGISTER, // the data are there
    ARMCI_AVAILABLE,  // get with packing at the client: a buffer of the client is free again
    ARMCI_ARRIVED,    // to the client's own data server: a buffer's data are there
};
#define ARMCI_KINDS (ARMCI_ARRIVED + 1)

const char *armci_kind_name(enum armci_kind kind);

struct armci_get_variant;
struct armci_client;

// The content of a request. Of the pool of the stack; whoever takes it off the port gives it back.
struct armci_message {
    struct armci_message *self; // for who is given the content of a message
    enum armci_kind kind;
    int client, target; // ranks
    uint32_t number;    // of the client's request
    int64_t header;     // bytes of it without data: header and descriptors
    int64_t tag;        // size of the buffer that it came in (thesis 001, 5.2)
    bool first, last;   // of the put's messages
    struct armci_piece piece;
    struct message_ref message; // whose data these are, or are asked for
    int64_t remote;             // address in the target's memory
    int64_t bytes;              // of all data
    // Of a get, the descriptor of the client's buffer: which scheme, where, and how it is cut.
    const struct armci_get_variant *get;
    const struct data_layout *layout;
    int64_t limit;
    int64_t client_address;
    int slot;                       // of the client's buffers (ARMCI_ARRIVED)
    struct armci_client *client_of; // within the node
    struct armci_message *next;
    struct event event;
};

// What stands in a flag that is written directly.
enum armci_flag_kind {
    ARMCI_FLAG_NONE,
    ARMCI_FLAG_DATA,       // behind the data of a get: they are in buffer `slot`
    ARMCI_FLAG_SILENT,     // no flag: data that a message will tell of
    ARMCI_FLAG_ANSWER,     // to fetch_add, lock, fence, register
    ARMCI_FLAG_READY,      // of the client: `value` buffers have become free for this request
    ARMCI_FLAG_REGISTERED, // the client's memory is registered: write into it
    ARMCI_FLAG_REFUSED,    // it could not be
    ARMCI_FLAG_DIRECT,     // no flag: data that are in their last place with that
};

// Of the pool of the stack, if its `self` is set: who has looked at it gives it back. That may be
// behind the sender's callback, as a card acknowledges before it writes.
struct armci_flag {
    struct armci_flag *self;
    enum armci_flag_kind kind;
    int client;
    uint32_t number;
    int slot;
    struct armci_piece piece;
    int64_t value;
};

struct armci_job;

// A copy of a flag, of the job's pool, that lives until armci_flag_seen.
const struct armci_flag *armci_flag_new(struct armci_job *job, const struct armci_flag *flag);
void armci_flag_seen(struct armci_job *job, const struct armci_flag *flag);

#endif
