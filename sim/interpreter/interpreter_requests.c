// SPDX-License-Identifier: GPL-3.0-or-later
// Requests with names: waits and tests, and requests that are started again and again.
#include "sim/interpreter/interpreter_internal.h"

static const struct stage turn_stage = {"compute", STAGE_COMPUTE};

static struct open_request *open_at(const struct interpreter *run, guint i)
{
    return &g_array_index(run->open, struct open_request, i);
}

// The request's place among those that are open; -1: it is not, as after a wait for it
// (MPI_REQUEST_NULL).
static int find_open(const struct interpreter *run, int number)
{
    for (guint i = 0; i < run->open->len; i++)
        if (open_at(run, i)->number == number)
            return (int)i;
    return -1;
}

const struct open_request *interpreter_find_open(const struct interpreter *run, int number)
{
    int at = find_open(run, number);
    return at < 0 ? NULL : open_at(run, (guint)at);
}

static bool is_done(const struct open_request *open)
{
    return !open->request || open->request->done;
}

// ---- Waits ----

static int asked_at(const struct interpreter *run, guint i)
{
    return g_array_index(run->asked, int, i);
}

static void ask_for(struct interpreter *run, int number)
{
    bool there = find_open(run, number) < 0;
    for (guint i = 0; i < run->asked->len; i++)
        there |= asked_at(run, i) == number;
    if (!there)
        g_array_append_val(run->asked, number);
}

// Notes which of the requests that the call names are open, in its order.
static void ask(struct interpreter *run)
{
    g_array_set_size(run->asked, 0);
    for (guint i = 0; run->call.awaits_all && i < run->open->len; i++)
        ask_for(run, open_at(run, i)->number);
    for (int i = 0; i < run->call.awaited_count; i++)
        ask_for(run, run->call.awaited[i]);
}

// The request is given back when the call ends.
static void close_request(struct interpreter *run, int at)
{
    struct mpi_request *request = open_at(run, (guint)at)->request;
    if (request)
        interpreter_wait_for(run, request);
    g_array_remove_index(run->open, (guint)at);
}

bool interpreter_one_done(const struct interpreter *run)
{
    for (guint i = 0; i < run->asked->len; i++)
        if (is_done(open_at(run, (guint)find_open(run, asked_at(run, i)))))
            return true;
    return run->asked->len == 0;
}

static bool all_done(const struct interpreter *run)
{
    for (guint i = 0; i < run->asked->len; i++)
        if (!is_done(open_at(run, (guint)find_open(run, asked_at(run, i)))))
            return false;
    return true;
}

void interpreter_choose(struct interpreter *run)
{
    bool more = true;
    for (guint i = 0; i < run->asked->len; i++) {
        int at = find_open(run, asked_at(run, i));
        const struct open_request *open = open_at(run, (guint)at);
        if (more && is_done(open)) {
            close_request(run, at);
            more = run->completion != COMPLETES_ANY;
        } else if (open->request) {
            mpi_unwait(run->process, open->request);
        }
    }
}

static enum interpreter_phase begin_test(struct interpreter *run, struct cpu_context *context)
{
    run->polling = (struct polling){
        .every = ((const struct test_arguments *)run->call.arguments)->every,
        .looked = context->now,
    };
    mpi_call(context, run->process);
    return PHASE_TEST;
}

enum interpreter_phase interpreter_wait(struct interpreter *run, struct cpu_context *context)
{
    enum op_code code = (enum op_code)run->call.kind->code;
    run->completion = call_completion(code);
    ask(run);
    if (call_tests(code))
        return begin_test(run, context);
    mpi_call(context, run->process);
    for (guint i = 0; i < run->asked->len; i++) {
        int at = find_open(run, asked_at(run, i));
        if (run->completion == COMPLETES_ALL)
            close_request(run, at);
        else if (open_at(run, (guint)at)->request)
            mpi_wait(run->process, open_at(run, (guint)at)->request);
    }
    return run->completion == COMPLETES_ALL ? PHASE_WAIT : PHASE_CHOOSE;
}

// ---- Tests, again and again ----

static void count(struct interpreter *run, bool polls)
{
    struct polling *polling = &run->polling;
    if (polling->counted != polls)
        run->process->sim->polling += polls ? 1 : -1;
    polling->counted = polls;
}

