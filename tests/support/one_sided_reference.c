// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/one_sided_reference.h"

#include "tests/support/program_run.h"

#define MOST_COMPLAINTS 2000 // characters

struct started {
    struct logged entry;
    bool done, whole;
};

struct books {
    struct one_sided *check;
    GArray *started;                 // struct started, in the order of the run
    int holder[TEST_MOST_RANKS];     // of a rank's mutex; -1: none
    int64_t asked[TEST_MOST_RANKS];  // active messages that polls have been done for
    int64_t waited[TEST_MOST_RANKS]; // notifications, likewise
    int64_t answers;                 // whole messages without a request in the log
};

static void complain(struct books *books, const struct logged *entry, const char *what)
{
    char *text = logged_text(entry);
    if (books->check->complaints->len < MOST_COMPLAINTS)
        g_string_append_printf(books->check->complaints, "%s (%s)\n", what, text);
    g_free(text);
}

static struct started *at(const struct books *books, guint i)
{
    return &g_array_index(books->started, struct started, i);
}

static bool moves_data(const struct logged *entry)
{
    return entry->operation && entry->operation->moves != OPERATION_MOVES_NOTHING;
}

static bool writes(const struct logged *entry)
{
    return logged_is(entry, "put") || logged_is(entry, "accumulate");
}

static struct started *find(struct books *books, const struct logged *entry)
{
    for (guint i = books->started->len; i-- > 0;)
        if (at(books, i)->entry.rank == entry->rank && at(books, i)->entry.number == entry->number)
            return at(books, i);
    complain(books, entry, "nobody has asked for that");
    return NULL;
}

// ---- What may be done when ----

static void check_fence(struct books *books, const struct logged *fence, const struct started *self)
{
    for (guint i = 0; at(books, i) != self; i++) {
        const struct started *before = at(books, i);
        bool covered = before->entry.rank == fence->rank && writes(&before->entry) &&
                       (fence->peer == RANK_ANY || fence->peer == before->entry.peer);
        if (covered && !before->whole)
            complain(books, &before->entry, "is not whole, and a fence of it is done");
    }
}

static void check_lock(struct books *books, const struct logged *entry)
{
    int *holder = &books->holder[entry->peer];
    if (*holder >= 0)
        complain(books, entry, "takes a mutex that another holds");
    *holder = entry->rank;
}

static void check_unlock(struct books *books, const struct logged *entry)
{
    int *holder = &books->holder[entry->peer];
    if (*holder != entry->rank)
        complain(books, entry, "gives back a mutex that it does not hold");
    *holder = -1;
}

// Messages that have arrived at a rank: those whole there, and answers, of which the log has no
// request.
static int64_t come(const struct books *books, int rank, bool notifications)
{
    int64_t count = notifications ? 0 : books->answers;
    for (guint i = 0; i < books->started->len; i++) {
        const struct started *message = at(books, i);
        bool counts = notifications ? logged_is(&message->entry, "put") && message->entry.notify
                                    : logged_is(&message->entry, "active_message");
        count += counts && message->whole && message->entry.peer == rank;
    }
    return count;
}

static void check_poll(struct books *books, const struct logged *entry)
{
    bool notifications = logged_is(entry, "call");
    int64_t *sum = notifications ? &books->waited[entry->rank] : &books->asked[entry->rank];
    *sum += entry->count;
    if (come(books, entry->rank, notifications) < *sum)
        complain(books, entry, "is done before so many have come");
}

static void on_done(struct books *books, const struct logged *entry)
{
    struct started *self = find(books, entry);
    if (!self)
        return;
    if (self->done)
        complain(books, entry, "is done once more");
    self->done = true;
    if (logged_is(entry, "get") && !self->whole && books->check->gets_wait)
        complain(books, entry, "is done before its data are there");
    if (logged_is(entry, "fence"))
        check_fence(books, entry, self);
    if (logged_is(entry, "lock"))
        check_lock(books, entry);
    if (logged_is(entry, "poll") || logged_is(entry, "call"))
        check_poll(books, entry);
}

// ---- The log ----

static void on_whole(struct books *books, const struct logged *entry)
{
    for (guint i = books->started->len; i-- > 0;) {
        struct started *message = at(books, i);
        if (message->entry.message.index != entry->message.index ||
            message->entry.message.generation != entry->message.generation)
            continue;
        if (message->whole)
            complain(books, &message->entry, "is whole once more");
        message->whole = true;
        for (guint k = 0; k < i && books->check->in_order && writes(&message->entry); k++) {
            const struct started *before = at(books, k);
            if (writes(&before->entry) && before->entry.rank == message->entry.rank &&
                before->entry.peer == message->entry.peer && !before->whole)
                complain(books, &before->entry, "is overtaken by a later one");
        }
        return;
    }
    books->answers++;
}

static void on_start(struct books *books, const struct logged *entry)
{
    struct started started = {.entry = *entry};
    g_array_append_val(books->started, started);
    if (logged_is(entry, "unlock"))
        check_unlock(books, entry);
}

static void check_end(struct books *books)
{
    for (guint i = 0; i < books->started->len; i++) {
        const struct started *one = at(books, i);
        if (!one->entry.operation)
            continue;
        if (!one->done)
            complain(books, &one->entry, "is never done");
        if (moves_data(&one->entry) && !one->whole)
            complain(books, &one->entry, "is never whole");
    }
}

void one_sided_check(struct one_sided *check)
{
    struct books books = {.check = check,
                          .started = g_array_new(FALSE, FALSE, sizeof(struct started))};
    for (int rank = 0; rank < TEST_MOST_RANKS; rank++)
        books.holder[rank] = -1;
    for (guint i = 0; i < check->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(check->log->entries, struct logged, i);
        if (entry->of == LOGGED_WHOLE)
            on_whole(&books, entry);
        else if (entry->of != LOGGED_REQUEST)
            continue;
        else if (entry->what == OBSERVED_START)
            on_start(&books, entry);
        else if (entry->what == OBSERVED_DONE && entry->operation)
            on_done(&books, entry);
    }
    if (check->whole)
        check_end(&books);
    g_array_unref(books.started);
}
