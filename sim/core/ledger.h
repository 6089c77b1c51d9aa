// SPDX-License-Identifier: GPL-3.0-or-later
// The message ledger stores no payload but accounts for every byte of every message.
//
// A message is opened when a program sends it. A part that reaches its final destination is
// delivered. A part that the receiver does not want (the buffer is too short, the message is
// unexpected) is declined. A part that is dropped or destroyed under way is noted with the reason;
// a transport may still deliver it later. At the end every message is delivered, declined as a
// whole or in part, lost with a reason, or still open, and the report states which. Declined
// messages are an outcome that the program has asked for: the ledger balances with them.
#ifndef NETSIM_CORE_LEDGER_H
#define NETSIM_CORE_LEDGER_H

#include "sim/core/time.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ledger;

// Identifies a message, even after it is closed: the generation exposes a late duplicate.
struct message_ref {
    uint32_t index;
    uint32_t generation; // 0: no message (a control packet)
};

#define MESSAGE_NONE ((struct message_ref){0, 0})

static inline bool message_same(struct message_ref a, struct message_ref b)
{
    return a.index == b.index && a.generation == b.generation;
}

struct ledger_totals {
    uint64_t messages;   // opened
    uint64_t bytes;      // opened
    uint64_t delivered;  // messages delivered whole
    uint64_t lost;       // messages that lost a part for good
    uint64_t open;       // messages neither delivered, declined nor lost: still under way
    uint64_t duplicated; // parts that arrived a second time
    uint64_t misordered; // messages that overtook an earlier one of their flow
    uint64_t delivered_bytes;
    uint64_t dropped_parts; // drops noted, including those repaired later
    uint64_t declined;      // messages of which the receiver declined a part, or all
    uint64_t declined_bytes;
};

struct ledger *ledger_new(void);
void ledger_free(struct ledger *ledger);

// Opens a message of `bytes` (>= 0) from rank or host `source` to `destination`. Messages of one
// `flow` (a key that the caller chooses) must be matched in the order in which they are opened.
struct message_ref ledger_open(struct ledger *ledger, int source, int destination, int64_t bytes,
                               uint64_t flow);

// Marks an open message, for the component that meets it at its destination. The caller defines the
// mark's meaning.
void ledger_mark(struct ledger *ledger, struct message_ref message);

// Whether the message is open and marked.
bool ledger_marked(const struct ledger *ledger, struct message_ref message);

// [offset, offset + length) has reached its last place. Counts duplicates. Out-of-order parts are
// fine.
void ledger_deliver(struct ledger *ledger, struct message_ref message, int64_t offset,
                    int64_t length);

// The receiver does not want [offset, offset + length), and will not take these bytes from any
// copy; `reason` is a static or interned string ("truncated", "no match"). The whole of an empty
// message is declined with length 0. Bytes that were delivered or declined before count as a
// duplicate. Allowed also after ledger_complete: the message is then closed once its last missing
// byte is declined.
void ledger_decline(struct ledger *ledger, struct message_ref message, int64_t offset,
                    int64_t length, const char *reason);

// A part was dropped or destroyed; `reason` is a static or interned string. A later delivery of the
// same bytes repairs it, and so does declining them.
void ledger_drop(struct ledger *ledger, struct message_ref message, int64_t offset, int64_t length,
                 const char *reason);

// Like ledger_drop, but for every byte of the message that is neither delivered nor declined yet.
void ledger_drop_rest(struct ledger *ledger, struct message_ref message, const char *reason);

// The receiver has taken this message as the next of its flow.
void ledger_match(struct ledger *ledger, struct message_ref message);

// The receiver has done with the message. A whole message is closed as delivered, or as declined if
// the receiver has declined a part of it or all. A message with missing bytes stays on the books,
// as lost if they were dropped and as open if not; parts that arrive later are lost.
void ledger_complete(struct ledger *ledger, struct message_ref message);

// True if more messages of the flow have been opened than its receiver has matched.
bool ledger_flow_unmatched(const struct ledger *ledger, uint64_t flow);

// From now on calls `whole` for each message at the moment when it is closed as delivered. NULL: no
// callback.
typedef void ledger_whole_fn(void *watcher, struct message_ref message);
void ledger_watch(struct ledger *ledger, ledger_whole_fn *whole, void *watcher);

struct ledger_totals ledger_totals(const struct ledger *ledger);

// Describes bytes [offset, offset + length) of an open message: "message 17, rank 0 to 1, 4096 B:
// bytes 0..1023". The caller frees it. Returns NULL if `message` is MESSAGE_NONE or closed.
char *ledger_describe(const struct ledger *ledger, struct message_ref message, int64_t offset,
                      int64_t length);

// True if every message was delivered once, whole and in order, but for what was declined.
bool ledger_balanced(const struct ledger *ledger);

// At most `limit` lines, first on lost messages, then on open ones, each oldest first: "message 17,
// rank 0 to 1, 4096 B: bytes 0..1023 lost: …". Free with g_ptr_array_unref.
GPtrArray *ledger_report(const struct ledger *ledger, unsigned limit);

// Like ledger_report, but on messages closed as declined, in the order of closing: "message 17,
// rank 0 to 1, 4096 B: bytes 1024..4095 declined: truncated". The ledger keeps the first
// LEDGER_DECLINED_KEPT of them.
GPtrArray *ledger_declined_report(const struct ledger *ledger, unsigned limit);

#define LEDGER_DECLINED_KEPT 50

#endif
