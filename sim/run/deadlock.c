// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/deadlock.h"

#include "sim/mpi/group.h"

// Ranks of a circle or chain that its text names; its list has all of them.
#define MOST_NAMED 12

struct deadlock_rank {
    const char *host;
    bool ended;
    guint first, requests;         // in `requests`
    guint first_message, messages; // in `messages`
};

struct deadlock {
    const struct stack_eager *eager; // NULL: the stack has none
    struct eager_limit limit;
    bool on_flows;        // where an eager send that its sockets do not hold waits, too
    bool named_by_host;   // no host has two ranks
    GHashTable *hosts;    // names of hosts
    GArray *ranks;        // struct deadlock_rank
    GArray *requests;     // struct deadlock_request
    GArray *messages;     // struct mpi_envelope
    GPtrArray *lost;      // char *: messages that lost a part for good
    GHashTable *partners; // struct partner: sends and receives that are open
};

// ---- Requests ----

// One side of a message, by what the other side must have to match it.
struct partner {
    bool sends;
    int source, destination, tag, context;
};

static guint partner_hash(gconstpointer key)
{
    const struct partner *at = key;
    guint hash = (guint)at->source;
    hash = hash * 31 + (guint)at->destination;
    hash = hash * 31 + (guint)at->tag;
    hash = hash * 31 + (guint)at->context;
    return hash * 2 + at->sends;
}

static gboolean partner_equal(gconstpointer a, gconstpointer b)
{
    const struct partner *one = a, *other = b;
    return one->sends == other->sends && one->source == other->source &&
           one->destination == other->destination && one->tag == other->tag &&
           one->context == other->context;
}

static struct partner partner_of(int rank, const struct deadlock_request *request)
{
    bool sends = request->kind == REQUEST_SEND;
    return (struct partner){.sends = sends,
                            .source = sends ? rank : request->peer,
                            .destination = sends ? request->peer : rank,
                            .tag = request->tag,
                            .context = request->context};
}

static bool is_open(const struct deadlock *deadlock, struct partner side)
{
    return g_hash_table_contains(deadlock->partners, &side);
}

// Both sides of the message have been posted, so it is on its path or lost, and no order of calls
// is at fault.
static bool has_partner(const struct deadlock *deadlock, int rank,
                        const struct deadlock_request *request)
{
    struct partner side = partner_of(rank, request), any_source, any_tag, any;
    if (request->kind == REQUEST_OPERATION)
        return false;
    if (request->matched || request->sent)
        return true;
    side.sends = !side.sends;
    any_source = any_tag = side;
    any_source.source = RANK_ANY;
    any_tag.tag = TAG_ANY;
    any = any_source;
    any.tag = TAG_ANY;
    return is_open(deadlock, side) || is_open(deadlock, any_tag) ||
           (!side.sends && (is_open(deadlock, any_source) || is_open(deadlock, any)));
}

static const struct deadlock_rank *rank_at(const struct deadlock *deadlock, int rank)
{
    return &g_array_index(deadlock->ranks, struct deadlock_rank, rank);
}

static const struct deadlock_request *request_at(const struct deadlock *deadlock, int rank, guint i)
{
    return &g_array_index(deadlock->requests, struct deadlock_request,
                          rank_at(deadlock, rank)->first + i);
}

// Whether the rank waits by that request for another to make a call.
static bool waits_for_call(const struct deadlock *deadlock, int rank,
                           const struct deadlock_request *request)
{
    return request->waited && request->needs_peer && request->peer != RANK_ANY &&
           !has_partner(deadlock, rank, request);
}

static bool is_receive(const struct deadlock_request *request)
{
    return request->kind == REQUEST_RECV || request->kind == REQUEST_PROBE;
}

static bool in_collective(int context)
{
    return mpi_context_kind(context) == CONTEXT_COLLECTIVE;
}

// ---- Texts ----

static void append_name(const struct deadlock *deadlock, GString *text, int rank)
{
    if (deadlock->named_by_host)
        g_string_append(text, rank_at(deadlock, rank)->host);
    else
        g_string_append_printf(text, "rank %d", rank);
}

