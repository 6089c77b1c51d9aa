// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a call, run on the process's device.
#include "sim/interpreter/interpreter_internal.h"

static const struct stage compute_stage = {"compute", STAGE_COMPUTE};

// ---- Requests ----

static struct mpi_transfer transfer_of(const struct interpreter *run)
{
    const struct flat_op *step = &run->step;
    struct mpi_transfer transfer = {
        .peer = step->peer,
        .tag = step->tag,
        .context = step->context,
        .group = step->group,
        .address = step->address,
        .size = step->size,
        .synchronous = step->synchronous,
        .ready = step->ready,
        .prebuilt = step->prebuilt,
        .pieces = step->pieces,
        .blocking = step->blocking,
    };
    if (step->kind == FLAT_OTHER) {
        transfer.operation = run->call.kind;
        transfer.arguments = run->call.arguments;
    }
    return transfer;
}

static void play_start(struct interpreter *run, struct cpu_context *context)
{
    static const enum mpi_request_kind kinds[] = {[FLAT_SEND] = REQUEST_SEND,
                                                  [FLAT_RECV] = REQUEST_RECV,
                                                  [FLAT_PROBE] = REQUEST_PROBE,
                                                  [FLAT_IPROBE] = REQUEST_PROBE,
                                                  [FLAT_OTHER] = REQUEST_OPERATION};
    struct mpi_transfer transfer = transfer_of(run);
    if (run->step.buffered) {
        interpreter_send_buffered(run, context, &transfer);
        return;
    }
    struct mpi_request *request =
        mpi_start(context, run->process, kinds[run->step.kind], &transfer);
    run->progress.sends |= run->step.kind == FLAT_SEND;
    if (run->step.kind == FLAT_IPROBE) {
        g_ptr_array_add(run->waiting, request);
        return;
    }
    unfold_started(run->unfold, request);
    if (!run->step.named)
        mpi_wait(run->process, request);
}

// The progress of a call that does not wait.
static enum interpreter_phase play_progress(struct interpreter *run)
{
    const struct mpi_progress_rule *rule = mpi_rule(run->process);
    interpreter_act(run, op_call_is(&run->call, OP_IPROBE) ? rule->probe
                         : run->progress.sends             ? rule->send
                                                           : rule->receive);
    return PHASE_DRAIN;
}

static enum interpreter_phase play_wait(struct interpreter *run)
{
    for (int i = 0; i < run->step.awaited_count; i++)
        if (run->step.handles[i])
            interpreter_wait_for(run, run->step.handles[i]);
    run->progress.own = 0;
    return run->step.round ? PHASE_COLLECTIVE : PHASE_WAIT;
}

static enum interpreter_phase play_wait_for_one(struct interpreter *run)
{
    for (int i = 0; i < run->step.awaited_count; i++)
        if (run->step.handles[i])
            mpi_wait(run->process, run->step.handles[i]);
    return PHASE_CHOOSE;
}

// ---- Memory ----

static void play_copy(struct interpreter *run, struct cpu_context *context)
{
    mem_copy(context, &run->process->host->config.memory, run->step.size, COPY_WARM, MESSAGE_NONE);
}

static void play_registration(struct interpreter *run, struct cpu_context *context)
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
}

// ---- Clocks ----

static void play_measure_start(struct interpreter *run, sim_time now)
{
    sim_measurement_begins(run->process->sim);
    if (run->started)
        run->started(run->owner);
    run->measure_start = now;
    run->process->reported = 0;
    run->left_out = 0;
    run->turns_left_out = 0;
    laps_begin(&run->laps, now);
    repetitions_begin(&run->repetitions, now);
}

static void play_measure_stop(struct interpreter *run, sim_time now)
{
    const struct measure_arguments *stop = run->call.arguments;
    sim_time elapsed = stop->reported ? run->process->reported : now - run->measure_start;
    bool each = run->repetitions.count + run->turns_left_out == stop->count;
    struct interpreter_measured measured = {
        .size = stop->common.size,
        .count = each ? run->repetitions.count : stop->count,
        .parts = stop->parts,
        .elapsed = elapsed,
        .count_left_out = each ? run->turns_left_out : 0,
        .left_out = stop->reported ? 0 : run->left_out,
        .times = laps_end(&run->laps, stop->count, stop->reported, elapsed),
        .repetitions =
            run->repetitions.count == stop->count && !stop->reported ? &run->repetitions : NULL,
    };
    run->measure(run->owner, run->process->rank, &measured);
}

static void play_measure(struct interpreter *run, sim_time now)
{
    const struct clock_arguments *clock = run->call.arguments;
    switch ((enum op_code)run->call.kind->code) {
    case OP_MEASURE_START:
        play_measure_start(run, now);
        break;
    case OP_MEASURE_STOP:
        play_measure_stop(run, now);
        break;
    case OP_CLOCK:
        clocks_set(&run->clocks, clock->name, now);
        break;
    default:
        clocks_lap(&run->clocks, clock->name, run->began, now);
        break;
    }
}

// ---- All steps ----

// Runs a step that ends no slice.
static void play_local(struct interpreter *run, struct cpu_context *context)
{
    const struct flat_op *step = &run->step;
    switch (step->kind) {
    case FLAT_COMPUTE:
        cpu_spend_time(context, step->time, &compute_stage);
        break;
    case FLAT_COPY:
        play_copy(run, context);
        break;
    case FLAT_REDUCE:
        mpi_charge_reduce(context, run->process, step->size);
        break;
    case FLAT_MEASURE:
        play_measure(run, context->now);
        break;
    case FLAT_CHARGE_CALL:
        mpi_call(context, run->process);
        break;
    case FLAT_CHARGE_BUILD:
        mpi_build(context, run->process);
        break;
    case FLAT_ATTACH:
        interpreter_attach(run);
        break;
    case FLAT_FREE:
        interpreter_detach(run, step->handle, 0, 0);
        break;
    case FLAT_ENTER:
    case FLAT_LEAVE:
        mpi_observe_collective(run->process, step->collective->name, step->kind == FLAT_ENTER);
        break;
    case FLAT_MEMORY:
        play_registration(run, context);
        break;
    default: // FLAT_SEND .. FLAT_IPROBE, FLAT_OTHER
        play_start(run, context);
        break;
    }
}

static enum interpreter_phase play_step(struct interpreter *run, struct cpu_context *context)
{
    switch (run->step.kind) {
    case FLAT_WAIT:
        return play_wait(run);
    case FLAT_WAITANY:
        return play_wait_for_one(run);
    case FLAT_TEST:
        return interpreter_begin_test(run, context);
    case FLAT_PROGRESS:
        return play_progress(run);
    case FLAT_ROOM:
        return interpreter_find_room(run, context);
    case FLAT_DETACH:
        return interpreter_detach_buffer(run);
    case FLAT_SLICE:
        return PHASE_CALL;
    case FLAT_STREAM:
        return interpreter_stream(run, context);
    default:
        play_local(run, context);
        return PHASE_NEXT;
    }
}

enum interpreter_phase interpreter_play(struct interpreter *run, struct cpu_context *context)
{
    enum interpreter_phase phase = PHASE_NEXT;
    enum source_next next = SOURCE_CALL;
    while (phase == PHASE_NEXT && (next = unfold_next(run->unfold, &run->step)) == SOURCE_CALL)
        phase = play_step(run, context);
    if (next == SOURCE_WRONG)
        interpreter_fail(run, "%s", run->step.call->wrong);
    return phase;
}
