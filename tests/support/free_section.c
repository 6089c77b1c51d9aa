// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of random programs: what is written, how they end, and what of them goes into the
// program.
#include "tests/support/free_author.h"

#define MOST_SECTIONS 4
#define MOST_TURNS 3
#define ARENA 0x40000000
#define ARENA_PAGES 6
#define PAGE 4096

// ---- Steps ----

static enum free_kind send_kind(struct author *author, bool may_block)
{
    uint32_t lacks = author->shape->lacks;
    bool synchronous = author_chance(author, 0.3), waits = may_block && author_chance(author, 0.5);
    enum free_kind kind =
        waits ? (synchronous ? FREE_SSEND : FREE_SEND) : (synchronous ? FREE_ISSEND : FREE_ISEND);
    return lacks >> kind & 1 ? (waits ? FREE_SEND : FREE_ISEND) : kind;
}

static void send_to(struct author *author, int from, int to, int64_t size)
{
    int tag = author_tag(author);
    if (author->shape->no_self && from == to)
        return;
    author_send(author, send_kind(author, author_may_block(author, from, to, tag)), from, to, tag,
                size);
}

static void receive_at(struct author *author, int to, int source)
{
    const struct inbox *inbox = &author->inbox[to];
    int tag = author_tag(author);
    if (author->shape->no_self && source == to)
        return;
    if (author_pool(author, to, tag))
        source = FREE_ANY;
    if (inbox->wild_all)
        tag = FREE_ANY;
    else if (!inbox->wild_tags && !author_fixed(author) && author_chance(author, 0.3))
        tag = FREE_ANY;
    bool blocks = author_may_receive(author, to, source, tag) && author_chance(author, 0.5);
    author_receive(author, blocks ? FREE_RECV : FREE_IRECV, to, source, tag);
}

// Many messages to a rank that does something else.
static void flood(struct author *author)
{
    int to = author_rank(author), count = author_pick(author, 4, 30);
    bool one = author_chance(author, 0.5), pairs = author_chance(author, 0.3);
    int from = author_rank(author);
    author_pause(author, to);
    for (int i = 0; i < count; i++) {
        int source = one ? from : author_rank(author);
        int64_t size =
            author_chance(author, 0.8) ? author_pick(author, 0, 64) : author_size(author);
        if (pairs)
            author_pair(author, source, to, author_tag(author));
        else
            send_to(author, source, to, size);
    }
    for (int i = author_pick(author, 0, count); i > 0 && !pairs; i--)
        receive_at(author, to, one ? from : author_rank(author));
}

// From now on receives at the rank take anything.
static void go_wild(struct author *author, struct inbox *inbox)
{
    (void)author;
    if (!inbox->wild_later || inbox->wild_all)
        return;
    inbox->wild_all = true;
    inbox->pools[0].sends = (int)inbox->sends->len;
    g_array_set_size(inbox->sends, 0);
}

static enum free_kind some_collective(struct author *author)
{
    enum free_kind kind = (enum free_kind)author_pick(author, FREE_BARRIER, FREE_KINDS);
    return author->shape->lacks >> kind & 1 ? FREE_BARRIER : kind;
}

static void step(struct author *author)
{
    int what = author_pick(author, 0, 100), rank = author_rank(author);
    if (what < 25)
        send_to(author, rank, author_rank(author), author_size(author));
    else if (what < 48)
        receive_at(author, rank, author_rank(author));
    else if (what < 58)
        author_pair(author, rank, author_rank(author), author_tag(author));
    else if (what < 63)
        author_sendrecv(author);
    else if (what < 75)
        author_probe(author);
    else if (what < 86)
        author_wait(author, rank, false);
    else if (what < 92)
        author_pause(author, rank);
    else if (what < 94)
        flood(author);
    else if (what < 96)
        go_wild(author, &author->inbox[rank]);
    else if (!author_fixed(author))
        author_collective(author, some_collective(author));
}

// ---- The end of a section ----

// Receives for what is sent, and messages for what is waited for. Sends first, so that those to
// pools may block when there is a receive for each.
static void drain(struct author *author, int to)
{
    struct inbox *inbox = &author->inbox[to];
    while (inbox->receives->len > 0) {
        struct started receive = g_array_index(inbox->receives, struct started, 0);
        int tag = receive.tag == FREE_ANY ? author_tag(author) : receive.tag;
        author_send(author, send_kind(author, true), receive.source, to, tag, author_size(author));
    }
    for (int tag = 0; tag < FREE_TAGS; tag++) {
        struct pool *pool = &inbox->pools[tag];
        while (pool->sends < pool->receives) {
            int from = author_rank(author), which = inbox->wild_all ? author_tag(author) : tag;
            if (!author->shape->no_self || from != to)
                author_send(author, send_kind(author, from != to), from, to, which,
                            author_size(author));
        }
        while (pool->sends > pool->receives)
            author_receive(author, author_chance(author, 0.5) ? FREE_RECV : FREE_IRECV, to,
                           FREE_ANY, inbox->wild_all ? FREE_ANY : tag);
    }
    while (inbox->sends->len > 0) {
        guint any = (guint)author_pick(author, 0, (int)inbox->sends->len);
        struct started send = g_array_index(inbox->sends, struct started, any);
        author_receive(author, author_chance(author, 0.5) ? FREE_RECV : FREE_IRECV, to, send.source,
                       send.tag);
    }
}

