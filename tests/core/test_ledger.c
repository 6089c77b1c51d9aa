// SPDX-License-Identifier: GPL-3.0-or-later
// The message ledger: all cases of bytes of a message that reach their place, or fail to.
#include "sim/core/ledger.h"
#include "sim/core/random.h"
#include "tests/support/suite.h"

#include <string.h>

static struct ledger *ledger;

static struct message_ref open_message(int64_t bytes)
{
    return ledger_open(ledger, 0, 1, bytes, 7);
}

static void finish(struct message_ref message)
{
    ledger_match(ledger, message);
    ledger_complete(ledger, message);
}

static void deliver_whole(struct message_ref message, int64_t bytes)
{
    ledger_deliver(ledger, message, 0, bytes);
    finish(message);
}

static void expect_totals(uint64_t messages, uint64_t delivered, uint64_t lost, uint64_t duplicated,
                          uint64_t misordered)
{
    struct ledger_totals totals = ledger_totals(ledger);
    SUITE_SAME_INTEGER(totals.messages, messages);
    SUITE_SAME_INTEGER(totals.delivered, delivered);
    SUITE_SAME_INTEGER(totals.lost, lost);
    SUITE_SAME_INTEGER(totals.open, messages - delivered - lost);
    SUITE_SAME_INTEGER(totals.duplicated, duplicated);
    SUITE_SAME_INTEGER(totals.misordered, misordered);
    bool balanced = delivered == messages && duplicated == 0 && misordered == 0;
    SUITE_SAME_INTEGER(ledger_balanced(ledger), balanced);
}

// The report has one line, which is this.
static void expect_line(const char *line)
{
    GPtrArray *lines = ledger_report(ledger, 10);
    SUITE_SAME_INTEGER(lines->len, line ? 1 : 0);
    if (line && lines->len > 0)
        SUITE_SAME_TEXT(g_ptr_array_index(lines, 0), line);
    g_ptr_array_unref(lines);
}

static void test_in_order(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(1000);
    expect_line("message 1, rank 0 to 1, 1000 B: bytes 0..999 not delivered");
    for (int part = 0; part < 10; part++)
        ledger_deliver(ledger, message, 100 * part, 100);
    expect_totals(1, 0, 0, 0, 0);
    expect_line("message 1, rank 0 to 1, 1000 B: delivered, but not taken by its receiver");
    finish(message);
    expect_totals(1, 1, 0, 0, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).bytes, 1000);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 1000);
    expect_line(NULL);
    ledger_free(ledger);
}

static void test_out_of_order(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(1000);
    static const int order[] = {5, 2, 9, 3, 7, 1, 8, 4, 6};
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++)
        ledger_deliver(ledger, message, 100 * order[i], 100);
    expect_line("message 1, rank 0 to 1, 1000 B: bytes 0..99 not delivered");
    ledger_deliver(ledger, message, 0, 100);
    finish(message);
    expect_totals(1, 1, 0, 0, 0);
    ledger_free(ledger);
}

static void test_gaps_in_report(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(1000);
    ledger_deliver(ledger, message, 0, 100);
    ledger_drop(ledger, message, 100, 100, "queue full");
    ledger_deliver(ledger, message, 300, 100);
    ledger_drop(ledger, message, 400, 200, "link down");
    ledger_drop(ledger, message, 600, 100, "link down");
    expect_line("message 1, rank 0 to 1, 1000 B: bytes 100..199 lost: queue full; "
                "bytes 200..299 not delivered; bytes 400..699 lost: link down; "
                "bytes 700..999 not delivered");
    expect_totals(1, 0, 1, 0, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).dropped_parts, 3);
    ledger_free(ledger);
}

static void test_duplicates(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(1000);
    ledger_deliver(ledger, message, 0, 500);
    ledger_deliver(ledger, message, 0, 500);   // the same again
    ledger_deliver(ledger, message, 400, 200); // overlaps what is there in order
    expect_totals(1, 0, 0, 2, 0);
    ledger_deliver(ledger, message, 800, 100);
    ledger_deliver(ledger, message, 750, 200); // overlaps what is there out of order, on both sides
    ledger_deliver(ledger, message, 600, 400); // over a gap, two pieces and the rest
    expect_totals(1, 0, 0, 4, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 1000);
    finish(message);
    expect_totals(1, 1, 0, 4, 0);
    ledger_free(ledger);
}

