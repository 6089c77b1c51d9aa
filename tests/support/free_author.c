// SPDX-License-Identifier: GPL-3.0-or-later
// The author of random programs (free_program.h).
//
// Besides the calls, the author keeps the sends and receives that are started and not matched at
// each destination. A receive that names its source has one possible match, whatever the order of
// arrival; so a call that must complete before others is written when its partner is there already,
// or together with it.
#include "tests/support/free_author.h"

#include <string.h>

int author_pick(struct author *author, int from, int below)
{
    return g_rand_int_range(author->random, from, below);
}

bool author_chance(struct author *author, double probability)
{
    return g_rand_double(author->random) < probability;
}

int author_rank(struct author *author)
{
    return author_pick(author, 0, author->program->ranks);
}

bool author_fixed(const struct author *author)
{
    return author->shape->only_fixed;
}

int author_tag(struct author *author)
{
    return author_fixed(author) ? 0 : author_pick(author, 0, FREE_TAGS);
}

int64_t author_size(struct author *author)
{
    return author->shape->size(author->random, author->shape->limits);
}

static bool lacks(const struct author *author, enum free_kind kind)
{
    return author->shape->lacks >> kind & 1;
}

// ---- Calls ----

// Appends a call to a rank's section; returns it, valid until the next is appended there.
static struct draft *append(struct author *author, int rank, struct free_call call)
{
    struct draft draft = {.call = call};
    g_array_append_val(author->drafts[rank], draft);
    return &g_array_index(author->drafts[rank], struct draft, author->drafts[rank]->len - 1);
}

static int open_request(struct author *author, int rank)
{
    struct open_request request = {.number = ++author->requests[rank]};
    g_array_append_val(author->open[rank], request);
    return request.number;
}

static struct open_request *find_open(struct author *author, int rank, int number)
{
    for (guint i = 0; i < author->open[rank]->len; i++) {
        struct open_request *request = &g_array_index(author->open[rank], struct open_request, i);
        if (request->number == number)
            return request;
    }
    return NULL;
}

static void mark_matched(struct author *author, int rank, int number)
{
    struct open_request *request = number > 0 ? find_open(author, rank, number) : NULL;
    if (request)
        request->matched = true;
}

void author_pause(struct author *author, int rank)
{
    int most = author_chance(author, 0.2) ? 5000 : 100;
    append(author, rank,
           (struct free_call){.kind = FREE_COMPUTE, .size = author_pick(author, 1, most)});
}

// ---- What is started ----

struct pool *author_pool(struct author *author, int to, int tag)
{
    struct inbox *inbox = &author->inbox[to];
    if (inbox->wild_all)
        return &inbox->pools[0];
    return tag != FREE_ANY && inbox->wild_tags >> tag & 1 ? &inbox->pools[tag] : NULL;
}

static bool fits(const struct started *receive, int source, int tag)
{
    return receive->source == source && (receive->tag == FREE_ANY || receive->tag == tag);
}

// The first receive that names its source and waits for such a message; -1: none.
static int waiting_receive(const struct inbox *inbox, int source, int tag)
{
    for (guint i = 0; i < inbox->receives->len; i++)
        if (fits(&g_array_index(inbox->receives, struct started, i), source, tag))
            return (int)i;
    return -1;
}

// The first message that such a receive would get; -1: none.
static int waiting_send(const struct inbox *inbox, int source, int tag)
{
    struct started receive = {.source = source, .tag = tag};
    for (guint i = 0; i < inbox->sends->len; i++) {
        const struct started *send = &g_array_index(inbox->sends, struct started, i);
        if (fits(&receive, send->source, send->tag))
            return (int)i;
    }
    return -1;
}

static void join(struct author *author, int to, const struct started *send,
                 const struct started *receive)
{
    mark_matched(author, send->source, send->request);
    mark_matched(author, to, receive->request);
    g_array_index(author->drafts[to], struct draft, receive->draft).exact = send->size;
}

static bool blocks(enum free_kind kind)
{
    return kind == FREE_SEND || kind == FREE_SSEND || kind == FREE_RECV;
}

bool author_may_block(struct author *author, int from, int to, int tag)
{
    const struct pool *pool = author_pool(author, to, tag);
    if (waiting_receive(&author->inbox[to], from, tag) >= 0)
        return true;
    return pool && author->draining && pool->receives > pool->sends;
}

bool author_may_receive(struct author *author, int to, int source, int tag)
{
    const struct pool *pool = author_pool(author, to, tag);
    if (source == FREE_ANY)
        return pool->sends > pool->receives;
    return waiting_send(&author->inbox[to], source, tag) >= 0;
}

void author_send(struct author *author, enum free_kind kind, int from, int to, int tag,
                 int64_t size)
{
    struct inbox *inbox = &author->inbox[to];
    struct started send = {.source = from, .tag = tag, .size = size};
    if (!blocks(kind))
        send.request = open_request(author, from);
    append(author, from,
           (struct free_call){
               .kind = kind, .peer = to, .tag = tag, .size = size, .request = send.request});
    inbox->largest = MAX(inbox->largest, size);
    int at = waiting_receive(inbox, from, tag);
    if (at >= 0) {
        struct started receive = g_array_index(inbox->receives, struct started, at);
        g_array_remove_index(inbox->receives, (guint)at);
        join(author, to, &send, &receive);
    } else if (author_pool(author, to, tag)) {
        author_pool(author, to, tag)->sends++;
    } else {
        g_array_append_val(inbox->sends, send);
    }
}