static void append_peer(const struct deadlock *deadlock, GString *text, int peer)
{
    if (peer == RANK_ANY)
        g_string_append(text, "any rank");
    else
        append_name(deadlock, text, peer);
}

static void append_label(GString *text, int tag, int context, const char *no_tag)
{
    if (in_collective(context))
        g_string_append(text, "a collective's message");
    else if (tag == TAG_ANY)
        g_string_append(text, no_tag);
    else
        g_string_append_printf(text, "tag %d", tag);
}

// "node1 waits to receive tag 7 from node0".
static void append_wait(const struct deadlock *deadlock, GString *text, int rank,
                        const struct deadlock_request *request)
{
    static const char *const verbs[] = {
        [REQUEST_SEND] = "send", [REQUEST_RECV] = "receive", [REQUEST_PROBE] = "probe"};
    append_name(deadlock, text, rank);
    if (request->kind == REQUEST_OPERATION) {
        g_string_append_printf(text, " waits for its %s with ", request->operation);
    } else {
        g_string_append_printf(text, " waits to %s ", verbs[request->kind]);
        append_label(text, request->tag, request->context, "any tag");
        if (request->group)
            g_string_append_printf(text, " of communicator %s", request->group->name);
        g_string_append(text, request->kind == REQUEST_SEND ? " to " : " from ");
    }
    append_peer(deadlock, text, request->peer);
}

static json_t *finding(const char *key, int rank, GString *text)
{
    json_t *json = json_pack("{s:i, s:s}", key, rank, "text", text->str);
    g_string_free(text, TRUE);
    return json;
}

// "node0 -> node1 -> node2"; a circle names its first rank again.
static void append_arrows(const struct deadlock *deadlock, GString *text, const int *ranks,
                          guint count, bool circle)
{
    for (guint i = 0; i < count; i++) {
        bool skips = count > MOST_NAMED && i >= MOST_NAMED / 2 && i < count - MOST_NAMED / 2;
        if (skips && i > MOST_NAMED / 2)
            continue;
        if (i > 0)
            g_string_append(text, " -> ");
        if (skips)
            g_string_append_printf(text, "(%u more)", count - MOST_NAMED);
        else
            append_name(deadlock, text, ranks[i]);
    }
    if (circle) {
        g_string_append(text, " -> ");
        append_name(deadlock, text, ranks[0]);
    }
}

static json_t *rank_list(const int *ranks, guint count)
{
    json_t *list = json_array();
    for (guint i = 0; i < count; i++)
        json_array_append_new(list, json_integer(ranks[i]));
    return list;
}

static void add_finding(json_t *list, json_t *entry)
{
    if (json_array_size(list) < DEADLOCK_MOST)
        json_array_append_new(list, entry);
    else
        json_decref(entry);
}

// ---- Messages and receives that they do not match ----

// The more, the less alike.
enum difference {
    DIFFERENT_TAG = 1 << 0,
    DIFFERENT_COMMUNICATOR = 1 << 1,
    DIFFERENT_SOURCE = 1 << 2,
    DIFFERENT_CALL = 1 << 3, // of a collective, or not
};

static const struct {
    enum difference difference;
    const char *key, *text;
} differences[] = {
    {DIFFERENT_TAG, "tag", "another tag"},
    {DIFFERENT_SOURCE, "source", "another source"},
    {DIFFERENT_COMMUNICATOR, "communicator", "another communicator"},
    {DIFFERENT_CALL, "call", "one of a collective, the other of none"},
};

static unsigned compare_envelope(const struct deadlock_request *request,
                                 const struct mpi_envelope *envelope)
{
    unsigned different = 0;
    if (request->tag != TAG_ANY && envelope->tag != TAG_ANY && request->tag != envelope->tag)
        different |= DIFFERENT_TAG;
    if (request->peer != RANK_ANY && request->peer != envelope->source)
        different |= DIFFERENT_SOURCE;
    if (mpi_context_group(request->context) != mpi_context_group(envelope->context))
        different |= DIFFERENT_COMMUNICATOR;
    // Tags of collectives are the library's own.
    if (in_collective(request->context) != in_collective(envelope->context))
        different = (different & ~(unsigned)DIFFERENT_TAG) | DIFFERENT_CALL;
    return different;
}

