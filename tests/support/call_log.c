// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/call_log.h"

#include "sim/mpi/process.h"

static struct call_log *log_of(struct mpi_observer *observer)
{
    return (struct call_log *)(void *)observer;
}

static void take_request(struct mpi_observer *observer, const struct mpi_process *process,
                         const struct mpi_request *request, enum mpi_observed what,
                         struct message_ref message)
{
    struct logged entry = {
        .what = what, .rank = process->rank, .message = message, .when = sim_now(process->sim)};
    if (request) {
        entry.kind = request->kind;
        entry.context = request->context;
        entry.number = request->number;
        entry.peer = request->peer;
        entry.tag = request->tag;
        entry.size = request->size;
        entry.count = request->operation ? request->operation->count : 0;
        entry.synchronous = request->synchronous;
        entry.status = request->status;
    }
    g_array_append_val(log_of(observer)->entries, entry);
}

static void take_collective(struct mpi_observer *observer, const struct mpi_process *process,
                            const char *name, bool enters)
{
    struct logged entry = {
        .what = enters ? MPI_OBSERVED_START : MPI_OBSERVED_RETURN,
        .rank = process->rank,
        .collective = name,
        .when = sim_now(process->sim),
    };
    g_array_append_val(log_of(observer)->entries, entry);
}

struct call_log *call_log_new(void)
{
    struct call_log *log = g_new(struct call_log, 1);
    *log = (struct call_log){
        .observer = {.request = take_request, .collective = take_collective},
        .entries = g_array_new(FALSE, FALSE, sizeof(struct logged)),
    };
    return log;
}

void call_log_free(struct call_log *log)
{
    g_array_unref(log->entries);
    g_free(log);
}

char *logged_text(const struct logged *entry)
{
    static const char *const names[] = {
        [MPI_OBSERVED_START] = "starts", [MPI_OBSERVED_MATCH] = "matches",
        [MPI_OBSERVED_ARRIVAL] = "gets", [MPI_OBSERVED_DONE] = "is done with",
        [MPI_OBSERVED_RETURN] = "ends",
    };
    if (entry->collective)
        return g_strdup_printf("%.3f us: rank %d %s %s", time_to_us(entry->when), entry->rank,
                               names[entry->what], entry->collective);
    return g_strdup_printf(
        "%.3f us: rank %d %s %s[%u] peer %d, tag %d, context %d, %" G_GINT64_FORMAT
        " B; message %u.%u, from %d, tag %d, number %u",
        time_to_us(entry->when), entry->rank, names[entry->what],
        mpi_request_kind_name(entry->kind), entry->number, entry->peer, entry->tag, entry->context,
        entry->size, entry->message.index, entry->message.generation, entry->status.source,
        entry->status.tag, entry->status.sequence);
}