// A part that arrives after its message was closed, whose place in the books may have a new one.
static void test_late_duplicate(void)
{
    ledger = ledger_new();
    struct message_ref first = open_message(100);
    ledger_deliver(ledger, first, 0, 100);
    finish(first);
    struct message_ref second = open_message(100);
    SUITE_SAME_INTEGER(second.index, first.index);
    CU_ASSERT_NOT_EQUAL(second.generation, first.generation);
    ledger_deliver(ledger, first, 0, 100);
    expect_totals(2, 1, 0, 1, 0);
    ledger_drop(ledger, first, 0, 100, "late"); // without effect
    expect_totals(2, 1, 0, 1, 0);
    ledger_deliver(ledger, second, 0, 100);
    finish(second);
    finish(second); // taken and completed twice
    expect_totals(2, 2, 0, 3, 0);
    ledger_free(ledger);
}

static void test_loss_made_good(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(1000);
    ledger_drop(ledger, message, 0, 1000, "link down");
    expect_totals(1, 0, 1, 0, 0);
    ledger_deliver(ledger, message, 500, 500);
    expect_totals(1, 0, 1, 0, 0);
    expect_line("message 1, rank 0 to 1, 1000 B: bytes 0..499 lost: link down");
    ledger_deliver(ledger, message, 0, 500);
    expect_totals(1, 0, 0, 0, 0);
    finish(message);
    expect_totals(1, 1, 0, 0, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).dropped_parts, 1);
    ledger_free(ledger);
}

// A copy of bytes that are already there is dropped: nothing is lost.
static void test_drop_of_delivered(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(1000);
    ledger_deliver(ledger, message, 0, 300);
    ledger_deliver(ledger, message, 500, 100);
    ledger_drop(ledger, message, 0, 300, "copy");
    expect_totals(1, 0, 0, 0, 0);
    ledger_drop(ledger, message, 200, 800, "rest");
    expect_line("message 1, rank 0 to 1, 1000 B: bytes 300..499 lost: rest; "
                "bytes 600..999 lost: rest");
    ledger_drop(ledger, message, 400, 300, "again"); // the latest reason counts
    expect_line(
        "message 1, rank 0 to 1, 1000 B: bytes 300..399 lost: rest; "
        "bytes 400..499 lost: again; bytes 600..699 lost: again; bytes 700..999 lost: rest");
    ledger_free(ledger);
}

// The receiver believes that it has all: missing bytes stay on the books, and later ones are lost.
static void test_completed_with_holes(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_deliver(ledger, message, 0, 50);
    ledger_drop(ledger, message, 50, 20, "overwritten");
    finish(message);
    expect_totals(1, 0, 1, 0, 0);
    expect_line("message 1, rank 0 to 1, 100 B: bytes 50..69 lost: overwritten; "
                "bytes 70..99 not delivered");
    ledger_deliver(ledger, message, 70, 30);
    expect_totals(1, 0, 1, 0, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 50);
    expect_line("message 1, rank 0 to 1, 100 B: bytes 50..69 lost: overwritten; "
                "bytes 70..99 lost: came after its receiver had taken it");
    ledger_free(ledger);
}

static void test_drop_rest(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_deliver(ledger, message, 20, 30);
    ledger_deliver(ledger, message, 60, 10);
    ledger_drop_rest(ledger, message, "connection broken");
    expect_totals(1, 0, 1, 0, 0);
    expect_line("message 1, rank 0 to 1, 100 B: bytes 0..19 lost: connection broken; "
                "bytes 50..59 lost: connection broken; bytes 70..99 lost: connection broken");
    struct message_ref whole = open_message(100);
    ledger_deliver(ledger, whole, 0, 100);
    ledger_drop_rest(ledger, whole, "nothing is left to lose");
    finish(whole);
    expect_totals(2, 1, 1, 0, 0);
    ledger_drop_rest(ledger, whole, "closed");
    ledger_drop_rest(ledger, MESSAGE_NONE, "none");
    expect_totals(2, 1, 1, 0, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).dropped_parts, 3);
    ledger_free(ledger);
}

