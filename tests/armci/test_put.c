// SPDX-License-Identifier: GPL-3.0-or-later
// Put and accumulate: the phases and their order (thesis 001, Figs 3.2 and 3.3), the two waits of
// the pipeline, and the processor that runs each phase.
#include "tests/support/armci_run.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#define SERVER "data server node1"
#define MEGABYTE_PUT "{put: {to: 1, size: 1 MB}}, {fence: all}"

static const struct test_program sequential = {
    .ranks = 2, .sets = {"armci.put=sequential"}, .ops = {MEGABYTE_PUT}, .all = "barrier"};
static const struct test_program pipelined = {
    .ranks = 2, .sets = {"armci.put=pipelined"}, .ops = {MEGABYTE_PUT}, .all = "barrier"};

// armci.put.ack_before_copyr: a server that is slow at the first buffer does not hold up the
// acknowledgement of the second.
static void test_ack_before_copyr(void)
{
    struct program_run *run = armci_run_good(
        &(struct test_program){.ranks = 2,
                               .sets = {"armci.put=sequential", "armci.accumulate_kib=1024 us"},
                               .ops = {"{accumulate: {to: 1, size: 800 kB}}, {fence: 1}"},
                               .all = "barrier"});
    sim_time ack = armci_run_when(run, "rank 0", "context[1] sending -> ACK", 2);
    CU_ASSERT(ack < armci_run_when(run, SERVER, "COPYR", 1) + 400 * TIME_MS); // the first is not
                                                                              // done yet
    CU_ASSERT(ack < armci_run_when(run, SERVER, "COPYR", 2));
    program_run_free(run);
}

// armci.put.overlap_sender and armci.put.overlap_receiver.
static void test_overlap(void)
{
    struct program_run *run = armci_run_good(&pipelined);
    for (int i = 1; i < 3; i++) {
        sim_time copy = armci_run_when(run, "rank 0", "-> COPYS", i + 1);
        CU_ASSERT(armci_run_when(run, "rank 0", "-> XMIT", i) <= copy); // one is being sent
        CU_ASSERT(copy < armci_run_when(run, "rank 0", "-> ACK", i));
    }
    sim_time copy = armci_run_when(run, SERVER, "COPYR", 1); // takes 4.7 ms at the least
    CU_ASSERT(copy < armci_run_when(run, "rank 0", "-> ACK", 2));
    CU_ASSERT(armci_run_when(run, "rank 0", "-> XMIT", 2) < copy + 4700 * TIME_US);
    program_run_free(run);
}

// Time that a client takes to pack the second of many buffers, in a cache of 1 MiB: a byte takes 1
// ns in it, and 2 ns out of it.
static sim_time packing(const char *put)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 2,
        .sets = {put, "host.memory.cache=1 MiB", "host.memory.cache_ways=4",
                 "host.memory.copy_cached=1000 MB/s", "host.memory.copy_uncached=500 MB/s",
                 "host.memory.copy_traffic=2", "host.memory.bus_rate=0 B/s", "armci.send_tokens=2"},
        .ops = {"{put: {to: 1, size: 4 MB}}, {fence: 1}"},
        .all = "barrier"});
    sim_time time = armci_run_when(run, "rank 0", "COPYS -> XMIT", 2) -
                    armci_run_when(run, "rank 0", "-> COPYS", 2);
    program_run_free(run);
    return time;
}

// A buffer is in the cache when its turn comes soon enough, however long the message is; the
// message itself is not.
static void test_cache(void)
{
    sim_time one = packing("armci.put=sequential"), two = packing("armci.put=pipelined");
    CU_ASSERT(one >= 600 * TIME_US && one < 605 * TIME_US);
    CU_ASSERT(two >= 800 * TIME_US && two < 805 * TIME_US);
}

// Reads "…buffer N…" or "…context[N]…".
static int number_behind(const char *text, const char *what)
{
    const char *at = strstr(text, what);
    return at ? (int)g_ascii_strtoll(at + strlen(what), NULL, 10) : 0;
}

