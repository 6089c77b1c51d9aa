// SPDX-License-Identifier: GPL-3.0-or-later
// Get: the buffers of a variant, what overlaps, and how many messages and interrupts the variants
// cost (thesis 001, Figs 4.1 to 4.5). Their phases are in tests/cases/armci.
#include "tests/support/armci_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define CLIENT "rank 0"
#define SERVER "data server node1"
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

// armci.get.ready_flag: the server writes into a buffer again only after the client's flag; and
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
            CU_ASSERT(armci_run_when(run, CLIENT, "-> XMT", i - buffers) <
                      armci_run_when(run, SERVER, "XMITD", i));
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

// The other half of armci.get.alternate_buffers: COPYSD of one buffer while the other is being
// sent, COPYC of one while the other arrives.
static void test_overlap(void)
{
    struct program_run *run = get("server_split", NULL, "{get: {from: 1, size: 1600 kB}}");
    for (int i = 1; i <= 3; i++) {
        CU_ASSERT(armci_run_when(run, SERVER, "COPYSD buffer", i + 1) <
                  armci_run_when(run, CLIENT, "-> RECVD", i));
        sim_time copy = armci_run_when(run, CLIENT, "-> COPYC", i);
        CU_ASSERT(copy < armci_run_when(run, CLIENT, "-> RECVD", i + 1));
        CU_ASSERT(armci_run_when(run, SERVER, "XMITD buffer", i + 1) < copy + 4700 * TIME_US);
    }
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

int main(void)
{
    static const struct suite_case cases[] = {
        {"armci.get.ready_flag, armci.get.alternate_buffers", test_flags},
        {"armci.get.alternate_buffers: overlap", test_overlap},
        {"armci.get.design_client_packing, armci.get.interrupts_reduced", test_packing},
        {0},
    };
    return suite_run("armci: get", cases);
}
