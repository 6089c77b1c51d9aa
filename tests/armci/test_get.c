// SPDX-License-Identifier: GPL-3.0-or-later
// Get: the phases of each variant (thesis 001, Figs 4.1 to 4.5), how many messages and interrupts
// they cost, and what overlaps.
#include "tests/support/armci_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define CLIENT "rank 0"
#define SERVER "data server node1"
#define GET_1_MB "{get: {from: 1, size: 1 MB}}"
#define CLIENT_SENDS "ARMCI: sends of clients"
#define SERVER_SENDS "ARMCI: sends of data servers"
#define INTERRUPTS "ARMCI: interrupts of data servers"

static struct program_run *get(const char *variant, const char *set, const char *op)
{
    char *way = g_strdup_printf("armci.get=%s", variant);
    struct program_run *run = armci_run_good(
        &(struct test_program){.ranks = 2, .sets = {way, set}, .ops = {op}, .all = "barrier"});
    g_free(way);
    return run;
}

static sim_time when(const struct program_run *run, const char *where, const char *part, int nth)
{
    sim_time time = armci_run_when(run, where, part, nth);
    if (time < 0)
        SUITE_SAME_TEXT("", part); // there is no such line
    return time;
}

static void expect_text(const struct program_run *run, const char *where, const char *machine,
                        const char *expected)
{
    char *text = armci_run_text(run, where, machine);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// armci.get.baseline_phases: PackREQ, XMIT/RECV, COPYSD, XMITD/RECVD, COPYC, one after the other,
// for every buffer.
static void test_sequential(void)
{
    struct program_run *run = get("sequential", NULL, "{get: {from: 1, size: 500 kB}}");
    expect_text(run, CLIENT, "get[1]",
                "get[1] queued -> start\n"
                "get[1] start -> PackREQ 400000 B at 0\n"
                "get[1] PackREQ -> XMIT\n"
                "get[1] XMIT -> RECVD\n"
                "get[1] XMIT -> COPYC buffer 1: 400000 B at 0\n"
                "get[1] COPYC -> PackREQ 100000 B at 400000\n"
                "get[1] PackREQ -> XMIT\n"
                "get[1] XMIT -> RECVD\n"
                "get[1] XMIT -> COPYC buffer 1: 100000 B at 400000\n"
                "get[1] COPYC -> done\n");
    expect_text(run, SERVER, "data server[1]",
                "data server[1] idle -> buffer\n"
                "data server[1] COPYSD buffer 1: 400000 B at 0\n"
                "data server[1] buffer -> COPYSD\n"
                "data server[1] XMITD buffer 1\n"
                "data server[1] COPYSD -> XMITD\n"
                "data server[1] ack buffer 1\n"
                "data server[1] done get\n"
                "data server[1] XMITD -> idle\n"
                "data server[1] idle -> buffer\n"
                "data server[1] COPYSD buffer 1: 100000 B at 400000\n"
                "data server[1] buffer -> COPYSD\n"
                "data server[1] XMITD buffer 1\n"
                "data server[1] COPYSD -> XMITD\n"
                "data server[1] ack buffer 1\n"
                "data server[1] done get\n"
                "data server[1] XMITD -> idle\n");
    for (int i = 1; i <= 2; i++) {
        static const struct {
            const char *where, *what;
        } order[] = {{CLIENT, "-> PackREQ"},   {CLIENT, "PackREQ -> XMIT"},
                     {SERVER, "RECV get[1]"},  {SERVER, "COPYSD buffer"},
                     {SERVER, "XMITD buffer"}, {SERVER, "ack buffer"},
                     {CLIENT, "-> RECVD"},     {CLIENT, "-> COPYC"}};
        for (size_t k = 1; k < G_N_ELEMENTS(order); k++)
            CU_ASSERT(when(run, order[k - 1].where, order[k - 1].what, i) <=
                      when(run, order[k].where, order[k].what, i));
    }
    program_run_free(run);
}

// armci.get.baseline_two_transmissions and armci.get.baseline_interrupts: of each buffer a request
// and the data, and the hidden acknowledgement; each message interrupts a data server.
static void test_sequential_messages(void)
{
    struct program_run *run = get("sequential", NULL, GET_1_MB); // three buffers
    SUITE_SAME_INTEGER(program_counter(run, CLIENT_SENDS), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "XMITD buffer"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "ack buffer"), 3);
    SUITE_SAME_INTEGER(program_counter(run, SERVER_SENDS), 6);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "RECV get[1]"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, "data server node0", "RECV arrived[1]"), 3);
    SUITE_SAME_INTEGER(program_counter(run, INTERRUPTS), 6);
    program_run_free(run);
}

// armci.get.request_in_small_message: what comes to the server is a small message without data, and
// each piece goes out of a send buffer of the server's own.
static void test_request(void)
{
    struct program_run *run = get("sequential", NULL, GET_1_MB);
    // Header, the client's descriptor, and the remote one.
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "RECV get[1] of rank 0: 96 B"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "COPYSD buffer"), 3);
    program_run_free(run);
}

