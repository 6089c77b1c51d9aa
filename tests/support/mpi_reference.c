// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/mpi_reference.h"

#include <string.h>

#define MOST_COMPLAINTS 2000 // characters

// A send, receive or probe of the program, in the order of its rank's calls.
struct transfer {
    enum mpi_request_kind kind;
    int rank, peer, tag, epoch;
    int64_t size;
    bool synchronous, iprobe;
    struct transfer *expected; // of a receive or probe: the message; NULL: several are legal
    bool foreseen;             // ... or none, which is then known
    // By the log:
    bool started, done, returned, whole;
    struct transfer *partner; // the message's receive, the receive's or probe's message
    bool must_hit;
    uint32_t number, sequence;
    struct message_ref message;
};

struct matching {
    struct reference *reference;
    int ranks;
    GArray *transfers[FREE_MOST_RANKS]; // struct transfer
    guint next[FREE_MOST_RANKS];        // to be started
};

void reference_complain(struct reference *reference, const struct logged *entry, const char *format,
                        ...)
{
    if (reference->complaints->len > MOST_COMPLAINTS)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_string_append_vprintf(reference->complaints, format, arguments);
    va_end(arguments);
    char *text = entry ? logged_text(entry) : g_strdup("at the end");
    g_string_append_printf(reference->complaints, " (%s)\n", text);
    g_free(text);
}

// ---- The program ----

static void add(struct matching *matching, int rank, const struct free_call *call,
                enum mpi_request_kind kind)
{
    struct transfer transfer = {
        .kind = kind,
        .rank = rank,
        .peer = call->kind == FREE_SENDRECV && kind == REQUEST_RECV ? call->source : call->peer,
        .tag = call->tag,
        .epoch = call->epoch,
        .size = kind == REQUEST_PROBE ? 0 : call->size,
        .synchronous = call->kind == FREE_SSEND || call->kind == FREE_ISSEND,
        .iprobe = call->kind == FREE_IPROBE,
    };
    g_array_append_val(matching->transfers[rank], transfer);
}

static void add_call(struct matching *matching, int rank, const struct free_call *call)
{
    if (free_receives(call->kind) || call->kind == FREE_SENDRECV)
        add(matching, rank, call, REQUEST_RECV);
    if (free_sends(call->kind) || call->kind == FREE_SENDRECV)
        add(matching, rank, call, REQUEST_SEND);
    if (free_probes(call->kind))
        add(matching, rank, call, REQUEST_PROBE);
}

static struct transfer *transfer_at(const struct matching *matching, int rank, guint i)
{
    return &g_array_index(matching->transfers[rank], struct transfer, i);
}

static bool takes(const struct transfer *receive, const struct transfer *send)
{
    return send->kind == REQUEST_SEND && send->peer == receive->rank &&
           (receive->peer == FREE_ANY || receive->peer == send->rank) &&
           (receive->tag == FREE_ANY || receive->tag == send->tag);
}

// ---- What is known beforehand ----

// The first message of a source that the receive can get, as far as nothing before it has taken
// it; NULL: none.
static struct transfer *first_of(const struct matching *matching, int source,
                                 const struct transfer *receive)
{
    for (guint i = 0; i < matching->transfers[source]->len; i++) {
        struct transfer *send = transfer_at(matching, source, i);
        if (send->epoch == receive->epoch && !send->expected && takes(receive, send))
            return send;
    }
    return NULL;
}

// Receives of a rank in their order: the first gets the first message that it takes, if all that it
// takes come from one source. From the first receive on of which that is not so, nothing is known
// of messages that it may have got.
static void foresee_rank(struct matching *matching, int rank)
{
    GArray *doubtful = g_array_new(FALSE, FALSE, sizeof(struct transfer *));
    for (guint i = 0; i < matching->transfers[rank]->len; i++) {
        struct transfer *receive = transfer_at(matching, rank, i), *found = NULL;
        int sources = 0;
        if (receive->kind == REQUEST_SEND || receive->iprobe)
            continue;
        for (int source = 0; source < matching->ranks; source++) {
            struct transfer *first = first_of(matching, source, receive);
            sources += first != NULL;
            found = first ? first : found;
        }
        bool doubt = sources > 1;
        for (guint k = 0; found && k < doubtful->len && !doubt; k++) {
            const struct transfer *other = g_array_index(doubtful, struct transfer *, k);
            doubt =
                other->epoch == receive->epoch &&
                (other->peer == FREE_ANY || receive->peer == FREE_ANY ||
                 other->peer == receive->peer) &&
                (other->tag == FREE_ANY || receive->tag == FREE_ANY || other->tag == receive->tag);
        }
        if (doubt) {
            if (receive->kind == REQUEST_RECV)
                g_array_append_val(doubtful, receive);
            continue;
        }
        receive->foreseen = true;
        receive->expected = found;
        if (found && receive->kind == REQUEST_RECV)
            found->expected = receive;
    }
    g_array_unref(doubtful);
}