static const char *communicator_name(const struct deadlock *deadlock,
                                     const struct mpi_envelope *envelope)
{
    int number = mpi_context_group(envelope->context);
    for (guint i = 0; number > 0 && i < deadlock->requests->len; i++) {
        const struct mpi_group *group =
            g_array_index(deadlock->requests, struct deadlock_request, i).group;
        for (int member = 0; group && group->number == number && member < group->size; member++)
            if (group->ranks[member] == envelope->source)
                return group->name;
    }
    return NULL;
}

static void append_message(const struct deadlock *deadlock, GString *text,
                           const struct mpi_envelope *envelope, unsigned different)
{
    const char *communicator = communicator_name(deadlock, envelope);
    g_string_append(text, "a message");
    if (envelope->length >= 0)
        g_string_append_printf(text, " of %" G_GINT64_FORMAT " B", envelope->length);
    if (in_collective(envelope->context))
        g_string_append(text, " of a collective");
    else if (envelope->tag != TAG_ANY)
        g_string_append_printf(text, " with tag %d", envelope->tag);
    if (communicator)
        g_string_append_printf(text, " of communicator %s", communicator);
    g_string_append(text, " from ");
    append_name(deadlock, text, envelope->source);
    g_string_append(text, " lies there unexpected (");
    const char *before = "";
    for (size_t i = 0; i < G_N_ELEMENTS(differences); i++)
        if (different & differences[i].difference) {
            g_string_append_printf(text, "%s%s", before, differences[i].text);
            before = ", ";
        }
    g_string_append_c(text, ')');
}

static json_t *mismatch_json(const struct deadlock *deadlock, int rank,
                             const struct deadlock_request *request,
                             const struct mpi_envelope *envelope, unsigned different)
{
    GString *text = g_string_new(NULL);
    append_wait(deadlock, text, rank, request);
    g_string_append(text, "; ");
    append_message(deadlock, text, envelope, different);
    json_t *json = finding("rank", rank, text), *differs = json_array();
    json_object_set_new(json, "request", json_integer(request->number));
    json_t *message = json_pack("{s:i}", "source", envelope->source);
    if (envelope->tag != TAG_ANY)
        json_object_set_new(message, "tag", json_integer(envelope->tag));
    if (envelope->length >= 0)
        json_object_set_new(message, "bytes", json_integer(envelope->length));
    const char *communicator = communicator_name(deadlock, envelope);
    if (communicator)
        json_object_set_new(message, "communicator", json_string(communicator));
    json_object_set_new(json, "message", message);
    for (size_t i = 0; i < G_N_ELEMENTS(differences); i++)
        if (different & differences[i].difference)
            json_array_append_new(differs, json_string(differences[i].key));
    json_object_set_new(json, "differs", differs);
    return json;
}

// Adds the message that is most like what the request asks for, the oldest of several.
static void find_mismatch(const struct deadlock *deadlock, int rank,
                          const struct deadlock_request *request, json_t *mismatches)
{
    const struct deadlock_rank *at = rank_at(deadlock, rank);
    const struct mpi_envelope *best = NULL;
    unsigned least = 0;
    for (guint i = 0; i < at->messages; i++) {
        const struct mpi_envelope *envelope =
            &g_array_index(deadlock->messages, struct mpi_envelope, at->first_message + i);
        unsigned different = compare_envelope(request, envelope);
        if (!best || different < least) {
            best = envelope;
            least = different;
        }
    }
    if (best && least)
        add_finding(mismatches, mismatch_json(deadlock, rank, request, best, least));
}