static void test_empty_messages(void)
{
    ledger = ledger_new();
    struct message_ref taken = open_message(0), dropped = open_message(0), resent = open_message(0);
    finish(taken); // nothing has to arrive
    expect_totals(3, 1, 0, 0, 0);
    ledger_drop(ledger, dropped, 0, 0, "queue full");
    ledger_drop(ledger, resent, 0, 0, "queue full");
    expect_totals(3, 1, 2, 0, 0);
    ledger_deliver(ledger, resent, 0, 0);
    finish(resent);
    expect_totals(3, 2, 1, 0, 0);
    expect_line("message 2, rank 0 to 1, 0 B: lost: queue full");
    SUITE_SAME_INTEGER(ledger_totals(ledger).bytes, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 0);
    ledger_free(ledger);
}

// Parts without bytes (an envelope alone) do not count for a message that has some.
static void test_empty_parts(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_deliver(ledger, message, 0, 0);
    ledger_deliver(ledger, message, 100, 0);
    ledger_drop(ledger, message, 50, 0, "envelope lost");
    expect_line("message 1, rank 0 to 1, 100 B: bytes 0..99 not delivered");
    ledger_deliver(ledger, message, 0, 100);
    finish(message);
    expect_totals(1, 1, 0, 0, 0);
    ledger_free(ledger);
}

// A message of no bytes whose packet was lost is whole once its receiver has it, however it came.
static void test_empty_and_dropped(void)
{
    ledger = ledger_new();
    struct message_ref first = open_message(0), second = open_message(0);
    ledger_drop(ledger, first, 0, 0, "gone");
    ledger_drop(ledger, second, 0, 0, "gone");
    expect_totals(2, 0, 2, 0, 0);
    finish(first);
    expect_totals(2, 1, 1, 0, 0);
    ledger_deliver(ledger, second, 0, 0);
    expect_totals(2, 1, 0, 0, 0);
    finish(second);
    expect_totals(2, 2, 0, 0, 0);
    expect_line(NULL);
    ledger_free(ledger);
}

static void expect_declined(uint64_t messages, uint64_t bytes, uint64_t open)
{
    struct ledger_totals totals = ledger_totals(ledger);
    SUITE_SAME_INTEGER(totals.declined, messages);
    SUITE_SAME_INTEGER(totals.declined_bytes, bytes);
    SUITE_SAME_INTEGER(totals.open, open);
    SUITE_SAME_INTEGER(totals.lost, 0);
}

// The report on closed declined messages, its lines joined by "|".
static void expect_declined_lines(unsigned limit, const char *expected)
{
    GPtrArray *lines = ledger_declined_report(ledger, limit);
    g_ptr_array_add(lines, NULL);
    char *text = g_strjoinv("|", (char **)lines->pdata);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_ptr_array_unref(lines);
}

static int watched;

static void count_whole(void *watcher, struct message_ref message)
{
    (void)watcher, (void)message;
    watched++;
}

// A part delivered and the rest declined: the books balance, and no watcher hears of a whole one.
static void test_declined_rest(void)
{
    ledger = ledger_new();
    watched = 0;
    ledger_watch(ledger, count_whole, NULL);
    struct message_ref message = open_message(1000);
    ledger_deliver(ledger, message, 0, 400);
    ledger_decline(ledger, message, 400, 300, "truncated");
    expect_declined(0, 300, 1);
    expect_line("message 1, rank 0 to 1, 1000 B: bytes 700..999 not delivered; "
                "bytes 400..699 declined: truncated");
    CU_ASSERT_FALSE(ledger_balanced(ledger));
    ledger_decline(ledger, message, 700, 300, "truncated");
    expect_line("message 1, rank 0 to 1, 1000 B: delivered or declined, but not taken by its "
                "receiver; bytes 400..999 declined: truncated");
    expect_declined_lines(10, "");
    CU_ASSERT_FALSE(ledger_balanced(ledger));
    finish(message);
    expect_declined(1, 600, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 400);
    CU_ASSERT_TRUE(ledger_balanced(ledger));
    expect_line(NULL);
    expect_declined_lines(10, "message 1, rank 0 to 1, 1000 B: bytes 400..999 declined: truncated");
    SUITE_SAME_INTEGER(watched, 0);
    deliver_whole(open_message(10), 10);
    SUITE_SAME_INTEGER(watched, 1);
    CU_ASSERT_TRUE(ledger_balanced(ledger));
    ledger_free(ledger);
}

