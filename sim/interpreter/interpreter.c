// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/interpreter/interpreter.h"

#include "sim/interpreter/interpreter_internal.h"
#include "sim/mpi/startup.h"

// Most calls of no time in one slice, so that the run can be ended between them.
#define MOST_AT_ONCE 1000

struct interpreter *interpreter_new(struct mpi_process *process, struct op_source *source,
                                    interpreter_measure_fn *measure, void *owner)
{
    struct interpreter *run = g_new0(struct interpreter, 1);
    run->process = process;
    run->source = source;
    run->phase = PHASE_INIT;
    run->program = (struct unfold_program){
        .ranks = process->ranks, .library = process->library, .schedules = unfold_schedules()};
    run->unfold = unfold_new(&run->program, process->rank, process);
    run->waiting = g_ptr_array_new();
    run->detached = g_array_new(FALSE, FALSE, sizeof(struct detached_request));
    run->measure = measure;
    run->owner = owner;
    process->program = run;
    run->calls = trace_activity_lane(process->sim->trace, process->host->name, process->name);
    trace_activity(process->sim->trace, run->calls, "MPI_Init", 0);
    return run;
}

void interpreter_free(struct interpreter *run)
{
    if (!run)
        return;
    laps_clear(&run->laps);
    repetitions_clear(&run->repetitions);
    clocks_clear(&run->clocks);
    unfold_free(run->unfold);
    g_ptr_array_free(run->program.schedules, TRUE);
    g_ptr_array_free(run->waiting, TRUE);
    g_array_free(run->detached, TRUE);
    interpreter_operations_free(run);
    g_free(run);
}

static void interpreter_begins(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(&container_of(event, struct interpreter, begin)->process->task);
}

void interpreter_start(struct interpreter *run, sim_time when)
{
    run->start = when;
    event_init(&run->begin, interpreter_begins);
    if (when > 0)
        engine_schedule(run->process->sim->engine, &run->begin, when);
    else
        cpu_wake(&run->process->task);
}

void interpreter_on_start(struct interpreter *run, void (*started)(void *owner))
{
    run->started = started;
}

void interpreter_join_steady(struct interpreter *run, struct steady *steady)
{
    run->steady = steady;
}

void interpreter_keep_laps(struct interpreter *run)
{
    run->laps.kept = true;
}

void interpreter_join_stream(struct interpreter *run, struct stream *stream)
{
    run->stream = stream;
}

bool interpreter_ended(const struct interpreter *run)
{
    return run->phase == PHASE_ENDED;
}

bool interpreter_program_ended(const struct interpreter *run)
{
    return run->over && run->phase != PHASE_WAIT;
}

sim_time interpreter_time(const struct interpreter *run)
{
    return run->ended ? run->ended - run->began : 0;
}

void interpreter_report_clocks(const struct interpreter *run, struct series_result *result)
{
    clocks_report(&run->clocks, run->process->rank, result);
}

sim_time interpreter_end(const struct interpreter *run)
{
    return run->ended;
}

// ---- From one call to the next ----

static void leave_if_steady(struct interpreter *run, sim_time now)
{
    const struct op_call *lap = &run->call;
    struct steady_turn turn = {lap->turn, lap->turns, lap->sharers};
    sim_time left_out;
    if (!steady_leaves(run->steady, run->process->rank, &turn, now, &left_out))
        return;
    run->source->leave(run->source, run->process->rank);
    run->left_out += left_out;
    run->turns_left_out += lap->measured ? lap->turns - lap->turn : 0;
}

// Takes the next call from the source; laps that have ended meanwhile are noted.
static enum source_next take_call(struct interpreter *run, sim_time now)
{
    for (;;) {
        enum source_next next = run->source->next(run->source, run->process->rank, &run->call);
        if (next != SOURCE_LAP)
            return next;
        if (run->call.measured) {
            laps_add(&run->laps, run->call.turns, now, run->process->reported);
            repetitions_add(&run->repetitions, run->process->sim, run->repetitions.last, now);
        }
        if (run->steady && run->call.sharers)
            leave_if_steady(run, now);
    }
}

static void trace_next_call(struct interpreter *run, enum source_next next, sim_time now)
{
    struct trace_call call = {.peer = -1, .bytes = -1, .tag = -1};
    if (!run->calls)
        return;
    if (next == SOURCE_CALL) {
        const struct operation_arguments *common = op_call_common(&run->call);
        bool transfers = run->call.kind->class == CALL_TRANSFER;
        call.peer = transfers ? common->peer : -1;
        call.bytes = common->size;
    }
    trace_calls(run->process->sim->trace, run->calls,
                next == SOURCE_CALL ? run->call.kind->name : "MPI_Finalize", now, &call);
}