// ---- The log ----

static struct transfer *start_of(struct matching *matching, const struct logged *entry)
{
    guint *next = &matching->next[entry->rank];
    if (*next == matching->transfers[entry->rank]->len) {
        reference_complain(matching->reference, entry, "rank %d starts more than it was told to",
                           entry->rank);
        return NULL;
    }
    struct transfer *transfer = transfer_at(matching, entry->rank, (*next)++);
    bool right = transfer->kind == entry->kind && transfer->peer == entry->peer &&
                 transfer->tag == entry->tag && transfer->size == entry->size &&
                 (entry->kind != REQUEST_SEND || transfer->synchronous == entry->synchronous);
    if (!right)
        reference_complain(matching->reference, entry,
                           "rank %d starts what its program has not as call %u", entry->rank,
                           *next);
    transfer->started = true;
    transfer->number = entry->number;
    transfer->sequence = entry->status.sequence;
    transfer->message = entry->message;
    return transfer;
}

static struct transfer *find(const struct matching *matching, const struct logged *entry)
{
    for (guint i = matching->next[entry->rank]; i-- > 0;) {
        struct transfer *transfer = transfer_at(matching, entry->rank, i);
        if (transfer->number == entry->number)
            return transfer;
    }
    reference_complain(matching->reference, entry, "nobody started that");
    return NULL;
}

static struct transfer *message_of(const struct matching *matching, const struct logged *entry)
{
    int source = entry->status.source;
    bool bare = matching->reference->bare;
    for (guint i = 0; source >= 0 && source < matching->ranks && i < matching->next[source]; i++) {
        struct transfer *send = transfer_at(matching, source, i);
        if (send->kind == REQUEST_SEND && send->peer == entry->rank &&
            (bare ? send->message.index == entry->message.index &&
                        send->message.generation == entry->message.generation
                  : send->sequence == entry->status.sequence))
            return send;
    }
    return NULL;
}

// An earlier message of the same source that the receive accepts and that is not matched yet; NULL
// if there is none.
static const struct transfer *overtaken(const struct matching *matching,
                                        const struct transfer *receive,
                                        const struct transfer *message)
{
    for (guint i = 0; i < matching->next[message->rank]; i++) {
        const struct transfer *send = transfer_at(matching, message->rank, i);
        if (send == message)
            return NULL;
        if (takes(receive, send) && !send->partner)
            return send;
    }
    return NULL;
}

// An earlier receive that takes the message and has got none.
static const struct transfer *passed_over(const struct matching *matching,
                                          const struct transfer *receive,
                                          const struct transfer *message)
{
    for (guint i = 0; i < matching->next[receive->rank]; i++) {
        const struct transfer *other = transfer_at(matching, receive->rank, i);
        if (other == receive)
            return NULL;
        if (other->kind == REQUEST_RECV && !other->partner && takes(other, message))
            return other;
    }
    return NULL;
}

static void check_match(struct matching *matching, const struct logged *entry,
                        struct transfer *receive, struct transfer *message)
{
    struct reference *reference = matching->reference;
    const struct transfer *better = overtaken(matching, receive, message),
                          *before = passed_over(matching, receive, message);
    if (!takes(receive, message))
        reference_complain(reference, entry, "a message from %d with tag %d does not fit",
                           message->rank, message->tag);
    if ((entry->status.tag != message->tag && !reference->bare) ||
        entry->status.length != message->size || entry->message.index != message->message.index ||
        entry->message.generation != message->message.generation)
        reference_complain(reference, entry, "the status is not that of the message");
    if (message->partner)
        reference_complain(reference, entry, "the message has been received already");
    if (message->epoch != receive->epoch)
        reference_complain(reference, entry, "the message came through a barrier");
    if (better)
        reference_complain(reference, entry, "overtakes message %u of the same source, tag %d",
                           better->sequence, better->tag);
    if (before)
        reference_complain(reference, entry, "receive %u (from %d, tag %d) was there before",
                           before->number, before->peer, before->tag);
    if (receive->kind == REQUEST_RECV && message->size > receive->size)
        reference_complain(reference, entry, "the message is longer than the buffer");
    if (receive->foreseen && receive->expected != message)
        reference_complain(reference, entry, "message %u was due, tag %d, %" G_GINT64_FORMAT " B",
                           receive->expected ? receive->expected->sequence : 0,
                           receive->expected ? receive->expected->tag : 0,
                           receive->expected ? receive->expected->size : 0);
}

static void on_match(struct matching *matching, const struct logged *entry,
                     struct transfer *receive)
{
    struct transfer *message = message_of(matching, entry);
    if (!message) {
        reference_complain(matching->reference, entry, "nobody sent that message");
        return;
    }
    if (receive->partner || receive->kind == REQUEST_SEND || receive->returned)
        reference_complain(matching->reference, entry, "is matched once more");
    check_match(matching, entry, receive, message);
    receive->partner = message;
    if (receive->kind == REQUEST_RECV)
        message->partner = receive;
    if (!receive->iprobe)
        *(receive->foreseen ? &matching->reference->exact : &matching->reference->chosen) += 1;
}