static void set_sizes(struct author *author, bool arena)
{
    for (int rank = 0; rank < author->program->ranks; rank++)
        for (guint i = 0; i < author->drafts[rank]->len; i++) {
            struct draft *draft = &g_array_index(author->drafts[rank], struct draft, i);
            struct free_call *call = &draft->call;
            if (draft->sized)
                call->size = draft->exact >= 0 ? draft->exact : author->inbox[rank].largest;
            if (draft->sized && author_chance(author, 0.3))
                call->size += author_pick(author, 0, 5000);
            if (arena && call->kind <= FREE_IRECV)
                call->buffer = ARENA + PAGE * author_pick(author, 0, ARENA_PAGES);
        }
}

// Adds the section, `turns` times, to the program.
static void publish(struct author *author, int turns, bool sealed)
{
    struct free_program *program = author->program;
    for (int rank = 0; rank < program->ranks; rank++) {
        GString *text = program->text[rank];
        if (turns > 1)
            g_string_append_printf(text, "{loop: {count: %d, do: [", turns);
        for (int turn = 0; turn < turns; turn++)
            for (guint i = 0; i < author->drafts[rank]->len; i++) {
                struct free_call call = g_array_index(author->drafts[rank], struct draft, i).call;
                call.style = author->style;
                call.opened = author->before[rank];
                call.epoch = author->epoch + (sealed ? turn : 0);
                g_array_append_val(program->calls[rank], call);
                if (turn == 0)
                    free_call_write(text, &call);
            }
        if (turns > 1)
            g_string_append(text, "]}}, ");
        g_array_set_size(author->drafts[rank], 0);
        author->before[rank] = author->requests[rank];
    }
    author->epoch += sealed ? turns : 0;
}

// ---- Sections ----

static void begin_inbox(struct author *author, struct inbox *inbox, bool wild)
{
    g_array_set_size(inbox->sends, 0);
    g_array_set_size(inbox->receives, 0);
    *inbox = (struct inbox){.sends = inbox->sends, .receives = inbox->receives};
    if (!wild || author_chance(author, 0.4))
        return;
    int what = author_pick(author, 0, 3);
    inbox->wild_all = what == 0;
    inbox->wild_later = what == 1;
    if (what == 2)
        inbox->wild_tags = (uint32_t)author_pick(author, 1, 1 << FREE_TAGS);
}

static void seal(struct author *author)
{
    for (int rank = 0; rank < author->program->ranks; rank++)
        author_wait_all(author, rank);
    author_collective(author, FREE_BARRIER);
}

static void section(struct author *author, bool wild, bool sealed, bool arena)
{
    int ranks = author->program->ranks,
        turns = author_chance(author, 0.3) ? author_pick(author, 2, MOST_TURNS + 1) : 1;
    for (int rank = 0; rank < ranks; rank++)
        begin_inbox(author, &author->inbox[rank], wild);
    for (int i = author_pick(author, 1, author->shape->most_steps + 1); i > 0; i--)
        step(author);
    author->draining = true;
    for (int rank = 0; rank < ranks; rank++)
        drain(author, rank);
    author->draining = false;
    if (sealed)
        seal(author);
    else if (turns > 1)
        for (int rank = 0; rank < ranks; rank++)
            author_wait_all(author, rank);
    set_sizes(author, arena);
    publish(author, turns, sealed);
}

static void begin(struct author *author)
{
    struct free_program *program = author->program;
    for (int rank = 0; rank < program->ranks; rank++) {
        program->calls[rank] = g_array_new(FALSE, FALSE, sizeof(struct free_call));
        program->text[rank] = g_string_new(NULL);
        author->drafts[rank] = g_array_new(FALSE, FALSE, sizeof(struct draft));
        author->open[rank] = g_array_new(FALSE, FALSE, sizeof(struct open_request));
        author->inbox[rank].sends = g_array_new(FALSE, FALSE, sizeof(struct started));
        author->inbox[rank].receives = g_array_new(FALSE, FALSE, sizeof(struct started));
    }
}

static void end(struct author *author)
{
    for (int rank = 0; rank < author->program->ranks; rank++) {
        g_array_unref(author->drafts[rank]);
        g_array_unref(author->open[rank]);
        g_array_unref(author->inbox[rank].sends);
        g_array_unref(author->inbox[rank].receives);
    }
}

struct free_program *free_program_new(GRand *random, const struct free_shape *shape)
{
    struct author author = {
        .random = random, .shape = shape, .program = g_new0(struct free_program, 1)};
    int least = shape->no_self ? 2 : 1;
    bool arena = !shape->own_buffers && g_rand_double(random) < 0.3, sealed = true;
    author.program->ranks = MAX(least, author_pick(&author, 1, shape->most_ranks + 1));
    author.program->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    begin(&author);
    // Half of the programs are written with the usual calls.
    GRand *style = g_rand_copy(random);
    author.style = shape->plain ? 0 : g_rand_int(style) % 14;
    author.style = author.style < 7 ? 0 : author.style;
    g_rand_free(style);
    for (int rank = 0; author.style > 1 && rank < author.program->ranks; rank++)
        g_string_append(author.program->text[rank], "{buffer_attach: 1 GiB}, ");
    for (int i = author_pick(&author, 1, MOST_SECTIONS + 1); i > 0; i--) {
        bool wild = !author_fixed(&author) && author_chance(&author, 0.5);
        if (wild && !sealed) {
            seal(&author);
            publish(&author, 1, true);
        }
        sealed = !author_fixed(&author) && (wild || shape->sealed || author_chance(&author, 0.5));
        section(&author, wild, sealed, arena);
    }
    for (int rank = 0; rank < author.program->ranks; rank++)
        author_wait_all(&author, rank);
    publish(&author, 1, false);
    end(&author);
    return author.program;
}
