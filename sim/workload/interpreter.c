// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/interpreter.h"

#include "sim/workload/interpreter_parts.h"

// Operations that take no time, one behind the other in one slice: so the run can be ended between
// them.
#define MOST_AT_ONCE 1000

// A body being run: the program itself, or a loop.
struct frame {
    const GPtrArray *body;
    const struct code_op *loop; // NULL: the program
    guint next;
    int64_t turn, turns;
    bool lapped; // its turns are the repetitions of a measurement
};

struct interpreter *interpreter_new(struct mpi_process *process, const struct program *program,
                                    interpreter_measure_fn *measure, void *owner)
{
    struct interpreter *run = g_new0(struct interpreter, 1);
    run->process = process;
    run->code = code_new(program, process->rank, process->ranks, &run->code_error);
    run->phase = PHASE_INIT;
    run->frames = g_array_new(FALSE, FALSE, sizeof(struct frame));
    run->waiting = g_ptr_array_new();
    run->measure = measure;
    run->owner = owner;
    mpi_schedule_init(&run->schedule);
    if (run->code) {
        struct frame program_frame = {.body = run->code->body, .turns = 1};
        g_array_append_val(run->frames, program_frame);
        run->open = g_new0(struct mpi_request *, run->code->names->len + 1);
    }
    process->program = run;
    return run;
}

void interpreter_free(struct interpreter *run)
{
    if (!run)
        return;
    code_free(run->code);
    laps_clear(&run->laps);
    g_free(run->code_error);
    g_array_free(run->frames, TRUE);
    g_ptr_array_free(run->waiting, TRUE);
    mpi_schedule_clear(&run->schedule);
    g_free(run->open);
    g_free(run);
}

void interpreter_keep_laps(struct interpreter *run)
{
    run->laps.kept = true;
}

bool interpreter_ended(const struct interpreter *run)
{
    return run->phase == PHASE_ENDED;
}

sim_time interpreter_time(const struct interpreter *run)
{
    return run->ended ? run->ended - run->began : 0;
}

sim_time interpreter_end(const struct interpreter *run)
{
    return run->ended;
}

