// SPDX-License-Identifier: GPL-3.0-or-later
// Between the Portals 3.2 library and the network abstraction layer (NAL) below it. The library
// (library.h) matches, keeps the tables and makes the events; a NAL moves headers and bytes.
// Neither knows the other's insides: the library runs over any NAL that gives the functions below,
// as the reference library of 2003 did (thesis 002, 3.3).
//
// The path of a put: the initiator's library builds the header and calls `send`, in the caller's
// context. The target's NAL calls portals_parse with the header as it arrives; the library matches,
// makes PUT_START and calls `receive` with the number of bytes that it wants. When they are in
// place the NAL calls portals_finalize: PUT_END. When the initiator's NAL knows that the message
// has ended, it calls portals_finalize there: SEND_END.
#ifndef NETSIM_MODELS_PORTALS_NAL_H
#define NETSIM_MODELS_PORTALS_NAL_H

#include "sim/core/ledger.h"
#include "sim/host/processor.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct portals_ni; // library.h

#define PORTALS_ANY (-1) // of a nid or pid in a match entry, or of a pid that the NAL may choose

// A process: node (here a host of the cluster, by index) and process id on it.
struct portals_id {
    int32_t nid, pid;
};

enum portals_kind { PORTALS_PUT, PORTALS_GET, PORTALS_REPLY, PORTALS_ACK };

// How a call or a transfer ended.
enum portals_status {
    PORTALS_OK,
    PORTALS_NO_SPACE,   // no memory in the kernel, no free MD, ME or EQ
    PORTALS_INV_MD,     // the MD is not one that the NAL can send from
    PORTALS_INV_HANDLE, // no such MD, ME or EQ
    PORTALS_REFUSED,    // the NAL can't carry it (-EACCES)
    PORTALS_FAILED,     // an error in transit
};

// The Portals header. Only its size on the wire (portals.header) takes time.
struct portals_header {
    uint8_t kind; // enum portals_kind
    bool ack;     // of a put: the initiator asks for an ACK
    bool apart;   // of a reply: it takes another path (struct portals_nal) than those of its pair
                  // that were asked for with it, so that the ledger expects no order of them
    struct portals_id from, to;
    int32_t portal; // index of the target's table
    // Of the initiator, for the REPLY or the ACK: its MD and what its library keeps with the
    // operation.
    uint32_t md, request;
    uint64_t match_bits, header_data;
    int64_t length; // of a put: rlength; of a get: bytes asked for; of a reply: its bytes; of
                    // an ACK: mlength
    int64_t offset; // at the target
    int64_t local;  // where a get's bytes go, at the initiator; REPLY and ACK bring it back
    struct message_ref message; // whose bytes are moved; none for an ACK
};

// A transfer as the library keeps it, from `send` or portals_parse to portals_finalize. The library
// owns it; pointers stay good until portals_finalize.
struct portals_transfer {
    struct portals_header header;
    int64_t address; // of its bytes in the process's memory, at both ends
    int64_t length;  // bytes to send; at the target the bytes wanted (mlength)
    int segments;    // pieces of memory (iov): 0 without bytes, else 1
    void *nal;       // the NAL's record of it, or NULL. The library never reads it
};

struct portals_nal {
    const char *name;
    bool kernel; // the library is in the kernel: each call of the API is a system call (3.1)
    // Sends the header and transfer->length bytes of a put, reply or ACK, or the header of a get.
    // It runs in the context of the caller: the process for PtlPut and PtlGet, the NAL's own thread
    // for REPLY and ACK. If it returns PORTALS_OK it calls portals_finalize once, now or later;
    // otherwise never, and the call fails with what it returns.
    enum portals_status (*send)(struct cpu_context *context, struct portals_ni *ni,
                                struct portals_transfer *transfer);
    // Returns which of the NAL's paths a put or reply of so many bytes takes, from 0 to 255.
    // Messages keep their order within a path only. NULL: there is one.
    int (*way)(const struct portals_ni *ni, int64_t bytes);
    // The library has parsed what `arriving` (as passed to portals_parse) stands for and wants
    // transfer->length (which may be 0) of its header.length bytes at transfer->address; the NAL
    // calls portals_finalize when they are there. `transfer` NULL: no byte is wanted, and the NAL
    // ends the message by itself, as after all bytes. That is so for an ACK and for a get, and for
    // what the target does not accept: the library has declined its bytes in the ledger.
    void (*receive)(struct cpu_context *context, struct portals_ni *ni, void *arriving,
                    struct portals_transfer *transfer);
    // For reports: what the transfer waits for, with its numbers ("CTS for message 7 from node1").
    // Returns a text that the caller frees, or NULL. NULL: portals_transfer_waits suffices.
    char *(*waits_for)(const struct portals_ni *ni, const struct portals_transfer *transfer);
    // For reports: the waits of the process's transfers, a text per wait, with its number ("CTS for
    // message 7 from node1"). The caller frees it with g_ptr_array_unref. NULL: the NAL reports
    // none.
    GPtrArray *(*waits)(const struct portals_ni *ni);
};

// A header has arrived for this interface: matches it, makes the START event, and calls the NAL's
// `receive` before it returns. Charges the library's costs. Called by the NAL, in its thread.
void portals_parse(struct cpu_context *context, struct portals_ni *ni,
                   const struct portals_header *header, void *arriving);

// A transfer has ended at this end: makes the END (or FAIL) event, unlinks the MD if its threshold
// is used up, wakes processes that wait for events, and sends the ACK if one was asked for.
// `transfer` is gone afterwards. At the target, the NAL reports the delivered bytes to the ledger
// before the call. Charges the library's costs.
void portals_finalize(struct cpu_context *context, struct portals_ni *ni,
                      struct portals_transfer *transfer, enum portals_status status);

#endif
