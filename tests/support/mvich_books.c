// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/mvich_books.h"

#include "tests/support/suite.h"

#include <string.h>

struct books {
    int64_t remote_credit, under_way, local_credit, returning;
    int64_t preposts;
};

// Packets that have arrived and that the process has not polled yet.
static int64_t unread_credits(const struct mvich_connection *connection)
{
    int64_t credits = 0;
    for (const struct vip_descriptor *at = connection->vi->receive.done.head; at; at = at->next) {
        struct mvich_packet packet;
        memcpy(&packet, at->content.bytes, sizeof packet);
        credits += packet.vbuf_credit;
    }
    return credits;
}

static int64_t backlogged(const struct mvich_connection *connection)
{
    int64_t count = 0;
    for (const struct mvich_vbuf *at = connection->backlog.head; at; at = at->next)
        count++;
    return count;
}

// Of the direction from rank `from` to rank `to`.
static struct books books_of(const struct rpi_bench *bench, int from, int to)
{
    const struct mvich_connection *sender = &mvich_bench_process(bench, from)->connections[to],
                                  *receiver = &mvich_bench_process(bench, to)->connections[from];
    uint16_t unhandled = (uint16_t)(sender->next_to_send - receiver->next_expected);
    return (struct books){
        .remote_credit = sender->remote_credit,
        .under_way = unhandled - backlogged(sender),
        .local_credit = receiver->local_credit,
        .returning = unread_credits(sender),
        .preposts = receiver->preposts - receiver->owner->config->prepost_noop_extra,
    };
}

static void each_direction(const struct rpi_bench *bench,
                           void (*check)(const struct rpi_bench *bench, int from, int to))
{
    for (int from = 0; from < bench->ranks; from++)
        for (int to = 0; to < bench->ranks; to++)
            if (from != to)
                check(bench, from, to);
}

static void check_credits(const struct rpi_bench *bench, int from, int to)
{
    const struct mvich_process *sender = mvich_bench_process(bench, from),
                               *receiver = mvich_bench_process(bench, to);
    if (sender->process->startup.machine.state != MVICH_UP ||
        receiver->process->startup.machine.state != MVICH_UP)
        return;
    struct books books = books_of(bench, from, to);
    CU_ASSERT(books.remote_credit >= 0);
    CU_ASSERT(books.under_way >= 0);
    CU_ASSERT(books.local_credit >= 0);
    CU_ASSERT(books.remote_credit + books.under_way + books.local_credit <= books.preposts);
    CU_ASSERT(!sender->connections[to].backlog.head || books.remote_credit == 0);
}

void mvich_bench_expect_credits(const struct rpi_bench *bench)
{
    each_direction(bench, check_credits);
}

static void check_balance(const struct rpi_bench *bench, int from, int to)
{
    struct books books = books_of(bench, from, to);
    SUITE_SAME_INTEGER(books.remote_credit + books.under_way + books.local_credit + books.returning,
                       books.preposts);
    const struct mvich_connection *connection = &mvich_bench_process(bench, from)->connections[to];
    CU_ASSERT_PTR_NULL(connection->backlog.head);
    CU_ASSERT_PTR_NULL(connection->push.head);
    CU_ASSERT_PTR_NULL(connection->eager);
    CU_ASSERT_PTR_NULL(connection->early);
    SUITE_SAME_INTEGER(connection->r3_expected, 0);
}

// Vbufs that sends have left on the work queues since they were last polled.
static int64_t sends_unseen(const struct vip_vi *vi)
{
    return vi->send.done.count;
}

static void check_process(const struct mvich_process *mvich)
{
    int64_t used = 0;
    for (int rank = 0; rank < mvich->process->ranks; rank++)
        if (rank != mvich->process->rank)
            used += mvich->connections[rank].preposts + sends_unseen(mvich->connections[rank].vi);
    SUITE_SAME_INTEGER(mvich->vbufs_free + used, mvich->vbufs);
    CU_ASSERT_PTR_NULL(mvich->process->active);
    SUITE_SAME_INTEGER((long long)mvich->process->request_pool.in_use, 0);
    SUITE_SAME_INTEGER((long long)mvich->unexpected.in_use, 0);
    SUITE_SAME_INTEGER(mvich->process->matcher.posted_count, 0);
    SUITE_SAME_INTEGER(mvich->process->matcher.unexpected_count, 0);
    SUITE_SAME_INTEGER(mvich->process->open_waits, 0);
}

void mvich_bench_expect_quiet(const struct rpi_bench *bench)
{
    each_direction(bench, check_balance);
    for (int rank = 0; rank < bench->ranks; rank++)
        check_process(mvich_bench_process(bench, rank));
}