// Parts come and are declined in any order; what was declined beyond a gap closes it with the rest.
static void test_declined_out_of_order(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_decline(ledger, message, 80, 20, "truncated");
    ledger_decline(ledger, message, 10, 10, "window");
    ledger_deliver(ledger, message, 20, 60);
    expect_line("message 1, rank 0 to 1, 100 B: bytes 0..9 not delivered; "
                "bytes 10..19 declined: window; bytes 80..99 declined: truncated");
    ledger_deliver(ledger, message, 0, 10);
    finish(message);
    expect_declined(1, 30, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 70);
    SUITE_SAME_INTEGER(ledger_totals(ledger).duplicated, 0);
    expect_declined_lines(10, "message 1, rank 0 to 1, 100 B: bytes 10..19 declined: window; "
                              "bytes 80..99 declined: truncated");
    // The place in the books has a new message, which is not declined.
    struct message_ref next = open_message(100);
    SUITE_SAME_INTEGER(next.index, message.index);
    deliver_whole(next, 100);
    expect_declined(1, 30, 0);
    CU_ASSERT_TRUE(ledger_balanced(ledger));
    ledger_free(ledger);
}

// Whole messages, with bytes and without, that are declined.
static void test_declined_whole(void)
{
    ledger = ledger_new();
    struct message_ref empty = open_message(0), full = open_message(10), taken = open_message(10);
    ledger_decline(ledger, empty, 0, 0, "no match");
    ledger_complete(ledger, empty);
    ledger_decline(ledger, full, 0, 10, "no match");
    ledger_complete(ledger, full);
    deliver_whole(taken, 10); // overtakes no message
    expect_declined(2, 10, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered, 1);
    SUITE_SAME_INTEGER(ledger_totals(ledger).misordered, 0);
    CU_ASSERT_TRUE(ledger_balanced(ledger));
    expect_declined_lines(10, "message 1, rank 0 to 1, 0 B: declined: no match|"
                              "message 2, rank 0 to 1, 10 B: bytes 0..9 declined: no match");
    expect_declined_lines(1, "message 1, rank 0 to 1, 0 B: declined: no match");
    ledger_free(ledger);
}

// Bytes that were dropped and then declined are no loss; a drop of declined bytes is none either.
static void test_declined_and_dropped(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_drop(ledger, message, 50, 50, "link down");
    SUITE_SAME_INTEGER(ledger_totals(ledger).lost, 1);
    ledger_decline(ledger, message, 40, 60, "truncated");
    ledger_drop(ledger, message, 60, 40, "link down");
    ledger_drop_rest(ledger, message, "connection broken"); // 0..39
    expect_line("message 1, rank 0 to 1, 100 B: bytes 0..39 lost: connection broken; "
                "bytes 40..99 declined: truncated");
    ledger_deliver(ledger, message, 0, 40);
    finish(message);
    expect_declined(1, 60, 0);
    CU_ASSERT_TRUE(ledger_balanced(ledger));
    ledger_free(ledger);
}

