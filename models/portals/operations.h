// SPDX-License-Identifier: GPL-3.0-or-later
// Portals' own operations: a put and a get, what the target attaches for them, event queues and
// events.
#ifndef NETSIM_MODELS_PORTALS_OPERATIONS_H
#define NETSIM_MODELS_PORTALS_OPERATIONS_H

#include "sim/mpi/request.h"
#include "sim/program/operation_kind.h"

enum portals_operation {
    PORTALS_OPERATION_PUT,
    PORTALS_OPERATION_GET,
    PORTALS_OPERATION_ATTACH,
    PORTALS_OPERATION_BIND,
    PORTALS_OPERATION_DETACH,
    PORTALS_OPERATION_EVENT,
    PORTALS_OPERATION_EQUEUE,
    PORTALS_OPERATIONS_END
};

// A put or a get.
struct portals_transfer_arguments {
    struct operation_arguments common;
    int64_t match_bits, portal, offset, header_data;
    int64_t pid; // OPERATION_ANY: the peer's
    int64_t acl;
    bool ack;
    const char *md; // interned; NULL: one that the program has bound before
    const char *eq; // without an MD. NULL: the first
};

// A descriptor, attached to an entry or bound.
struct portals_descriptor_arguments {
    struct operation_arguments common; // peer: the source of what matches
    const char *name;                  // interned; NULL: none
    const char *entry;                 // that it is attached to; NULL: makes one
    int64_t portal, match_bits, ignore_bits, from_pid;
    int position;      // enum portals_position
    const char *other; // the entry that it is put before or after
    int64_t threshold; // OPERATION_ANY: infinite
    int64_t most_offset;
    bool put, get, manage_remote, truncate, ack_disable;
    bool unlink, retain;
    bool events;
    const char *eq;
};

struct portals_detach_arguments {
    struct operation_arguments common;
    const char *name;
};

// An `event` of this kind waits for an event of any kind.
#define PORTALS_EVENT_ANY PORTALS_EVENTS_COUNTED

struct portals_event_arguments {
    struct operation_arguments common;
    int kind; // enum portals_event_kind, PORTALS_EVENT_DROPPED or PORTALS_EVENT_ANY
    int64_t count;
};

struct portals_equeue_arguments {
    struct operation_arguments common;
    const char *name;
    int64_t slots;
};

// Whether the request is of that operation.
bool portals_is(const struct mpi_request *request, enum portals_operation operation);

#endif
