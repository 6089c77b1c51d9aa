// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/free_program.h"

static const char *const names[FREE_KINDS] = {
    [FREE_SEND] = "send",         [FREE_SSEND] = "ssend",     [FREE_ISEND] = "isend",
    [FREE_ISSEND] = "issend",     [FREE_RECV] = "recv",       [FREE_IRECV] = "irecv",
    [FREE_PROBE] = "probe",       [FREE_IPROBE] = "iprobe",   [FREE_SENDRECV] = "sendrecv",
    [FREE_WAIT] = "waitall",      [FREE_COMPUTE] = "compute", [FREE_BARRIER] = "barrier",
    [FREE_BCAST] = "bcast",       [FREE_REDUCE] = "reduce",   [FREE_ALLREDUCE] = "allreduce",
    [FREE_GATHER] = "gather",     [FREE_SCATTER] = "scatter", [FREE_ALLGATHER] = "allgather",
    [FREE_ALLTOALL] = "alltoall",
};

const char *free_kind_name(enum free_kind kind)
{
    return names[kind];
}

bool free_sends(enum free_kind kind)
{
    return kind <= FREE_ISSEND;
}

bool free_receives(enum free_kind kind)
{
    return kind == FREE_RECV || kind == FREE_IRECV;
}

bool free_probes(enum free_kind kind)
{
    return kind == FREE_PROBE || kind == FREE_IPROBE;
}

bool free_collective(enum free_kind kind)
{
    return kind >= FREE_BARRIER;
}

// ---- Text ----

static void write_peer(GString *text, const char *key, int peer)
{
    if (peer == FREE_ANY)
        g_string_append_printf(text, "%s: any", key);
    else
        g_string_append_printf(text, "%s: %d", key, peer);
}

static void write_transfer(GString *text, const struct free_call *call)
{
    write_peer(text, free_sends(call->kind) || call->kind == FREE_SENDRECV ? "to" : "from",
               call->peer);
    if (call->kind == FREE_SENDRECV)
        write_peer(text, ", from", call->source);
    write_peer(text, ", tag", call->tag);
    if (!free_probes(call->kind))
        g_string_append_printf(text, ", size: %" G_GINT64_FORMAT " B", call->size);
    if (call->kind == FREE_ISEND || call->kind == FREE_ISSEND || call->kind == FREE_IRECV)
        g_string_append_printf(text, ", request: r%d", call->request);
    if (call->buffer)
        g_string_append_printf(text, ", buffer: %" G_GINT64_FORMAT, call->buffer);
}

static void write_wait(GString *text, const struct free_call *call)
{
    if (!call->awaited) {
        g_string_append(text, "{waitall: all}, ");
        return;
    }
    if (call->awaited->len == 1) {
        g_string_append_printf(text, "{wait: r%d}, ", g_array_index(call->awaited, int, 0));
        return;
    }
    g_string_append(text, "{waitall: [");
    for (guint i = 0; i < call->awaited->len; i++)
        g_string_append_printf(text, "%sr%d", i > 0 ? ", " : "",
                               g_array_index(call->awaited, int, i));
    g_string_append(text, "]}, ");
}

static bool has_root(enum free_kind kind)
{
    return kind == FREE_BCAST || kind == FREE_REDUCE || kind == FREE_GATHER || kind == FREE_SCATTER;
}

void free_call_write(GString *text, const struct free_call *call)
{
    if (call->kind == FREE_WAIT) {
        write_wait(text, call);
    } else if (call->kind == FREE_COMPUTE) {
        g_string_append_printf(text, "{compute: %" G_GINT64_FORMAT " us}, ", call->size);
    } else if (call->kind == FREE_BARRIER) {
        g_string_append(text, "barrier, ");
    } else if (free_collective(call->kind)) {
        g_string_append_printf(text, "{%s: {", names[call->kind]);
        if (has_root(call->kind))
            g_string_append_printf(text, "root: %d, ", call->peer);
        g_string_append_printf(text, "size: %" G_GINT64_FORMAT " B}}, ", call->size);
    } else {
        g_string_append_printf(text, "{%s: {", names[call->kind]);
        write_transfer(text, call);
        g_string_append(text, "}}, ");
    }
}

void free_program_free(struct free_program *program)
{
    for (int rank = 0; rank < program->ranks; rank++) {
        g_array_unref(program->calls[rank]);
        g_string_free(program->text[rank], TRUE);
    }
    g_ptr_array_unref(program->lists);
    g_free(program);
}
