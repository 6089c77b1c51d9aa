// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of an OTF2 archive, and the queue of calls after a receive that has not ended yet.
#include "sim/recording/otf2_calls.h"

#include <string.h>

struct otf2_queued {
    struct recorded_call call;
    bool ready;
};

static void queued_free(void *item)
{
    struct otf2_queued *queued = item;
    g_free((void *)queued->call.awaited);
    g_free((void *)queued->call.blocks);
    g_free((void *)queued->call.receive_blocks);
    g_free(queued);
}

void otf2_requests_init(struct otf2_calls *calls)
{
    calls->open = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    calls->spare = g_array_new(FALSE, FALSE, sizeof(int));
    calls->awaited = g_array_new(FALSE, FALSE, sizeof(int));
    calls->current.ended = g_array_new(FALSE, FALSE, sizeof(struct otf2_request));
    calls->current.tested = g_array_new(FALSE, FALSE, sizeof(int));
    calls->current.to_each = g_array_new(FALSE, FALSE, sizeof(int64_t));
    calls->current.from_each = g_array_new(FALSE, FALSE, sizeof(int64_t));
    calls->queue = g_queue_new();
}

void otf2_requests_clear(struct otf2_calls *calls)
{
    g_hash_table_unref(calls->open);
    g_array_unref(calls->spare);
    g_array_unref(calls->awaited);
    g_array_unref(calls->current.ended);
    g_array_unref(calls->current.tested);
    g_array_unref(calls->current.to_each);
    g_array_unref(calls->current.from_each);
    g_queue_free_full(calls->queue, queued_free);
}

// ---- The queue ----

// Puts the calls that are ready at its head.
static void advance(struct otf2_calls *calls)
{
    struct otf2_queued *head;
    while ((head = g_queue_peek_head(calls->queue)) && head->ready) {
        recording_builder_put(calls->archive->builder, calls->rank, &head->call);
        queued_free(g_queue_pop_head(calls->queue));
    }
}

static void *copy_list(const void *list, size_t count, size_t size)
{
    return list && count > 0 ? g_memdup2(list, count * size) : NULL;
}

static struct otf2_queued *enqueue(struct otf2_calls *calls, const struct recorded_call *call,
                                   bool ready)
{
    struct otf2_queued *queued = g_new(struct otf2_queued, 1);
    size_t blocks = (size_t)call->block_count;
    *queued = (struct otf2_queued){*call, ready};
    queued->call.awaited = copy_list(call->awaited, (size_t)call->awaited_count, sizeof(int));
    queued->call.blocks = copy_list(call->blocks, blocks, sizeof(int64_t));
    queued->call.receive_blocks = copy_list(call->receive_blocks, blocks, sizeof(int64_t));
    g_queue_push_tail(calls->queue, queued);
    return queued;
}

void otf2_put(struct otf2_calls *calls, const struct recorded_call *call)
{
    if (g_queue_is_empty(calls->queue))
        recording_builder_put(calls->archive->builder, calls->rank, call);
    else
        enqueue(calls, call, true);
}

// ---- Starts ----

static struct otf2_request *otf2_request_start(struct otf2_calls *calls, uint64_t name,
                                               struct recorded_call *call)
{
    if (g_hash_table_lookup(calls->open, &name)) {
        otf2_fail(calls, NULL, "request %" G_GUINT64_FORMAT " is started while it is open", name);
        return NULL;
    }
    struct otf2_request *request = g_new0(struct otf2_request, 1);
    *request = (struct otf2_request){.name = name, .event = calls->event, .start = calls->starts++};
    if (calls->spare->len > 0) {
        request->number = g_array_index(calls->spare, int, calls->spare->len - 1);
        g_array_set_size(calls->spare, calls->spare->len - 1);
    } else {
        request->number = calls->numbers++;
    }
    call->request = request->number;
    g_hash_table_insert(calls->open, &request->name, request);
    return request;
}

bool otf2_start_send(struct otf2_calls *calls, uint64_t name, struct recorded_call *call)
{
    if (!otf2_request_start(calls, name, call))
        return false;
    otf2_put(calls, call);
    return true;
}

bool otf2_start_receive(struct otf2_calls *calls, uint64_t name, struct recorded_call *call)
{
    struct otf2_request *request = otf2_request_start(calls, name, call);
    if (!request)
        return false;
    request->queued = enqueue(calls, call, false);
    return true;
}

// ---- Ends ----

static struct otf2_request *otf2_request_find(struct otf2_calls *calls, uint64_t name,
                                              const char *what)
{
    struct otf2_request *request = g_hash_table_lookup(calls->open, &name);
    if (!request)
        otf2_fail(calls, "its start must come before",
                  "request %" G_GUINT64_FORMAT " is %s and not open", name, what);
    return request;
}

