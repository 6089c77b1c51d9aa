// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/rma.h"

#include "sim/mpi/group.h"

#include <string.h>

struct ch3_window *ch3_window_of(const struct ch3_process *ch3, int number)
{
    return g_ptr_array_index(ch3->rma->windows, (guint)number);
}

static struct ch3_window *find(const struct ch3_process *ch3, const char *name)
{
    for (guint i = 0; ch3->rma && i < ch3->rma->windows->len; i++) {
        struct ch3_window *window = g_ptr_array_index(ch3->rma->windows, i);
        if (window->open && window->name == name)
            return window;
    }
    return NULL;
}

static void refuse_operation(const struct mpi_request *request, const char *name, const char *why)
{
    mpi_fail(request->process, "window_error",
             json_pack("{s:s, s:s}", "operation", mpi_request_name(request), "window", name),
             ": %s of window \"%s\": %s", mpi_request_name(request), name, why);
}

// ---- Windows ----

static const char *window_name(const char *given)
{
    return given ? given : "";
}

static struct ch3_rma *rma_of(struct ch3_process *ch3)
{
    if (!ch3->rma) {
        ch3->rma = g_new0(struct ch3_rma, 1);
        ch3->rma->windows = g_ptr_array_new();
        pool_init(&ch3->rma->ops, sizeof(struct ch3_rma_op));
    }
    return ch3->rma;
}

static void window_create(struct cpu_context *context, struct mpi_request *request)
{
    struct ch3_process *ch3 = ch3_of(request->process);
    const struct ch3_window_arguments *arguments = request->arguments;
    if (find(ch3, arguments->window)) {
        refuse_operation(request, window_name(arguments->window), "it is there already");
        return;
    }
    GPtrArray *windows = rma_of(ch3)->windows;
    struct ch3_window *window = g_new0(struct ch3_window, 1);
    *window = (struct ch3_window){
        .name = arguments->window,
        .number = (int)windows->len,
        .open = true,
        .group = request->group,
        .address = request->address,
        .size = request->size,
    };
    for (int i = 0; i < 2; i++)
        window->counts[i] = g_new0(uint32_t, ch3->process->ranks);
    g_ptr_array_add(windows, window);
    if (ch3->channel->rma)
        ch3->channel->rma->created(context, ch3, window);
    mpi_finish(context, request);
}

void ch3_rma_clear(struct ch3_process *ch3)
{
    if (!ch3->rma)
        return;
    for (guint i = 0; i < ch3->rma->windows->len; i++) {
        struct ch3_window *window = g_ptr_array_index(ch3->rma->windows, i);
        g_free(window->counts[0]);
        g_free(window->counts[1]);
        g_free(window);
    }
    g_ptr_array_free(ch3->rma->windows, TRUE);
    pool_clear(&ch3->rma->ops);
    g_clear_pointer(&ch3->rma, g_free);
}

// ---- Operations between fences ----

static uint32_t *epoch_counts(const struct ch3_window *window)
{
    return window->counts[window->epoch & 1];
}

// The target's window is known to be there once a fence has counted the operations.
static bool reaches_beyond(const struct ch3_process *ch3, const struct ch3_rma_op *op)
{
    const struct ch3_process *target = ch3_of(ch3->process->peers[op->peer]);
    const struct ch3_window *window = ch3_window_of(target, op->window->number);
    if (op->offset + op->size <= window->size)
        return false;
    mpi_fail(ch3->process, "window_error",
             json_pack("{s:s, s:s}", "operation", ch3_rma_operations[op->kind].name, "window",
                       window_name(window->name)),
             ": %s of window \"%s\": bytes up to %" G_GINT64_FORMAT
             ", and rank %d's part of it has %" G_GINT64_FORMAT,
             ch3_rma_operations[op->kind].name, window_name(window->name), op->offset + op->size,
             op->peer, window->size);
    return true;
}

