// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/call_log.h"

#include "sim/mpi/process.h"

#include <string.h>

static struct call_log *log_of(struct mpi_observer *observer)
{
    return (struct call_log *)(void *)observer;
}

static void take_whole(void *watcher, struct message_ref message)
{
    struct call_log *log = watcher;
    struct logged entry = {
        .of = LOGGED_WHOLE, .rank = -1, .message = message, .when = sim_now(log->sim)};
    g_array_append_val(log->entries, entry);
}

// Starts to record whole messages at the first call.
static void watch(struct call_log *log, const struct mpi_process *process)
{
    if (log->sim)
        return;
    log->sim = process->sim;
    ledger_watch(process->sim->ledger, take_whole, log);
}

static const struct operation_key *key_of(const struct mpi_request *request, const char *name)
{
    return request->operation ? operation_key(request->operation, name) : NULL;
}

static int64_t number_of(const struct mpi_request *request, const char *name)
{
    const struct operation_key *key = key_of(request, name);
    return key ? operation_number(key, request->arguments) : 0;
}

static bool flag_of(const struct mpi_request *request, const char *name)
{
    const struct operation_key *key = key_of(request, name);
    return key && *((const bool *)request->arguments + key->param.offset);
}

bool logged_is(const struct logged *entry, const char *operation)
{
    return entry->of == LOGGED_REQUEST && entry->operation &&
           strcmp(entry->operation->name, operation) == 0;
}

static void take_request(struct mpi_observer *observer, const struct mpi_process *process,
                         const struct mpi_request *request, enum mpi_observed what)
{
    struct call_log *log = log_of(observer);
    watch(log, process);
    struct logged entry = {
        .of = LOGGED_REQUEST,
        .what = what,
        .rank = process->rank,
        .kind = request->kind,
        .context = request->context,
        .number = request->number,
        .peer = request->peer,
        .tag = request->tag,
        .size = request->size,
        .operation = request->operation,
        .count = number_of(request, "count"),
        .notify = flag_of(request, "notify"),
        .synchronous = request->synchronous,
        .status = request->status,
        .message = request->message,
        .when = sim_now(process->sim),
    };
    g_array_append_val(log->entries, entry);
}

static void take_collective(struct mpi_observer *observer, const struct mpi_process *process,
                            const char *name, bool enters)
{
    struct logged entry = {
        .of = LOGGED_COLLECTIVE,
        .what = enters ? OBSERVED_START : OBSERVED_RETURN,
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
        [OBSERVED_START] = "starts",
        [OBSERVED_MATCH] = "matches",
        [OBSERVED_DONE] = "is done with",
        [OBSERVED_RETURN] = "ends",
    };
    static const char *const kinds[] = {"send", "recv", "probe"};
    if (entry->of == LOGGED_WHOLE)
        return g_strdup_printf("%.3f us: message %u.%u is whole", time_to_us(entry->when),
                               entry->message.index, entry->message.generation);
    if (entry->of == LOGGED_COLLECTIVE)
        return g_strdup_printf("%.3f us: rank %d %s %s", time_to_us(entry->when), entry->rank,
                               names[entry->what], entry->collective);
    return g_strdup_printf(
        "%.3f us: rank %d %s %s[%u] peer %d, tag %d, context %d, %" G_GINT64_FORMAT
        " B; message %u.%u, from %d, tag %d, number %u",
        time_to_us(entry->when), entry->rank, names[entry->what],
        entry->operation ? entry->operation->name : kinds[entry->kind], entry->number, entry->peer,
        entry->tag, entry->context, entry->size, entry->message.index, entry->message.generation,
        entry->status.source, entry->status.tag, entry->status.sequence);
}
