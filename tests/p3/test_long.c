// SPDX-License-Identifier: GPL-3.0-or-later
// Long messages of Portals over Intercept, from the program to the cards (thesis 002, 5.2.2).
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define MIB 1048576

#define MACHINE                                                                                    \
    "nic: intercept\n"                                                                             \
    "links: [{from: node0, to: node1, count: 2}]\n"                                                \
    "link: {rate: 2 Gb/s, propagation: 325 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"       \
    "host: {processor: {cores: 2, clock: 1 GHz}}\n"

// rank 1 has a portal that takes 8 MiB.
#define TAKES(keys) "{attach: {portal: 2, size: 8 MiB" keys "}}"
#define PUT(size, keys) "{put: {to: 1, size: " size ", portal: 2" keys "}}"
#define LATER "{compute: 1 ms}, "

static struct test_program pair(const char *initiator, const char *target)
{
    return (struct test_program){
        .ranks = 2, .machine = MACHINE, .stack = "portals", .ops = {initiator, target}};
}

static int64_t handler_count(const struct program_run *run, const char *what)
{
    char *name = g_strdup_printf("VDMA handler: %s", what);
    int64_t count = program_counter(run, name);
    g_free(name);
    return count;
}

static int64_t count(const struct program_run *run, const char *part)
{
    int64_t found = 0;
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        found += strstr(line->text, part) != NULL;
    }
    return found;
}

// icpt.long.flow, icpt.long.receiver_driven, icpt.conn.pseudo_connectionless: the first long put to
// a peer connects the handlers and has the peer enter the sender in its table; the second, and one
// back, find them connected.
static void test_flow(void)
{
    struct test_program program = pair(
        LATER TAKES("") ", " PUT("2621440 B", "") ", " PUT(
            "2621440 B", "") ", {event: {kind: put_end, count: 1}}",
        TAKES("") ", {event: {kind: put_end, count: 2}}, {put: {to: 0, size: 1 MiB, portal: 2}}");
    struct program_run *run = program_run_good(&program);
    SUITE_SAME_INTEGER(handler_count(run, "CONNECT sent"), 1);
    SUITE_SAME_INTEGER(handler_count(run, "UPD_CONN posted"), 1);
    SUITE_SAME_INTEGER(handler_count(run, "TRY_MATCH posted"), 3);
    SUITE_SAME_INTEGER(handler_count(run, "MATCH_REPLY posted"), 3);
    SUITE_SAME_INTEGER(handler_count(run, "GET sent"), 7);
    SUITE_SAME_INTEGER(handler_count(run, "slices received"), 7);
    SUITE_SAME_INTEGER(handler_count(run, "slices copied"), 0);
    SUITE_SAME_INTEGER(count(run, "NEW -> CONNECTING"), 1);
    SUITE_SAME_INTEGER(count(run, "NEW -> WAIT_MATCH"), 2);
    program_run_free(run);
}

// icpt.short.nomatch, icpt.portals.truncation: only the bytes that the target wants are fetched;
// the initiator is notified alike in all cases.
static void test_wanted(void)
{
    static const struct {
        const char *target;
        int64_t gets, declined;
    } rows[] = {
        {"{compute: 1 ms}", 0, 3 * MIB},
        {"{attach: {portal: 2, size: 2 MiB}}", 0, 3 * MIB},
        {"{attach: {portal: 2, size: 2 MiB, truncate: true}}", 2, MIB},
        {"{attach: {portal: 2, size: 0 B, truncate: true}}", 0, 3 * MIB},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct test_program program = pair(LATER PUT("3 MiB", ""), rows[i].target);
        struct program_run *run = program_run_good(&program);
        SUITE_SAME_INTEGER(handler_count(run, "GET sent"), rows[i].gets);
        SUITE_SAME_INTEGER(handler_count(run, "MATCH_REPLY posted"), 1);
        SUITE_SAME_INTEGER(run->result->ledger.declined_bytes, rows[i].declined);
        SUITE_SAME_INTEGER(count(run, "put[1] wait_send_end -> done"), 1);
        program_run_free(run);
    }
}

// A process that is not there: the message is dropped with an error, and its sender waits for ever.
static void test_unknown_pid(void)
{
    struct test_program program = pair(LATER PUT("1 MiB", ", pid: 77"), TAKES(""));
    struct program_run *run = program_run(&program, 1);
    char *text = program_reason(run, "text");
    SUITE_SAME_INTEGER(run->result->status, SIM_DEADLOCK);
    SUITE_CONTAINS(text, "node0 waits for MATCH_REPLY for long message 1 from node1");
    SUITE_SAME_INTEGER(program_counter(run, "RMPP: messages to an unknown pid"), 1);
    SUITE_SAME_INTEGER(handler_count(run, "GET sent"), 0);
    g_free(text);
    program_run_free(run);
}