// The process works, and looks again. Where nothing is left to happen but such looks, it sleeps
// until an event: so a program that would look for ever ends in a deadlock, as one that waits.
static enum interpreter_phase look_again(struct interpreter *run, struct cpu_context *context)
{
    struct polling *polling = &run->polling;
    const struct sim *sim = run->process->sim;
    count(run, true);
    cpu_spend_time(context, polling->every, &turn_stage);
    polling->turn = context->now - polling->looked;
    polling->looked = context->now;
    if (engine_pending(sim->engine) < (size_t)sim->polling) {
        count(run, false);
        polling->asleep = 0;
        return PHASE_POLL;
    }
    mpi_call(context, run->process);
    return PHASE_TEST;
}

enum interpreter_phase interpreter_test(struct interpreter *run, struct cpu_context *context)
{
    bool good = run->completion == COMPLETES_ALL ? all_done(run) : interpreter_one_done(run);
    if (!good && run->polling.every != OPERATION_ANY)
        return look_again(run, context);
    count(run, false);
    if (good)
        interpreter_choose(run);
    return PHASE_NEXT;
}

// The next look is where it would have been without the sleep.
enum interpreter_phase interpreter_poll(struct interpreter *run, struct cpu_context *context)
{
    struct polling *polling = &run->polling;
    if (mpi_progress(context, run->process, true) == PROGRESS_BLOCKED) {
        polling->asleep = context->now;
        return PHASE_POLL;
    }
    sim_time passed = (context->now - polling->looked) % polling->turn;
    if (polling->asleep && passed > 0)
        cpu_spend_time(context, polling->turn - passed, &turn_stage);
    polling->looked = context->now;
    mpi_call(context, run->process);
    return PHASE_TEST;
}

// ---- Persistent requests ----

static struct persistent_request *interpreter_persistent_at(const struct interpreter *run, guint i)
{
    return &g_array_index(run->persistent, struct persistent_request, i);
}

static int interpreter_find_persistent(const struct interpreter *run, int number)
{
    for (guint i = 0; i < run->persistent->len; i++)
        if (interpreter_persistent_at(run, i)->number == number)
            return (int)i;
    return -1;
}

bool interpreter_is_persistent(const struct interpreter *run, int number)
{
    return interpreter_find_persistent(run, number) >= 0;
}

enum interpreter_phase interpreter_persistent(struct interpreter *run, struct cpu_context *context)
{
    if (!interpreter_name_free(run))
        return PHASE_NEXT;
    struct persistent_request request = {run->call.request, interpreter_plan(run)};
    request.plan.transfer.prebuilt = true;
    mpi_build(context, run->process);
    g_array_append_val(run->persistent, request);
    return PHASE_NEXT;
}

static void start_persistent(struct interpreter *run, struct cpu_context *context, int number)
{
    struct open_request open = {number, NULL};
    int at = interpreter_find_persistent(run, number);
    if (at < 0) {
        interpreter_fail(run, "the request is not a persistent one (send_init, recv_init)");
        return;
    }
    if (find_open(run, number) >= 0) {
        interpreter_fail(run, "the request is started already");
        return;
    }
    const struct planned_transfer *plan = &interpreter_persistent_at(run, (guint)at)->plan;
    if (plan->mode != SEND_BUFFERED)
        open.request = mpi_start(context, run->process, plan->kind, &plan->transfer);
    else if (!interpreter_send_buffered(run, context, plan))
        interpreter_buffer_full(run, plan);
    g_array_append_val(run->open, open);
}

static void free_request(struct interpreter *run, struct cpu_context *context, int number)
{
    int persistent = interpreter_find_persistent(run, number), at = find_open(run, number);
    if (persistent < 0 && at < 0) {
        interpreter_fail(run, "there is no such request now: it was waited for, or never started");
        return;
    }
    struct mpi_request *request = at < 0 ? NULL : open_at(run, (guint)at)->request;
    mpi_build(context, run->process);
    if (request)
        interpreter_detach(run, request, 0, 0);
    if (at >= 0)
        g_array_remove_index(run->open, (guint)at);
    if (persistent >= 0)
        g_array_remove_index(run->persistent, (guint)persistent);
}

enum interpreter_phase interpreter_requests(struct interpreter *run, struct cpu_context *context)
{
    bool frees = op_call_is(&run->call, OP_REQUEST_FREE);
    const struct sim *sim = run->process->sim;
    if (!frees)
        mpi_call(context, run->process);
    for (guint i = 0; run->call.awaits_all && i < run->persistent->len; i++)
        if (find_open(run, interpreter_persistent_at(run, i)->number) < 0)
            start_persistent(run, context, interpreter_persistent_at(run, i)->number);
    for (int i = 0; i < run->call.awaited_count && sim->status == SIM_COMPLETED; i++)
        (frees ? free_request : start_persistent)(run, context, run->call.awaited[i]);
    return frees ? PHASE_NEXT : PHASE_DRAIN;
}
