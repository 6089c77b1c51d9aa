// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/ledger_internal.h"

// Lost messages precede those still under way, as they matter more.
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

// [from, to) was neither settled nor dropped.
static void report_open(GString *line, const struct record *record, int64_t from, int64_t to,
                        int *spans)
{
    if (from < to)
        report_span(line, record, from, to, "not delivered", spans);
}

// Describes the outcome of an interval, and its reason.
static void report_reason(GString *line, const struct record *record,
                          const struct interval *interval, const char *what, int *spans)
{
    char *text = g_strconcat(what, ": ", interval->reason, NULL);
    report_span(line, record, interval->from, interval->to, text, spans);
    g_free(text);
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

// Describes the bytes of a message that are dropped or not settled.
static void report_missing(GString *line, const struct record *record, int *spans)
{
    int64_t at = record->prefix;
    const struct interval *dropped = record->dropped, *settled = record->settled;
    while (dropped || settled) {
        bool lost = dropped && (!settled || dropped->from < settled->from);
        const struct interval *next = lost ? dropped : settled;
        report_open(line, record, at, next->from, spans);
        if (lost) {
            report_reason(line, record, next, "lost", spans);
            dropped = dropped->next;
        } else {
            settled = settled->next;
        }
        at = next->to;
    }
    report_open(line, record, at, record->extent, spans);
}

char *record_line(const struct record *record)
{
    GString *line = report_begin(record);
    g_string_append_c(line, ':');
    int spans = 0;
    if (!record_whole(record))
        report_missing(line, record, &spans);
    else if (!record->completed)
        g_string_append_printf(line, " %s, but not taken by its receiver",
                               record->declined ? "delivered or declined" : "delivered");
    for (const struct interval *span = record->declined; span; span = span->next)
        report_reason(line, record, span, "declined", &spans);
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
        g_ptr_array_add(lines, record_line(g_ptr_array_index(records, i)));
    g_ptr_array_unref(records);
    return lines;
}

GPtrArray *ledger_declined_report(const struct ledger *ledger, unsigned limit)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < ledger->declined->len && i < limit; i++)
        g_ptr_array_add(lines, g_strdup(g_ptr_array_index(ledger->declined, i)));
    return lines;
}