static void otf2_request_end(struct otf2_calls *calls, struct otf2_request *request)
{
    g_array_append_val(calls->current.ended, *request);
    g_hash_table_remove(calls->open, &request->name);
}

bool otf2_end_send(struct otf2_calls *calls, uint64_t name)
{
    struct otf2_request *request = otf2_request_find(calls, name, "ended");
    if (request && request->queued)
        return otf2_fail(calls, NULL, "the end of a send is that of a receive");
    if (request)
        otf2_request_end(calls, request);
    return request != NULL;
}

bool otf2_end_receive(struct otf2_calls *calls, uint64_t name, const struct otf2_message *message)
{
    struct otf2_request *request = otf2_request_find(calls, name, "ended");
    if (!request)
        return false;
    if (!request->queued)
        return otf2_fail(calls, NULL, "the end of a receive is that of a send");
    struct otf2_queued *queued = request->queued;
    queued->call.communicator = message->communicator;
    queued->call.peer = message->peer;
    queued->call.tag = message->tag;
    queued->call.size = message->size;
    queued->ready = true;
    otf2_request_end(calls, request);
    advance(calls);
    return true;
}

bool otf2_test(struct otf2_calls *calls, uint64_t name)
{
    const struct otf2_request *request = otf2_request_find(calls, name, "tested");
    if (request)
        g_array_append_val(calls->current.tested, request->number);
    return request != NULL;
}

// ---- Waits ----

static gint compare_starts(gconstpointer one, gconstpointer other)
{
    uint64_t a = ((const struct otf2_request *)one)->start,
             b = ((const struct otf2_request *)other)->start;
    return (a > b) - (a < b);
}

// A call that ended requests is a wait for these: which they were is known.
static void put_ended(struct otf2_calls *calls)
{
    const struct otf2_current *current = &calls->current;
    enum op_code code = current->function->region->code;
    bool one = code == OP_WAIT || code == OP_WAITANY || code == OP_TEST || code == OP_TESTANY;
    struct recorded_call call =
        recorded_call(one && current->ended->len == 1 ? OP_WAIT : OP_WAITALL, (int)current->event);
    call.awaits_all = call.code == OP_WAITALL && g_hash_table_size(calls->open) == 0;
    g_array_sort(current->ended, compare_starts);
    for (guint i = 0; i < current->ended->len; i++)
        g_array_append_val(calls->awaited,
                           g_array_index(current->ended, struct otf2_request, i).number);
    if (!call.awaits_all) {
        call.awaited = &g_array_index(calls->awaited, int, 0);
        call.awaited_count = (int)calls->awaited->len;
    }
    otf2_put(calls, &call);
    for (int i = (int)calls->awaited->len - 1; i >= 0; i--)
        g_array_append_val(calls->spare, g_array_index(calls->awaited, int, (guint)i));
}

// A test that ended nothing.
static void put_tested(struct otf2_calls *calls)
{
    const struct otf2_current *current = &calls->current;
    struct recorded_call call = recorded_call(current->function->region->code, (int)current->event);
    call.awaited = &g_array_index(current->tested, int, 0);
    call.awaited_count = (int)current->tested->len;
    otf2_put(calls, &call);
}

static bool blocks_until_end(enum op_code code)
{
    return code == OP_WAIT || code == OP_WAITALL || code == OP_WAITANY || code == OP_WAITSOME;
}

bool otf2_put_wait(struct otf2_calls *calls)
{
    const struct otf2_current *current = &calls->current;
    bool waits = blocks_until_end(current->function->region->code);
    g_array_set_size(calls->awaited, 0);
    if (current->ended->len > 0)
        put_ended(calls);
    else if (current->tested->len > 0 && !waits)
        put_tested(calls);
    else if (waits && (current->tested->len > 0 ||
                       (calls->archive->eztrace && g_hash_table_size(calls->open) > 0)))
        return otf2_fail(calls, "EZTrace 2.0 records no ends of requests under Open MPI",
                         "the archive does not say which requests %s ended",
                         current->function->name);
    return true;
}

bool otf2_finish(struct otf2_calls *calls)
{
    const struct otf2_queued *head = g_queue_peek_head(calls->queue);
    if (head)
        return otf2_fail(calls, NULL,
                         "the receive of event %d never ends: the archive does not say what it "
                         "would receive",
                         head->call.line);
    struct recorded_call call = recorded_call(OP_WAITALL, (int)calls->event);
    call.awaits_all = true;
    if (g_hash_table_size(calls->open) > 0)
        otf2_put(calls, &call);
    return true;
}