static enum interpreter_phase phase_call(struct interpreter *run, struct cpu_context *context)
{
    if (interpreter_stream_goes_on(run, context->now))
        return interpreter_stream(run, context);
    if (run->over)
        return PHASE_FINALIZE;
    enum source_next next = take_call(run, context->now);
    run->called = next != SOURCE_END;
    trace_next_call(run, next, context->now);
    if (next == SOURCE_CALL) {
        if (run->call.kind->class == CALL_OPERATION)
            run->call.arguments = interpreter_keep(run, &run->call);
        run->progress.sends = false;
        unfold_begin(run->unfold, &run->call);
        return interpreter_play(run, context);
    }
    if (next == SOURCE_WRONG) {
        interpreter_fail(run, "%s", run->call.wrong);
        return PHASE_NEXT;
    }
    run->ended = context->now;
    run->over = true;
    return interpreter_wait_for_detached(run) ? PHASE_WAIT : PHASE_FINALIZE;
}

// Runs calls until one has taken time or has to wait: a slice of processor time holds one.
static enum interpreter_phase phase_next(struct interpreter *run, struct cpu_context *context)
{
    sim_time start = context->now;
    enum interpreter_phase phase = PHASE_NEXT;
    for (int i = 0; i < MOST_AT_ONCE && phase == PHASE_NEXT && context->now == start &&
                    run->process->sim->status == SIM_COMPLETED;
         i++)
        phase = phase_call(run, context);
    return phase;
}

static void give_back(struct interpreter *run, struct cpu_context *context)
{
    for (guint i = 0; i < run->waiting->len; i++) {
        struct mpi_request *request = g_ptr_array_index(run->waiting, i);
        const void *arguments = request->operation ? request->arguments : NULL;
        if (request->done)
            mpi_request_free(context, request);
        else
            mpi_request_withdraw(context, request);
        if (arguments)
            interpreter_operation_over(run, arguments);
    }
    g_ptr_array_set_size(run->waiting, 0);
    if (run->detached->len > 0)
        interpreter_reap(run, context);
}

static bool waits(const struct interpreter *run)
{
    return run->phase == PHASE_CHOOSE ? !interpreter_one_done(run) : run->process->open_waits > 0;
}

// Whether a call that does not wait finds what it asks for.
static bool finds(const struct interpreter *run)
{
    if (run->phase == PHASE_TEST)
        return interpreter_test_good(run);
    const struct mpi_request *probe =
        run->waiting->len > 0 ? g_ptr_array_index(run->waiting, 0) : NULL;
    return probe && probe->done;
}

// The call makes no more progress now. Returns the next phase.
static enum interpreter_phase progress_over(struct interpreter *run, struct cpu_context *context)
{
    enum interpreter_phase next = PHASE_NEXT;
    switch (run->phase) {
    case PHASE_COLLECTIVE:
        return PHASE_COLLECTIVE;
    case PHASE_BUFFER:
        return interpreter_room_again(run, context) ? interpreter_play(run, context) : PHASE_NEXT;
    case PHASE_TEST:
        next = interpreter_test(run, context);
        break;
    case PHASE_CHOOSE:
        interpreter_choose(run);
        break;
    default:
        break;
    }
    if (next == PHASE_NEXT)
        give_back(run, context);
    return next;
}

static enum cpu_next leave_call(struct interpreter *run, struct cpu_context *context)
{
    run->progress.inside = false;
    run->process->own = NULL;
    run->phase = progress_over(run, context);
    return CPU_AGAIN;
}

// Goes on with the list of a call that does not wait.
static enum cpu_next act(struct interpreter *run, struct cpu_context *context)
{
    enum mpi_act next;
    while ((next = *run->progress.acts) != MPI_LEAVES) {
        if (next == MPI_LOOKS) {
            if (finds(run))
                break;
            run->progress.acts++;
            continue;
        }
        switch (mpi_advance(context, run->process, false)) {
        case PROGRESS_EVENT:
            run->progress.acts += next == MPI_TURN;
            return CPU_AGAIN;
        case PROGRESS_PART:
            return CPU_AGAIN;
        case PROGRESS_BLOCKED:
            return CPU_SLEEP;
        case PROGRESS_NOTHING:
            run->progress.acts++;
            break;
        }
    }
    return leave_call(run, context);
}

// The request that a library waits for now which does so one by one: the first send that is not
// done, of those that the call waits for, and after them the first other one.
static void next_own(struct interpreter *run)
{
    guint count = run->waiting->len;
    run->process->own = NULL;
    for (; run->progress.own < 2 * count; run->progress.own++) {
        const struct mpi_request *at = g_ptr_array_index(run->waiting, run->progress.own % count);
        if (at->done || (at->kind == REQUEST_SEND) != (run->progress.own < count))
            continue;
        run->process->own = at;
        return;
    }
}