// Follows a client's buffers: armci.put.context_array (one is filled only if its own flag shows
// that its earlier send is acknowledged), armci.put.pipelined_order (they are taken in turn), and
// armci.put.one_outstanding_send (a second send waits for the first).
static void check_buffers(const struct program_run *run, int buffers)
{
    bool sending[16] = {false};
    int out = 0, last = 0, sent = 0;
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        int buffer = number_behind(line->text, "buffer ");
        if (strcmp(line->where, "rank 0") != 0)
            continue;
        if (strstr(line->text, "-> COPYS")) {
            CU_ASSERT_FALSE(sending[buffer]);
            SUITE_SAME_INTEGER(buffer, last % buffers + 1);
            last = buffer;
        } else if (strstr(line->text, "COPYS -> XMIT")) {
            SUITE_SAME_INTEGER(out, 0);
            sending[buffer] = true;
            out++;
            sent++;
        } else if (strstr(line->text, "ARMCI context[")) {
            buffer = number_behind(line->text, "context[");
            out -= sending[buffer];
            sending[buffer] = false;
        }
    }
    CU_ASSERT(sent > 0);
    SUITE_SAME_INTEGER(out, 0);
    SUITE_SAME_INTEGER(
        program_counter(run, "ARMCI: most sends of a client without acknowledgement"), 1);
}

static void test_buffers(void)
{
    static const char *const returns[] = {"after_last_ack", "after_last_send"};
    for (int buffers = 1; buffers <= 4; buffers++)
        for (int i = 0; i < 2; i++) {
            char *number = g_strdup_printf("armci.send_buffers=%d", buffers),
                 *way = g_strdup_printf("armci.put_returns=%s", returns[i]);
            struct program_run *run = armci_run_good(&(struct test_program){
                .ranks = 2,
                .sets = {number, way, "armci.buffer=10000 B"},
                .ops = {"{put: {to: 1, size: 95 kB}}, {put: {to: 1, size: 5 kB}}, "
                        "{put: {to: 1, size: 41 kB}}, {fence: all}"},
                .all = "barrier"});
            SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "COPYS -> XMIT"), 10 + 1 + 5);
            check_buffers(run, buffers);
            program_run_free(run);
            g_free(number);
            g_free(way);
        }
}

// armci.put.first_buffer_serial: within one buffer the pipeline has nothing to overlap.
static void test_one_buffer(void)
{
    struct test_program one = sequential, other = pipelined;
    one.ops[0] = other.ops[0] = "{put: {to: 1, size: 390 kB}}, {put: {to: 1, size: 400000 B}}";
    struct program_run *first = armci_run_good(&one), *second = armci_run_good(&other);
    for (int i = 1; i <= 2; i++) {
        SUITE_SAME_INTEGER(armci_run_when(second, "rank 0", "-> XMIT", i),
                           armci_run_when(first, "rank 0", "-> XMIT", i));
        SUITE_SAME_INTEGER(armci_run_when(second, "rank 0", "-> done", i),
                           armci_run_when(first, "rank 0", "-> done", i));
    }
    program_run_free(first);
    program_run_free(second);
}

// armci.put.server_replenish: another buffer of the same size goes to the port before the received
// one is copied out; with a single buffer after that.
static void check_replenish(int buffers, bool before)
{
    char *number = g_strdup_printf("armci.large_buffers=%d", buffers);
    struct test_program program = pipelined;
    program.sets[1] = number;
    struct program_run *run = armci_run_good(&program);
    char *all = armci_run_text(run, SERVER, "data server");
    const char *at = strstr(all, "RECV put[1]");
    for (int i = 0; i < 3 && at; i++) {
        const char *provide = strstr(at, "provide size class 19"), *copy = strstr(at, "COPYR");
        CU_ASSERT(provide && copy && (provide < copy) == before);
        at = strstr(at + 1, "RECV put[1]");
    }
    g_free(all);
    g_free(number);
    program_run_free(run);
}

static void test_replenish(void)
{
    check_replenish(2, true);
    check_replenish(3, true);
    check_replenish(1, false);
}

// armci.accumulate.like_put: the same phases, and the pipeline gains. (`netsim validate` checks how
// much.)
static void test_accumulate(void)
{
    struct test_program program = pipelined;
    struct program_run *put = armci_run_good(&program);
    program.ops[0] = "{accumulate: {to: 1, size: 1 MB}}, {fence: all}";
    struct program_run *accumulate = armci_run_good(&program);
    program.sets[0] = "armci.put=sequential";
    struct program_run *slow = armci_run_good(&program);
    char *one = armci_run_text(put, "rank 0", "put"),
         *other = armci_run_text(accumulate, "rank 0", "accumulate");
    GString *renamed = g_string_new(other);
    g_string_replace(renamed, "accumulate", "put", 0);
    SUITE_SAME_TEXT(renamed->str, one);
    CU_ASSERT(armci_run_when(accumulate, "rank 0", "ACKS -> done", 1) <
              armci_run_when(slow, "rank 0", "ACKS -> done", 1));
    g_string_free(renamed, TRUE);
    g_free(one);
    g_free(other);
    program_run_free(put);
    program_run_free(accumulate);
    program_run_free(slow);
}

