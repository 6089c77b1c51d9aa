// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/nas/nas.h"

// ---- Computation ----

void nas_compute(struct nas *nas, double operations)
{
    sim_time time = (sim_time)(operations / nas->rate * (double)TIME_S + 0.5);
    if (time <= 0)
        return;
    struct compute_arguments *compute = op_append(nas->body, OP_COMPUTE)->arguments;
    compute->time = time;
}

// ---- Messages ----

static struct op *append_transfer(struct nas *nas, enum op_code code, int peer, int64_t size,
                                  int64_t tag)
{
    struct op *op = op_append(nas->body, code);
    struct transfer_arguments *transfer = op->arguments;
    transfer->common.peer = peer;
    transfer->common.size = size;
    transfer->tag = tag;
    return op;
}

void nas_send(struct nas *nas, int to, int64_t size, int64_t tag)
{
    append_transfer(nas, OP_SEND, to, size, tag);
}

void nas_receive(struct nas *nas, int from, int64_t size, int64_t tag)
{
    append_transfer(nas, OP_RECV, from, size, tag);
}

void nas_start_send(struct nas *nas, int to, int64_t size, int64_t tag, const char *request)
{
    append_transfer(nas, OP_ISEND, to, size, tag)->name = g_strdup(request);
}

void nas_start_receive(struct nas *nas, int from, int64_t size, int64_t tag, const char *request)
{
    append_transfer(nas, OP_IRECV, from, size, tag)->name = g_strdup(request);
}

void nas_wait(struct nas *nas, const char *request)
{
    op_append(nas->body, OP_WAIT)->name = g_strdup(request);
}

void nas_wait_all(struct nas *nas)
{
    op_append(nas->body, OP_WAITALL);
}

void nas_swap(struct nas *nas, int peer, int64_t send_size, int64_t receive_size, int64_t tag)
{
    nas_start_receive(nas, peer, receive_size, tag, "receive");
    nas_send(nas, peer, send_size, tag);
    nas_wait(nas, "receive");
}

// ---- Collectives ----

void nas_barrier(struct nas *nas)
{
    op_append(nas->body, OP_BARRIER);
}

void nas_collective(struct nas *nas, enum op_code code, int64_t size)
{
    op_common(op_append(nas->body, code))->size = size;
}

void nas_broadcasts(struct nas *nas, int count, int64_t size)
{
    for (int i = 0; i < count; i++)
        nas_collective(nas, OP_BCAST, size);
}

// ---- Frame ----

GPtrArray *nas_loop(struct nas *nas, int64_t count)
{
    GPtrArray *around = nas->body;
    nas->body = op_append_loop(around, count, NULL)->body;
    return around;
}

GPtrArray *nas_iterations(struct nas *nas, int64_t count)
{
    GPtrArray *around = nas_loop(nas, count);
    benchmark_repeats(around, nas->ranks);
    return around;
}

void nas_end_loop(struct nas *nas, GPtrArray *around)
{
    nas->body = around;
}

void nas_start_clock(struct nas *nas)
{
    op_append(nas->body, OP_MEASURE_START);
}

void nas_stop_clock(struct nas *nas)
{
    benchmark_measure_stop(nas->body, 0, 1, 1);
}

// ---- Refusals ----

bool nas_is_power_of_two(int ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

char *nas_refuse_unless_power_of_two(int ranks)
{
    return nas_is_power_of_two(ranks) ? NULL : g_strdup("a power of two");
}