static json_t *find_mismatches(const struct deadlock *deadlock)
{
    json_t *mismatches = json_array();
    for (guint rank = 0; rank < deadlock->ranks->len; rank++)
        for (guint i = 0; i < rank_at(deadlock, (int)rank)->requests; i++) {
            const struct deadlock_request *request = request_at(deadlock, (int)rank, i);
            bool lost = request->sent && deadlock->lost->len > 0;
            if (is_receive(request) && request->waited && !request->matched && !lost)
                find_mismatch(deadlock, (int)rank, request, mismatches);
        }
    return mismatches;
}

// ---- Losses ----

// Messages that are lost, and the receives whose message was sent and has not arrived.
static json_t *find_lost(const struct deadlock *deadlock)
{
    json_t *lost = json_array();
    for (guint i = 0; i < deadlock->lost->len; i++)
        add_finding(lost, json_pack("{s:s}", "text", g_ptr_array_index(deadlock->lost, i)));
    for (guint rank = 0; deadlock->lost->len > 0 && rank < deadlock->ranks->len; rank++)
        for (guint i = 0; i < rank_at(deadlock, (int)rank)->requests; i++) {
            const struct deadlock_request *request = request_at(deadlock, (int)rank, i);
            if (!is_receive(request) || !request->waited || request->matched || !request->sent)
                continue;
            GString *text = g_string_new(NULL);
            append_wait(deadlock, text, (int)rank, request);
            g_string_append(text, ", which has sent it: the message has not arrived");
            add_finding(lost, finding("rank", (int)rank, text));
        }
    return lost;
}

// ---- Circles ----

// A walk along the waits, from rank to rank.
struct wait_walk {
    const struct deadlock *deadlock;
    GArray *path;                            // int
    const struct deadlock_request **request; // by rank: the wait that the walk follows from it
    guint *next;                             // by rank: its next request to check
    int *place;                              // by rank: in the path; -1: not met; -2: left
};

static const struct deadlock_request *next_wait(struct wait_walk *walk, int rank)
{
    const struct deadlock *deadlock = walk->deadlock;
    while (walk->next[rank] < rank_at(deadlock, rank)->requests) {
        const struct deadlock_request *request = request_at(deadlock, rank, walk->next[rank]++);
        if (waits_for_call(deadlock, rank, request) && !rank_at(deadlock, request->peer)->ended)
            return request;
    }
    return NULL;
}

static void walk_enter(struct wait_walk *walk, int rank)
{
    walk->place[rank] = (int)walk->path->len;
    g_array_append_val(walk->path, rank);
}

// Walks from `start` to the first circle. Returns the place in the path where it begins, or -1.
static int walk_to_circle(struct wait_walk *walk, int start)
{
    g_array_set_size(walk->path, 0);
    walk_enter(walk, start);
    while (walk->path->len > 0) {
        int rank = g_array_index(walk->path, int, walk->path->len - 1);
        const struct deadlock_request *request = walk->request[rank] = next_wait(walk, rank);
        if (!request) {
            walk->place[rank] = -2;
            g_array_set_size(walk->path, walk->path->len - 1);
        } else if (walk->place[request->peer] >= 0) {
            return walk->place[request->peer];
        } else if (walk->place[request->peer] == -1) {
            walk_enter(walk, request->peer);
        }
    }
    return -1;
}

// The least value of the setting that makes all waits of the circle eager sends; 0: it does not
// help.
static int64_t opening_value(const struct wait_walk *walk, const int *ranks, guint count)
{
    const struct deadlock *deadlock = walk->deadlock;
    int64_t longest = 0;
    for (guint i = 0; i < count; i++) {
        const struct deadlock_request *request = walk->request[ranks[i]];
        if (!deadlock->eager || request->kind != REQUEST_SEND || !request->standard ||
            request->peer == ranks[i] || request->size <= deadlock->limit.longest)
            return 0;
        longest = MAX(longest, request->size);
    }
    return deadlock->limit.value + longest - deadlock->limit.longest;
}

// The operation that all ranks of the circle wait for; NULL: they differ.
static const char *common_wait(const struct wait_walk *walk, const int *ranks, guint count)
{
    bool sends = true, receives = true;
    for (guint i = 0; i < count; i++) {
        const struct deadlock_request *request = walk->request[ranks[i]];
        sends = sends && request->kind == REQUEST_SEND;
        receives = receives && is_receive(request);
    }
    return sends ? "send to" : receives ? "receive from" : NULL;
}