// A message that the probe takes must be here if one is that its source sent later.
static bool is_there(const struct matching *matching, const struct transfer *probe)
{
    for (int source = 0; source < matching->ranks; source++) {
        bool waits = false;
        for (guint i = 0; i < matching->next[source]; i++) {
            const struct transfer *send = transfer_at(matching, source, i);
            if (send->kind != REQUEST_SEND || send->peer != probe->rank)
                continue;
            if (waits && send->partner)
                return true;
            waits |= takes(probe, send) && !send->partner;
        }
    }
    return false;
}

static void on_end(struct matching *matching, const struct logged *entry, struct transfer *transfer)
{
    struct reference *reference = matching->reference;
    bool returns = entry->what == OBSERVED_RETURN;
    if (transfer->iprobe && returns && !transfer->partner) {
        reference->misses++;
        if (transfer->must_hit)
            reference_complain(reference, entry, "the message is there, and iprobe misses it");
    } else if (!transfer->partner && (transfer->kind != REQUEST_SEND || transfer->synchronous)) {
        reference_complain(reference, entry, "has no partner");
    }
    if (transfer->iprobe && returns && transfer->partner)
        reference->hits++;
    if (returns && !transfer->done && !transfer->iprobe)
        reference_complain(reference, entry, "returns before it is done");
    if (transfer->kind == REQUEST_RECV && transfer->partner && !transfer->partner->whole &&
        !reference->loses)
        reference_complain(reference, entry, "is done, and its message is not whole");
    if (returns ? transfer->returned : transfer->done)
        reference_complain(reference, entry, "happens once more");
    *(returns ? &transfer->returned : &transfer->done) = true;
}

static void take(struct matching *matching, const struct logged *entry)
{
    if (entry->what == OBSERVED_START) {
        struct transfer *transfer = start_of(matching, entry);
        if (transfer && transfer->iprobe)
            transfer->must_hit = is_there(matching, transfer);
        return;
    }
    struct transfer *transfer = find(matching, entry);
    if (transfer && entry->what == OBSERVED_MATCH)
        on_match(matching, entry, transfer);
    else if (transfer)
        on_end(matching, entry, transfer);
}

static bool same(struct message_ref a, struct message_ref b)
{
    return a.index == b.index && a.generation == b.generation;
}

// A message of the program is whole once, after it was matched. (Messages of collectives are none
// of its sends.)
static void on_whole(struct matching *matching, const struct logged *entry)
{
    for (int rank = 0; rank < matching->ranks; rank++)
        for (guint i = matching->next[rank]; i-- > 0;) {
            struct transfer *send = transfer_at(matching, rank, i);
            if (send->kind != REQUEST_SEND || !same(send->message, entry->message))
                continue;
            if (!send->partner || send->whole)
                reference_complain(matching->reference, entry, "is whole %s",
                                   send->whole ? "once more" : "before anybody has asked for it");
            send->whole = true;
            return;
        }
}

static void check_end(struct matching *matching)
{
    for (int rank = 0; rank < matching->ranks; rank++)
        for (guint i = 0; i < matching->transfers[rank]->len; i++) {
            const struct transfer *transfer = transfer_at(matching, rank, i);
            bool over =
                transfer->started && transfer->returned && (transfer->partner || transfer->iprobe);
            if (!over)
                reference_complain(matching->reference, NULL,
                                   "rank %d, call %u: %s, request %u, is not over", rank, i,
                                   transfer->kind == REQUEST_SEND ? "send" : "receive or probe",
                                   transfer->number);
        }
}

void reference_check_matching(struct reference *reference)
{
    struct matching matching = {.reference = reference, .ranks = reference->program->ranks};
    for (int rank = 0; rank < matching.ranks; rank++) {
        const GArray *calls = reference->program->calls[rank];
        matching.transfers[rank] = g_array_new(FALSE, FALSE, sizeof(struct transfer));
        for (guint i = 0; i < calls->len; i++)
            add_call(&matching, rank, &g_array_index(calls, struct free_call, i));
    }
    for (int rank = 0; rank < matching.ranks; rank++)
        foresee_rank(&matching, rank);
    for (guint i = 0; i < reference->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(reference->log->entries, struct logged, i);
        if (entry->of == LOGGED_WHOLE)
            on_whole(&matching, entry);
        else if (entry->of == LOGGED_REQUEST && entry->context == CONTEXT_POINT_TO_POINT &&
                 entry->kind <= REQUEST_PROBE)
            take(&matching, entry);
    }
    if (reference->whole)
        check_end(&matching);
    for (int rank = 0; rank < matching.ranks; rank++)
        g_array_unref(matching.transfers[rank]);
}
