// SPDX-License-Identifier: GPL-3.0-or-later
// The part of mpi_reference.h on collectives. It follows, message by message, from which ranks each
// rank has heard: a message carries what its sender knew when it started it, and a rank knows that
// as soon as it has received the message whole.
#include "tests/support/mpi_reference.h"

#include <string.h>

struct carried {
    struct message_ref message;
    int source, to, instance;
    uint32_t knows;
    int64_t bytes;
};

struct member {
    const struct free_call *call; // the collective that it is in; NULL: none
    guint next;                   // call of the program to check
    int instance;                 // collectives entered
    uint32_t knows;               // ranks from which it has heard in this one
    int64_t sent, received;       // bytes in this one
};

struct gathering {
    struct reference *reference;
    int ranks;
    struct member members[FREE_MOST_RANKS];
    GHashTable *on_way; // struct carried by message
};

static guint message_hash(gconstpointer key)
{
    const struct carried *carried = key;
    return carried->message.index * 31 + carried->message.generation;
}

static gboolean message_equal(gconstpointer a, gconstpointer b)
{
    const struct carried *first = a, *second = b;
    return first->message.index == second->message.index &&
           first->message.generation == second->message.generation;
}

static void enter(struct gathering *gathering, const struct logged *entry)
{
    struct member *member = &gathering->members[entry->rank];
    const GArray *calls = gathering->reference->program->calls[entry->rank];
    member->call = NULL;
    while (member->next < calls->len && !member->call) {
        const struct free_call *call = &g_array_index(calls, struct free_call, member->next++);
        member->call = free_collective(call->kind) ? call : NULL;
    }
    if (!member->call || strcmp(free_kind_name(member->call->kind), entry->collective) != 0)
        reference_complain(gathering->reference, entry, "this collective is not in the program");
    member->instance++;
    member->knows = 1U << entry->rank;
    member->sent = member->received = 0;
}

// ---- What a rank must have when it leaves ----

static uint32_t must_know(const struct gathering *gathering, const struct free_call *call, int rank)
{
    uint32_t all = (1U << gathering->ranks) - 1, own = 1U << rank, root = 1U << call->peer;
    switch (call->kind) {
    case FREE_BCAST:
    case FREE_SCATTER:
        return own | root;
    case FREE_REDUCE:
    case FREE_GATHER:
        return rank == call->peer ? all : own;
    default:
        return all;
    }
}

static int64_t must_receive(const struct gathering *gathering, const struct free_call *call,
                            int rank)
{
    int64_t others = gathering->ranks - 1;
    bool root = rank == call->peer;
    switch (call->kind) {
    case FREE_BCAST:
    case FREE_SCATTER:
        return root ? 0 : call->size;
    case FREE_REDUCE:
        return root && others > 0 ? call->size : 0;
    case FREE_GATHER:
        return root ? others * call->size : 0;
    case FREE_ALLREDUCE:
        return others > 0 ? call->size : 0;
    case FREE_ALLGATHER:
    case FREE_ALLTOALL:
        return others * call->size;
    default:
        return 0;
    }
}

static int64_t must_send(const struct gathering *gathering, const struct free_call *call, int rank)
{
    int64_t others = gathering->ranks - 1;
    bool root = rank == call->peer;
    switch (call->kind) {
    case FREE_BCAST:
        return root && others > 0 ? call->size : 0;
    case FREE_SCATTER:
        return root ? others * call->size : 0;
    case FREE_REDUCE:
    case FREE_GATHER:
        return root ? 0 : call->size;
    case FREE_ALLREDUCE:
    case FREE_ALLGATHER:
        return others > 0 ? call->size : 0;
    case FREE_ALLTOALL:
        return others * call->size;
    default:
        return 0;
    }
}

// Libraries may see that nothing is to be moved; a barrier moves nothing and must be heard of.
static bool moves_nothing(const struct free_call *call)
{
    return call->size == 0 && call->kind != FREE_BARRIER;
}

