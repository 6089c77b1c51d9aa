// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/ledger.h"

#include "sim/core/pool.h"

// An empty message is recorded as one byte, so that it too can be under way, dropped or delivered.
#define EMPTY_EXTENT 1

// A stretch of a message, in a list that is ascending and without overlap.
struct interval {
    struct interval *next;
    int64_t from, to;   // [from, to)
    const char *reason; // why it was dropped; NULL in a list of what was delivered
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
    bool used, matched, completed;
    int source, destination;
    int64_t bytes, extent;
    int64_t prefix;             // [0, prefix) is delivered
    struct interval *delivered; // beyond the prefix
    struct interval *dropped;   // and not delivered since
    uint64_t number;            // messages are numbered as they are opened
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
    ledger_whole_fn *whole; // NULL: no callback
    void *watcher;
};

// g_int64_hash only folds the halves: keys made of two small numbers would collide.
static guint flow_hash(gconstpointer key)
{
    return (guint)((*(const uint64_t *)key * 0x9e3779b97f4a7c15u) >> 32);
}

struct ledger *ledger_new(void)
{
    struct ledger *ledger = g_new0(struct ledger, 1);
    ledger->capacity = 64;
    ledger->records = g_new(struct record, ledger->capacity);
    ledger->free_list = NO_RECORD;
    pool_init(&ledger->intervals, sizeof(struct interval));
    ledger->flows = g_hash_table_new_full(flow_hash, g_int64_equal, NULL, g_free);
    return ledger;
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger)
        return;
    g_hash_table_unref(ledger->flows);
    pool_clear(&ledger->intervals);
    g_free(ledger->records);
    g_free(ledger);
}

// ---- Lists of intervals ----

static struct interval *interval_new(struct ledger *ledger, int64_t from, int64_t to,
                                     const char *reason, struct interval *next)
{
    struct interval *interval = pool_take(&ledger->intervals);
    *interval = (struct interval){next, from, to, reason};
    return interval;
}

// Removes the first interval of the list.
static void interval_remove(struct ledger *ledger, struct interval **list)
{
    struct interval *gone = *list;
    *list = gone->next;
    pool_give(&ledger->intervals, gone);
}

// Cuts [from, to) out of a list. Returns true if the list contained any of it.
static bool intervals_cut(struct ledger *ledger, struct interval **list, int64_t from, int64_t to)
{
    bool found = false;
    while (*list && (*list)->from < to) {
        struct interval *interval = *list;
        if (interval->to <= from) {
            list = &interval->next;
            continue;
        }
        found = true;
        if (interval->to > to)
            interval->next =
                interval_new(ledger, to, interval->to, interval->reason, interval->next);
        if (interval->from < from) {
            interval->to = from;
            list = &interval->next;
        } else {
            interval_remove(ledger, list);
        }
    }
    return found;
}

// Inserts [from, to), of which the list contains nothing yet, in order; joins neighbours of the
// same reason.
static void intervals_add(struct ledger *ledger, struct interval **list, int64_t from, int64_t to,
                          const char *reason)
{
    struct interval *before = NULL;
    while (*list && (*list)->from < from) {
        before = *list;
        list = &before->next;
    }
    if (before && before->to == from && before->reason == reason) {
        before->to = to;
    } else {
        *list = interval_new(ledger, from, to, reason, *list);
        before = *list;
    }
    struct interval *after = before->next;
    if (after && after->from == before->to && after->reason == reason) {
        before->to = after->to;
        interval_remove(ledger, &before->next);
    }
}

// Bytes of [from, to) that a list contains.
static int64_t intervals_overlap(const struct interval *list, int64_t from, int64_t to)
{
    int64_t bytes = 0;
    for (; list && list->from < to; list = list->next)
        if (list->to > from)
            bytes += MIN(list->to, to) - MAX(list->from, from);
    return bytes;
}

// ---- Records ----

// Returns the record of a message, or NULL if it is no longer on the books.
static struct record *ledger_record(struct ledger *ledger, struct message_ref message)
{
    g_assert(message.index < ledger->count);
    struct record *record = &ledger->records[message.index];
    return record->used && record->generation == message.generation ? record : NULL;
}

static uint32_t record_take(struct ledger *ledger)
{
    uint32_t index = ledger->free_list;
    if (index != NO_RECORD) {
        ledger->free_list = ledger->records[index].next_free;
        return index;
    }
    if (ledger->count == ledger->capacity) {
        ledger->capacity *= 2;
        ledger->records = g_renew(struct record, ledger->records, ledger->capacity);
    }
    ledger->records[ledger->count].generation = 0;
    return ledger->count++;
}

static struct flow *ledger_flow(struct ledger *ledger, uint64_t key)
{
    struct flow *flow = g_hash_table_lookup(ledger->flows, &key);
    if (!flow) {
        flow = g_new0(struct flow, 1);
        flow->key = key;
        g_hash_table_insert(ledger->flows, &flow->key, flow);
    }
    return flow;
}

