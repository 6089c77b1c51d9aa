// SPDX-License-Identifier: GPL-3.0-or-later
// Put and accumulate: the phases and their order (thesis 001, Figs 3.2 and 3.3), the two waits of
// the pipeline, and who does what where.
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

static sim_time when(const struct program_run *run, const char *where, const char *part, int nth)
{
    sim_time time = armci_run_when(run, where, part, nth);
    if (time < 0)
        SUITE_SAME_TEXT("", part); // there is no such line
    return time;
}

// armci.put.baseline_phases: COPYS, XMIT/RECV and COPYR for each buffer; armci.put.phase_location:
// at the client, on the cards, at the server.
static void test_sequential_phases(void)
{
    struct program_run *run = armci_run_good(&sequential);
    char *client = armci_run_text(run, "rank 0", "put[1]"),
         *server = armci_run_text(run, SERVER, "data server[1]");
    SUITE_SAME_TEXT(client, "put[1] queued -> start\n"
                            "put[1] start -> BUFFER\n"
                            "put[1] BUFFER -> COPYS buffer 1: 400000 B at 0\n"
                            "put[1] COPYS -> XMIT buffer 1\n"
                            "put[1] XMIT -> BUFFER\n"
                            "put[1] BUFFER -> COPYS buffer 1: 400000 B at 400000\n"
                            "put[1] COPYS -> XMIT buffer 1\n"
                            "put[1] XMIT -> BUFFER\n"
                            "put[1] BUFFER -> COPYS buffer 1: 200000 B at 800000\n"
                            "put[1] COPYS -> XMIT buffer 1\n"
                            "put[1] XMIT -> ACKS\n"
                            "put[1] ACKS -> done\n");
    SUITE_SAME_TEXT(server, "data server[1] COPYR 400000 B at 0\n"
                            "data server[1] done put\n"
                            "data server[1] COPYR 400000 B at 400000\n"
                            "data server[1] done put\n"
                            "data server[1] COPYR 200000 B at 800000\n"
                            "data server[1] done put\n");
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "RECV put[1]"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "COPYR"), 0);
    SUITE_SAME_INTEGER(armci_run_count(run, "data server node0", "COPY"), 0);
    // Nothing is on the sending card before the first XMIT.
    CU_ASSERT(when(run, "node0", "SEND[0] idle -> data", 1) > when(run, "rank 0", "-> XMIT", 1));
    g_free(client);
    g_free(server);
    program_run_free(run);
}

// armci.put.baseline_sequential: the next buffer is packed only behind the acknowledgement.
static void test_sequential_order(void)
{
    struct program_run *run = armci_run_good(&sequential);
    for (int i = 1; i < 3; i++) {
        sim_time sent = when(run, "rank 0", "-> XMIT", i), ack = when(run, "rank 0", "-> ACK", i);
        CU_ASSERT(sent < ack);
        CU_ASSERT(ack <= when(run, "rank 0", "-> COPYS", i + 1));
    }
    program_run_free(run);
}

// armci.put.ack_before_copyr: a server that is slow at the first buffer does not hold up the
// acknowledgement of the second.
static void test_ack_before_copyr(void)
{
    struct program_run *run = armci_run_good(
        &(struct test_program){.ranks = 2,
                               .sets = {"armci.put=sequential", "armci.accumulate_kib=1024 us"},
                               .ops = {"{accumulate: {to: 1, size: 800 kB}}, {fence: 1}"},
                               .all = "barrier"});
    sim_time ack = when(run, "rank 0", "context[1] sending -> ACK", 2);
    CU_ASSERT(ack < when(run, SERVER, "COPYR", 1) + 400 * TIME_MS); // the first is not done yet
    CU_ASSERT(ack < when(run, SERVER, "COPYR", 2));
    program_run_free(run);
}

