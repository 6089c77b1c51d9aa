// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/flat_reference.h"

#include "sim/model/model.h"
#include "sim/mpi/library.h"
#include "sim/run/flatten_case.h"
#include "tests/support/suite.h"

#include <string.h>

// A rank while it is compared.
struct comparison {
    const struct call_log *log;
    int rank;
    guint next; // entry
    bool whole;
    GHashTable *detached; // numbers of requests that no call of the program waits for
    bool over;            // the log has no more of the rank, or does not agree
    GString *complaints;
    int64_t compared;
};

// The rank's next entry that starts or frees a request; NULL: none.
static const struct logged *next_entry(struct comparison *at)
{
    while (at->next < at->log->entries->len) {
        const struct logged *entry = &g_array_index(at->log->entries, struct logged, at->next++);
        bool returns = entry->what == OBSERVED_RETURN &&
                       !g_hash_table_contains(at->detached, GUINT_TO_POINTER(entry->number));
        if (entry->of == LOGGED_REQUEST && entry->rank == at->rank &&
            (entry->what == OBSERVED_START || returns))
            return entry;
    }
    return NULL;
}

static void disagree(struct comparison *at, const struct flat_op *op, uint32_t request,
                     const struct logged *entry)
{
    char *text = entry ? logged_text(entry) : g_strdup("nothing");
    g_string_append_printf(at->complaints,
                           "rank %d, %s: unfolded %s %u, peer %d, tag %d, context %d, "
                           "%" G_GINT64_FORMAT " B; done: %s\n",
                           at->rank, op->call->kind->name, flat_kind_name(op->kind), request,
                           op->peer, op->tag, op->context, op->size, text);
    g_free(text);
    at->over = true;
}

static bool right_kind(const struct flat_op *op, enum mpi_request_kind kind)
{
    switch (op->kind) {
    case FLAT_SEND:
        return kind == REQUEST_SEND;
    case FLAT_RECV:
        return kind == REQUEST_RECV;
    case FLAT_PROBE:
    case FLAT_IPROBE:
        return kind == REQUEST_PROBE;
    case FLAT_OTHER:
        return kind > REQUEST_PROBE;
    default:
        return false;
    }
}

static void expect_start(struct comparison *at, const struct flat_op *op)
{
    const struct logged *entry = next_entry(at);
    at->compared++;
    if (!entry && !at->whole)
        at->over = true;
    else if (!entry || entry->what != OBSERVED_START || !right_kind(op, entry->kind) ||
             entry->number != op->request || entry->size != op->size || entry->peer != op->peer ||
             (op->kind != FLAT_OTHER &&
              (entry->tag != op->tag || entry->synchronous != op->synchronous ||
               (int)entry->context != mpi_group_context(op->group, op->context))))
        disagree(at, op, op->request, entry);
}

static void expect_return(struct comparison *at, const struct flat_op *op, uint32_t request)
{
    const struct logged *entry = at->over ? NULL : next_entry(at);
    at->compared++;
    if (at->over || (!entry && !at->whole))
        at->over = true;
    else if (!entry || entry->what != OBSERVED_RETURN || entry->number != request)
        disagree(at, op, request, entry);
}

static void compare_rank(struct comparison *at, struct flatten *flatten)
{
    struct flat_op op;
    enum source_next next = SOURCE_CALL;
    while (!at->over && (next = flatten_next(flatten, at->rank, &op)) == SOURCE_CALL) {
        if (op.request)
            expect_start(at, &op);
        if (op.request && strcmp(op.call->kind->name, "bsend") == 0)
            g_hash_table_add(at->detached, GUINT_TO_POINTER(op.request));
        if (op.kind == FLAT_IPROBE)
            expect_return(at, &op, op.request);
        for (int i = 0; i < op.awaited_count; i++)
            expect_return(at, &op, op.awaited[i]);
    }
    const struct logged *entry = next == SOURCE_END ? next_entry(at) : NULL;
    if (entry)
        disagree(at, &op, 0, entry);
}

int64_t flat_reference_compare(struct flatten *flatten, int ranks, const struct call_log *log,
                               bool whole, GString *complaints)
{
    int64_t compared = 0;
    for (int rank = 0; rank < ranks; rank++) {
        struct comparison at = {.log = log,
                                .rank = rank,
                                .whole = whole,
                                .detached = g_hash_table_new(NULL, NULL),
                                .complaints = complaints};
        compare_rank(&at, flatten);
        g_hash_table_unref(at.detached);
        compared += at.compared;
    }
    return compared;
}

int64_t flat_reference_check(const struct test_program *program, const struct call_log *log,
                             bool whole, GString *complaints)
{
    struct compiled compiled = program_compiled(program);
    struct flatten *flatten = flatten_case(&model_registry, compiled.test_case, NULL);
    int64_t compared =
        flat_reference_compare(flatten, compiled.test_case->workload.ranks, log, whole, complaints);
    flatten_free(flatten);
    compiled_free(&compiled);
    return compared;
}

void flat_reference_append(GString *text, const struct flat_op *op)
{
    g_string_append(text, flat_kind_name(op->kind));
    if (op->request && op->peer >= 0)
        g_string_append_printf(text, " %d", op->peer);
    if (op->size || op->request)
        g_string_append_printf(text, " %" G_GINT64_FORMAT " B", op->size);
    if (op->time)
        g_string_append_printf(text, " %" G_GINT64_FORMAT " ps", op->time);
    for (int i = 0; i < op->awaited_count; i++)
        g_string_append_printf(text, " %u", op->awaited[i]);
    g_string_append(text, ", ");
}

char *flat_reference_text(const struct test_program *program, int rank)
{
    struct compiled compiled = program_compiled(program);
    struct flatten *flatten = flatten_case(&model_registry, compiled.test_case, NULL);
    GString *text = g_string_new(NULL);
    struct flat_op op;
    enum source_next next;
    while ((next = flatten_next(flatten, rank, &op)) == SOURCE_CALL)
        flat_reference_append(text, &op);
    if (next == SOURCE_WRONG)
        g_string_append(text, op.call->wrong);
    flatten_free(flatten);
    compiled_free(&compiled);
    return g_string_free(text, FALSE);
}

const struct flat_collective flat_collectives[] = {
    {"barrier", mpi_barrier_rules},
    {"bcast", mpi_bcast_rules},
    {"reduce", mpi_reduce_rules},
    {"allreduce", mpi_allreduce_rules},
    {"gather", mpi_gather_rules},
    {"scatter", mpi_scatter_rules},
    {"allgather", mpi_allgather_rules},
    {"alltoall", mpi_alltoall_rules},
    {"reduce_scatter", mpi_reduce_scatter_rules},
    {"scan", mpi_scan_rules},
    {"exscan", mpi_exscan_rules},
    {"gatherv", mpi_gatherv_rules},
    {"scatterv", mpi_scatterv_rules},
    {"allgatherv", mpi_allgatherv_rules},
    {"alltoallv", mpi_alltoallv_rules},
    {0},
};