static void leave(struct gathering *gathering, const struct logged *entry)
{
    struct reference *reference = gathering->reference;
    struct member *member = &gathering->members[entry->rank];
    const struct free_call *call = member->call;
    if (!call) {
        reference_complain(reference, entry, "leaves what it has not entered");
        return;
    }
    uint32_t wanted = must_know(gathering, call, entry->rank);
    if ((member->knows & wanted) != wanted && !moves_nothing(call))
        reference_complain(reference, entry, "has heard from ranks %x only, and needs %x",
                           member->knows, wanted);
    if (member->received < must_receive(gathering, call, entry->rank))
        reference_complain(reference, entry,
                           "has received %" G_GINT64_FORMAT " B, and needs %" G_GINT64_FORMAT,
                           member->received, must_receive(gathering, call, entry->rank));
    if (member->sent < must_send(gathering, call, entry->rank))
        reference_complain(reference, entry,
                           "has sent %" G_GINT64_FORMAT " B, and should have %" G_GINT64_FORMAT,
                           member->sent, must_send(gathering, call, entry->rank));
    member->call = NULL;
}

// ---- Messages ----

static void sends(struct gathering *gathering, const struct logged *entry)
{
    struct member *member = &gathering->members[entry->rank];
    struct carried *carried = g_new(struct carried, 1);
    *carried = (struct carried){.message = entry->message,
                                .source = entry->rank,
                                .to = entry->peer,
                                .instance = member->instance,
                                .knows = member->knows,
                                .bytes = entry->size};
    member->sent += entry->size;
    if (!member->call)
        reference_complain(gathering->reference, entry, "is sent outside of a collective");
    if (!g_hash_table_add(gathering->on_way, carried))
        reference_complain(gathering->reference, entry, "the message has been sent before");
}

static void receives(struct gathering *gathering, const struct logged *entry)
{
    struct member *member = &gathering->members[entry->rank];
    struct carried key = {.message = entry->message},
                   *carried = g_hash_table_lookup(gathering->on_way, &key);
    if (!carried) {
        reference_complain(gathering->reference, entry, "nobody sent that, or it came before");
        return;
    }
    if (carried->to != entry->rank || carried->source != entry->peer)
        reference_complain(gathering->reference, entry, "is a message from %d to %d",
                           carried->source, carried->to);
    if (carried->instance != member->instance)
        reference_complain(gathering->reference, entry,
                           "collective %d receives what collective %d sent", member->instance,
                           carried->instance);
    member->knows |= carried->knows;
    member->received += carried->bytes;
    g_hash_table_remove(gathering->on_way, carried);
}

static void check_end(struct gathering *gathering)
{
    for (int rank = 0; rank < gathering->ranks; rank++) {
        const struct member *member = &gathering->members[rank];
        const GArray *calls = gathering->reference->program->calls[rank];
        bool left = member->call != NULL;
        for (guint i = member->next; i < calls->len; i++)
            left |= free_collective(g_array_index(calls, struct free_call, i).kind);
        if (left)
            reference_complain(gathering->reference, NULL, "rank %d has collectives left", rank);
    }
    if (g_hash_table_size(gathering->on_way) > 0)
        reference_complain(gathering->reference, NULL, "messages of collectives are left");
}

void reference_check_collectives(struct reference *reference)
{
    struct gathering gathering = {
        .reference = reference,
        .ranks = reference->program->ranks,
        .on_way = g_hash_table_new_full(message_hash, message_equal, g_free, NULL),
    };
    for (guint i = 0; i < reference->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(reference->log->entries, struct logged, i);
        if (entry->of == LOGGED_COLLECTIVE)
            (entry->what == OBSERVED_START ? enter : leave)(&gathering, entry);
        else if (entry->of != LOGGED_REQUEST || entry->context != CONTEXT_COLLECTIVE)
            continue;
        else if (entry->kind == REQUEST_SEND && entry->what == OBSERVED_START)
            sends(&gathering, entry);
        else if (entry->kind == REQUEST_RECV && entry->what == OBSERVED_DONE)
            receives(&gathering, entry);
    }
    if (reference->whole)
        check_end(&gathering);
    g_hash_table_destroy(gathering.on_way);
}