struct message_ref ledger_open(struct ledger *ledger, int source, int destination, int64_t bytes,
                               uint64_t flow_key)
{
    g_assert(bytes >= 0);
    struct flow *flow = ledger_flow(ledger, flow_key);
    uint32_t index = record_take(ledger);
    struct record *record = &ledger->records[index];
    uint32_t generation = record->generation + 1;
    if (generation == 0)
        generation = 1;
    *record = (struct record){
        .generation = generation,
        .used = true,
        .source = source,
        .destination = destination,
        .bytes = bytes,
        .extent = bytes > 0 ? bytes : EMPTY_EXTENT,
        .number = ++ledger->totals.messages,
        .flow = flow,
        .order = flow->opened++,
    };
    ledger->totals.bytes += (uint64_t)bytes;
    return (struct message_ref){index, generation};
}

static bool record_whole(const struct record *record)
{
    return record->prefix == record->extent;
}

// Removes a delivered message from the books.
static void record_close(struct ledger *ledger, struct record *record)
{
    if (record->dropped)
        ledger->with_drops--;
    while (record->dropped)
        interval_remove(ledger, &record->dropped);
    g_assert(!record->delivered); // a whole message has no gap
    ledger->totals.delivered++;
    record->used = false;
    record->next_free = ledger->free_list;
    ledger->free_list = (uint32_t)(record - ledger->records);
}

// The span that a part covers in the record: its own bytes, or the one byte that represents an
// empty message.
static bool record_span(const struct record *record, int64_t offset, int64_t length, int64_t *to)
{
    if (offset < 0 || length < 0 || offset > record->bytes || length > record->bytes - offset)
        g_error("bytes %" G_GINT64_FORMAT "+%" G_GINT64_FORMAT " of a message of %" G_GINT64_FORMAT,
                offset, length, record->bytes);
    *to = record->bytes ? offset + length : EMPTY_EXTENT;
    return *to > offset;
}

// The general case of a delivery: parts out of order, overlaps, and parts that had been dropped.
static void record_deliver(struct ledger *ledger, struct record *record, int64_t from, int64_t to)
{
    int64_t known =
        MAX(0, MIN(to, record->prefix) - from) + intervals_overlap(record->delivered, from, to);
    if (known > 0)
        ledger->totals.duplicated++;
    if (record->bytes)
        ledger->totals.delivered_bytes += (uint64_t)(to - from - known);
    if (record->dropped) {
        intervals_cut(ledger, &record->dropped, from, to);
        ledger->with_drops -= !record->dropped;
    }
    intervals_cut(ledger, &record->delivered, from, to);
    if (to <= record->prefix)
        return;
    if (from > record->prefix) {
        intervals_add(ledger, &record->delivered, from, to, NULL);
        return;
    }
    record->prefix = to;
    while (record->delivered && record->delivered->from == record->prefix) {
        record->prefix = record->delivered->to;
        interval_remove(ledger, &record->delivered);
    }
}

void ledger_deliver(struct ledger *ledger, struct message_ref message, int64_t offset,
                    int64_t length)
{
    if (message.generation == 0)
        return;
    struct record *record = ledger_record(ledger, message);
    if (!record) {
        ledger->totals.duplicated++;
        return;
    }
    if (record->completed) {
        ledger_drop(ledger, message, offset, length, "came after its receiver had taken it");
        return;
    }
    int64_t to;
    if (!record_span(record, offset, length, &to))
        return;
    if (offset == record->prefix && !record->delivered && !record->dropped) {
        record->prefix = to;
        ledger->totals.delivered_bytes += (uint64_t)length;
    } else {
        record_deliver(ledger, record, offset, to);
    }
}

// Notes as dropped those bytes of [from, to) that are neither delivered nor noted yet.
static void record_drop(struct ledger *ledger, struct record *record, int64_t from, int64_t to,
                        const char *reason)
{
    bool had_drops = record->dropped != NULL;
    intervals_cut(ledger, &record->dropped, from, to);
    int64_t at = MAX(from, record->prefix);
    for (const struct interval *known = record->delivered; known && at < to; known = known->next) {
        if (known->from > at)
            intervals_add(ledger, &record->dropped, at, MIN(known->from, to), reason);
        at = MAX(at, known->to);
    }
    if (at < to)
        intervals_add(ledger, &record->dropped, at, to, reason);
    ledger->with_drops += (uint64_t)(record->dropped != NULL) - (uint64_t)had_drops;
}

void ledger_drop(struct ledger *ledger, struct message_ref message, int64_t offset, int64_t length,
                 const char *reason)
{
    if (message.generation == 0)
        return;
    ledger->totals.dropped_parts++;
    struct record *record = ledger_record(ledger, message);
    int64_t to;
    if (record && record_span(record, offset, length, &to))
        record_drop(ledger, record, offset, to, reason);
}

void ledger_drop_rest(struct ledger *ledger, struct message_ref message, const char *reason)
{
    if (message.generation == 0)
        return;
    ledger->totals.dropped_parts++;
    struct record *record = ledger_record(ledger, message);
    if (record)
        record_drop(ledger, record, 0, record->extent, reason);
}