char *interpreter_place(const struct interpreter *run)
{
    if (run->phase == PHASE_INIT)
        return g_strdup("MPI_Init");
    if (!run->op)
        return g_strdup("end of the program");
    const struct op *op = run->op->source;
    if (op->mark.line == 0)
        return g_strdup(op_kind_name(op->kind));
    return g_strdup_printf("%s:%d:%d: %s", op->mark.file, op->mark.line, op->mark.column,
                           op_kind_name(op->kind));
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

int64_t interpreter_value(struct interpreter *run, const struct code_value *code, int64_t fallback)
{
    if (!code->given)
        return fallback;
    if (!code->expression)
        return code->constant;
    char *error = NULL;
    int64_t result = expression_value(code->expression, &error);
    if (error)
        interpreter_fail(run, "%s", error);
    g_free(error);
    return result;
}

int64_t interpreter_quantity(struct interpreter *run, const struct code_value *code,
                             enum quantity_kind kind)
{
    int64_t value = interpreter_value(run, code, 0);
    if (G_LIKELY(value >= 0 && value <= quantity_most_value(kind)))
        return value;
    char *text = quantity_format(kind, (struct quantity){.integer = value});
    interpreter_fail(run, "%s is no %s: the range is 0 .. %s", text,
                     kind == QUANTITY_SIZE ? "size" : "duration", quantity_most(kind));
    g_free(text);
    return 0;
}

// ---- Operations ----

int64_t interpreter_address(struct interpreter *run, struct code_op *op, int64_t size)
{
    if (op->buffer.given)
        return interpreter_quantity(run, &op->buffer, QUANTITY_SIZE);
    if (size > op->allocated || op->address == 0) {
        op->address = mpi_process_allocate(run->process, MAX(size, 1));
        op->allocated = size;
    }
    return op->address;
}

bool interpreter_rank_valid(struct interpreter *run, int64_t rank)
{
    if (rank < 0 || rank >= run->process->ranks)
        interpreter_fail(run, "there is no rank %" G_GINT64_FORMAT " (ranks: 0..%d)", rank,
                         run->process->ranks - 1);
    return run->process->sim->status == SIM_COMPLETED;
}

// The peer's rank; a value that is computed may not come out as the number that stands for "any".
int interpreter_peer(struct interpreter *run, const struct code_value *peer)
{
    int64_t rank = peer->any || !peer->given ? MPI_RANK_ANY : interpreter_value(run, peer, 0);
    if (peer->given && !peer->any && !interpreter_rank_valid(run, rank))
        return MPI_RANK_ANY;
    return (int)rank;
}

void interpreter_wait_for(struct interpreter *run, struct mpi_request *request)
{
    mpi_wait(run->process, request);
    g_ptr_array_add(run->waiting, request);
}

bool interpreter_slot_free(struct interpreter *run, const struct code_op *op)
{
    if (op->request == CODE_NO_SLOT || !run->open[op->request])
        return true;
    interpreter_fail(run, "request %s is still open", op->source->name);
    return false;
}

enum interpreter_phase interpreter_started(struct interpreter *run, const struct code_op *op,
                                           struct mpi_request *request)
{
    if (op->request != CODE_NO_SLOT) {
        run->open[op->request] = request;
        return PHASE_DRAIN;
    }
    interpreter_wait_for(run, request);
    return PHASE_WAIT;
}

static enum interpreter_phase op_copy(struct interpreter *run, struct cpu_context *context,
                                      const struct code_op *op)
{
    int64_t size = interpreter_quantity(run, &op->size, QUANTITY_SIZE);
    if (run->process->sim->status == SIM_COMPLETED)
        mem_copy(context, &run->process->host->config.memory, size, COPY_WARM, MESSAGE_NONE);
    return PHASE_NEXT;
}

static enum interpreter_phase op_registration(struct interpreter *run, struct cpu_context *context,
                                              const struct code_op *op)
{
    const struct mpi_device_ops *ops = run->process->ops;
    bool registers = op->source->kind == OP_REGISTER;
    int64_t size = interpreter_quantity(run, &op->size, QUANTITY_SIZE),
            address = interpreter_quantity(run, &op->buffer, QUANTITY_SIZE);
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

static enum interpreter_phase op_loop(struct interpreter *run, const struct code_op *op)
{
    struct frame frame = {
        .body = op->body, .loop = op, .turns = interpreter_value(run, &op->count, 0)};
    if (frame.turns > 0 && op->body->len > 0) {
        frame.lapped = laps_loop(&run->laps, frame.turns);
        g_array_append_val(run->frames, frame);
    }
    if (op->variable != CODE_NO_SLOT)
        run->code->variables.values[op->variable] = 0;
    return PHASE_NEXT;
}

static void op_measure_stop(struct interpreter *run, const struct cpu_context *context,
                            const struct code_op *op)
{
    sim_time elapsed =
        op->source->reported ? run->process->reported : context->now - run->measure_start;
    int64_t count = interpreter_value(run, &op->count, 1);
    run->measure(run->owner, run->process->rank, interpreter_value(run, &op->size, 0), count,
                 op->source->parts, elapsed,
                 laps_end(&run->laps, count, op->source->reported, elapsed));
}

static enum interpreter_phase op_start(struct interpreter *run, struct cpu_context *context,
                                       struct code_op *op)
{
    switch (op->source->kind) {
    case OP_SEND:
    case OP_SSEND:
    case OP_ISEND:
    case OP_ISSEND:
    case OP_RECV:
    case OP_IRECV:
    case OP_PROBE:
    case OP_IPROBE:
        return interpreter_transfer(run, context, op);
    case OP_WAIT:
    case OP_WAITALL:
        return interpreter_wait(run, context, op);
    case OP_COMPUTE:
        cpu_spend_time(context, interpreter_quantity(run, &op->time, QUANTITY_DURATION), "compute");
        return PHASE_NEXT;
    case OP_SENDRECV:
        return interpreter_sendrecv(run, context, op);
    case OP_BARRIER:
    case OP_BCAST:
    case OP_REDUCE:
    case OP_ALLREDUCE:
    case OP_GATHER:
    case OP_SCATTER:
    case OP_ALLGATHER:
    case OP_ALLTOALL:
        return interpreter_collective(run, context, op);
    case OP_COPY:
        return op_copy(run, context, op);
    case OP_REGISTER:
    case OP_DEREGISTER:
        return op_registration(run, context, op);
    case OP_PUT:
    case OP_GET:
    case OP_ACCUMULATE:
    case OP_FETCH_ADD:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_FENCE:
    case OP_ACTIVE_MESSAGE:
    case OP_POLL:
    case OP_CALL:
        return interpreter_operation(run, context, op);
    case OP_LOOP:
        return op_loop(run, op);
    case OP_MEASURE_START:
        sim_measurement_begins(run->process->sim);
        run->measure_start = context->now;
        run->process->reported = 0;
        laps_begin(&run->laps, context->now);
        return PHASE_NEXT;
    case OP_MEASURE_STOP:
        op_measure_stop(run, context, op);
        return PHASE_NEXT;
    }
    return PHASE_ENDED;
}

// ---- From one operation to the next ----

// The next operation at a time, or NULL at the end of the program.
static struct code_op *next_op(struct interpreter *run, sim_time now)
{
    while (run->frames->len > 0) {
        struct frame *frame = &g_array_index(run->frames, struct frame, run->frames->len - 1);
        if (frame->next < frame->body->len)
            return g_ptr_array_index(frame->body, frame->next++);
        frame->next = 0;
        if (frame->lapped)
            laps_add(&run->laps, now, run->process->reported);
        if (++frame->turn >= frame->turns) {
            g_array_set_size(run->frames, run->frames->len - 1);
            continue;
        }
        if (frame->loop && frame->loop->variable != CODE_NO_SLOT)
            run->code->variables.values[frame->loop->variable] = (double)frame->turn;
    }
    return NULL;
}

// Runs operations until one has taken time or has to wait: a slice of processor time holds one
// operation.
static enum interpreter_phase phase_next(struct interpreter *run, struct cpu_context *context)
{
    sim_time start = context->now;
    enum interpreter_phase phase = PHASE_NEXT;
    for (int i = 0; i < MOST_AT_ONCE && phase == PHASE_NEXT && context->now == start &&
                    run->process->sim->status == SIM_COMPLETED;
         i++) {
        struct code_op *op = next_op(run, context->now);
        run->op = op;
        if (!op) {
            run->ended = context->now;
            return PHASE_FINALIZE;
        }
        phase = op_start(run, context, op);
    }
    return phase;
}

static void give_back(struct interpreter *run, struct cpu_context *context)
{
    for (guint i = 0; i < run->waiting->len; i++) {
        struct mpi_request *request = g_ptr_array_index(run->waiting, i);
        if (request->done)
            mpi_request_free(context, request);
        else
            mpi_request_withdraw(context, request);
    }
    g_ptr_array_set_size(run->waiting, 0);
}

// Progress of a call: until its requests are done, and then as long as events have happened already
// (thesis 000, 4.5.3).
static enum cpu_next phase_progress(struct interpreter *run, struct cpu_context *context)
{
    bool blocking = run->phase != PHASE_DRAIN && run->process->open_waits > 0;
    switch (mpi_progress(context, run->process, blocking)) {
    case MPI_PROGRESS_EVENT:
        return CPU_AGAIN;
    case MPI_PROGRESS_BLOCKED:
        return CPU_SLEEP;
    case MPI_PROGRESS_NOTHING:
        break;
    }
    if (run->phase == PHASE_COLLECTIVE)
        return CPU_AGAIN;
    give_back(run, context);
    run->phase = PHASE_NEXT;
    return CPU_AGAIN;
}

static enum cpu_next phase_collective(struct interpreter *run, struct cpu_context *context)
{
    if (!mpi_schedule_step(&run->schedule, context, run->process)) {
        mpi_observe_collective(run->process, op_kind_name(run->op->source->kind), false);
        run->phase = PHASE_NEXT;
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
    enum mpi_progress progress = step ? step(context, run->process) : MPI_PROGRESS_NOTHING;
    if (progress == MPI_PROGRESS_BLOCKED)
        return CPU_SLEEP;
    if (progress == MPI_PROGRESS_NOTHING) {
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
    if (run->code_error)
        interpreter_fail(run, "%s", run->code_error);
    if (process->sim->status != SIM_COMPLETED)
        return CPU_SLEEP;
    switch (run->phase) {
    case PHASE_INIT:
        return phase_device(run, context, process->ops->init, PHASE_NEXT);
    case PHASE_NEXT:
        run->phase = phase_next(run, context);
        return CPU_AGAIN;
    case PHASE_WAIT:
    case PHASE_DRAIN:
        return phase_progress(run, context);
    case PHASE_COLLECTIVE:
        return phase_collective(run, context);
    case PHASE_FINALIZE:
        return phase_device(run, context, process->ops->finalize, PHASE_ENDED);
    case PHASE_ENDED:
        break;
    }
    return CPU_SLEEP;
}