// armci.get.optimised_single_request and armci.get.server_loop.
static void test_split(void)
{
    struct program_run *run = get("server_split", NULL, GET_1_MB);
    SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, "-> PackREQ 1000000 B at 0"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, "-> PackREQ"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "RECV get[1]"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "COPYSD buffer"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "XMITD buffer"), 3);
    SUITE_SAME_INTEGER(program_counter(run, SERVER_SENDS), 3);
    SUITE_SAME_INTEGER(program_counter(run, CLIENT_SENDS), 1 + 1); // one buffer announced again
    // armci.get.optimised_interrupts
    SUITE_SAME_INTEGER(program_counter(run, INTERRUPTS), 1);
    program_run_free(run);
}

// armci.get.ready_flag: the server writes into a buffer again only behind the client's flag; and
// armci.get.alternate_buffers.
static void check_flags(int buffers, int pieces)
{
    char *number = g_strdup_printf("armci.get_buffers=%d", buffers),
         *op = g_strdup_printf("{get: {from: 1, size: %d kB}}", pieces * 400);
    struct program_run *run = get("server_split", number, op);
    for (int i = 1; i <= pieces; i++) {
        char *client = g_strdup_printf("-> COPYC buffer %d: 400000 B at %d", (i - 1) % buffers + 1,
                                       (i - 1) * 400000),
             *server = g_strdup_printf("COPYSD buffer %d: 400000 B at %d", (i - 1) % buffers + 1,
                                       (i - 1) * 400000);
        SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, client), 1);
        SUITE_SAME_INTEGER(armci_run_count(run, SERVER, server), 1);
        g_free(client);
        g_free(server);
        if (i > buffers)
            CU_ASSERT(when(run, CLIENT, "-> XMT", i - buffers) < when(run, SERVER, "XMITD", i));
    }
    SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, "-> XMT"), MAX(0, pieces - buffers));
    SUITE_SAME_INTEGER(
        program_counter(run, "ARMCI: most sends of a client without acknowledgement"), 1);
    program_run_free(run);
    g_free(number);
    g_free(op);
}

static void test_flags(void)
{
    for (int buffers = 1; buffers <= 3; buffers++)
        for (int pieces = 1; pieces <= 5; pieces += 2)
            check_flags(buffers, pieces);
}

// The other half of armci.get.alternate_buffers: COPYSD of one buffer while the other is on its
// way, COPYC of one while the other comes.
static void test_overlap(void)
{
    struct program_run *run = get("server_split", NULL, "{get: {from: 1, size: 1600 kB}}");
    for (int i = 1; i <= 3; i++) {
        CU_ASSERT(when(run, SERVER, "COPYSD buffer", i + 1) < when(run, CLIENT, "-> RECVD", i));
        sim_time copy = when(run, CLIENT, "-> COPYC", i);
        CU_ASSERT(copy < when(run, CLIENT, "-> RECVD", i + 1));
        CU_ASSERT(when(run, SERVER, "XMITD buffer", i + 1) < copy + 4700 * TIME_US);
    }
    program_run_free(run);
}

// armci.get.client_polls: no data server of the client's node hears of the data, and the client
// looks only behind its request.
static void test_polling(void)
{
    struct program_run *run =
        get("server_split", NULL, "{compute: 20 ms}, {get: {from: 1, size: 1 MB}}");
    SUITE_SAME_INTEGER(armci_run_count(run, "data server node0", "RECV"), 0);
    CU_ASSERT(when(run, CLIENT, "PackREQ -> XMIT", 1) > 20 * TIME_MS);
    CU_ASSERT(when(run, CLIENT, "-> RECVD", 1) > when(run, CLIENT, "PackREQ -> XMIT", 1));
    program_run_free(run);
    run = get("server_split", NULL, "{compute: 20 ms}"); // without one it calls MPI_Iprobe never
    SUITE_SAME_INTEGER(program_counter(run, "MPICH: calls of MPI_Iprobe by ARMCI"), 0);
    program_run_free(run);
}

// armci.get.event_sequence (figure 4.5 is that of the design with packing at the client, which was
// not chosen): request, interrupt, data and ack; the client hears of it and announces a buffer; the
// server hears that, and goes on until all is sent.
static void test_events(void)
{
    struct program_run *run = get("client_packing", NULL, "{get: {from: 1, size: 1600 kB}}");
    static const struct {
        const char *where, *what;
        int nth;
    } order[] = {{CLIENT, "PackREQ -> XMIT", 1},
                 {SERVER, "RECV get[1]", 1},
                 {SERVER, "XMITD buffer", 1},
                 {SERVER, "ack buffer", 1},
                 {CLIENT, "-> RECVD", 1},
                 {CLIENT, "-> XMT", 1},
                 {SERVER, "RCV", 1},
                 {SERVER, "XMITD buffer", 3},
                 {SERVER, "ack buffer", 3},
                 {CLIENT, "-> RECVD", 3}};
    for (size_t k = 1; k < G_N_ELEMENTS(order); k++)
        CU_ASSERT(when(run, order[k - 1].where, order[k - 1].what, order[k - 1].nth) <=
                  when(run, order[k].where, order[k].what, order[k].nth));
    SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, "PackREQ -> XMIT"), 1);
    program_run_free(run);
}