// armci.put.overlap_sender and armci.put.overlap_receiver.
static void test_overlap(void)
{
    struct program_run *run = armci_run_good(&pipelined);
    for (int i = 1; i < 3; i++) {
        sim_time copy = when(run, "rank 0", "-> COPYS", i + 1);
        CU_ASSERT(when(run, "rank 0", "-> XMIT", i) <= copy); // one is on its way
        CU_ASSERT(copy < when(run, "rank 0", "-> ACK", i));
    }
    sim_time copy = when(run, SERVER, "COPYR", 1); // takes 4.7 ms at the least
    CU_ASSERT(copy < when(run, "rank 0", "-> ACK", 2));
    CU_ASSERT(when(run, "rank 0", "-> XMIT", 2) < copy + 4700 * TIME_US);
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
    sim_time time = when(run, "rank 0", "COPYS -> XMIT", 2) - when(run, "rank 0", "-> COPYS", 2);
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

// Follows a client's buffers: armci.put.context_array (one is filled only if its own flag says that
// its earlier send is acknowledged), armci.put.pipelined_order (they are taken in turn), and
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
        SUITE_SAME_INTEGER(when(second, "rank 0", "-> XMIT", i),
                           when(first, "rank 0", "-> XMIT", i));
        SUITE_SAME_INTEGER(when(second, "rank 0", "-> done", i),
                           when(first, "rank 0", "-> done", i));
    }
    program_run_free(first);
    program_run_free(second);
}

// armci.put.server_replenish: another buffer of the same size goes to the port before the received
// one is copied out; with a single one that comes behind.
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

// armci.put.callback: each transmission is marked as done by its callback.
static void test_callbacks(void)
{
    struct program_run *run = armci_run_good(&pipelined);
    // Of three buffers and the fence.
    SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "sending -> ACK"), 4);
    SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "context[1] sending -> ACK"), 2);
    SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "context[2] sending -> ACK"), 1);
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: sends of clients"), 4);
    program_run_free(run);
}

// armci.gm.token_recovery_via_iprobe: the card has the acknowledgement long before, but a process
// that computes does not call MPI_Iprobe, and has neither token nor flag.
static void test_token_recovery(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 2,
        .sets = {"armci.put_returns=after_last_send"},
        .ops = {"{put: {to: 1, size: 1 kB}}, {compute: 50 ms}, {put: {to: 1, size: 1 kB}}"},
        .all = "barrier"});
    CU_ASSERT(when(run, SERVER, "RECV put[1]", 1) < 5 * TIME_MS);
    CU_ASSERT(when(run, "node0", "send token[0] sent -> client", 1) > 50 * TIME_MS);
    CU_ASSERT(when(run, "rank 0", "context[1] sending -> ACK", 1) > 50 * TIME_MS);
    CU_ASSERT(when(run, "rank 0", "put[2] COPYS -> XMIT", 1) >
              when(run, "rank 0", "context[1] sending -> ACK", 1));
    CU_ASSERT(program_counter(run, "MPICH: calls of MPI_Iprobe by ARMCI") > 0);
    program_run_free(run);
}

// armci.put.no_copy_alternative: direct only if the data lie together (armci.gm.no_scatter_gather:
// else they are packed) and may be registered.
static void expect_copies(const char *op, const char *set, bool copied)
{
    struct program_run *run =
        armci_run_good(&(struct test_program){.ranks = 2,
                                              .sets = {"armci.put=direct", set},
                                              .ops = {op},
                                              .all = "{fence: all}, barrier"});
    CU_ASSERT((armci_run_count(run, "rank 0", "-> COPYS") > 0) == copied);
    CU_ASSERT((armci_run_count(run, SERVER, "COPYR") > 0) == copied);
    program_run_free(run);
}

static void test_direct(void)
{
    expect_copies("{put: {to: 1, size: 1 MB}}", NULL, false);
    expect_copies("{put: {to: 1, size: 10 B}}, {put: {to: 1, size: 20 B}}", NULL, false);
    expect_copies("{put: {to: 1, strided: {counts: [1000 B, 100], strides: [2000 B]}}}", NULL,
                  true);
    expect_copies("{put: {to: 1, size: 1 MB}}", "gm.registration=false", true);
    expect_copies("{put: {to: 1, size: 1 MB}}", "host.memory.pin_limit=900 kB", true);
    expect_copies("{accumulate: {to: 1, size: 1 MB}}", NULL, true);
}

