// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a call while they are made.
#include "sim/flatten/unfold_internal.h"

struct flat_op *unfold_append(struct unfold *at, enum flat_kind kind)
{
    g_array_set_size(at->steps, at->steps->len + 1);
    struct flat_op *op = &g_array_index(at->steps, struct flat_op, at->steps->len - 1);
    *op = (struct flat_op){.kind = kind, .call = &at->call, .peer = RANK_ANY};
    return op;
}

void unfold_append_if_run(struct unfold *at, enum flat_kind kind)
{
    if (unfold_runs(at))
        unfold_append(at, kind);
}

void unfold_refuse(struct unfold *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_free(at->wrong);
    at->call.wrong = at->wrong = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

int64_t unfold_address(struct unfold *at, int64_t size)
{
    const struct operation_arguments *arguments = at->call.arguments;
    if (arguments->buffer != OPERATION_ANY || !unfold_runs(at))
        return arguments->buffer;
    guint number = (guint)at->call.own_buffer;
    if (number >= at->own_buffers->len)
        g_array_set_size(at->own_buffers, number + 1);
    struct unfold_memory *own = &g_array_index(at->own_buffers, struct unfold_memory, number);
    if (size > own->bytes || own->address == 0) {
        own->address = mpi_process_allocate(at->process, MAX(size, 1));
        own->bytes = size;
    }
    return own->address;
}

struct flat_op unfold_plan(struct unfold *at)
{
    static const enum flat_kind kinds[] = {
        [REQUEST_SEND] = FLAT_SEND, [REQUEST_RECV] = FLAT_RECV, [REQUEST_PROBE] = FLAT_PROBE};
    const struct transfer_arguments *arguments = at->call.arguments;
    const struct data_layout *layout = arguments->common.layout;
    enum op_code code = (enum op_code)at->call.kind->code;
    int64_t pieces = layout ? data_layout_blocks(layout) : 1;
    struct flat_op plan = {
        .kind = kinds[call_request_kind(code)],
        .call = &at->call,
        .peer = arguments->common.peer,
        .tag = (int)arguments->tag,
        .context = CONTEXT_POINT_TO_POINT,
        .group = at->call.group,
        .size = arguments->common.size,
        .pieces = pieces > 1 ? pieces : 0,
        .synchronous = call_synchronous(code),
        .ready = call_send_mode(code) == SEND_READY,
        .buffered = call_send_mode(code) == SEND_BUFFERED,
    };
    if (plan.kind != FLAT_PROBE && pieces == 1)
        plan.address = unfold_address(at, plan.size);
    return plan;
}