// icpt.align.different_displacement, icpt.align.same_displacement: any address and length.
static void test_alignment(void)
{
    static const struct {
        const char *from, *to, *size;
        int64_t copies;
    } rows[] = {
        {"16777216", "33554432", "3 MiB", 0},   {"16777220", "33554432", "3145729 B", 3},
        {"16777220", "33554436", "3 MiB", 0},   {"16777216", "33554437", "12345 B", 1},
        {"16777223", "33554439", "10001 B", 0}, {"16777217", "33554439", "8161 B", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *put = g_strdup_printf(LATER "{put: {to: 1, size: %s, portal: 2, buffer: %s}}",
                                    rows[i].size, rows[i].from);
        char *attach =
            g_strdup_printf("{attach: {portal: 2, size: 8 MiB, buffer: %s}}", rows[i].to);
        struct test_program program = pair(put, attach);
        struct program_run *run = program_run_good(&program);
        SUITE_SAME_INTEGER(handler_count(run, "slices copied"), rows[i].copies);
        SUITE_SAME_INTEGER(run->result->ledger.declined, 0);
        program_run_free(run);
        g_free(attach);
        g_free(put);
    }
}

// Without that, the unmodified handler below Portals would not do.
static void test_refused(void)
{
    struct test_program program = pair(LATER PUT("9001 B", ""), TAKES(""));
    program.sets[0] = "vdma_handler.unaligned=refuse";
    struct program_run *run = program_run(&program, 1);
    char *text = program_reason(run, "text");
    SUITE_SAME_INTEGER(run->result->status, SIM_FAILED);
    SUITE_CONTAINS(text, "rank 1 cannot read 9001 B from node0: VDMA: length no multiple of 8 B");
    SUITE_CONTAINS(text, "vdma_handler.unaligned");
    g_free(text);
    program_run_free(run);
}

// icpt.portals.in_order_begin: a short put that is sent after a long one is matched first, as
// nothing keeps the order between the two paths. Within each it is kept.
static void test_order(void)
{
    struct test_program program = pair(
        LATER PUT("1 MiB", ", request: a") ", " PUT("29 B", ", request: b") ", " PUT(
            "1 MiB",
            ", request: c") ", " PUT("29 B",
                                     ", request: d") ", {wait: a}, {wait: b}, {wait: c}, {wait: d}",
        TAKES("") ", {event: {kind: put_end, count: 4}}");
    struct program_run *run = program_run_good(&program);
    sim_time long_matched = 0, short_ended = 0;
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (strstr(line->text, "long receive[1] MATCHED -> READING"))
            long_matched = line->when;
        if (!short_ended && strstr(line->text, "put[2] wait_send_end -> done"))
            short_ended = line->when;
    }
    CU_ASSERT_TRUE(short_ended > 0 && short_ended < long_matched);
    program_run_free(run);
    // With all of them long they begin in order.
    program.sets[0] = "p3.version=vdma";
    program_run_free(program_run_good(&program));
}

// send_long_msg refuses other tasks than the process that has registered: a long reply.
static void test_long_reply(void)
{
    struct test_program program = pair(LATER "{get: {from: 1, size: 1 MiB, portal: 2}}",
                                       TAKES(", get: true") ", {compute: 20 ms}");
    struct program_run *run = program_run(&program, 1);
    char *kind = program_reason(run, "kind");
    SUITE_SAME_TEXT(kind, "long_reply");
    g_free(kind);
    program_run_free(run);
    program.sets[0] = "p3.long_replies=true";
    run = program_run_good(&program);
    SUITE_SAME_INTEGER(handler_count(run, "slices received"), 1);
    program_run_free(run);
}

// A transfer that never ends: the report has its numbers.
static void test_report(void)
{
    struct test_program program = pair(LATER PUT("1 MiB", ""), TAKES(""));
    program.sets[0] = "intercept.old_firmware=true";
    program.ops[0] = LATER "{put: {to: 1, size: 64 KiB, portal: 2, buffer: 16777248}}";
    program.ops[1] = "{attach: {portal: 2, size: 8 MiB, buffer: 33554464}}";
    struct program_run *run = program_run(&program, 1);
    char *text = program_reason(run, "text");
    SUITE_SAME_INTEGER(run->result->status, SIM_DEADLOCK);
    SUITE_CONTAINS(text, "MATCH_REPLY for long message 1 from node1");
    SUITE_CONTAINS(text, "the VDMA read of long message 1 from node0");
    SUITE_CONTAINS(text, "128 of 128 packets of slice 1 (channel 0) from node0");
    g_free(text);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a long put, twice and back", test_flow},
        {"what the target wants", test_wanted},
        {"unknown pid", test_unknown_pid},
        {"any address and length", test_alignment},
        {"an unmodified handler", test_refused},
        {"order between short and long", test_order},
        {"long replies", test_long_reply},
        {"what it waits for", test_report},
        {0},
    };
    return suite_run("p3: long messages", cases);
}
