// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/ledger_internal.h"

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
    ledger->declined = g_ptr_array_new_with_free_func(g_free);
    return ledger;
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger)
        return;
    g_hash_table_unref(ledger->flows);
    g_ptr_array_unref(ledger->declined);
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

static void intervals_clear(struct ledger *ledger, struct interval **list)
{
    while (*list)
        interval_remove(ledger, list);
}

// Removes a message that is delivered or declined from the books.
static void record_close(struct ledger *ledger, struct record *record)
{
    if (record->dropped)
        ledger->with_drops--;
    intervals_clear(ledger, &record->dropped);
    g_assert(!record->settled); // a whole message has no gap
    if (record->declined) {
        ledger->totals.declined++;
        if (ledger->declined->len < LEDGER_DECLINED_KEPT)
            g_ptr_array_add(ledger->declined, record_line(record));
        intervals_clear(ledger, &record->declined);
    } else {
        ledger->totals.delivered++;
    }
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

// [from, to) is delivered or declined, and thereby no longer dropped.
static void record_settle(struct ledger *ledger, struct record *record, int64_t from, int64_t to)
{
    if (record->dropped) {
        intervals_cut(ledger, &record->dropped, from, to);
        ledger->with_drops -= !record->dropped;
    }
    intervals_cut(ledger, &record->settled, from, to);
    if (to <= record->prefix)
        return;
    if (from > record->prefix) {
        intervals_add(ledger, &record->settled, from, to, NULL);
        return;
    }
    record->prefix = to;
    while (record->settled && record->settled->from == record->prefix) {
        record->prefix = record->settled->to;
        interval_remove(ledger, &record->settled);
    }
}

// Counts a duplicate if some of [from, to) is settled already. Returns the number of bytes that are
// not.
static int64_t record_fresh(struct ledger *ledger, const struct record *record, int64_t from,
                            int64_t to)
{
    int64_t known =
        MAX(0, MIN(to, record->prefix) - from) + intervals_overlap(record->settled, from, to);
    if (known > 0)
        ledger->totals.duplicated++;
    return record->bytes ? to - from - known : 0;
}

// The general case of a delivery: parts out of order, overlaps, and parts that had been dropped.
static void record_deliver(struct ledger *ledger, struct record *record, int64_t from, int64_t to)
{
    ledger->totals.delivered_bytes += (uint64_t)record_fresh(ledger, record, from, to);
    record_settle(ledger, record, from, to);
}

void ledger_mark(struct ledger *ledger, struct message_ref message)
{
    struct record *record = ledger_record(ledger, message);
    if (record)
        record->marked = true;
}

bool ledger_marked(const struct ledger *ledger, struct message_ref message)
{
    if (message.generation == 0 || message.index >= ledger->count)
        return false;
    const struct record *record = &ledger->records[message.index];
    return record->used && record->generation == message.generation && record->marked;
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
    if (offset == record->prefix && !record->settled && !record->dropped) {
        record->prefix = to;
        ledger->totals.delivered_bytes += (uint64_t)length;
    } else {
        record_deliver(ledger, record, offset, to);
    }
}

// Adds to `list`, which has none of them, those bytes of [from, to) that are not settled.
static void record_note(struct ledger *ledger, const struct record *record, struct interval **list,
                        int64_t from, int64_t to, const char *reason)
{
    int64_t at = MAX(from, record->prefix);
    for (const struct interval *known = record->settled; known && at < to; known = known->next) {
        if (known->from > at)
            intervals_add(ledger, list, at, MIN(known->from, to), reason);
        at = MAX(at, known->to);
    }
    if (at < to)
        intervals_add(ledger, list, at, to, reason);
}

void ledger_decline(struct ledger *ledger, struct message_ref message, int64_t offset,
                    int64_t length, const char *reason)
{
    if (message.generation == 0)
        return;
    struct record *record = ledger_record(ledger, message);
    if (!record) {
        ledger->totals.duplicated++;
        return;
    }
    int64_t to;
    if (!record_span(record, offset, length, &to))
        return;
    ledger->totals.declined_bytes += (uint64_t)record_fresh(ledger, record, offset, to);
    record_note(ledger, record, &record->declined, offset, to, reason);
    record_settle(ledger, record, offset, to);
    if (record->completed && record_whole(record))
        record_close(ledger, record);
}

// Notes as dropped those bytes of [from, to) that are not settled, with the latest reason.
static void record_drop(struct ledger *ledger, struct record *record, int64_t from, int64_t to,
                        const char *reason)
{
    bool had_drops = record->dropped != NULL;
    intervals_cut(ledger, &record->dropped, from, to);
    record_note(ledger, record, &record->dropped, from, to, reason);
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
    bool declined = record->declined != NULL;
    record_close(ledger, record);
    if (ledger->whole && !declined)
        ledger->whole(ledger->watcher, message);
}

bool ledger_flow_unmatched(const struct ledger *ledger, uint64_t flow)
{
    const struct flow *known = g_hash_table_lookup(ledger->flows, &flow);
    return known && known->opened > known->taken;
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
    totals.open = totals.messages - totals.delivered - totals.declined - totals.lost;
    return totals;
}

bool ledger_balanced(const struct ledger *ledger)
{
    const struct ledger_totals *totals = &ledger->totals;
    return totals->delivered + totals->declined == totals->messages && totals->duplicated == 0 &&
           totals->misordered == 0;
}