// armci.get.design_client_packing: one request, with a descriptor of each piece, but hardly fewer
// messages than piece by piece, and an interrupt for each of them.
static void test_packing(void)
{
    static const char *const op = "{get: {from: 1, size: 2 MB}}"; // five pieces
    struct program_run *each = get("sequential", NULL, op), *split = get("server_split", NULL, op),
                       *packing = get("client_packing", NULL, op);
    const struct program_run *const runs[] = {each, split, packing};
    int64_t sends[3], interrupts[3];
    for (int i = 0; i < 3; i++) {
        sends[i] = program_counter(runs[i], CLIENT_SENDS) + program_counter(runs[i], SERVER_SENDS);
        interrupts[i] = program_counter(runs[i], INTERRUPTS);
    }
    SUITE_SAME_INTEGER(sends[0], 5 * 3);
    SUITE_SAME_INTEGER(sends[1], 1 + 5 + 3);
    SUITE_SAME_INTEGER(sends[2], 1 + 5 * 2 + 3);
    SUITE_SAME_INTEGER(interrupts[0], 5 * 2);
    SUITE_SAME_INTEGER(interrupts[1], 1); // armci.get.interrupts_reduced
    CU_ASSERT(interrupts[2] > 5 && interrupts[2] <= 1 + 5 + 3);
    SUITE_SAME_INTEGER(armci_run_count(packing, SERVER, "RECV get[1] of rank 0: 128 B"),
                       1); // 88 + 5 * 8
    program_run_free(each);
    program_run_free(split);
    program_run_free(packing);
}

// armci.get.register_path: registered while the request is under way, and no copy at the client.
static void test_direct(void)
{
    struct program_run *run = get("direct", NULL, GET_1_MB);
    expect_text(run, CLIENT, "get[1]",
                "get[1] queued -> start\n"
                "get[1] start -> PackREQ 1000000 B at 0\n"
                "get[1] PackREQ -> XMIT\n"
                "get[1] XMIT -> register\n"
                "get[1] register -> direct\n"
                "get[1] direct -> done\n");
    CU_ASSERT(when(run, CLIENT, "-> register", 1) < when(run, SERVER, "RECV get[1]", 1));
    CU_ASSERT(when(run, SERVER, "COPYSD buffer", 1) < when(run, CLIENT, "direct -> done", 1));
    program_run_free(run);
}

// armci.get.chunk_path: data that can't be registered, or do not lie together, come in pieces.
static void expect_pieces(const char *set, const char *op, int pieces)
{
    struct program_run *run = get("direct", set, op);
    SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, "-> COPYC"), pieces);
    program_run_free(run);
}

static void test_pieces(void)
{
    expect_pieces(NULL, GET_1_MB, 0);
    expect_pieces("gm.registration=false", GET_1_MB, 3);
    expect_pieces("host.memory.pin_limit=900 kB", GET_1_MB, 3);
    expect_pieces(NULL, "{get: {from: 1, strided: {counts: [1000 B, 1000], strides: [2000 B]}}}",
                  3);
}

// armci.semantics.dynamic_pinning: what one transfer has pinned is free for the next.
static void test_pinning(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 2,
        .sets = {"armci.get=direct", "armci.put=direct", "host.memory.pin_limit=700 kB"},
        .ops = {"{get: {from: 1, size: 600 kB}}, {put: {to: 1, size: 600 kB}}, "
                "{get: {from: 1, size: 650 kB}}, {put: {to: 1, size: 650 kB}}"},
        .all = "barrier"});
    SUITE_SAME_INTEGER(armci_run_count(run, CLIENT, "-> COPY"), 0);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "COPYR"), 0);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"armci.get.baseline_phases", test_sequential},
        {"armci.get.baseline_two_transmissions, armci.get.baseline_interrupts",
         test_sequential_messages},
        {"armci.get.request_in_small_message", test_request},
        {"armci.get.optimised_single_request, armci.get.server_loop, "
         "armci.get.optimised_interrupts",
         test_split},
        {"armci.get.ready_flag, armci.get.alternate_buffers", test_flags},
        {"armci.get.alternate_buffers: overlap", test_overlap},
        {"armci.get.client_polls", test_polling},
        {"armci.get.event_sequence", test_events},
        {"armci.get.design_client_packing, armci.get.interrupts_reduced", test_packing},
        {"armci.get.register_path", test_direct},
        {"armci.get.chunk_path", test_pieces},
        {"armci.semantics.dynamic_pinning", test_pinning},
        {0},
    };
    return suite_run("armci: get", cases);
}