static json_t *circle_json(const struct wait_walk *walk, const int *ranks, guint count)
{
    const struct deadlock *deadlock = walk->deadlock;
    const char *all = common_wait(walk, ranks, count);
    int64_t value = opening_value(walk, ranks, count);
    GString *text = g_string_new(NULL);
    append_arrows(deadlock, text, ranks, count, true);
    if (count == 1)
        g_string_append(text, ": it waits for itself");
    else if (all)
        g_string_append_printf(text, ": each waits to %s the next", all);
    else
        g_string_append(text, ": each waits for the next");
    if (value > 0) {
        const struct stack_eager *eager = deadlock->eager;
        g_string_append_printf(text,
                               "; with %s of %" G_GINT64_FORMAT
                               " B or more (it is %" G_GINT64_FORMAT
                               " B) the sends would be eager and wait for no receive",
                               eager->setting, value, deadlock->limit.value);
        if (value - deadlock->limit.value + deadlock->limit.longest > deadlock->limit.most)
            g_string_append_printf(text, ", if %s allow it", eager->also);
        if (deadlock->on_flows)
            g_string_append(text, " (on flows, what the sockets do not hold waits all the same)");
    }
    json_t *json = json_pack("{s:o, s:s}", "ranks", rank_list(ranks, count), "text", text->str);
    if (value > 0)
        json_object_set_new(json, "setting",
                            json_pack("{s:s, s:I, s:I}", "name", deadlock->eager->setting, "bytes",
                                      (json_int_t)deadlock->limit.value, "needed_bytes",
                                      (json_int_t)value));
    g_string_free(text, TRUE);
    return json;
}

// Each rank is in one circle at most.
static json_t *find_circles(const struct deadlock *deadlock)
{
    guint count = deadlock->ranks->len;
    struct wait_walk walk = {
        .deadlock = deadlock,
        .path = g_array_new(FALSE, FALSE, sizeof(int)),
        .request = g_new0(const struct deadlock_request *, count),
        .next = g_new0(guint, count),
        .place = g_new(int, count),
    };
    json_t *circles = json_array();
    for (guint rank = 0; rank < count; rank++)
        walk.place[rank] = -1;
    for (guint rank = 0; rank < count; rank++) {
        int from = walk.place[rank] == -1 ? walk_to_circle(&walk, (int)rank) : -1;
        if (from < 0)
            continue;
        const int *ranks = &g_array_index(walk.path, int, from);
        add_finding(circles, circle_json(&walk, ranks, walk.path->len - (guint)from));
        for (guint i = 0; i < walk.path->len; i++)
            walk.place[g_array_index(walk.path, int, i)] = -2;
    }
    g_array_unref(walk.path);
    g_free(walk.request);
    g_free(walk.next);
    g_free(walk.place);
    return circles;
}

// ---- Waits for ranks that have ended ----

// The rank's first wait for another rank; preferably for one that has ended.
static const struct deadlock_request *main_wait(const struct deadlock *deadlock, int rank)
{
    const struct deadlock_request *first = NULL;
    for (guint i = 0; i < rank_at(deadlock, rank)->requests; i++) {
        const struct deadlock_request *request = request_at(deadlock, rank, i);
        if (!waits_for_call(deadlock, rank, request))
            continue;
        if (rank_at(deadlock, request->peer)->ended)
            return request;
        first = first ? first : request;
    }
    return first;
}

// Waits by rank, and for how many ranks each waits in turn until one that has ended.
struct ended_chains {
    const struct deadlock_request **wait;
    int *end;   // by rank: the rank that has ended; -1: it waits for none
    int *steps; // by rank: to it
};

