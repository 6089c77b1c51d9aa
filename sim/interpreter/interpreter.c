// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/interpreter/interpreter.h"

#include "sim/interpreter/interpreter_internal.h"
#include "sim/mpi/startup.h"
#include "sim/source/call_kind.h"

static const struct stage compute_stage = {"compute", STAGE_COMPUTE};

// Operations that take no time, one behind the other in one slice: so the run can be ended between
// them.
#define MOST_AT_ONCE 1000

struct interpreter *interpreter_new(struct mpi_process *process, struct op_source *source,
                                    interpreter_measure_fn *measure, void *owner)
{
    struct interpreter *run = g_new0(struct interpreter, 1);
    run->process = process;
    run->source = source;
    run->phase = PHASE_INIT;
    run->open = g_array_new(FALSE, FALSE, sizeof(struct open_request));
    run->waiting = g_ptr_array_new();
    run->asked = g_array_new(FALSE, FALSE, sizeof(int));
    run->persistent = g_array_new(FALSE, FALSE, sizeof(struct persistent_request));
    run->detached = g_array_new(FALSE, FALSE, sizeof(struct detached_request));
    run->own_buffers = g_array_new(FALSE, TRUE, sizeof(struct own_buffer));
    run->measure = measure;
    run->owner = owner;
    mpi_schedule_init(&run->schedule);
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
    g_array_free(run->open, TRUE);
    g_ptr_array_free(run->waiting, TRUE);
    g_array_free(run->asked, TRUE);
    g_array_free(run->persistent, TRUE);
    g_array_free(run->detached, TRUE);
    g_array_free(run->own_buffers, TRUE);
    interpreter_operations_free(run);
    mpi_schedule_clear(&run->schedule);
    g_free(run);
}