// Its data are moved by the call itself: none, or within the process.
static void move_here(struct cpu_context *context, const struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    bool fetched = request->operation->moves == OPERATION_FROM_PEER;
    if (request->operation->code == CH3_ACCUMULATE)
        mpi_charge_reduce(context, process, request->size);
    else
        mpi_copy(context, process, request->size, COPY_WARM, request->message);
    ledger_deliver(process->sim->ledger, request->message, 0, request->size);
    mpi_message_arrived(context, process->peers[fetched ? process->rank : request->peer],
                        request->message);
}

static void queue_operation(struct ch3_process *ch3, struct ch3_window *window,
                            const struct mpi_request *request)
{
    const struct ch3_transfer_arguments *arguments = request->arguments;
    struct ch3_rma_op *op = pool_take(&ch3->rma->ops);
    *op = (struct ch3_rma_op){
        .window = window,
        .kind = (enum ch3_rma_kind)request->operation->code,
        .peer = request->peer,
        .address = request->address,
        .offset = arguments->offset,
        .size = request->size,
        .ordinal = ++epoch_counts(window)[request->peer],
        .message = request->message,
    };
    FIFO_APPEND(window->head, window->tail, op, next);
}

static bool moves_here(const struct mpi_request *request)
{
    return request->peer == request->process->rank || request->size == 0;
}

#define WAYS 256

int ch3_rma_way(const struct mpi_request *request)
{
    const struct ch3_transfer_arguments *arguments = request->arguments;
    const struct ch3_window *window = find(ch3_of(request->process), arguments->window);
    return window ? (2 * window->number + moves_here(request)) % WAYS : 0;
}

static void start_transfer(struct cpu_context *context, struct mpi_request *request)
{
    struct ch3_process *ch3 = ch3_of(request->process);
    const struct ch3_transfer_arguments *arguments = request->arguments;
    struct ch3_window *window = find(ch3, arguments->window);
    const char *why = !window           ? "no such window has been created"
                      : !window->fenced ? "no fence has begun an epoch"
                                        : NULL;
    if (why) {
        refuse_operation(request, window_name(arguments->window), why);
        return;
    }
    cpu_spend_for(context, ch3->config->one_sided, &ch3_stage, request->message);
    if (moves_here(request))
        move_here(context, request);
    else
        queue_operation(ch3, window, request);
    mpi_finish(context, request);
}

// ---- The fence ----

bool ch3_rma_opens(const struct mpi_process *process, const struct operation_kind *kind,
                   const void *arguments)
{
    const struct ch3_window_arguments *fence = arguments;
    const struct ch3_window *window = find(ch3_of(process), fence->window);
    return kind->code == CH3_WIN_CREATE || (window && window->fenced);
}

// The marks that other processes' operations of the epoch that ends will bring. The others may be
// in the next epoch already; its counts lie apart.
static int announced(const struct ch3_process *ch3, const struct ch3_window *window)
{
    const struct mpi_process *process = ch3->process;
    int count = 0, size = mpi_group_size(window->group, process->ranks);
    for (int place = 0; place < size; place++) {
        int rank = mpi_group_rank(window->group, place);
        const struct ch3_process *peer = ch3_of(process->peers[rank]);
        const struct ch3_window *theirs = ch3_window_of(peer, window->number);
        count += theirs->counts[window->epoch & 1][process->rank] > 0;
    }
    return count;
}

static void close_if_over(struct cpu_context *context, struct ch3_process *ch3,
                          struct ch3_window *window)
{
    struct mpi_request *closing = window->closing;
    if (!closing || window->pending > 0 || window->expected > 0)
        return;
    window->closing = NULL;
    window->epoch++;
    memset(epoch_counts(window), 0, sizeof *epoch_counts(window) * (size_t)ch3->process->ranks);
    if (closing->operation->code == CH3_WIN_FREE) {
        window->open = false;
        if (ch3->channel->rma)
            ch3->channel->rma->freed(context, ch3, window);
    } else {
        const struct ch3_window_arguments *fence = closing->arguments;
        window->fenced = fence->assertion != CH3_ASSERT_NO_SUCCEED;
    }
    mpi_finish(context, closing);
}

void ch3_rma_op_free(struct ch3_process *ch3, struct ch3_rma_op *op)
{
    pool_give(&ch3->rma->ops, op);
}

