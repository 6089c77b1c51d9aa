// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of time-independent traces. The trace has no names for them: `wait` and `test` give
// source, destination and tag, and mean the first open request that has these.
#include "sim/recording/ti.h"

#include <stdlib.h>
#include <string.h>

static guint hash_ends(gconstpointer key)
{
    const struct ti_ends *ends = key;
    uint64_t hash = ((uint64_t)(uint32_t)ends->source << 32 | (uint32_t)ends->destination) +
                    (uint64_t)ends->tag * UINT64_C(0x9e3779b97f4a7c15);
    return (guint)((hash * UINT64_C(0xff51afd7ed558ccd)) >> 32);
}

static gboolean same_ends(gconstpointer one, gconstpointer other)
{
    const struct ti_ends *a = one, *b = other;
    return a->source == b->source && a->destination == b->destination && a->tag == b->tag;
}

void ti_rank_init(struct ti_rank *rank)
{
    g_queue_init(&rank->open);
    rank->spare = g_array_new(FALSE, FALSE, sizeof(int));
    rank->endings = g_array_new(FALSE, FALSE, sizeof(int));
}

// Forgets one that is open.
static void drop(struct ti_rank *rank, struct ti_request *one)
{
    GQueue *alike = g_hash_table_lookup(rank->by_ends, &one->ends);
    g_queue_unlink(alike, &one->alike);
    if (g_queue_is_empty(alike))
        g_hash_table_remove(rank->by_ends, &one->ends);
    g_queue_unlink(&rank->open, &one->place);
    rank->untested -= one->tested == 0;
    g_free(one);
}

static void drop_all(struct ti_rank *rank)
{
    while (!g_queue_is_empty(&rank->open))
        drop(rank, g_queue_peek_head(&rank->open));
}

void ti_rank_clear(struct ti_rank *rank)
{
    drop_all(rank);
    g_clear_pointer(&rank->by_ends, g_hash_table_destroy);
    if (rank->spare)
        g_array_unref(rank->spare);
    if (rank->endings)
        g_array_unref(rank->endings);
}

static void open_one(struct ti_rank *rank, const struct ti_ends *ends, int number)
{
    struct ti_request *one = g_new(struct ti_request, 1);
    *one = (struct ti_request){.ends = *ends, .number = number};
    one->place.data = one->alike.data = one;
    if (!rank->by_ends)
        rank->by_ends =
            g_hash_table_new_full(hash_ends, same_ends, g_free, (GDestroyNotify)g_queue_free);
    GQueue *alike = g_hash_table_lookup(rank->by_ends, ends);
    if (!alike) {
        alike = g_queue_new();
        g_hash_table_insert(rank->by_ends, g_memdup2(ends, sizeof *ends), alike);
    }
    g_queue_push_tail_link(alike, &one->alike);
    g_queue_push_tail_link(&rank->open, &one->place);
    rank->untested++;
}

static void mark_tested(struct ti_rank *rank, struct ti_request *one, int line)
{
    rank->untested -= one->tested == 0;
    one->tested = line;
}

// The first that is open with these ends; NULL: none.
static struct ti_request *find_exactly(const struct ti_rank *rank, const struct ti_ends *ends)
{
    GQueue *alike = rank->by_ends ? g_hash_table_lookup(rank->by_ends, ends) : NULL;
    return alike ? g_queue_peek_head(alike) : NULL;
}

// One that receives any tag is named by that.
static struct ti_request *ti_request_find(const struct ti_rank *rank, struct ti_ends ends)
{
    struct ti_request *one = find_exactly(rank, &ends);
    ends.tag = OPERATION_ANY;
    return one ? one : find_exactly(rank, &ends);
}

// Its number is free for another.
static void end_one(struct ti_rank *rank, struct ti_request *one)
{
    if (one->number != OPERATION_ANY)
        g_array_append_val(rank->spare, one->number);
    drop(rank, one);
}

enum request_taken { REQUEST_TAKEN_NONE, TAKEN_ALL, TAKEN_UNTESTED, TAKEN_UNKNOWN };

// Which of the open requests a waitall is for, if it has so many: those that are done already may
// be among them. A request that was tested is awaited for itself, unless all are awaited.
static enum request_taken taken_by_waitall(const struct ti_rank *rank, int64_t count)
{
    if (count >= rank->open.length)
        return TAKEN_ALL;
    return count == 0                ? REQUEST_TAKEN_NONE
           : count == rank->untested ? TAKEN_UNTESTED
                                     : TAKEN_UNKNOWN;
}

