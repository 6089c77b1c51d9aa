// SPDX-License-Identifier: GPL-3.0-or-later
// The message ledger: every way in which the bytes of a message can reach their place, or fail to.
#include "sim/core/ledger.h"
#include "sim/core/random.h"
#include "tests/support/suite.h"

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

// A part that comes after its message was closed, though the place in the books may have a new one.
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
    ledger_drop(ledger, first, 0, 100, "late"); // hurts nobody
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

// The receiver believes that it has all: what is missing stays on the books, and what comes later
// comes too late.
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

// Parts without bytes (an envelope alone) say nothing about a message that has some.
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

static void test_control_packets(void)
{
    ledger = ledger_new();
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

static void deliver_whole(struct message_ref message, int64_t bytes)
{
    ledger_deliver(ledger, message, 0, bytes);
    finish(message);
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

// A message that is lost is not overtaken by those behind it.
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

enum byte_state { BYTE_OPEN, BYTE_DROPPED, BYTE_DELIVERED };

static void random_message(struct random_stream *random, uint64_t *duplicated)
{
    enum byte_state bytes[MODEL_BYTES] = {BYTE_OPEN};
    struct message_ref message = open_message(MODEL_BYTES);
    uint64_t delivered_before = ledger_totals(ledger).delivered_bytes;
    for (int step = 0; step < 30; step++) {
        int from = (int)random_below(random, MODEL_BYTES);
        int to = from + 1 + (int)random_below(random, (uint64_t)(MODEL_BYTES - from));
        bool drop = random_chance(random, 0.4), twice = false;
        for (int i = from; i < to; i++) {
            twice |= bytes[i] == BYTE_DELIVERED;
            if (!drop)
                bytes[i] = BYTE_DELIVERED;
            else if (bytes[i] == BYTE_OPEN)
                bytes[i] = BYTE_DROPPED;
        }
        if (drop)
            ledger_drop(ledger, message, from, to - from, "lost");
        else
            ledger_deliver(ledger, message, from, to - from);
        *duplicated += !drop && twice;
        uint64_t delivered = 0, dropped = 0;
        for (int i = 0; i < MODEL_BYTES; i++) {
            delivered += bytes[i] == BYTE_DELIVERED;
            dropped += bytes[i] == BYTE_DROPPED;
        }
        struct ledger_totals totals = ledger_totals(ledger);
        CU_ASSERT_EQUAL(totals.delivered_bytes - delivered_before, delivered);
        CU_ASSERT_EQUAL(totals.lost, dropped > 0);
        CU_ASSERT_EQUAL(totals.duplicated, *duplicated);
    }
    for (int i = 0; i < MODEL_BYTES; i++)
        if (bytes[i] != BYTE_DELIVERED)
            ledger_deliver(ledger, message, i, 1);
    finish(message);
}

static void test_model(void)
{
    ledger = ledger_new();
    struct random_stream *random = random_new(1, "ledger model");
    uint64_t duplicated = 0;
    for (int i = 0; i < 2000; i++)
        random_message(random, &duplicated);
    expect_totals(2000, 2000, 0, duplicated, 0);
    random_free(random);
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
        {"messages of no bytes", test_empty_messages},
        {"parts of no bytes", test_empty_parts},
        {"messages of no bytes that were dropped", test_empty_and_dropped},
        {"control packets", test_control_packets},
        {"a part in words", test_described},
        {"order within a flow", test_order},
        {"order over a loss", test_order_over_a_loss},
        {"the report is limited, oldest first", test_report_limit},
        {"random parts against a map of bytes", test_model},
        {NULL, NULL},
    };
    return suite_run("core: ledger", cases);
}