// armci.accumulate.like_put: the same phases, and the pipeline gains. (How much is for `netsim
// validate` to say.)
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
    CU_ASSERT(when(accumulate, "rank 0", "ACKS -> done", 1) <
              when(slow, "rank 0", "ACKS -> done", 1));
    g_string_free(renamed, TRUE);
    g_free(one);
    g_free(other);
    program_run_free(put);
    program_run_free(accumulate);
    program_run_free(slow);
}

static sim_time pipelined_end(const char *op, const char *set)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 2, .sets = {"armci.put=pipelined", set}, .ops = {op}, .all = "barrier"});
    sim_time end = when(run, "rank 0", "ACKS -> done", 1);
    program_run_free(run);
    return end;
}

// The other half of armci.accumulate.like_put: what keeps accumulate from being as quick as put is
// its addition. Of two buffers nobody waits for the server, of six the client does.
static void test_addition(void)
{
    static const char *const free_sum = "armci.accumulate_kib=0";
    sim_time put = pipelined_end("{put: {to: 1, size: 2400 kB}}, {fence: all}", NULL);
    sim_time adds = pipelined_end("{accumulate: {to: 1, size: 2400 kB}}, {fence: all}", NULL);
    sim_time only_copies =
        pipelined_end("{accumulate: {to: 1, size: 2400 kB}}, {fence: all}", free_sum);
    CU_ASSERT(llabs(only_copies - put) < 10 * TIME_US);
    CU_ASSERT(adds > put + 1 * TIME_MS);
}

// armci.dyn.size_tag: the header says how large the buffer is. Unless it is asked for, buffers are
// fixed.
static void test_size_tag(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"armci.buffer_scheme=dynamic", "armci.put_returns=after_last_send"},
        .ops = {"{put: {to: 1, size: 390 kB}}, {put: {to: 1, size: 10 B}}, {fence: all}"},
        .all = "barrier"};
    struct program_run *run = armci_run_good(&program);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "390080 B in a buffer of 390080 B"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "90 B in a buffer of 90 B"), 1);
    program_run_free(run);
    program.sets[0] = NULL;
    run = armci_run_good(&program);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "90 B in a buffer of 400344 B"), 1);
    program_run_free(run);
}

// A region that several pieces share, and that is too small for all of them: it drains and goes on.
static void test_dynamic(void)
{
    struct program_run *run = armci_run_good(
        &(struct test_program){.ranks = 2,
                               .sets = {"armci.buffer_scheme=dynamic", "armci.region=500 kB",
                                        "armci.put_returns=after_last_send"},
                               .ops = {"{put: {to: 1, size: 2 MB}}, {put: {to: 1, size: 30 kB}}, "
                                       "{put: {to: 1, size: 300 kB}}, {fence: all}"},
                               .all = "barrier"});
    CU_ASSERT(program_counter(run, "ARMCI: waits for all slots") >= 4);
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: buffers taken"), 5 + 1 + 1);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"armci.put.baseline_phases, armci.put.phase_location", test_sequential_phases},
        {"armci.put.baseline_sequential", test_sequential_order},
        {"armci.put.ack_before_copyr", test_ack_before_copyr},
        {"armci.put.overlap_sender, armci.put.overlap_receiver", test_overlap},
        {"what a buffer finds in the cache", test_cache},
        {"armci.put.pipelined_order, armci.put.context_array, armci.put.one_outstanding_send",
         test_buffers},
        {"armci.put.first_buffer_serial", test_one_buffer},
        {"armci.put.server_replenish", test_replenish},
        {"armci.put.callback", test_callbacks},
        {"armci.gm.token_recovery_via_iprobe", test_token_recovery},
        {"armci.put.no_copy_alternative", test_direct},
        {"armci.accumulate.like_put", test_accumulate},
        {"armci.accumulate.like_put: the addition", test_addition},
        {"armci.dyn.size_tag", test_size_tag},
        {"a region that drains", test_dynamic},
        {0},
    };
    return suite_run("armci: put", cases);
}