void author_receive(struct author *author, enum free_kind kind, int to, int source, int tag)
{
    struct inbox *inbox = &author->inbox[to];
    struct started receive = {.source = source, .tag = tag};
    if (!blocks(kind))
        receive.request = open_request(author, to);
    receive.draft = author->drafts[to]->len;
    struct draft *draft = append(
        author, to,
        (struct free_call){.kind = kind, .peer = source, .tag = tag, .request = receive.request});
    draft->sized = true;
    if (source == FREE_ANY) {
        struct pool *pool = author_pool(author, to, tag);
        pool->receives++;
        draft->exact = -1;
        struct open_request *request = find_open(author, to, receive.request);
        if (request) {
            request->pool = pool;
            request->nth = pool->receives;
        }
        return;
    }
    int at = waiting_send(inbox, source, tag);
    if (at >= 0) {
        struct started send = g_array_index(inbox->sends, struct started, at);
        g_array_remove_index(inbox->sends, (guint)at);
        join(author, to, &send, &receive);
    } else {
        g_array_append_val(inbox->receives, receive);
    }
}

void author_pair(struct author *author, int from, int to, int tag)
{
    struct inbox *inbox = &author->inbox[to];
    bool any = !inbox->wild_tags && !author_fixed(author) && author_chance(author, 0.3);
    int pattern = any ? FREE_ANY : tag;
    if (from == to || author_pool(author, to, tag) || waiting_receive(inbox, from, tag) >= 0 ||
        waiting_send(inbox, from, pattern) >= 0)
        return;
    bool synchronous = !lacks(author, FREE_SSEND) && author_chance(author, 0.4);
    author_receive(author, FREE_RECV, to, from, pattern);
    author_send(author, synchronous ? FREE_SSEND : FREE_SEND, from, to, tag, author_size(author));
}

// A ring of some of the ranks, each of which sends to the next.
void author_sendrecv(struct author *author)
{
    int ranks = author->program->ranks, ring[FREE_MOST_RANKS], tag = author_tag(author);
    int least = author->shape->no_self ? 2 : 1;
    if (ranks < least || lacks(author, FREE_SENDRECV))
        return;
    int count = author_pick(author, least, ranks + 1);
    for (int i = 0; i < ranks; i++) {
        int at = author_pick(author, 0, i + 1);
        ring[i] = ring[at];
        ring[at] = i;
    }
    for (int i = 0; i < count; i++) {
        int from = ring[i], to = ring[(i + 1) % count];
        if (author_pool(author, to, tag) || waiting_receive(&author->inbox[to], from, tag) >= 0 ||
            waiting_send(&author->inbox[to], from, tag) >= 0)
            return;
    }
    int64_t size = author_size(author);
    for (int i = 0; i < count; i++)
        append(author, ring[i],
               (struct free_call){.kind = FREE_SENDRECV,
                                  .peer = ring[(i + 1) % count],
                                  .source = ring[(i + count - 1) % count],
                                  .tag = tag,
                                  .size = size});
}

void author_probe(struct author *author)
{
    int to = author_rank(author), source = author_rank(author), tag = author_tag(author);
    struct inbox *inbox = &author->inbox[to];
    bool waits = author_chance(author, 0.5);
    if (lacks(author, FREE_PROBE) || (author->shape->no_self && source == to))
        return;
    if (author_pool(author, to, tag))
        source = FREE_ANY;
    if (inbox->wild_all || (!inbox->wild_tags && author_chance(author, 0.4)))
        tag = FREE_ANY;
    if (waits && !author_may_receive(author, to, source, tag))
        return;
    if (!waits && author_chance(author, 0.3))
        source = FREE_ANY;
    if (!waits && author_chance(author, 0.1))
        tag = FREE_NOBODY;
    append(
        author, to,
        (struct free_call){.kind = waits ? FREE_PROBE : FREE_IPROBE, .peer = source, .tag = tag});
}

// ---- Waits ----

static bool surely_done(const struct open_request *request)
{
    return request->matched || (request->pool && request->pool->sends >= request->nth);
}

// Some of the requests that are sure to be done; with `all`, that is all.
void author_wait(struct author *author, int rank, bool all)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(int)), *open = author->open[rank];
    int most = author_chance(author, 0.5) ? 1 : author_pick(author, 1, 8);
    for (guint i = open->len; i-- > 0 && (int)list->len < most;) {
        const struct open_request *request = &g_array_index(open, struct open_request, i);
        if ((all || surely_done(request)) && author_chance(author, 0.6)) {
            g_array_append_val(list, request->number);
            g_array_remove_index_fast(open, i);
        }
    }
    g_ptr_array_add(author->program->lists, list);
    if (list->len > 0)
        append(author, rank, (struct free_call){.kind = FREE_WAIT, .awaited = list});
}

void author_wait_all(struct author *author, int rank)
{
    bool at_once = author_chance(author, 0.5);
    GArray *closed = g_array_new(FALSE, FALSE, sizeof(int));
    for (guint i = 0; i < author->open[rank]->len; i++)
        g_array_append_val(closed,
                           g_array_index(author->open[rank], struct open_request, i).number);
    g_ptr_array_add(author->program->lists, closed);
    while (!at_once && author->open[rank]->len > 0)
        author_wait(author, rank, true);
    g_array_set_size(author->open[rank], 0);
    if (at_once)
        append(author, rank, (struct free_call){.kind = FREE_WAIT, .closed = closed});
}

void author_collective(struct author *author, enum free_kind kind)
{
    int root = author_rank(author);
    int64_t size = kind == FREE_BARRIER ? 0 : author_size(author);
    for (int rank = 0; rank < author->program->ranks; rank++)
        append(author, rank, (struct free_call){.kind = kind, .peer = root, .size = size});
}