void interpreter_on_start(struct interpreter *run, void (*started)(void *owner))
{
    run->started = started;
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

char *interpreter_place(const struct interpreter *run)
{
    if (run->phase == PHASE_INIT)
        return g_strdup("MPI_Init");
    if (!run->called)
        return g_strdup("end of the program");
    const struct source_mark *mark = run->call.mark;
    if (mark->line == 0)
        return g_strdup(run->call.kind->name);
    return g_strdup_printf("%s:%d:%d: %s", mark->file, mark->line, mark->column,
                           run->call.kind->name);
}

void interpreter_fail(struct interpreter *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    char *place = interpreter_place(run);
    sim_fail(run->process->sim, SIM_FAILED, "program_error",
             json_pack("{s:i, s:s}", "rank", run->process->rank, "place", place), "%s, rank %d: %s",
             place, run->process->rank, what);
    g_free(place);
    g_free(what);
}

// ---- Calls ----

int64_t interpreter_address(struct interpreter *run, int64_t size)
{
    const struct operation_arguments *arguments = run->call.arguments;
    if (arguments->buffer != OPERATION_ANY)
        return arguments->buffer;
    guint number = (guint)run->call.own_buffer;
    if (number >= run->own_buffers->len)
        g_array_set_size(run->own_buffers, number + 1);
    struct own_buffer *own = &g_array_index(run->own_buffers, struct own_buffer, number);
    if (size > own->allocated || own->address == 0) {
        own->address = mpi_process_allocate(run->process, MAX(size, 1));
        own->allocated = size;
    }
    return own->address;
}

void interpreter_wait_for(struct interpreter *run, struct mpi_request *request)
{
    mpi_wait(run->process, request);
    g_ptr_array_add(run->waiting, request);
}

bool interpreter_name_free(struct interpreter *run)
{
    const struct op_call *call = &run->call;
    if (call->request == CALL_NO_REQUEST)
        return true;
    bool open = interpreter_find_open(run, call->request) != NULL;
    if (!open && !interpreter_is_persistent(run, call->request))
        return true;
    const char *state = open ? "is still open" : "is persistent (request_free ends it)";
    if (call->request_name)
        interpreter_fail(run, "request %s %s", call->request_name, state);
    else
        interpreter_fail(run, "request %d %s", call->request, state);
    return false;
}

enum interpreter_phase interpreter_done(struct interpreter *run)
{
    struct open_request open = {run->call.request, NULL};
    if (open.number != CALL_NO_REQUEST)
        g_array_append_val(run->open, open);
    return PHASE_DRAIN;
}

enum interpreter_phase interpreter_started(struct interpreter *run, struct mpi_request *request)
{
    if (run->call.request != CALL_NO_REQUEST) {
        struct open_request open = {run->call.request, request};
        g_array_append_val(run->open, open);
        return PHASE_DRAIN;
    }
    interpreter_wait_for(run, request);
    return PHASE_WAIT;
}

static enum interpreter_phase call_local(const struct interpreter *run, struct cpu_context *context)
{
    if (op_call_is(&run->call, OP_COMPUTE))
        cpu_spend_time(context, ((const struct compute_arguments *)run->call.arguments)->time,
                       &compute_stage);
    else
        mem_copy(context, &run->process->host->config.memory, op_call_common(&run->call)->size,
                 COPY_WARM, MESSAGE_NONE);
    return PHASE_NEXT;
}

static enum interpreter_phase call_registration(struct interpreter *run,
                                                struct cpu_context *context)
{
    const struct mpi_device_ops *ops = run->process->ops;
    const struct operation_arguments *arguments = run->call.arguments;
    bool registers = op_call_is(&run->call, OP_REGISTER);
    int64_t size = arguments->size, address = arguments->buffer;
    if (size <= 0)
        interpreter_fail(run, "%" G_GINT64_FORMAT " B cannot be registered", size);
    else if (!ops->register_memory)
        interpreter_fail(run, "%s does not let programs register memory", ops->name);
    else if (!(registers ? ops->register_memory : ops->deregister_memory)(context, run->process,
                                                                          address, size))
        interpreter_fail(run, "%" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT " could not be %s",
                         size, address, registers ? "registered" : "deregistered");
    return PHASE_NEXT;
}

static enum interpreter_phase call_measure_start(struct interpreter *run,
                                                 const struct cpu_context *context)
{
    sim_measurement_begins(run->process->sim);
    if (run->started)
        run->started(run->owner);
    run->measure_start = context->now;
    run->process->reported = 0;
    laps_begin(&run->laps, context->now);
    repetitions_begin(&run->repetitions, context->now);
    return PHASE_NEXT;
}

static enum interpreter_phase call_measure_stop(struct interpreter *run,
                                                const struct cpu_context *context)
{
    const struct measure_arguments *stop = run->call.arguments;
    sim_time elapsed = stop->reported ? run->process->reported : context->now - run->measure_start;
    bool known = run->repetitions.count == stop->count && !stop->reported;
    run->measure(run->owner, run->process->rank, stop->common.size, stop->count, stop->parts,
                 elapsed, laps_end(&run->laps, stop->count, stop->reported, elapsed),
                 known ? &run->repetitions : NULL);
    return PHASE_NEXT;
}

static const char *clock_name(const struct interpreter *run)
{
    return ((const struct clock_arguments *)run->call.arguments)->name;
}

static enum interpreter_phase call_measure(struct interpreter *run,
                                           const struct cpu_context *context)
{
    switch ((enum op_code)run->call.kind->code) {
    case OP_MEASURE_START:
        return call_measure_start(run, context);
    case OP_MEASURE_STOP:
        return call_measure_stop(run, context);
    case OP_CLOCK:
        clocks_set(&run->clocks, clock_name(run), context->now);
        break;
    default:
        clocks_lap(&run->clocks, clock_name(run), run->began, context->now);
        break;
    }
    return PHASE_NEXT;
}

static enum interpreter_phase call_start(struct interpreter *run, struct cpu_context *context)
{
    switch (run->call.kind->class) {
    case CALL_TRANSFER:
        return interpreter_transfer(run, context);
    case CALL_SENDRECV:
        return interpreter_sendrecv(run, context);
    case CALL_PERSISTENT:
        return interpreter_persistent(run, context);
    case CALL_REQUEST:
        return interpreter_requests(run, context);
    case CALL_BUFFER:
        return interpreter_buffer(run, context);
    case CALL_WAIT:
        return interpreter_wait(run, context);
    case CALL_COLLECTIVE:
        return interpreter_collective(run, context);
    case CALL_COMMUNICATOR:
        return interpreter_communicator(run, context);
    case CALL_LOCAL:
        return call_local(run, context);
    case CALL_MEMORY:
        return call_registration(run, context);
    case CALL_OPERATION:
        return interpreter_operation(run, context);
    case CALL_MEASURE:
        return call_measure(run, context);
    case CALL_STREAM:
        return interpreter_stream(run, context);
    case CALL_LOOP:
        break;
    }
    return PHASE_NEXT;
}

// ---- From one call to the next ----

// Takes the next call from the source; laps that have ended meanwhile are noted.
static enum source_next take_call(struct interpreter *run, sim_time now)
{
    for (;;) {
        enum source_next next = run->source->next(run->source, run->process->rank, &run->call);
        if (next != SOURCE_LAP)
            return next;
        laps_add(&run->laps, run->call.turns, now, run->process->reported);
        repetitions_add(&run->repetitions, run->process->sim, run->repetitions.last, now);
    }
}

static enum interpreter_phase phase_call(struct interpreter *run, struct cpu_context *context)
{
    if (interpreter_stream_goes_on(run, context->now))
        return interpreter_stream(run, context);
    if (run->over)
        return PHASE_FINALIZE;
    enum source_next next = take_call(run, context->now);
    run->called = next != SOURCE_END;
    trace_activity(run->process->sim->trace, run->calls,
                   next == SOURCE_CALL ? run->call.kind->name : "MPI_Finalize", context->now);
    if (next == SOURCE_CALL)
        return call_start(run, context);
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

static bool may_sleep(const struct interpreter *run)
{
    switch (run->phase) {
    case PHASE_DRAIN:
    case PHASE_TEST:
    case PHASE_BUFFER:
        return false;
    case PHASE_CHOOSE:
        return !interpreter_one_done(run);
    default:
        return run->process->open_waits > 0;
    }
}

// The call makes no more progress now. Returns what comes next.
static enum interpreter_phase progress_over(struct interpreter *run, struct cpu_context *context)
{
    enum interpreter_phase next = PHASE_NEXT;
    switch (run->phase) {
    case PHASE_COLLECTIVE:
        return PHASE_COLLECTIVE;
    case PHASE_BUFFER:
        return interpreter_buffer_again(run, context);
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

// Progress of a call: until its requests are done, and then as long as events have happened already
// (thesis 000, 4.5.3).
static enum cpu_next phase_progress(struct interpreter *run, struct cpu_context *context)
{
    run->process->tests = run->phase == PHASE_TEST || run->phase == PHASE_BUFFER;
    switch (mpi_progress(context, run->process, may_sleep(run))) {
    case PROGRESS_EVENT:
        return CPU_AGAIN;
    case PROGRESS_BLOCKED:
        return CPU_SLEEP;
    case PROGRESS_NOTHING:
        break;
    }
    run->phase = progress_over(run, context);
    return CPU_AGAIN;
}

static enum cpu_next phase_collective(struct interpreter *run, struct cpu_context *context)
{
    if (!mpi_schedule_step(&run->schedule, context, run->process)) {
        mpi_observe_collective(run->process, run->collective->name, false);
        run->phase = run->opens ? PHASE_OPENED : interpreter_next_collective(run);
        return CPU_AGAIN;
    }
    return phase_progress(run, context);
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
    if (process->sim->status != SIM_COMPLETED)
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
        return phase_progress(run, context);
    case PHASE_POLL:
        run->phase = interpreter_poll(run, context);
        return run->phase == PHASE_POLL ? CPU_SLEEP : CPU_AGAIN;
    case PHASE_COLLECTIVE:
        return phase_collective(run, context);
    case PHASE_OPENED:
        run->phase = interpreter_opened(run, context);
        return CPU_AGAIN;
    case PHASE_FINALIZE:
        return phase_device(run, context, process->ops->finalize, PHASE_ENDED);
    case PHASE_ENDED:
        break;
    }
    return CPU_SLEEP;
}