void ledger_match(struct ledger *ledger, struct message_ref message)
{
    if (message.generation == 0)
        return;
    struct record *record = ledger_record(ledger, message);
    if (!record || record->matched) {
        ledger->totals.duplicated++;
        return;
    }
    record->matched = true;
    if (record->order < record->flow->taken)
        ledger->totals.misordered++;
    else
        record->flow->taken = record->order + 1;
}

void ledger_complete(struct ledger *ledger, struct message_ref message)
{
    if (message.generation == 0)
        return;
    struct record *record = ledger_record(ledger, message);
    if (!record || record->completed) {
        ledger->totals.duplicated++;
        return;
    }
    record->completed = true;
    // An empty message cannot miss bytes.
    if (record->bytes > 0 && !record_whole(record))
        return;
    record_close(ledger, record);
    if (ledger->whole)
        ledger->whole(ledger->watcher, message);
}

void ledger_watch(struct ledger *ledger, ledger_whole_fn *whole, void *watcher)
{
    ledger->whole = whole;
    ledger->watcher = watcher;
}

struct ledger_totals ledger_totals(const struct ledger *ledger)
{
    struct ledger_totals totals = ledger->totals;
    totals.lost = ledger->with_drops;
    totals.open = totals.messages - totals.delivered - totals.lost;
    return totals;
}

bool ledger_balanced(const struct ledger *ledger)
{
    const struct ledger_totals *totals = &ledger->totals;
    return totals->delivered == totals->messages && totals->duplicated == 0 &&
           totals->misordered == 0;
}

// ---- The report ----

// Lost messages say more than those still under way.
static int lost_first(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a;
    const struct record *y = *(const struct record *const *)b;
    if (!x->dropped != !y->dropped)
        return x->dropped ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// A line names this many stretches of bytes and counts the rest.
#define MOST_SPANS 12

static void report_span(GString *line, const struct record *record, int64_t from, int64_t to,
                        const char *what, int *spans)
{
    if (++*spans > MOST_SPANS)
        return;
    g_string_append(line, line->len && line->str[line->len - 1] == ':' ? " " : "; ");
    if (record->bytes)
        g_string_append_printf(line, "bytes %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT " ", from,
                               to - 1);
    g_string_append(line, what);
}

// [from, to) was neither delivered nor dropped.
static void report_open(GString *line, const struct record *record, int64_t from, int64_t to,
                        int *spans)
{
    if (from < to)
        report_span(line, record, from, to, "not delivered", spans);
}

// Begins a line on a message.
static GString *report_begin(const struct record *record)
{
    GString *line = g_string_new(NULL);
    g_string_printf(line, "message %" G_GUINT64_FORMAT ", rank %d to %d, %" G_GINT64_FORMAT " B",
                    record->number, record->source, record->destination, record->bytes);
    return line;
}

char *ledger_describe(const struct ledger *ledger, struct message_ref message, int64_t offset,
                      int64_t length)
{
    const struct record *record = message.generation && message.index < ledger->count
                                      ? &ledger->records[message.index]
                                      : NULL;
    if (!record || !record->used || record->generation != message.generation)
        return NULL;
    GString *line = report_begin(record);
    if (length > 0)
        g_string_append_printf(line, ": bytes %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, offset,
                               offset + length - 1);
    return g_string_free(line, FALSE);
}

static char *report_line(const struct record *record)
{
    GString *line = report_begin(record);
    g_string_append_c(line, ':');
    if (record_whole(record)) {
        g_string_append(line, " delivered, but not taken by its receiver");
        return g_string_free(line, FALSE);
    }
    int64_t at = record->prefix;
    int spans = 0;
    const struct interval *dropped = record->dropped, *delivered = record->delivered;
    while (dropped || delivered) {
        bool lost = dropped && (!delivered || dropped->from < delivered->from);
        const struct interval *next = lost ? dropped : delivered;
        report_open(line, record, at, next->from, &spans);
        if (lost) {
            char *what = g_strconcat("lost: ", next->reason, NULL);
            report_span(line, record, next->from, next->to, what, &spans);
            g_free(what);
            dropped = dropped->next;
        } else {
            delivered = delivered->next;
        }
        at = next->to;
    }
    report_open(line, record, at, record->extent, &spans);
    if (spans > MOST_SPANS)
        g_string_append_printf(line, "; and %d more stretches", spans - MOST_SPANS);
    return g_string_free(line, FALSE);
}

GPtrArray *ledger_report(const struct ledger *ledger, unsigned limit)
{
    GPtrArray *records = g_ptr_array_new();
    for (uint32_t i = 0; i < ledger->count; i++)
        if (ledger->records[i].used)
            g_ptr_array_add(records, &ledger->records[i]);
    g_ptr_array_sort(records, lost_first);
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < records->len && i < limit; i++)
        g_ptr_array_add(lines, report_line(g_ptr_array_index(records, i)));
    g_ptr_array_unref(records);
    return lines;
}