// Bytes declined or delivered twice, in each order, are a duplicate; the first counts.
static void test_declined_twice(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_deliver(ledger, message, 0, 50);
    ledger_decline(ledger, message, 40, 60, "truncated");
    SUITE_SAME_INTEGER(ledger_totals(ledger).duplicated, 1);
    expect_declined(0, 50, 1);
    ledger_decline(ledger, message, 90, 10, "again");
    ledger_deliver(ledger, message, 80, 10);
    SUITE_SAME_INTEGER(ledger_totals(ledger).duplicated, 3);
    finish(message);
    ledger_decline(ledger, message, 0, 1, "closed");
    SUITE_SAME_INTEGER(ledger_totals(ledger).duplicated, 4);
    expect_declined(1, 50, 0);
    SUITE_SAME_INTEGER(ledger_totals(ledger).delivered_bytes, 50);
    CU_ASSERT_FALSE(ledger_balanced(ledger));
    expect_declined_lines(10, "message 1, rank 0 to 1, 100 B: bytes 50..99 declined: truncated");
    ledger_free(ledger);
}

// The receiver has done with the message before the last of its bytes come, which it declines then.
static void test_declined_after_completion(void)
{
    ledger = ledger_new();
    struct message_ref message = open_message(100);
    ledger_deliver(ledger, message, 0, 30);
    finish(message);
    ledger_decline(ledger, message, 30, 30, "truncated");
    expect_declined(0, 30, 1);
    expect_line("message 1, rank 0 to 1, 100 B: bytes 60..99 not delivered; "
                "bytes 30..59 declined: truncated");
    ledger_decline(ledger, message, 60, 40, "truncated");
    expect_declined(1, 70, 0);
    CU_ASSERT_TRUE(ledger_balanced(ledger));
    ledger_free(ledger);
}

// Lines are kept of the first ones only; the totals count all.
static void test_declined_many(void)
{
    ledger = ledger_new();
    for (int i = 0; i < LEDGER_DECLINED_KEPT + 10; i++) {
        struct message_ref message = open_message(1);
        ledger_decline(ledger, message, 0, 1, "no match");
        ledger_complete(ledger, message);
    }
    expect_declined(LEDGER_DECLINED_KEPT + 10, LEDGER_DECLINED_KEPT + 10, 0);
    GPtrArray *lines = ledger_declined_report(ledger, 1000);
    SUITE_SAME_INTEGER(lines->len, LEDGER_DECLINED_KEPT);
    g_ptr_array_unref(lines);
    ledger_free(ledger);
}

static void test_control_packets(void)
{
    ledger = ledger_new();
    ledger_decline(ledger, MESSAGE_NONE, 0, 10, "no match");
    expect_declined(0, 0, 0);
    ledger_deliver(ledger, MESSAGE_NONE, 0, 10);
    ledger_drop(ledger, MESSAGE_NONE, 0, 10, "lost");
    finish(MESSAGE_NONE);
    expect_totals(0, 0, 0, 0, 0);
    ledger_free(ledger);
}

