// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of time-independent traces. The trace has no names for them: `wait` and `test` give
// source, destination and tag, and mean the first open request that has these.
#include "sim/recording/ti.h"

#include <stdlib.h>
#include <string.h>

static struct ti_request *request_at(const struct ti_rank *rank, guint at)
{
    return &g_array_index(rank->open, struct ti_request, at);
}

void ti_rank_init(struct ti_rank *rank)
{
    rank->open = g_array_new(FALSE, FALSE, sizeof(struct ti_request));
    rank->spare = g_array_new(FALSE, FALSE, sizeof(int));
    rank->ends = g_array_new(FALSE, FALSE, sizeof(int));
}

void ti_rank_clear(struct ti_rank *rank)
{
    GArray *lists[] = {rank->open, rank->spare, rank->ends};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        if (lists[i])
            g_array_unref(lists[i]);
}

// The first that is open with this tag; -1: none.
static int find_tag(const struct ti_rank *rank, int source, int destination, int64_t tag)
{
    for (guint i = 0; i < rank->open->len; i++) {
        const struct ti_request *one = request_at(rank, i);
        if (one->source == source && one->destination == destination && one->tag == tag)
            return (int)i;
    }
    return -1;
}

// One that receives any tag is named by that.
static int find(const struct ti_rank *rank, int source, int destination, int64_t tag)
{
    int at = find_tag(rank, source, destination, tag);
    return at < 0 ? find_tag(rank, source, destination, OPERATION_ANY) : at;
}

// Its number is free for another.
static void end_one(struct ti_rank *rank, int at)
{
    const struct ti_request *one = request_at(rank, (guint)at);
    if (one->number != OPERATION_ANY)
        g_array_append_val(rank->spare, one->number);
    g_array_remove_index(rank->open, (guint)at);
}

enum taken { TAKEN_NONE, TAKEN_ALL, TAKEN_UNTESTED, TAKEN_UNKNOWN };

// Which of the open requests a waitall is for, if it has so many: those that are done already may
// be among them. A request that was tested is awaited for itself, unless all are awaited.
static enum taken taken_by_waitall(const struct ti_rank *rank, int64_t count)
{
    guint untested = 0;
    for (guint i = 0; i < rank->open->len; i++)
        untested += request_at(rank, i)->tested == 0;
    if (count >= rank->open->len)
        return TAKEN_ALL;
    return count == 0 ? TAKEN_NONE : count == untested ? TAKEN_UNTESTED : TAKEN_UNKNOWN;
}

static void end_taken(struct ti_rank *rank, enum taken taken)
{
    for (int i = (int)rank->open->len - 1; i >= 0; i--)
        if (taken == TAKEN_ALL || (taken == TAKEN_UNTESTED && !request_at(rank, (guint)i)->tested))
            end_one(rank, i);
}

// ---- Which tests found their request done ----

// Nothing waits for it: its last test ended it.
static void end_by_test(struct ti_rank *rank, int at)
{
    int line = request_at(rank, (guint)at)->tested;
    g_array_append_val(rank->ends, line);
    end_one(rank, at);
}

// A number of a line that has not been checked yet.
static int unchecked(const struct ti_word *word)
{
    return (int)strtol(word->text, NULL, 10);
}

static int64_t unchecked_tag(const struct ti_word *word)
{
    int tag = unchecked(word);
    return tag == TI_ANY_TAG ? OPERATION_ANY : tag;
}

// A program that starts a request anew has seen the end of the one before.
static void scan_start(struct ti_rank *rank, int source, int destination, int64_t tag)
{
    const struct ti_request request = {source, destination, tag, OPERATION_ANY, 0};
    int before = find_tag(rank, source, destination, tag);
    if (before >= 0 && request_at(rank, (guint)before)->tested)
        end_by_test(rank, before);
    g_array_append_val(rank->open, request);
}

static void scan_wait(struct ti_rank *rank, const struct ti_word *ends, bool tests, int line)
{
    int at = find(rank, unchecked(&ends[0]), unchecked(&ends[1]), unchecked_tag(&ends[2]));
    if (at >= 0 && tests)
        request_at(rank, (guint)at)->tested = line;
    else if (at >= 0)
        end_one(rank, at);
}

void ti_requests_scan(struct ti_rank *rank, int number, const struct ti_word *words, int count,
                      int line)
{
    const char *action = words[1].text;
    const struct ti_word *arguments = words + TI_ARGUMENT;
    bool sends = strcmp(action, "isend") == 0 || strcmp(action, "ISsend") == 0,
         tests = strcmp(action, "test") == 0;
    count -= TI_ARGUMENT;
    if (sends && count >= 2)
        scan_start(rank, number, unchecked(&arguments[0]), unchecked_tag(&arguments[1]));
    else if (strcmp(action, "irecv") == 0 && count >= 2)
        scan_start(rank, unchecked(&arguments[0]), number, unchecked_tag(&arguments[1]));
    else if ((tests || strcmp(action, "wait") == 0) && count >= 3)
        scan_wait(rank, arguments, tests, line);
    else if (strcmp(action, "waitall") == 0 && count >= 1)
        end_taken(rank, taken_by_waitall(rank, unchecked(&arguments[0])));
}

