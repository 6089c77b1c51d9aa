// SPDX-License-Identifier: GPL-3.0-or-later
// Requests with names, unfolded: waits, persistent requests, buffered sends. Which of several
// requests is done first only a run says, so a call that closes one of several cannot be unfolded.
// A test that looks once closes nothing here: the wait that follows does.
#include "sim/flatten/flatten_internal.h"

// A request that the program has named, and not waited for.
struct named {
    int name; // op_call.request
    uint32_t request;
};

// A request that is started again and again.
struct persistent {
    int name;
    enum mpi_request_kind kind;
    bool buffered;
    struct flat_op op;
};

static struct named *named_at(const struct unfolding *at, guint i)
{
    return &g_array_index(at->named, struct named, i);
}

static struct persistent *flatten_persistent_at(const struct unfolding *at, guint i)
{
    return &g_array_index(at->persistent, struct persistent, i);
}

void flatten_requests_init(struct unfolding *at)
{
    at->named = g_array_new(FALSE, FALSE, sizeof(struct named));
    at->persistent = g_array_new(FALSE, FALSE, sizeof(struct persistent));
    at->buffered = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void flatten_requests_clear(struct unfolding *at)
{
    g_array_free(at->named, TRUE);
    g_array_free(at->persistent, TRUE);
    g_array_free(at->buffered, TRUE);
}

static int find_named(const struct unfolding *at, int name)
{
    for (guint i = 0; i < at->named->len; i++)
        if (named_at(at, i)->name == name)
            return (int)i;
    return -1;
}

static int flatten_find_persistent(const struct unfolding *at, int name)
{
    for (guint i = 0; i < at->persistent->len; i++)
        if (flatten_persistent_at(at, i)->name == name)
            return (int)i;
    return -1;
}

// A name that is still there was closed by a test.
static void add_named(struct unfolding *at, int name, uint32_t request)
{
    struct named named = {name, request};
    int before = find_named(at, name);
    if (before >= 0)
        g_array_remove_index(at->named, (guint)before);
    g_array_append_val(at->named, named);
}

void flatten_name_started(struct unfolding *at)
{
    at->called = at->call.request == CALL_NO_REQUEST;
    if (at->called)
        return;
    add_named(at, at->call.request, g_array_index(at->started, uint32_t, 0));
    g_array_set_size(at->started, 0);
}

// ---- Waits ----

static void take_named(struct unfolding *at, int name)
{
    int found = find_named(at, name);
    if (found < 0)
        return;
    g_array_append_val(at->started, named_at(at, (guint)found)->request);
    g_array_remove_index(at->named, (guint)found);
}

// How many of the requests that the call names are open.
static int count_open(const struct unfolding *at)
{
    int open = at->call.awaits_all ? (int)at->named->len : 0;
    for (int i = 0; i < at->call.awaited_count; i++)
        open += find_named(at, at->call.awaited[i]) >= 0;
    return open;
}

void flatten_close(struct unfolding *at, uint32_t request)
{
    for (guint i = 0; i < at->named->len; i++)
        if (named_at(at, i)->request == request) {
            g_array_remove_index(at->named, i);
            return;
        }
}

// All open requests that the call names; they stay open.
static void list_open(struct unfolding *at)
{
    for (guint i = 0; at->call.awaits_all && i < at->named->len; i++)
        g_array_append_val(at->started, named_at(at, i)->request);
    for (int i = 0; i < at->call.awaited_count; i++) {
        int found = find_named(at, at->call.awaited[i]);
        if (found >= 0)
            g_array_append_val(at->started, named_at(at, (guint)found)->request);
    }
}

bool flatten_wait(struct unfolding *at, struct flat_op *op)
{
    struct op_call *call = &at->call;
    enum op_code code = (enum op_code)call->kind->code;
    const struct test_arguments *test = at->arguments;
    at->called = false;
    if (call_tests(code) && test->every == OPERATION_ANY)
        return false;
    bool one = call_completion(code) != COMPLETES_ALL && count_open(at) > 1;
    if (one && at->asks) {
        list_open(at);
        flatten_wait_for_started(at, op);
        op->kind = FLAT_WAITANY;
        return true;
    }
    if (one) {
        call->wrong = "which of several requests is done first, only a run says";
        return false;
    }
    for (int i = 0; i < call->awaited_count; i++)
        take_named(at, call->awaited[i]);
    for (guint i = 0; call->awaits_all && i < at->named->len; i++)
        g_array_append_val(at->started, named_at(at, i)->request);
    if (call->awaits_all)
        g_array_set_size(at->named, 0);
    if (at->started->len == 0)
        return false;
    flatten_wait_for_started(at, op);
    return true;
}

// ---- Buffered sends ----

// The message is copied first.
static bool copy_first(struct unfolding *at, struct flat_op *op, int64_t size)
{
    if (at->copied || size == 0) {
        at->copied = false;
        return false;
    }
    at->copied = true;
    op->kind = FLAT_COPY;
    op->size = size;
    return true;
}

static void send_from_buffer(struct unfolding *at, struct flat_op *op)
{
    flatten_start(at, op, REQUEST_SEND);
    g_array_append_val(at->buffered, op->request);
    g_array_set_size(at->started, 0);
}

bool flatten_bsend(struct unfolding *at, struct flat_op *op)
{
    if (copy_first(at, op, op_call_common(&at->call)->size))
        return true;
    flatten_describe(at, op);
    send_from_buffer(at, op);
    at->called = false;
    return true;
}

bool flatten_buffer(struct unfolding *at, struct flat_op *op)
{
    at->called = false;
    if (op_call_is(&at->call, OP_BUFFER_ATTACH) || at->buffered->len == 0)
        return false;
    g_array_append_vals(at->started, at->buffered->data, at->buffered->len);
    g_array_set_size(at->buffered, 0);
    flatten_wait_for_started(at, op);
    return true;
}

// ---- Persistent requests ----

bool flatten_persistent(struct unfolding *at)
{
    enum op_code code = (enum op_code)at->call.kind->code;
    struct persistent request = {
        .name = at->call.request,
        .kind = call_request_kind(code),
        .buffered = call_send_mode(code) == SEND_BUFFERED,
    };
    flatten_describe(at, &request.op);
    g_array_append_val(at->persistent, request);
    at->called = false;
    return false;
}

// The name of the next request that the call starts; -1 after the last.
static int next_of(const struct unfolding *at)
{
    if (!at->call.awaits_all)
        return (int)at->step < at->call.awaited_count ? at->call.awaited[at->step] : -1;
    for (guint i = 0; i < at->persistent->len; i++)
        if (find_named(at, flatten_persistent_at(at, i)->name) < 0 &&
            (!flatten_persistent_at(at, i)->buffered || i >= at->step))
            return flatten_persistent_at(at, i)->name;
    return -1;
}

static void forget(struct unfolding *at)
{
    int found = flatten_find_persistent(at, at->call.awaited[0]);
    at->called = false;
    if (found >= 0)
        g_array_remove_index(at->persistent, (guint)found);
    found = find_named(at, at->call.awaited[0]);
    if (found >= 0)
        g_array_remove_index(at->named, (guint)found);
}

bool flatten_requests(struct unfolding *at, struct flat_op *op)
{
    if (op_call_is(&at->call, OP_REQUEST_FREE)) {
        forget(at);
        return false;
    }
    int name = next_of(at), found = name < 0 ? -1 : flatten_find_persistent(at, name);
    if (found < 0) { // all are started; or what is none is started, which a run complains about
        at->step = 0;
        at->called = false;
        return false;
    }
    const struct persistent *request = flatten_persistent_at(at, (guint)found);
    const struct op_call *call = op->call;
    if (request->buffered && copy_first(at, op, request->op.size))
        return true;
    *op = request->op;
    op->call = call;
    at->step = at->call.awaits_all ? (guint)found + 1 : at->step + 1;
    if (request->buffered) {
        send_from_buffer(at, op);
        return true;
    }
    flatten_start(at, op, request->kind);
    add_named(at, name, op->request);
    g_array_set_size(at->started, 0);
    return true;
}