static void follow_chain(const struct deadlock *deadlock, const struct ended_chains *chains,
                         int start)
{
    int steps = 0, at = start, most = (int)deadlock->ranks->len;
    while (chains->steps[at] < 0 && chains->wait[at] && steps < most) {
        at = chains->wait[at]->peer;
        steps++;
    }
    int end = chains->steps[at] < 0 ? -1 : chains->end[at];
    int left = steps + MAX(0, chains->steps[at]);
    for (int i = 0, rank = start; i < steps && end >= 0; i++, left--) {
        chains->end[rank] = end;
        chains->steps[rank] = left;
        rank = chains->wait[rank]->peer;
    }
}

static struct ended_chains chains_new(const struct deadlock *deadlock)
{
    guint count = deadlock->ranks->len;
    struct ended_chains chains = {
        .wait = g_new0(const struct deadlock_request *, count),
        .end = g_new(int, count),
        .steps = g_new(int, count),
    };
    for (guint rank = 0; rank < count; rank++) {
        bool ended = rank_at(deadlock, (int)rank)->ended;
        chains.end[rank] = ended ? (int)rank : -1;
        chains.steps[rank] = ended ? 0 : -1;
        chains.wait[rank] = ended ? NULL : main_wait(deadlock, (int)rank);
    }
    for (guint rank = 0; rank < count; rank++)
        follow_chain(deadlock, &chains, (int)rank);
    return chains;
}

static json_t *ended_json(const struct deadlock *deadlock, const struct ended_chains *chains,
                          int ended, int farthest)
{
    GString *text = g_string_new(NULL);
    GArray *path = g_array_new(FALSE, FALSE, sizeof(int));
    json_t *waiting = json_array();
    for (guint rank = 0; rank < deadlock->ranks->len; rank++) {
        if (chains->steps[rank] != 1 || chains->end[rank] != ended)
            continue;
        if (json_array_size(waiting) == 0)
            append_wait(deadlock, text, (int)rank, chains->wait[rank]);
        json_array_append_new(waiting, json_integer(rank));
    }
    g_string_append(text, ", which has ended its program");
    if (json_array_size(waiting) > 1)
        g_string_append_printf(text, "; %zu more ranks wait for it", json_array_size(waiting) - 1);
    for (int at = farthest; at != ended; at = chains->wait[at]->peer)
        g_array_append_val(path, at);
    if (path->len > 1) {
        g_array_append_val(path, ended);
        g_string_append(text, ": ");
        append_arrows(deadlock, text, &g_array_index(path, int, 0), path->len, false);
    }
    json_t *json = finding("rank", ended, text);
    json_object_set_new(json, "waited_for_by", waiting);
    g_array_unref(path);
    return json;
}

// A receive from any rank, and all that could send have ended.
static bool all_others_ended(const struct deadlock *deadlock, int rank,
                             const struct deadlock_request *request)
{
    int size = mpi_group_size(request->group, (int)deadlock->ranks->len);
    for (int place = 0; place < size; place++) {
        int other = mpi_group_rank(request->group, place);
        if (other != rank && !rank_at(deadlock, other)->ended)
            return false;
    }
    return size > 1;
}

static void find_lonely(const struct deadlock *deadlock, int rank, json_t *found)
{
    for (guint i = 0; i < rank_at(deadlock, rank)->requests; i++) {
        const struct deadlock_request *request = request_at(deadlock, rank, i);
        if (!is_receive(request) || !request->waited || request->matched ||
            request->peer != RANK_ANY || !all_others_ended(deadlock, rank, request))
            continue;
        GString *text = g_string_new(NULL);
        append_wait(deadlock, text, rank, request);
        g_string_append(text, ", and all others have ended their programs");
        json_t *json = finding("waits", rank, text);
        add_finding(found, json);
        return;
    }
}