static gint compare_lines(gconstpointer one, gconstpointer other)
{
    int a = *(const int *)one, b = *(const int *)other;
    return (a > b) - (a < b);
}

void ti_requests_begin(struct ti_rank *rank)
{
    for (int i = (int)rank->open->len - 1; i >= 0; i--)
        if (request_at(rank, (guint)i)->tested)
            end_by_test(rank, i);
    g_array_set_size(rank->open, 0);
    g_array_set_size(rank->spare, 0);
    g_array_sort(rank->ends, compare_lines);
}

// ---- Calls ----

int ti_request_start(const struct ti_line *line, int source, int destination, int64_t tag,
                     bool null)
{
    struct ti_rank *rank = ti_state(line);
    struct ti_request request = {source, destination, tag, OPERATION_ANY, 0};
    if (!null && rank->spare->len > 0) {
        request.number = g_array_index(rank->spare, int, rank->spare->len - 1);
        g_array_set_size(rank->spare, rank->spare->len - 1);
    } else if (!null) {
        request.number = rank->numbers++;
    }
    g_array_append_val(rank->open, request);
    return request.number;
}

// Whether the test of this line is the one that found its request done.
static bool test_ends(struct ti_rank *rank, int line)
{
    while (rank->next_end < rank->ends->len &&
           g_array_index(rank->ends, int, rank->next_end) < line)
        rank->next_end++;
    return rank->next_end < rank->ends->len &&
           g_array_index(rank->ends, int, rank->next_end) == line;
}

bool ti_put_wait(const struct ti_line *line, const struct ti_action *action)
{
    struct ti_rank *rank = ti_state(line);
    int64_t ends[2], tag;
    for (int i = 0; i < 2; i++)
        if (!ti_number(line, TI_ARGUMENT + i, "rank", TI_NULL_OR_ANY, line->reader->ranks - 1,
                       &ends[i]))
            return false;
    if (!ti_tag_at(line, TI_ARGUMENT + 2, &tag))
        return false;
    int at = find(rank, (int)ends[0], (int)ends[1], tag);
    if (at < 0) {
        ti_complain(line, TI_ARGUMENT, "its start must come before", "no such request is open");
        return false;
    }
    bool over = action->code == OP_WAIT || test_ends(rank, line->mark.line);
    struct recorded_call call = ti_call(line, over ? OP_WAIT : OP_TEST);
    int number = request_at(rank, (guint)at)->number;
    call.awaited = &number;
    call.awaited_count = 1;
    if (number != OPERATION_ANY)
        ti_put(line, &call);
    if (over)
        end_one(rank, at);
    else
        request_at(rank, (guint)at)->tested = line->mark.line;
    return true;
}

// A wait for the untested ones.
static void put_untested(const struct ti_line *line, enum op_code code)
{
    const struct ti_rank *rank = ti_state(line);
    GArray *numbers = line->reader->awaited;
    struct recorded_call call = ti_call(line, code);
    g_array_set_size(numbers, 0);
    for (guint i = 0; i < rank->open->len; i++) {
        const struct ti_request *one = request_at(rank, i);
        if (!one->tested && one->number != OPERATION_ANY)
            g_array_append_val(numbers, one->number);
    }
    call.awaited = &g_array_index(numbers, int, 0);
    call.awaited_count = (int)numbers->len;
    if (numbers->len > 0)
        ti_put(line, &call);
}

bool ti_put_waitall(const struct ti_line *line, const struct ti_action *action)
{
    struct ti_rank *rank = ti_state(line);
    struct recorded_call call = ti_call(line, action->code);
    int64_t count;
    if (!ti_number(line, TI_ARGUMENT, "count", 0, INT32_MAX, &count))
        return false;
    enum taken taken = taken_by_waitall(rank, count);
    if (taken == TAKEN_UNKNOWN) {
        ti_complain(line, TI_ARGUMENT, "let the program wait for each, or for all",
                    "the trace does not say which %d of the %u open requests are waited for",
                    (int)count, rank->open->len);
        return false;
    }
    call.awaits_all = true;
    if (taken == TAKEN_ALL)
        ti_put(line, &call);
    else if (taken == TAKEN_UNTESTED)
        put_untested(line, action->code);
    end_taken(rank, taken);
    return true;
}

void ti_requests_finish(const struct ti_line *line)
{
    struct ti_rank *rank = ti_state(line);
    struct recorded_call call = ti_call(line, OP_WAITALL);
    call.awaits_all = true;
    if (rank->open->len > 0)
        ti_put(line, &call);
    end_taken(rank, TAKEN_ALL);
}
