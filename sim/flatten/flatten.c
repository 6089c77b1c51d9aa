// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/flatten.h"

#include <string.h>

// Where a rank stands.
struct flattening {
    struct unfold *unfold;
    struct op_call call; // under way, with `arguments`
    void *arguments;     // a copy
    size_t room;         // bytes of it
    bool called;         // something of it may be left
};

struct flatten {
    struct op_source *source;
    bool owns_source;
    struct unfold_program program;
    struct flattening *ranks;
};

const char *flat_kind_name(enum flat_kind kind)
{
    static const char *const names[] = {
        [FLAT_SEND] = "isend",      [FLAT_RECV] = "irecv",  [FLAT_PROBE] = "probe",
        [FLAT_IPROBE] = "iprobe",   [FLAT_WAIT] = "wait",   [FLAT_WAITANY] = "waitany",
        [FLAT_COMPUTE] = "compute", [FLAT_COPY] = "copy",   [FLAT_REDUCE] = "reduce",
        [FLAT_MEASURE] = "measure", [FLAT_OTHER] = "other",
    };
    return names[kind];
}

// ---- The stream ----

// Other ranks may be asked before the call's last step is taken.
static void keep_arguments(struct flattening *at)
{
    size_t size = operation_arguments_size(at->call.kind);
    if (size > at->room)
        at->arguments = g_realloc(at->arguments, at->room = size);
    memcpy(at->arguments, at->call.arguments, size);
    ((struct operation_arguments *)at->arguments)->layout = NULL; // the size has its bytes
    at->call.arguments = at->arguments;
}

enum source_next flatten_next(struct flatten *flatten, int rank, struct flat_op *op)
{
    struct flattening *at = &flatten->ranks[rank];
    for (;;) {
        enum source_next next = at->called ? unfold_next(at->unfold, op) : SOURCE_END;
        if (next != SOURCE_END)
            return next;
        next = flatten->source->next(flatten->source, rank, &at->call);
        *op = (struct flat_op){.call = &at->call, .peer = RANK_ANY};
        if (next == SOURCE_END || next == SOURCE_WRONG)
            return next;
        at->called = next == SOURCE_CALL;
        if (!at->called)
            continue;
        keep_arguments(at);
        unfold_begin(at->unfold, &at->call);
    }
}

struct flatten *flatten_new(struct op_source *source, int ranks,
                            const struct mpi_library_config *library)
{
    struct flatten *flatten = g_new0(struct flatten, 1);
    flatten->source = source;
    flatten->program = (struct unfold_program){
        .ranks = ranks, .library = library, .schedules = unfold_schedules()};
    flatten->ranks = g_new0(struct flattening, ranks);
    for (int rank = 0; rank < ranks; rank++)
        flatten->ranks[rank].unfold = unfold_new(&flatten->program, rank, NULL);
    return flatten;
}

void flatten_own_source(struct flatten *flatten)
{
    flatten->owns_source = true;
}

void flatten_ask(struct flatten *flatten)
{
    for (int rank = 0; rank < flatten->program.ranks; rank++)
        unfold_ask(flatten->ranks[rank].unfold);
}

void flatten_took(struct flatten *flatten, int rank, int which)
{
    unfold_took(flatten->ranks[rank].unfold, which);
}

void flatten_free(struct flatten *flatten)
{
    if (!flatten)
        return;
    if (flatten->owns_source)
        op_source_free(flatten->source);
    for (int rank = 0; rank < flatten->program.ranks; rank++) {
        unfold_free(flatten->ranks[rank].unfold);
        g_free(flatten->ranks[rank].arguments);
    }
    g_free(flatten->ranks);
    g_ptr_array_free(flatten->program.schedules, TRUE);
    g_free(flatten);
}
