// SPDX-License-Identifier: GPL-3.0-or-later
// A process over raw VDMA: each call is an ioctl that hands the handler a request, and the process
// sleeps until the handler has ended it. A transfer that the handler refuses ends with all its
// bytes declined: the caller's ioctl returns an error, which a program here can't read.
#include "models/intercept/vdma/raw.h"

#include "models/intercept/vdma/operations.h"
#include "sim/mpi/startup.h"

enum { RAW_START, RAW_POSTED, RAW_DONE };

static const struct machine_state raw_states[] = {
    [RAW_START] = {"start", .next = MACHINE_TO(RAW_POSTED)},
    [RAW_POSTED] = {"posted",
                    {"the VDMA handler", WAIT_OTHER},
                    HOLDER_UNKNOWN,
                    MACHINE_TO(RAW_DONE)},
    [RAW_DONE] = {.name = "done"},
};

const struct machine_kind vdma_request_machine = {
    .name = "request",
    .logged = "vdma_read, vdma_write",
    .title = "Request of raw VDMA",
    .source = "thesis 002, 2.2.2",
    .states = raw_states,
    .count = G_N_ELEMENTS(raw_states),
};

static struct vdma_process *of(const struct mpi_process *process)
{
    return process->device;
}

// ---- Calls ----

static void enter_kernel(struct cpu_context *context, const struct mpi_process *process)
{
    cpu_spend(context, process->host->config.kernel.system_call, &stage_trap);
}

static void start(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    const struct vdma_arguments *arguments = request->arguments;
    struct vdma_transfer transfer = {
        .peer = process->peers[request->peer]->host->index,
        .local = request->address + arguments->offset,
        .remote = request->address + arguments->peer_offset,
        .bytes = request->size,
        .message = request->message,
        .key = (uint64_t)(uintptr_t)request,
    };
    enter_kernel(context, process);
    mpi_enter(context, request, RAW_POSTED, NULL);
    if (request->operation->code == VDMA_OPERATION_WRITE) {
        vdma_post_write(context, of(process)->handler, &transfer);
        return;
    }
    ledger_match(process->sim->ledger, request->message); // reads begin in the order of the calls
    vdma_post_read(context, of(process)->handler, &transfer);
}

static enum mpi_progress sleeps(struct cpu_context *context, struct vdma_process *raw)
{
    if (!raw->asleep)
        cpu_spend(context, raw->process->host->config.kernel.block_process, &stage_block);
    raw->asleep = true;
    return PROGRESS_BLOCKED;
}

static void woken(struct cpu_context *context, struct vdma_process *raw)
{
    if (raw->asleep)
        host_switch_in(context, raw->process->host);
    raw->asleep = false;
}

static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    struct vdma_process *raw = of(process);
    struct mpi_request *request = mpi_queue_pop(&raw->ended);
    if (!request)
        return blocking ? sleeps(context, raw) : PROGRESS_NOTHING;
    woken(context, raw);
    mpi_enter(context, request, RAW_DONE, NULL);
    mpi_request_done(context, request);
    return PROGRESS_EVENT;
}

// ---- INIT_VDMA: connects the card to those of all processes (5.2.2) ----

static enum mpi_progress init_vdma(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct vdma_process *raw = of(process);
    (void)peer;
    if (raw->initialised && raw->connecting > 0)
        return sleeps(context, raw);
    woken(context, raw);
    if (raw->initialised)
        return PROGRESS_NOTHING;
    raw->initialised = true;
    enter_kernel(context, process);
    for (int rank = 0; rank < process->ranks; rank++) {
        if (rank == process->rank && !raw->state->config->self_connect)
            continue;
        raw->connecting++;
        vdma_post_connect(context, raw->handler, process->peers[rank]->host->index);
    }
    return PROGRESS_EVENT;
}

static const struct machine_state raw_startup_states[] = {
    [0] = {"INIT_VDMA", .next = MACHINE_TO(1)},
    [1] = {.name = "up"},
};

static const struct machine_kind raw_startup_machine = {
    .name = "process",
    .title = "Start-up of a process on raw VDMA",
    .source = "assumed",
    .states = raw_startup_states,
    .count = G_N_ELEMENTS(raw_startup_states),
};

static const struct mpi_startup_step startup[] = {
    {.run = init_vdma},
    {0},
};

// ---- Calls of the handler, in its thread ----

static void wake(struct cpu_context *context, struct vdma_process *raw)
{
    if (raw->asleep)
        cpu_spend(context, raw->process->host->config.kernel.wake_process, &stage_wake_up);
    cpu_post_wake(context, &raw->process->task);
}

static void raw_connected(struct cpu_context *context, void *owner, int peer)
{
    struct vdma_process *raw = owner;
    (void)peer;
    if (--raw->connecting == 0)
        wake(context, raw);
}

static void end(struct cpu_context *context, struct vdma_process *raw,
                const struct vdma_transfer *transfer)
{
    mpi_queue_append(&raw->ended, (struct mpi_request *)(uintptr_t)transfer->key);
    wake(context, raw);
}

// The last byte is in place here.
static void arrived(const struct cpu_context *context, const struct vdma_process *raw,
                    struct message_ref message)
{
    struct sim *sim = raw->process->sim;
    trace_flow(sim->trace, cpu_lane(context->cpu), message, TRACE_FLOW_END, context->now);
    ledger_complete(sim->ledger, message);
}

static void begins(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer)
{
    const struct vdma_process *raw = owner;
    (void)context;
    ledger_match(raw->process->sim->ledger, transfer->message);
}

static void read_done(struct cpu_context *context, void *owner,
                      const struct vdma_transfer *transfer)
{
    arrived(context, owner, transfer->message);
    end(context, owner, transfer);
}

static void written(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer)
{
    arrived(context, owner, transfer->message);
}

static void write_done(struct cpu_context *context, void *owner,
                       const struct vdma_transfer *transfer)
{
    end(context, owner, transfer);
}

static void refused(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer,
                    const char *reason)
{
    struct vdma_process *raw = owner;
    struct ledger *ledger = raw->process->sim->ledger;
    ledger_decline(ledger, transfer->message, transfer->offset, transfer->bytes, reason);
    ledger_complete(ledger, transfer->message);
    end(context, raw, transfer);
}

const struct vdma_client vdma_raw_client = {
    .connected = raw_connected,
    .begins = begins,
    .read_done = read_done,
    .write_done = write_done,
    .written = written,
    .refused = refused,
};

// ---- Reports ----

static json_t *describe_request(const struct mpi_request *request)
{
    char *waits = vdma_transfer_waits(of(request->process)->handler, (uint64_t)(uintptr_t)request);
    json_t *json = waits ? json_pack("{s:s}", "waits_for", waits) : NULL;
    g_free(waits);
    return json;
}

static json_t *describe_process(const struct mpi_process *process)
{
    char *waits = vdma_handler_waits(of(process)->handler);
    json_t *json = waits ? json_pack("{s:s}", "VDMA_handler_waits_for", waits) : NULL;
    g_free(waits);
    return json;
}

const struct mpi_device_ops vdma_raw_ops = {
    .name = "raw VDMA",
    .machine = &vdma_request_machine,
    .startup = startup,
    .startup_machine = &raw_startup_machine,
    .start = start,
    .advance = advance,
    .describe_request = describe_request,
    .describe_process = describe_process,
};
