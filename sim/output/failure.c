// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/failure.h"

#include "sim/core/shown.h"
#include "sim/output/table.h"
#include "sim/output/text.h"

#include <string.h>

// Entries of a long list that are printed; the manifest has all of them.
#define MOST_RANKS 16
#define MOST_ITEMS 12
#define MOST_FINDINGS 8
#define MOST_MESSAGES 10
#define MOST_STATES 20

// Members whose value needs no name before it: {"state": "blocked"} reads "blocked".
static bool member_is_plain(const char *key)
{
    static const char *const plain[] = {"kind", "what", "state", "text", "operation", "why"};
    for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
        if (strcmp(plain[i], key) == 0)
            return true;
    return false;
}

static void append_scalar(GString *out, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        g_string_append(out, json_string_value(value));
        break;
    case JSON_INTEGER:
        g_string_append_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL: {
        char *digits = text_exact(json_real_value(value));
        g_string_append(out, digits);
        g_free(digits);
        break;
    }
    case JSON_TRUE:
        g_string_append(out, "yes");
        break;
    case JSON_FALSE:
        g_string_append(out, "no");
        break;
    case JSON_NULL:
        g_string_append(out, "none");
        break;
    case JSON_OBJECT:
    case JSON_ARRAY:
        break;
    }
}

static void append_separator(GString *out, gsize start)
{
    if (out->len > start)
        g_string_append(out, ", ");
}

// "pinned_bytes": 4096 reads "4096 bytes pinned"; "tag": 3 reads "tag 3".
static void append_member(GString *out, const char *key, const json_t *value)
{
    char *name = g_strdelimit(g_strdup(key), "_", ' ');
    if (member_is_plain(key)) {
        append_scalar(out, value);
    } else if (g_str_has_suffix(key, "_bytes")) {
        append_scalar(out, value);
        g_string_append_printf(out, " bytes %.*s", (int)(strlen(key) - strlen("_bytes")), name);
    } else if (strcmp(key, "bytes") == 0 || strcmp(key, "size") == 0) {
        append_scalar(out, value);
        g_string_append(out, " bytes");
    } else {
        g_string_append_printf(out, "%s ", name);
        append_scalar(out, value);
    }
    g_free(name);
}

// The scalar members of an object but for `skip`, in one line.
static void append_members(GString *out, json_t *object, const char *skip)
{
    const char *key;
    json_t *value;
    gsize start = out->len;
    json_object_foreach(object, key, value)
    {
        if (json_is_array(value) || json_is_object(value) || (skip && strcmp(key, skip) == 0))
            continue;
        append_separator(out, start);
        append_member(out, key, value);
    }
}

// "and N more WHAT" if a list is longer than what was shown of it.
static void append_rest(GString *out, const char *indent, size_t length, size_t shown,
                        const char *what)
{
    if (length > shown)
        g_string_append_printf(out, "%sand %zu more %s\n", indent, length - shown, what);
}

static void append_item(GString *out, json_t *item)
{
    g_string_append(out, "      ");
    if (json_is_object(item))
        append_members(out, item, NULL);
    else
        append_scalar(out, item);
    g_string_append_c(out, '\n');
}

// One rank of a deadlock: its own members in one line, then its lists, an item a line.
static void append_rank(GString *out, json_t *rank)
{
    g_string_append(out, "    ");
    if (!json_is_object(rank)) {
        append_scalar(out, rank);
        g_string_append_c(out, '\n');
        return;
    }
    json_t *number = json_object_get(rank, "rank");
    if (number) {
        g_string_append(out, "rank ");
        append_scalar(out, number);
        g_string_append(out, ": ");
    }
    append_members(out, rank, "rank");
    g_string_append_c(out, '\n');

    const char *key;
    json_t *value, *item;
    size_t index;
    json_object_foreach(rank, key, value)
    {
        json_array_foreach(value, index, item)
        {
            if (index < MOST_ITEMS)
                append_item(out, item);
        }
        append_rest(out, "      ", json_array_size(value), MOST_ITEMS, key);
    }
}

// Ports that packets hold in a cycle: a line for each.
static void append_held_ports(GString *out, json_t *ports)
{
    json_t *port;
    size_t index;
    json_array_foreach(ports, index, port)
    {
        if (index < MOST_RANKS)
            g_string_append_printf(out, "    %s\n", json_string_value(port));
    }
    append_rest(out, "    ", json_array_size(ports), MOST_RANKS, "ports");
}

// The findings on a deadlock, a sentence each.
static void append_findings(GString *out, json_t *reason)
{
    static const char *const keys[] = {"lost", "mismatches", "circles", "ended"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        json_t *list = json_object_get(reason, keys[i]), *entry;
        size_t index;
        json_array_foreach(list, index, entry)
        {
            if (index >= MOST_FINDINGS)
                break;
            g_string_append(out, "  ");
            text_append_wrapped(out, json_string_value(json_object_get(entry, "text")),
                                TABLE_WIDTH - 2, 4);
            g_string_append_c(out, '\n');
        }
        append_rest(out, "  ", json_array_size(list), MOST_FINDINGS, "such findings");
    }
}

