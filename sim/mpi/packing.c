// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/packing.h"

static const struct stage pack_stage = {"pack", STAGE_COPY};

// The smallest buffer that holds so many bytes and is not taken, or a new one.
static struct mpi_pack *take(struct mpi_process *process, int64_t bytes)
{
    struct mpi_pack *best = NULL;
    if (!process->packs)
        process->packs = g_array_new(FALSE, FALSE, sizeof(struct mpi_pack));
    for (guint i = 0; i < process->packs->len; i++) {
        struct mpi_pack *pack = &g_array_index(process->packs, struct mpi_pack, i);
        if (!pack->taken && pack->bytes >= bytes && (!best || pack->bytes < best->bytes))
            best = pack;
    }
    if (!best) {
        struct mpi_pack new = {mpi_process_allocate(process, MAX(bytes, 1)), bytes, false};
        g_array_append_val(process->packs, new);
        best = &g_array_index(process->packs, struct mpi_pack, process->packs->len - 1);
    }
    best->taken = true;
    return best;
}

static void charge(struct cpu_context *context, const struct mpi_request *request, int64_t bytes,
                   int64_t pieces)
{
    const struct mpi_process *process = request->process;
    if (process->library && pieces > 1)
        cpu_spend_message(context,
                          time_times(pieces, cpu_cost(context->cpu, process->library->pack_piece)),
                          &pack_stage, request->message);
    if (bytes > 0)
        mem_copy(context, &process->host->config.memory, bytes, COPY_WARM, request->message);
}

void mpi_pack(struct cpu_context *context, struct mpi_request *request)
{
    request->address = take(request->process, request->size)->address;
    if (request->kind == REQUEST_SEND)
        charge(context, request, request->size, request->pieces);
}

// A message may be shorter than the receive: only the pieces that it fills are unpacked.
void mpi_unpack(struct cpu_context *context, struct mpi_request *request)
{
    int64_t bytes = request->status.length;
    if (request->kind == REQUEST_RECV && bytes > 0)
        charge(context, request, bytes,
               (int64_t)((double)request->pieces * (double)bytes / (double)request->size));
    for (guint i = 0; i < request->process->packs->len; i++) {
        struct mpi_pack *pack = &g_array_index(request->process->packs, struct mpi_pack, i);
        if (pack->address == request->address)
            pack->taken = false;
    }
}

void mpi_packs_clear(struct mpi_process *process)
{
    if (process->packs)
        g_array_free(process->packs, TRUE);
}