static void expect_described(struct message_ref message, int64_t offset, int64_t length,
                             const char *expected)
{
    char *text = ledger_describe(ledger, message, offset, length);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// A part of a message in words, as long as the message is on the books.
static void test_described(void)
{
    ledger = ledger_new();
    struct message_ref first = ledger_open(ledger, 0, 1, 10, 1);
    struct message_ref second = ledger_open(ledger, 3, 2, 0, 1);
    expect_described(first, 4, 6, "message 1, rank 0 to 1, 10 B: bytes 4..9");
    expect_described(second, 0, 0, "message 2, rank 3 to 2, 0 B");
    expect_described(MESSAGE_NONE, 0, 0, NULL);
    ledger_deliver(ledger, first, 0, 10);
    ledger_complete(ledger, first);
    expect_described(first, 4, 6, NULL);
    struct message_ref third = ledger_open(ledger, 5, 6, 1, 1); // in the first one's place
    expect_described(first, 4, 6, NULL);
    expect_described(third, 0, 1, "message 3, rank 5 to 6, 1 B: bytes 0..0");
    ledger_free(ledger);
}

// Within a flow the order is that of opening; flows don't see each other.
static void test_order(void)
{
    ledger = ledger_new();
    struct message_ref a[4], b[2];
    for (int i = 0; i < 4; i++)
        a[i] = ledger_open(ledger, 0, 1, 10, 1);
    for (int i = 0; i < 2; i++)
        b[i] = ledger_open(ledger, 1, 0, 10, 2);
    deliver_whole(b[0], 10);
    deliver_whole(a[0], 10);
    expect_totals(6, 2, 0, 0, 0);
    deliver_whole(a[2], 10); // overtakes a[1]
    deliver_whole(b[1], 10);
    expect_totals(6, 4, 0, 0, 0);
    deliver_whole(a[1], 10);
    expect_totals(6, 5, 0, 0, 1);
    deliver_whole(a[3], 10);
    expect_totals(6, 6, 0, 0, 1);
    ledger_free(ledger);
}

// A message that is lost is not overtaken by those after it.
static void test_order_over_a_loss(void)
{
    ledger = ledger_new();
    struct message_ref lost = open_message(10), next = open_message(10);
    ledger_drop(ledger, lost, 0, 10, "lost");
    deliver_whole(next, 10);
    expect_totals(2, 1, 1, 0, 0);
    ledger_free(ledger);
}

static void test_report_limit(void)
{
    ledger = ledger_new();
    struct message_ref messages[100];
    for (int i = 0; i < 100; i++)
        messages[i] = open_message(10);
    for (int i = 0; i < 50; i++)
        deliver_whole(messages[i], 10);
    for (int i = 0; i < 50; i++)
        open_message(20); // in places that became free
    GPtrArray *lines = ledger_report(ledger, 52);
    SUITE_SAME_INTEGER(lines->len, 52);
    SUITE_CONTAINS(g_ptr_array_index(lines, 0), "message 51, ");
    SUITE_CONTAINS(g_ptr_array_index(lines, 49), "message 100, ");
    SUITE_CONTAINS(g_ptr_array_index(lines, 51), "message 102, ");
    g_ptr_array_unref(lines);
    ledger_free(ledger);
}

// ---- Against a model: a byte map a message ----

#define MODEL_BYTES 60

enum byte_state { BYTE_OPEN, BYTE_DROPPED, BYTE_DELIVERED, BYTE_DECLINED };

// Does one thing to some bytes of the message and of its model. Returns whether it is a duplicate.
static bool random_step(struct random_stream *random, struct message_ref message,
                        enum byte_state *bytes)
{
    int from = (int)random_below(random, MODEL_BYTES);
    int to = from + 1 + (int)random_below(random, (uint64_t)(MODEL_BYTES - from));
    static const enum byte_state acts[] = {BYTE_DROPPED, BYTE_DROPPED, BYTE_DELIVERED,
                                           BYTE_DELIVERED, BYTE_DECLINED};
    enum byte_state act = acts[random_below(random, G_N_ELEMENTS(acts))];
    bool twice = false;
    for (int i = from; i < to; i++) {
        twice |= bytes[i] >= BYTE_DELIVERED;
        if (bytes[i] < BYTE_DELIVERED)
            bytes[i] = act;
    }
    if (act == BYTE_DROPPED)
        ledger_drop(ledger, message, from, to - from, "lost");
    else if (act == BYTE_DELIVERED)
        ledger_deliver(ledger, message, from, to - from);
    else
        ledger_decline(ledger, message, from, to - from, "unwanted");
    return act != BYTE_DROPPED && twice;
}

// Returns whether a part of the message was declined.
static bool random_message(struct random_stream *random, uint64_t *duplicated)
{
    enum byte_state bytes[MODEL_BYTES] = {BYTE_OPEN};
    struct message_ref message = open_message(MODEL_BYTES);
    struct ledger_totals before = ledger_totals(ledger);
    uint64_t counts[BYTE_DECLINED + 1] = {0};
    for (int step = 0; step < 30; step++) {
        *duplicated += random_step(random, message, bytes);
        memset(counts, 0, sizeof counts);
        for (int i = 0; i < MODEL_BYTES; i++)
            counts[bytes[i]]++;
        struct ledger_totals totals = ledger_totals(ledger);
        CU_ASSERT_EQUAL(totals.delivered_bytes - before.delivered_bytes, counts[BYTE_DELIVERED]);
        CU_ASSERT_EQUAL(totals.declined_bytes - before.declined_bytes, counts[BYTE_DECLINED]);
        CU_ASSERT_EQUAL(totals.lost, counts[BYTE_DROPPED] > 0);
        CU_ASSERT_EQUAL(totals.duplicated, *duplicated);
    }
    for (int i = 0; i < MODEL_BYTES; i++)
        if (bytes[i] < BYTE_DELIVERED)
            ledger_deliver(ledger, message, i, 1);
    finish(message);
    return counts[BYTE_DECLINED] > 0;
}

static void test_model(void)
{
    ledger = ledger_new();
    struct random_stream *random = random_new(1, "ledger model");
    uint64_t duplicated = 0, declined = 0;
    for (int i = 0; i < 2000; i++)
        declined += random_message(random, &duplicated);
    struct ledger_totals totals = ledger_totals(ledger);
    SUITE_SAME_INTEGER(totals.declined, declined);
    SUITE_SAME_INTEGER(totals.delivered, 2000 - declined);
    SUITE_SAME_INTEGER(totals.open + totals.lost, 0);
    CU_ASSERT_TRUE(declined > 100 && declined < 2000);
    random_free(random);
    ledger_free(ledger);
}

// A mark belongs to one message, as long as it is on the books.
static void test_marks(void)
{
    ledger = ledger_new();
    struct message_ref first = ledger_open(ledger, 0, 1, 8, 1), other;
    CU_ASSERT_FALSE(ledger_marked(ledger, first));
    CU_ASSERT_FALSE(ledger_marked(ledger, MESSAGE_NONE));
    ledger_mark(ledger, first);
    other = ledger_open(ledger, 0, 1, 8, 1);
    CU_ASSERT(ledger_marked(ledger, first) && !ledger_marked(ledger, other));
    deliver_whole(first, 8);
    CU_ASSERT_FALSE(ledger_marked(ledger, first));
    ledger_mark(ledger, first);
    CU_ASSERT_FALSE(ledger_marked(ledger, ledger_open(ledger, 0, 1, 8, 1)));
    ledger_free(ledger);
}

static void test_unmatched_flow(void)
{
    ledger = ledger_new();
    CU_ASSERT_FALSE(ledger_flow_unmatched(ledger, 7));
    struct message_ref first = ledger_open(ledger, 0, 1, 8, 7),
                       second = ledger_open(ledger, 0, 1, 8, 7);
    ledger_match(ledger, first);
    CU_ASSERT_TRUE(ledger_flow_unmatched(ledger, 7));
    CU_ASSERT_FALSE(ledger_flow_unmatched(ledger, 8));
    ledger_match(ledger, second);
    CU_ASSERT_FALSE(ledger_flow_unmatched(ledger, 7));
    ledger_free(ledger);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"in order", test_in_order},
        {"out of order", test_out_of_order},
        {"a report tells lost from open", test_gaps_in_report},
        {"duplicates and overlaps", test_duplicates},
        {"a duplicate of a closed message", test_late_duplicate},
        {"a loss that is made good", test_loss_made_good},
        {"a dropped copy of what is there", test_drop_of_delivered},
        {"completed with holes", test_completed_with_holes},
        {"all that is missing is dropped", test_drop_rest},
        {"a flow with messages that nothing has matched", test_unmatched_flow},
        {"messages of no bytes", test_empty_messages},
        {"parts of no bytes", test_empty_parts},
        {"messages of no bytes that were dropped", test_empty_and_dropped},
        {"the rest is declined", test_declined_rest},
        {"parts are declined out of order", test_declined_out_of_order},
        {"whole messages are declined", test_declined_whole},
        {"declined and dropped", test_declined_and_dropped},
        {"declined or delivered twice", test_declined_twice},
        {"declined after completion", test_declined_after_completion},
        {"many declined messages", test_declined_many},
        {"control packets", test_control_packets},
        {"a part in words", test_described},
        {"order within a flow", test_order},
        {"order over a loss", test_order_over_a_loss},
        {"the report is limited, oldest first", test_report_limit},
        {"random parts against a map of bytes", test_model},
        {"marks", test_marks},
        {NULL, NULL},
    };
    return suite_run("core: ledger", cases);
}
