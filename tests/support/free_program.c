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

static bool names_request(enum free_kind kind)
{
    return kind == FREE_ISEND || kind == FREE_ISSEND || kind == FREE_IRECV;
}

// Whether a request of that number is a persistent one: so its wait knows it too.
static bool is_persistent(const struct free_call *call, int number)
{
    return call->style > 0 && number % 3 == 1;
}

// The call that is written for it.
static const char *name_of(const struct free_call *call)
{
    static const char *const inits[] = {
        [FREE_ISEND] = "send_init", [FREE_ISSEND] = "ssend_init", [FREE_IRECV] = "recv_init"};
    if (names_request(call->kind) && is_persistent(call, call->request))
        return inits[call->kind];
    return call->kind == FREE_SEND && call->style > 1 && call->size % 3 == 1 ? "bsend"
                                                                             : names[call->kind];
}

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
    if (names_request(call->kind))
        g_string_append_printf(text, ", request: r%d", call->request);
    if (call->buffer)
        g_string_append_printf(text, ", buffer: %" G_GINT64_FORMAT, call->buffer);
}

static void write_numbers(GString *text, const GArray *numbers)
{
    g_string_append_c(text, '[');
    for (guint i = 0; i < numbers->len; i++)
        g_string_append_printf(text, "%sr%d", i > 0 ? ", " : "", g_array_index(numbers, int, i));
    g_string_append_c(text, ']');
}

// Waits that come to the same as a wait for all of them, but for the order in which they end.
static void write_list(GString *text, const struct free_call *call)
{
    const GArray *list = call->awaited;
    guint count = list->len;
    unsigned style = call->style % 7;
    static const char *const calls[] = {
        [1] = "waitany", [2] = "waitsome", [3] = "testany", [4] = "testsome", [5] = "testall"};
    if (style == 0 || style == 6) {
        g_string_append(text, "{waitall: ");
        write_numbers(text, list);
        g_string_append(text, "}, ");
        return;
    }
    if (style < 5)
        g_string_append_printf(text, "{loop: {count: %u, do: [", count);
    g_string_append_printf(text, "{%s: {requests: ", calls[style]);
    write_numbers(text, list);
    if (style > 2)
        g_string_append_printf(text, ", every: %u us", 1 + count * 7);
    g_string_append(text, style < 5 ? "}}]}}, " : "}}, ");
}

static void write_frees(GString *text, const struct free_call *call, const GArray *numbers)
{
    for (guint i = 0; i < numbers->len; i++)
        if (is_persistent(call, g_array_index(numbers, int, i)) &&
            g_array_index(numbers, int, i) > call->opened) // else it may be written in a loop
            g_string_append_printf(text, "{request_free: r%d}, ", g_array_index(numbers, int, i));
}

static void write_wait(GString *text, const struct free_call *call)
{
    if (!call->awaited)
        g_string_append(text, "{waitall: all}, ");
    else if (call->awaited->len == 1 && call->style % 2)
        g_string_append_printf(text, "{test: {request: r%d, every: 3 us}}, ",
                               g_array_index(call->awaited, int, 0));
    else if (call->awaited->len == 1)
        g_string_append_printf(text, "{wait: r%d}, ", g_array_index(call->awaited, int, 0));
    else
        write_list(text, call);
    write_frees(text, call, call->awaited ? call->awaited : call->closed);
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
        g_string_append_printf(text, "{%s: {", name_of(call));
        write_transfer(text, call);
        g_string_append(text, "}}, ");
        if (names_request(call->kind) && is_persistent(call, call->request))
            g_string_append_printf(text, "{start: r%d}, ", call->request);
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