static sim_time pipelined_end(const char *op, const char *set, const char *other)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 2,
        .sets = {"armci.put=pipelined", "host.memory.bus_rate=252 MB/s", set, other},
        .ops = {op},
        .all = "barrier"});
    sim_time end = armci_run_when(run, "rank 0", "ACKS -> done", 1);
    program_run_free(run);
    return end;
}

// The other half of armci.accumulate.like_put: the server makes one pass, of the longer of memory
// accesses and additions. If a copy moves three bytes over the bus per byte, as the pass does, and
// the additions take no longer, accumulate takes as long as put. With two buffers the client does
// not wait for the server, with six it does.
static void test_one_pass(void)
{
    static const char *const put = "{put: {to: 1, size: 2400 kB}}, {fence: all}",
                             *const add = "{accumulate: {to: 1, size: 2400 kB}}, {fence: all}",
                             *const three = "host.memory.copy_traffic=3",
                             *const two = "host.memory.copy_traffic=2";
    sim_time copied = pipelined_end(put, three, NULL);
    SUITE_SAME_INTEGER(pipelined_end(add, three, "armci.accumulate_kib=0"), copied);
    SUITE_SAME_INTEGER(pipelined_end(add, three, "armci.accumulate_kib=1 us"), copied);
    CU_ASSERT(pipelined_end(add, three, "armci.accumulate_kib=20 us") > copied + 1 * TIME_MS);
    CU_ASSERT(pipelined_end(add, two, "armci.accumulate_kib=0") >
              pipelined_end(put, two, NULL) + 1 * TIME_MS);
}

static sim_time in_node(const char *op, const char *traffic, const char *sums)
{
    struct program_run *run = armci_run_good(
        &(struct test_program){.ranks = 1,
                               .sets = {traffic, sums, "host.memory.copy_uncached=100 MB/s",
                                        "host.memory.copy_cached=100 MB/s", "armci.block=0",
                                        "host.memory.copy_setup=0", "host.memory.bus_rate=0 B/s"},
                               .ops = {op}});
    sim_time time = armci_run_when(run, "rank 0", "shared -> done", 1) -
                    armci_run_when(run, "rank 0", "-> shared", 1);
    program_run_free(run);
    return time;
}

// Within a node: a copy of 1024 KiB in 10.486 ms; one pass moves three bytes for a copy's two.
static void test_one_pass_in_node(void)
{
    static const char *const put = "{put: {to: 0, size: 1 MiB}}",
                             *const add = "{accumulate: {to: 0, size: 1 MiB}}",
                             *const three = "host.memory.copy_traffic=3",
                             *const two = "host.memory.copy_traffic=2";
    static const sim_time copy = INT64_C(1048576) * 10 * TIME_NS;
    sim_time rest = in_node(put, three, "armci.accumulate_kib=0") - copy;
    CU_ASSERT(rest >= 0 && rest < TIME_US);
    SUITE_SAME_INTEGER(in_node(put, two, "armci.accumulate_kib=0"), copy + rest);
    SUITE_SAME_INTEGER(in_node(add, three, "armci.accumulate_kib=0"), copy + rest);
    SUITE_SAME_INTEGER(in_node(add, three, "armci.accumulate_kib=10 us"), copy + rest);
    SUITE_SAME_INTEGER(in_node(add, two, "armci.accumulate_kib=10 us"), copy * 3 / 2 + rest);
    SUITE_SAME_INTEGER(in_node(add, two, "armci.accumulate_kib=16 us"), 1024 * 16 * TIME_US + rest);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"armci.put.ack_before_copyr", test_ack_before_copyr},
        {"armci.put.overlap_sender, armci.put.overlap_receiver", test_overlap},
        {"what a buffer finds in the cache", test_cache},
        {"armci.put.pipelined_order, armci.put.context_array, armci.put.one_outstanding_send",
         test_buffers},
        {"armci.put.first_buffer_serial", test_one_buffer},
        {"armci.put.server_replenish", test_replenish},
        {"armci.accumulate.like_put", test_accumulate},
        {"armci.accumulate.like_put: one pass", test_one_pass},
        {"armci.accumulate.like_put: one pass within a node", test_one_pass_in_node},
        {0},
    };
    return suite_run("armci: put", cases);
}
