// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between clients and data servers (thesis 001, 2.3.2): a request is a header and,
// depending on its kind, a descriptor of the client's buffer, a descriptor of the remote memory,
// and data. A write directly into the peer's memory is announced by a flag.
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
    ARMCI_REGISTER,   // direct put: the target's memory must be registered
    ARMCI_UNREGISTER, // the data have arrived
    ARMCI_AVAILABLE,  // get with packing at the client: a buffer of the client is free again
    ARMCI_ARRIVED,    // to the client's own data server: a buffer's data have arrived
};
#define ARMCI_KINDS (ARMCI_ARRIVED + 1)

const char *armci_kind_name(enum armci_kind kind);

struct armci_get_variant;
struct armci_client;

// The content of a request. Allocated from the stack's pool; the one that takes it off the port
// returns it.
struct armci_message {
    struct armci_message *self; // for a receiver that is handed the content of a message
    enum armci_kind kind;
    int client, target; // ranks
    uint32_t number;    // of the client's request
    int64_t header;     // bytes of it without data: header and descriptors
    int64_t tag;        // size of the buffer that held it (thesis 001, 5.2)
    bool first, last;   // of the messages of a put
    struct armci_piece piece;
    struct message_ref message; // whose data the request carries or asks for
    int64_t remote;             // address in the target's memory
    int64_t bytes;              // of all data
    // For a get, the descriptor of the client's buffer: which scheme, where, and how it is cut.
    const struct armci_get_variant *get;
    const struct data_layout *layout;
    int64_t limit;
    int64_t client_address;
    int slot;                       // of the client's buffers (ARMCI_ARRIVED)
    struct armci_client *client_of; // within the node
    struct armci_message *next;
    struct event event;
};

// The content of a directly written flag.
enum armci_flag_kind {
    ARMCI_FLAG_NONE,
    ARMCI_FLAG_DATA,       // after the data of a get, which are in buffer `slot`
    ARMCI_FLAG_SILENT,     // no flag: data that a message will announce
    ARMCI_FLAG_ANSWER,     // to fetch_add, lock, fence, register
    ARMCI_FLAG_READY,      // of the client: `value` buffers have become free for this request
    ARMCI_FLAG_REGISTERED, // the client's memory is registered: write into it
    ARMCI_FLAG_REFUSED,    // it could not be registered
    ARMCI_FLAG_DIRECT,     // no flag: the data have reached their final place
};

// Allocated from the stack's pool if its `self` is set: the reader returns it. That may happen
// after the sender's callback, as a card acknowledges before it writes.
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

// A copy of a flag, from the job's pool, that lives until armci_flag_seen.
const struct armci_flag *armci_flag_new(struct armci_job *job, const struct armci_flag *flag);
void armci_flag_seen(struct armci_job *job, const struct armci_flag *flag);

#endif
