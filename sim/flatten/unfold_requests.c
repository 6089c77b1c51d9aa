// SPDX-License-Identifier: GPL-3.0-or-later
// Requests with names, unfolded: waits, tests, persistent requests, buffered sends. Only a run
// determines which of several requests is done first. Where the steps are not run, a call that
// closes one of several is refused or asks, and a single test closes nothing: the wait that follows
// does.
#include "sim/flatten/unfold_internal.h"

// A request that the program has named, and not waited for.
struct unfold_named {
    int name;         // op_call.request
    uint32_t request; // 0: it is still to be started
    void *handle;     // of a buffered send NULL: it is done from the start
};

// A request that is started again and again.
struct unfold_persistent {
    int name;
    struct flat_op plan;
};

static struct unfold_named *named_at(const struct unfold *at, guint i)
{
    return &g_array_index(at->named, struct unfold_named, i);
}

static struct unfold_persistent *persistent_at(const struct unfold *at, guint i)
{
    return &g_array_index(at->persistent, struct unfold_persistent, i);
}

void unfold_requests_init(struct unfold *at)
{
    at->named = g_array_new(FALSE, FALSE, sizeof(struct unfold_named));
    at->persistent = g_array_new(FALSE, FALSE, sizeof(struct unfold_persistent));
    at->buffered = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void unfold_requests_clear(struct unfold *at)
{
    g_array_free(at->named, TRUE);
    g_array_free(at->persistent, TRUE);
    g_array_free(at->buffered, TRUE);
}

// The request's place among those that are open; -1: it is not, as after a wait for it
// (MPI_REQUEST_NULL).
static int find_named(const struct unfold *at, int name)
{
    for (guint i = 0; i < at->named->len; i++)
        if (named_at(at, i)->name == name)
            return (int)i;
    return -1;
}

static int find_persistent(const struct unfold *at, int name)
{
    for (guint i = 0; i < at->persistent->len; i++)
        if (persistent_at(at, i)->name == name)
            return (int)i;
    return -1;
}

// ---- Names ----

bool unfold_name_free(struct unfold *at)
{
    const struct op_call *call = &at->call;
    if (call->request == CALL_NO_REQUEST || !unfold_runs(at))
        return true;
    bool open = find_named(at, call->request) >= 0;
    if (!open && find_persistent(at, call->request) < 0)
        return true;
    const char *state = open ? "is still open" : "is persistent (request_free ends it)";
    if (call->request_name)
        unfold_refuse(at, "request %s %s", call->request_name, state);
    else
        unfold_refuse(at, "request %d %s", call->request, state);
    return false;
}

// Where the steps are not run, a name that is still there was closed by a test.
static void add_named(struct unfold *at, int name)
{
    const struct unfold_named named = {.name = name};
    int before = unfold_runs(at) ? -1 : find_named(at, name);
    if (before >= 0)
        g_array_remove_index(at->named, (guint)before);
    g_array_append_val(at->named, named);
    at->unnumbered++;
}

static void number_named(struct unfold *at, uint32_t request)
{
    named_at(at, at->named->len - at->unnumbered--)->request = request;
}

static void name_handle(struct unfold *at, void *handle)
{
    named_at(at, at->named->len - at->unnumbered - 1)->handle = handle;
}

// ---- Starts ----

void unfold_add_started(struct unfold *at, uint32_t request, void *handle)
{
    g_array_append_val(at->started, request);
    g_ptr_array_add(at->handles, handle);
}

void unfold_number(struct unfold *at, struct flat_op *op)
{
    op->request = ++at->requests;
    at->names = op->named;
    if (op->named)
        number_named(at, op->request);
    else if (op->buffered && !unfold_runs(at))
        g_array_append_val(at->buffered, op->request);
    else if (!op->buffered && op->kind != FLAT_IPROBE)
        unfold_add_started(at, op->request, NULL);
}

void unfold_started(struct unfold *at, void *handle)
{
    if (at->names)
        name_handle(at, handle);
    else
        at->handles->pdata[at->handles->len - 1] = handle;
}

void unfold_end_wait(struct unfold *at)
{
    if (at->waits) {
        at->started->len = 0;
        at->handles->len = 0;
    }
    at->waits = false;
}

void unfold_set_awaited(struct unfold *at, struct flat_op *op)
{
    at->waits = true;
    op->awaited = &g_array_index(at->started, uint32_t, 0);
    op->handles = (void *const *)at->handles->pdata;
    op->awaited_count = (int)at->started->len;
}

// Where the steps are not run, a wait for a buffered send is none.
static void append_request(struct unfold *at, const struct flat_op *plan, int name)
{
    struct flat_op *op = unfold_append(at, plan->kind);
    *op = *plan;
    op->call = &at->call;
    op->named = name != CALL_NO_REQUEST && (!plan->buffered || unfold_runs(at));
    if (op->named)
        add_named(at, name);
}

// The message is copied into the attached buffer, by the library if it packs it; it is sent from
// there by a request that no call waits for (MPI 1.1, 3.6).
static void append_buffered(struct unfold *at, const struct flat_op *plan, int name)
{
    if (unfold_runs(at)) {
        struct flat_op *room = unfold_append(at, FLAT_ROOM);
        room->size = plan->size;
        room->prebuilt = plan->prebuilt;
    }
    if (plan->pieces == 0 && plan->size > 0)
        unfold_append(at, FLAT_COPY)->size = plan->size;
    append_request(at, plan, name);
}

void unfold_start(struct unfold *at, const struct flat_op *plan)
{
    int name = at->call.request;
    bool waits = name == CALL_NO_REQUEST && !plan->buffered;
    if (plan->buffered) {
        append_buffered(at, plan, name);
    } else {
        append_request(at, plan, name);
        g_array_index(at->steps, struct flat_op, at->steps->len - 1).blocking = waits;
    }
    if (waits)
        unfold_append(at, FLAT_WAIT);
    else
        unfold_append_if_run(at, FLAT_PROGRESS);
}

// ---- Waits and tests ----

static void await(struct unfold *at, int found)
{
    const struct unfold_named *named = named_at(at, (guint)found);
    for (guint i = 0; i < at->started->len; i++)
        if (g_array_index(at->started, uint32_t, i) == named->request)
            return;
    unfold_add_started(at, named->request, named->handle);
}

// Collects the open requests that the call names, in its order.
static void await_open(struct unfold *at)
{
    for (guint i = 0; at->call.awaits_all && i < at->named->len; i++)
        await(at, (int)i);
    for (int i = 0; i < at->call.awaited_count; i++) {
        int found = find_named(at, at->call.awaited[i]);
        if (found >= 0)
            await(at, found);
    }
}

static void close_named(struct unfold *at, uint32_t request)
{
    for (guint i = 0; i < at->named->len; i++)
        if (named_at(at, i)->request == request) {
            g_array_remove_index(at->named, i);
            return;
        }
}

void unfold_took(struct unfold *at, int which)
{
    close_named(at, g_array_index(at->started, uint32_t, which));
}

// All of them are waited for.
static void append_wait(struct unfold *at)
{
    for (guint i = 0; i < at->started->len; i++)
        close_named(at, g_array_index(at->started, uint32_t, i));
    if (unfold_runs(at) || at->started->len > 0)
        unfold_append(at, FLAT_WAIT);
}

// The steps are not run.
static void wait_unseen(struct unfold *at, enum completion completion)
{
    if (completion == COMPLETES_ALL || at->started->len <= 1)
        append_wait(at);
    else if (at->asks)
        unfold_append(at, FLAT_WAITANY)->completion = completion;
    else
        unfold_refuse(at, "which of several requests is done first, only a run says");
}

void unfold_wait(struct unfold *at)
{
    enum op_code code = (enum op_code)at->call.kind->code;
    enum completion completion = call_completion(code);
    bool tests = call_tests(code);
    sim_time every = tests ? ((const struct test_arguments *)at->call.arguments)->every : 0;
    if (tests && every == OPERATION_ANY && !unfold_runs(at))
        return;
    await_open(at);
    if (!unfold_runs(at)) {
        wait_unseen(at, completion);
        return;
    }
    if (!tests)
        unfold_append(at, FLAT_CHARGE_CALL);
    if (!tests && completion == COMPLETES_ALL) {
        append_wait(at);
        return;
    }
    struct flat_op *op = unfold_append(at, tests ? FLAT_TEST : FLAT_WAITANY);
    op->completion = completion;
    op->every = every;
}

// ---- The attached buffer ----

void unfold_buffer(struct unfold *at)
{
    bool attaches = op_call_is(&at->call, OP_BUFFER_ATTACH);
    if (!unfold_runs(at)) {
        for (guint i = 0; !attaches && i < at->buffered->len; i++)
            unfold_add_started(at, g_array_index(at->buffered, uint32_t, i), NULL);
        if (!attaches)
            g_array_set_size(at->buffered, 0);
        if (at->started->len > 0)
            unfold_append(at, FLAT_WAIT);
        return;
    }
    unfold_append(at, FLAT_CHARGE_CALL);
    if (attaches && at->attached) {
        unfold_refuse(at, "a buffer is attached already (buffer_detach takes it back)");
    } else if (attaches) {
        struct flat_op *op = unfold_append(at, FLAT_ATTACH);
        op->size = op_call_common(&at->call)->size;
        op->address = mpi_process_allocate(at->process, MAX(op->size, 1));
        at->attached = true;
    } else if (!at->attached) {
        unfold_refuse(at, "no buffer is attached");
    } else {
        unfold_append(at, FLAT_DETACH);
        at->attached = false;
    }
}

// ---- Persistent requests ----

void unfold_persistent(struct unfold *at)
{
    if (!unfold_name_free(at))
        return;
    struct unfold_persistent request = {at->call.request, unfold_plan(at)};
    request.plan.prebuilt = true;
    unfold_append_if_run(at, FLAT_CHARGE_BUILD);
    g_array_append_val(at->persistent, request);
}

// Returns false if the call cannot go on.
static bool start_persistent(struct unfold *at, int name)
{
    int found = find_persistent(at, name);
    if (found < 0 && unfold_runs(at))
        unfold_refuse(at, "the request is not a persistent one (send_init, recv_init)");
    else if (unfold_runs(at) && find_named(at, name) >= 0)
        unfold_refuse(at, "the request is started already");
    if (found < 0 || at->call.wrong)
        return false;
    const struct flat_op *plan = &persistent_at(at, (guint)found)->plan;
    (plan->buffered ? append_buffered : append_request)(at, plan, name);
    return true;
}

static void start_all(struct unfold *at)
{
    unfold_append_if_run(at, FLAT_CHARGE_CALL);
    for (guint i = 0; at->call.awaits_all && i < at->persistent->len; i++)
        if (find_named(at, persistent_at(at, i)->name) < 0)
            start_persistent(at, persistent_at(at, i)->name);
    for (int i = 0; i < at->call.awaited_count; i++)
        if (!start_persistent(at, at->call.awaited[i]))
            return;
    unfold_append_if_run(at, FLAT_PROGRESS);
}

static void free_request(struct unfold *at, int name)
{
    int persistent = find_persistent(at, name), open = find_named(at, name);
    if (persistent < 0 && open < 0) {
        if (unfold_runs(at))
            unfold_refuse(at, "there is no such request now: it was waited for, or never started");
        return;
    }
    unfold_append_if_run(at, FLAT_CHARGE_BUILD);
    if (open >= 0 && unfold_runs(at) && named_at(at, (guint)open)->handle)
        unfold_append(at, FLAT_FREE)->handle = named_at(at, (guint)open)->handle;
    if (open >= 0)
        g_array_remove_index(at->named, (guint)open);
    if (persistent >= 0)
        g_array_remove_index(at->persistent, (guint)persistent);
}

void unfold_request(struct unfold *at)
{
    if (!op_call_is(&at->call, OP_REQUEST_FREE)) {
        start_all(at);
        return;
    }
    for (int i = 0; i < at->call.awaited_count && !at->call.wrong; i++)
        free_request(at, at->call.awaited[i]);
}