// The states of the machines of a run that was stopped, a line each.
static void append_states(GString *out, json_t *reason)
{
    json_t *states = json_object_get(reason, "states"), *state;
    size_t index;
    json_array_foreach(states, index, state)
    {
        if (index >= MOST_STATES)
            break;
        char *since = text_exact(json_number_value(json_object_get(state, "since_us")));
        const char *wait = json_string_value(json_object_get(state, "waits_for"));
        g_string_append_printf(out, "    %s, %s %" JSON_INTEGER_FORMAT ": %s since %s us%s%s\n",
                               json_string_value(json_object_get(state, "where")),
                               json_string_value(json_object_get(state, "machine")),
                               json_integer_value(json_object_get(state, "number")),
                               json_string_value(json_object_get(state, "state")), since,
                               wait ? ", waits for " : "", wait ? wait : "");
        g_free(since);
    }
    append_rest(out, "    ", (size_t)json_integer_value(json_object_get(reason, "machines")),
                MIN(json_array_size(states), MOST_STATES), "state machines");
}

static void append_reason(GString *out, json_t *reason)
{
    const char *text = json_string_value(json_object_get(reason, "text"));
    json_t *when = json_object_get(reason, "time_us");
    if (json_is_number(when)) {
        char *time = text_exact(json_number_value(when));
        g_string_append_printf(out, " at %s us", time);
        g_free(time);
    }
    g_string_append(out, "\n  ");
    text_append_wrapped(out, text ? text : "no reason was given", TABLE_WIDTH - 2, 2);
    g_string_append_c(out, '\n');

    append_findings(out, reason);
    json_t *ranks = json_object_get(reason, "ranks"), *rank;
    size_t index;
    json_array_foreach(ranks, index, rank)
    {
        if (index < MOST_RANKS)
            append_rank(out, rank);
    }
    append_rest(out, "    ", json_array_size(ranks), MOST_RANKS, "ranks");
    append_held_ports(out, json_object_get(reason, "held_ports"));
    append_states(out, reason);
}

char *failure_ledger_verdict(const struct ledger_totals *totals, bool balanced)
{
    const struct {
        uint64_t count;
        const char *what;
    } parts[] = {
        {totals->declined, "declined"},     {totals->lost, "lost"},
        {totals->open, "not completed"},    {totals->duplicated, "duplicated"},
        {totals->misordered, "misordered"},
    };
    char *messages = text_grouped(totals->messages);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "ledger %s: %s message%s", balanced ? "balanced" : "NOT balanced",
                           messages, totals->messages == 1 ? "" : "s");
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (parts[i].count > 0) {
            char *count = text_grouped(parts[i].count);
            g_string_append_printf(out, ", %s %s", count, parts[i].what);
            g_free(count);
        }
    g_free(messages);
    return g_string_free(out, FALSE);
}

static void append_books(GString *out, const struct series_result *series)
{
    char *verdict = failure_ledger_verdict(&series->ledger, series->ledger_balanced);
    g_string_append_printf(out, "  %s\n", verdict);
    g_free(verdict);
    const GPtrArray *lines = series->ledger_report;
    for (guint i = 0; lines && i < MIN(lines->len, MOST_MESSAGES); i++)
        g_string_append_printf(out, "    %s\n", (const char *)g_ptr_array_index(lines, i));
    // The report itself may be cut; the totals are not.
    uint64_t missing = MAX(series->ledger.lost + series->ledger.open, lines ? lines->len : 0);
    append_rest(out, "    ", missing, MOST_MESSAGES, "messages");
}

void failure_append_declined(GString *out, const struct series_result *series)
{
    const GPtrArray *lines = series->declined;
    if (!lines || lines->len == 0)
        return;
    shown_append(out, series->name, SHOWN_LINE);
    char *count = text_grouped(series->ledger.declined);
    g_string_append_printf(out, ": %s message%s declined by the receiver\n", count,
                           series->ledger.declined == 1 ? "" : "s");
    g_free(count);
    for (guint i = 0; i < MIN(lines->len, MOST_MESSAGES); i++)
        g_string_append_printf(out, "  %s\n", (const char *)g_ptr_array_index(lines, i));
    append_rest(out, "  ", series->ledger.declined, MOST_MESSAGES, "messages");
}

void failure_append(GString *out, const struct series_result *series, const char *mark,
                    const char *unmark)
{
    if (series->status == SIM_COMPLETED)
        return;
    GString *reason = g_string_new(NULL);
    append_reason(reason, series->reason);
    if (!series->ledger_balanced)
        append_books(reason, series);
    g_string_append(out, mark);
    shown_append(out, series->name, SHOWN_LINE);
    g_string_append_printf(out, ": %s%s", sim_status_name(series->status), unmark);
    shown_append(out, reason->str, SHOWN_TEXT);
    g_string_free(reason, TRUE);
}