static const enum ch3_pkt_type rma_types[] = {
    [CH3_PUT] = CH3_PKT_PUT, [CH3_GET] = CH3_PKT_GET, [CH3_ACCUMULATE] = CH3_PKT_ACCUMULATE};

void ch3_rma_send(struct cpu_context *context, struct ch3_process *ch3, struct ch3_rma_op *op,
                  bool last)
{
    struct ch3_pkt pkt = {
        .type = (uint8_t)rma_types[op->kind],
        .flags = last ? CH3_LAST_OF_EPOCH : 0,
        .tag = op->window->number,
        .length = (uint32_t)op->size,
        .message = op->message,
    };
    int peer = op->peer;
    int64_t data = op->kind == CH3_GET ? 0 : op->size;
    ch3_rma_op_free(ch3, op);
    ch3_send(context, ch3, peer, &pkt, data, NULL);
}

static void issue_all(struct cpu_context *context, struct ch3_process *ch3,
                      struct ch3_window *window)
{
    const uint32_t *targets = epoch_counts(window);
    struct ch3_rma_op *op = window->head, *next;
    window->head = NULL;
    for (; op; op = next) {
        next = op->next;
        bool last = op->ordinal == targets[op->peer];
        if (reaches_beyond(ch3, op))
            return;
        window->pending++;
        cpu_spend_for(context, ch3->config->one_sided, &ch3_stage, op->message);
        if (ch3->channel->rma)
            ch3->channel->rma->issue(context, ch3, op, last);
        else
            ch3_rma_send(context, ch3, op, last);
    }
}

static void start_fence(struct cpu_context *context, struct mpi_request *request)
{
    struct ch3_process *ch3 = ch3_of(request->process);
    const struct ch3_window_arguments *arguments = request->arguments;
    struct ch3_window *window = find(ch3, arguments->window);
    if (!window) {
        refuse_operation(request, window_name(arguments->window),
                         "no such window has been created");
        return;
    }
    if (arguments->assertion == CH3_ASSERT_NO_PRECEDE && window->head) {
        refuse_operation(request, window_name(arguments->window), "operations precede it");
        return;
    }
    bool first = !window->fenced && request->operation->code == CH3_WIN_FENCE;
    if (first || arguments->assertion == CH3_ASSERT_NO_PRECEDE) {
        window->fenced = arguments->assertion != CH3_ASSERT_NO_SUCCEED;
        mpi_finish(context, request);
        return;
    }
    window->closing = request;
    mpi_enter(context, request, CH3_FENCE, NULL);
    // Held open until all are issued, as the last to be issued may end at once.
    window->pending++;
    window->expected += announced(ch3, window);
    issue_all(context, ch3, window);
    window->pending--;
    close_if_over(context, ch3, window);
}

void ch3_rma_over(struct cpu_context *context, struct ch3_process *ch3, struct ch3_window *window)
{
    window->pending--;
    close_if_over(context, ch3, window);
}

void ch3_rma_marked(struct cpu_context *context, struct ch3_process *ch3, struct ch3_window *window)
{
    window->expected--;
    close_if_over(context, ch3, window);
}

void ch3_rma_start(struct cpu_context *context, struct mpi_request *request)
{
    switch ((enum ch3_rma_kind)request->operation->code) {
    case CH3_PUT:
    case CH3_GET:
    case CH3_ACCUMULATE:
        start_transfer(context, request);
        return;
    case CH3_WIN_CREATE:
        window_create(context, request);
        return;
    case CH3_WIN_FENCE:
    case CH3_WIN_FREE:
        start_fence(context, request);
        return;
    case CH3_RMA_KINDS:
        break;
    }
    g_assert_not_reached();
}

json_t *ch3_rma_describe(const struct mpi_request *request)
{
    const struct ch3_process *ch3 = ch3_of(request->process);
    const struct ch3_window_arguments *arguments = request->arguments;
    const struct ch3_window *window = find(ch3, arguments->window);
    if (request->machine.state != CH3_FENCE || !window)
        return NULL;
    return json_pack("{s:o}", "waits_for",
                     json_sprintf("%d operations of its own and those of %d other processes",
                                  window->pending, MAX(window->expected, 0)));
}
