// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger's records. ledger.c keeps them, ledger_report.c describes them.
#ifndef NETSIM_CORE_LEDGER_INTERNAL_H
#define NETSIM_CORE_LEDGER_INTERNAL_H

#include "sim/core/ledger.h"
#include "sim/core/pool.h"

// An empty message is recorded as one byte, so that it too can be under way, dropped or delivered.
#define EMPTY_EXTENT 1

// A stretch of a message, in a list that is ascending and without overlap.
struct interval {
    struct interval *next;
    int64_t from, to;   // [from, to)
    const char *reason; // why it was dropped or declined; NULL in a list of settled bytes
};

struct flow {
    uint64_t key;
    uint64_t opened; // messages so far
    uint64_t taken;  // order of the latest matched message, plus one
};

// A message on the books. Bytes that arrive in order only move `prefix`.
struct record {
    uint32_t generation;
    uint32_t next_free; // while free
    bool used, matched, completed, marked;
    int source, destination;
    int64_t bytes, extent;
    int64_t prefix;            // [0, prefix) is settled: delivered or declined
    struct interval *settled;  // beyond the prefix
    struct interval *declined; // the settled bytes that the receiver did not want
    struct interval *dropped;  // and not settled since
    uint64_t number;           // messages are numbered as they are opened
    struct flow *flow;
    uint64_t order; // in its flow
};

#define NO_RECORD UINT32_MAX

struct ledger {
    struct record *records;
    uint32_t count, capacity, free_list;
    struct pool intervals;
    GHashTable *flows; // by key; the key is the flow's first member
    struct ledger_totals totals;
    uint64_t with_drops;    // messages with a dropped part at present
    GPtrArray *declined;    // char *: lines on the first messages that were closed as declined
    ledger_whole_fn *whole; // NULL: no callback
    void *watcher;
};

// True once every byte is delivered or declined.
static inline bool record_whole(const struct record *record)
{
    return record->prefix == record->extent;
}

// A line on a message and its missing or declined bytes. The caller frees it.
char *record_line(const struct record *record);

#endif