static json_t *find_ended(const struct deadlock *deadlock)
{
    struct ended_chains chains = chains_new(deadlock);
    guint count = deadlock->ranks->len;
    int *farthest = g_new(int, count);
    json_t *found = json_array();
    for (guint rank = 0; rank < count; rank++)
        farthest[rank] = -1;
    for (guint rank = 0; rank < count; rank++) {
        int end = chains.end[rank];
        if (end < 0 || end == (int)rank)
            continue;
        if (farthest[end] < 0 || chains.steps[rank] > chains.steps[farthest[end]])
            farthest[end] = (int)rank;
    }
    for (guint rank = 0; rank < count; rank++) {
        if (farthest[rank] >= 0 && json_array_size(found) < DEADLOCK_MOST)
            add_finding(found, ended_json(deadlock, &chains, (int)rank, farthest[rank]));
        find_lonely(deadlock, (int)rank, found);
    }
    g_free(farthest);
    g_free(chains.wait);
    g_free(chains.end);
    g_free(chains.steps);
    return found;
}

// ---- Entry points ----

struct deadlock *deadlock_new(const struct stack *stack, const struct scenario_case *test_case)
{
    struct deadlock *deadlock = g_new(struct deadlock, 1);
    *deadlock = (struct deadlock){
        .eager = stack->eager,
        .on_flows = test_case->fidelity == FIDELITY_FLOW,
        .named_by_host = true,
        .hosts = g_hash_table_new(g_str_hash, g_str_equal),
        .ranks = g_array_new(FALSE, FALSE, sizeof(struct deadlock_rank)),
        .requests = g_array_new(FALSE, FALSE, sizeof(struct deadlock_request)),
        .messages = g_array_new(FALSE, FALSE, sizeof(struct mpi_envelope)),
        .lost = g_ptr_array_new_with_free_func(g_free),
        .partners = g_hash_table_new_full(partner_hash, partner_equal, g_free, NULL),
    };
    if (stack->eager)
        deadlock->limit = stack->eager->limit(test_case);
    return deadlock;
}

void deadlock_free(struct deadlock *deadlock)
{
    g_hash_table_unref(deadlock->hosts);
    g_hash_table_unref(deadlock->partners);
    g_array_unref(deadlock->ranks);
    g_array_unref(deadlock->requests);
    g_array_unref(deadlock->messages);
    g_ptr_array_unref(deadlock->lost);
    g_free(deadlock);
}

void deadlock_add_rank(struct deadlock *deadlock, const char *host, bool program_ended)
{
    struct deadlock_rank rank = {
        .host = host,
        .ended = program_ended,
        .first = deadlock->requests->len,
        .first_message = deadlock->messages->len,
    };
    if (!g_hash_table_add(deadlock->hosts, (char *)(uintptr_t)host))
        deadlock->named_by_host = false;
    g_array_append_val(deadlock->ranks, rank);
}

static struct deadlock_rank *latest_rank(struct deadlock *deadlock)
{
    return &g_array_index(deadlock->ranks, struct deadlock_rank, deadlock->ranks->len - 1);
}

void deadlock_add_request(struct deadlock *deadlock, const struct deadlock_request *request)
{
    struct partner side = partner_of((int)deadlock->ranks->len - 1, request);
    g_array_append_val(deadlock->requests, *request);
    latest_rank(deadlock)->requests++;
    if (request->kind == REQUEST_SEND || (is_receive(request) && !request->matched))
        g_hash_table_add(deadlock->partners, g_memdup2(&side, sizeof side));
}

void deadlock_add_message(struct deadlock *deadlock, const struct mpi_envelope *envelope)
{
    g_array_append_val(deadlock->messages, *envelope);
    latest_rank(deadlock)->messages++;
}

void deadlock_add_lost(struct deadlock *deadlock, const char *message)
{
    g_ptr_array_add(deadlock->lost, g_strdup(message));
}

void deadlock_describe(const struct deadlock *deadlock, json_t *detail)
{
    static const struct {
        const char *key;
        json_t *(*find)(const struct deadlock *);
    } findings[] = {{"lost", find_lost},
                    {"mismatches", find_mismatches},
                    {"circles", find_circles},
                    {"ended", find_ended}};
    for (size_t i = 0; i < G_N_ELEMENTS(findings); i++) {
        json_t *list = findings[i].find(deadlock);
        if (json_array_size(list) > 0)
            json_object_set(detail, findings[i].key, list);
        json_decref(list);
    }
}