// A call that waits.
static enum cpu_next wait_on(struct interpreter *run, struct cpu_context *context)
{
    const struct mpi_progress_rule *rule = mpi_rule(run->process);
    bool still = waits(run);
    if (!still && !run->progress.inside && rule->waits != MPI_WAITS_ALWAYS)
        return leave_call(run, context);
    if (rule->in_order)
        next_own(run);
    switch (mpi_advance(context, run->process, still)) {
    case PROGRESS_EVENT:
        run->progress.inside = rule->waits == MPI_WAITS_EXHAUST;
        return CPU_AGAIN;
    case PROGRESS_PART:
        run->progress.inside = true;
        return CPU_AGAIN;
    case PROGRESS_BLOCKED:
        return CPU_SLEEP;
    case PROGRESS_NOTHING:
        break;
    }
    return leave_call(run, context);
}

// A collective's requests are freed when its next round begins.
static void free_round(struct interpreter *run, struct cpu_context *context)
{
    for (guint i = 0; i < run->waiting->len; i++)
        mpi_request_free(context, g_ptr_array_index(run->waiting, i));
    g_ptr_array_set_size(run->waiting, 0);
}

// Goes on with what the device has left to this slice. Returns false if it has left nothing.
static bool go_on(struct interpreter *run, struct cpu_context *context, enum cpu_next *next)
{
    enum mpi_progress left = mpi_go_on(context, run->process);
    *next = left == PROGRESS_BLOCKED ? CPU_SLEEP : CPU_AGAIN;
    return left != PROGRESS_NOTHING;
}

static enum cpu_next phase_collective(struct interpreter *run, struct cpu_context *context)
{
    enum cpu_next next = CPU_AGAIN;
    if (run->process->open_waits == 0 && !run->progress.inside) {
        run->process->own = NULL;
        free_round(run, context);
        run->phase = interpreter_play(run, context);
        if (run->phase != PHASE_COLLECTIVE || go_on(run, context, &next))
            return next;
    }
    return wait_on(run, context);
}

// Progress of a call, by the rule of its library.
static enum cpu_next phase_progress(struct interpreter *run, struct cpu_context *context)
{
    enum cpu_next next;
    run->process->tests = run->phase == PHASE_TEST;
    if (go_on(run, context, &next))
        return next;
    switch (run->phase) {
    case PHASE_CALL:
    case PHASE_COLLECTIVE:
        return phase_collective(run, context);
    case PHASE_WAIT:
    case PHASE_CHOOSE:
        return wait_on(run, context);
    default:
        return act(run, context);
    }
}

// Init and finalize of a device, a step a slice.
static enum cpu_next phase_device(struct interpreter *run, struct cpu_context *context,
                                  enum mpi_progress (*step)(struct cpu_context *,
                                                            struct mpi_process *),
                                  enum interpreter_phase after)
{
    enum mpi_progress progress = step ? step(context, run->process) : PROGRESS_NOTHING;
    if (progress == PROGRESS_BLOCKED)
        return CPU_SLEEP;
    if (progress == PROGRESS_NOTHING) {
        run->phase = after;
        if (after == PHASE_NEXT)
            run->began = context->now;
    }
    return run->phase == PHASE_ENDED ? CPU_SLEEP : CPU_AGAIN;
}

enum cpu_next interpreter_run(struct cpu_context *context, struct cpu_task *task)
{
    struct mpi_process *process = container_of(task, struct mpi_process, task);
    struct interpreter *run = process->program;
    if (process->sim->status != SIM_COMPLETED || context->now < run->start)
        return CPU_SLEEP;
    switch (run->phase) {
    case PHASE_INIT:
        return phase_device(run, context, mpi_startup, PHASE_NEXT);
    case PHASE_NEXT:
        run->phase = phase_next(run, context);
        return CPU_AGAIN;
    case PHASE_WAIT:
    case PHASE_DRAIN:
    case PHASE_CHOOSE:
    case PHASE_TEST:
    case PHASE_BUFFER:
    case PHASE_CALL:
    case PHASE_COLLECTIVE:
        return phase_progress(run, context);
    case PHASE_POLL:
        run->phase = interpreter_poll(run, context);
        return run->phase == PHASE_POLL ? CPU_SLEEP : CPU_AGAIN;
    case PHASE_FINALIZE:
        return phase_device(run, context, process->ops->finalize, PHASE_ENDED);
    case PHASE_ENDED:
        break;
    }
    return CPU_SLEEP;
}