static void end_taken(struct ti_rank *rank, enum request_taken taken)
{
    if (taken != TAKEN_ALL && taken != TAKEN_UNTESTED)
        return;
    for (GList *at = rank->open.tail, *before; at; at = before) {
        struct ti_request *one = at->data;
        before = at->prev;
        if (taken == TAKEN_ALL || one->tested == 0)
            end_one(rank, one);
    }
}

// ---- Which tests found their request done ----

// No call waits for it: its last test ended it.
static void end_by_test(struct ti_rank *rank, struct ti_request *one)
{
    g_array_append_val(rank->endings, one->tested);
    end_one(rank, one);
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
static void scan_start(struct ti_rank *rank, const struct ti_ends *ends)
{
    struct ti_request *before = find_exactly(rank, ends);
    if (before && before->tested)
        end_by_test(rank, before);
    open_one(rank, ends, OPERATION_ANY);
}

static void scan_wait(struct ti_rank *rank, const struct ti_word *words, bool tests, int line)
{
    struct ti_ends ends = {unchecked_tag(&words[2]), unchecked(&words[0]), unchecked(&words[1])};
    struct ti_request *one = ti_request_find(rank, ends);
    if (one && tests)
        mark_tested(rank, one, line);
    else if (one)
        end_one(rank, one);
}

void ti_requests_scan(struct ti_rank *rank, int number, const struct ti_word *words, int count,
                      int line)
{
    const char *action = words[1].text;
    const struct ti_word *arguments = words + TI_ARGUMENT;
    bool sends = strcmp(action, "isend") == 0 || strcmp(action, "ISsend") == 0,
         tests = strcmp(action, "test") == 0;
    count -= TI_ARGUMENT;
    bool starts = (sends || strcmp(action, "irecv") == 0) && count >= 2;
    int peer = starts ? unchecked(&arguments[0]) : 0;
    if (starts)
        scan_start(rank, &(struct ti_ends){unchecked_tag(&arguments[1]), sends ? number : peer,
                                           sends ? peer : number});
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
    for (GList *at = rank->open.tail, *before; at; at = before) {
        struct ti_request *one = at->data;
        before = at->prev;
        if (one->tested)
            end_by_test(rank, one);
    }
    drop_all(rank);
    g_array_set_size(rank->spare, 0);
    g_array_sort(rank->endings, compare_lines);
}

// ---- Calls ----

int ti_request_start(const struct ti_line *line, int source, int destination, int64_t tag,
                     bool null)
{
    struct ti_rank *rank = ti_state(line);
    int number = OPERATION_ANY;
    if (!null && rank->spare->len > 0) {
        number = g_array_index(rank->spare, int, rank->spare->len - 1);
        g_array_set_size(rank->spare, rank->spare->len - 1);
    } else if (!null) {
        number = rank->numbers++;
    }
    open_one(rank, &(struct ti_ends){tag, source, destination}, number);
    return number;
}

// Whether the test of this line is the one that found its request done.
static bool test_ends(struct ti_rank *rank, int line)
{
    const GArray *endings = rank->endings;
    while (rank->next_ending < endings->len &&
           g_array_index(endings, int, rank->next_ending) < line)
        rank->next_ending++;
    return rank->next_ending < endings->len &&
           g_array_index(endings, int, rank->next_ending) == line;
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
    struct ti_request *one =
        ti_request_find(rank, (struct ti_ends){tag, (int)ends[0], (int)ends[1]});
    if (!one) {
        ti_complain(line, TI_ARGUMENT, "its start must come before", "no such request is open");
        return false;
    }
    bool over = action->code == OP_WAIT || test_ends(rank, line->mark.line);
    struct recorded_call call = ti_call(line, over ? OP_WAIT : OP_TEST);
    call.awaited = &one->number;
    call.awaited_count = 1;
    if (one->number != OPERATION_ANY)
        ti_put(line, &call);
    if (over)
        end_one(rank, one);
    else
        mark_tested(rank, one, line->mark.line);
    return true;
}

// A wait for the untested ones.
static void put_untested(const struct ti_line *line, enum op_code code)
{
    const struct ti_rank *rank = ti_state(line);
    GArray *numbers = line->reader->awaited;
    struct recorded_call call = ti_call(line, code);
    g_array_set_size(numbers, 0);
    for (const GList *at = rank->open.head; at; at = at->next) {
        const struct ti_request *one = at->data;
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
    enum request_taken taken = taken_by_waitall(rank, count);
    if (taken == TAKEN_UNKNOWN) {
        ti_complain(line, TI_ARGUMENT, "let the program wait for each, or for all",
                    "the trace does not say which %d of the %u open requests are waited for",
                    (int)count, rank->open.length);
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
    if (!g_queue_is_empty(&rank->open))
        ti_put(line, &call);
    end_taken(rank, TAKEN_ALL);
}
