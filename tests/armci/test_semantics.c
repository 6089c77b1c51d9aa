// SPDX-License-Identifier: GPL-3.0-or-later
// ARMCI's guarantees to programs (thesis 001, 2.3), as far as times and numbers of several ranks
// show them; the rest, and how data servers keep it, is in tests/cases/armci.
#include "tests/support/armci_run.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define SERVER "data server node1"

static int64_t number_behind(const char *text, const char *what)
{
    const char *at = strstr(text, what);
    return at ? g_ascii_strtoll(at + strlen(what), NULL, 10) : -1;
}

// ---- Order ----

// armci.semantics.ordering_same_target: operations to other targets need not be done in the order
// in which they were started (those to one are: tests/cases/armci/order_at_target.case). The later
// one is long done when the accumulate still adds.
static void test_order(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 3,
        .sets = {"armci.accumulate_kib=1024 us"},
        .ops = {"{accumulate: {to: 1, size: 300 kB}}, {put: {to: 2, size: 10 B}}"},
        .all = "barrier"});
    CU_ASSERT(armci_run_when(run, "data server node2", "done put", 1) <
              armci_run_when(run, SERVER, "COPYR", 1) + 300 * TIME_MS);
    program_run_free(run);
}

// ---- Synchronisation: armci.semantics.fence ----

// A fence returns when the data of earlier puts are in their last place: of one node, or of all.
static void test_fence(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 3,
        .sets = {"armci.accumulate_kib=1024 us", "armci.put_returns=after_last_send"},
        .ops = {"{accumulate: {to: 1, size: 50 kB}}, {accumulate: {to: 2, size: 200 kB}}, "
                "{fence: 1}, {fence: all}, {fence: all}, {fence: 2}"}});
    sim_time local = armci_run_when(run, "rank 0", "fence[3] XMIT -> done", 1),
             all = armci_run_when(run, "rank 0", "fence[4] XMIT -> done", 1);
    CU_ASSERT(local > armci_run_when(run, SERVER, "COPYR", 1) + 50 * TIME_MS);
    CU_ASSERT(local < armci_run_when(run, "data server node2", "COPYR", 1) + 200 * TIME_MS);
    CU_ASSERT(all > armci_run_when(run, "data server node2", "COPYR", 1) + 200 * TIME_MS);
    // A fenced operation is not asked for again.
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "RECV fence"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, "data server node2", "RECV fence"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "fence[6] start -> done"), 1);
    program_run_free(run);
}

// Every value is fetched once, by ranks of this node and of others.
static void test_fetch_add(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 6, .hosts = 3, .all = "{loop: {count: 5, do: [{fetch_add: 0}]}}, barrier"});
    bool seen[30] = {false};
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (!g_str_has_prefix(line->text, "fetch_add"))
            continue;
        int64_t value =
            MAX(number_behind(line->text, "answer "), number_behind(line->text, "fetched "));
        if (value < 0)
            continue;
        CU_ASSERT(value < 30 && !seen[value]);
        seen[value] = true;
    }
    for (int i = 0; i < 30; i++)
        CU_ASSERT(seen[i]);
    program_run_free(run);
}

struct hold {
    sim_time from, to;
};

static int by_start(const void *a, const void *b)
{
    const struct hold *first = a, *second = b;
    return first->from < second->from ? -1 : first->from > second->from;
}

// No rank holds a mutex while another does, and all get it.
static void test_mutex(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 6,
        .hosts = 3,
        .all = "{loop: {count: 3, do: [{lock: 1}, {compute: 1 ms}, {unlock: 1}]}}, barrier"});
    struct hold holds[18];
    int count = 0;
    for (int rank = 0; rank < 6; rank++) {
        char *where = g_strdup_printf("rank %d", rank);
        for (int i = 1; i <= 3; i++)
            holds[count++] = (struct hold){armci_run_when(run, where, "-> answer", i),
                                           armci_run_when(run, where, "unlock[", 4 * i - 3)};
        g_free(where);
    }
    qsort(holds, 18, sizeof *holds, by_start);
    for (int i = 0; i < 18; i++) {
        CU_ASSERT(holds[i].to >= holds[i].from + TIME_MS);
        if (i > 0)
            CU_ASSERT(holds[i].from > holds[i - 1].to);
    }
    program_run_free(run);
}

// armci.gm.recv_buffer_missing: a message that finds no receive buffer is sent again; a second
// buffer, given before the first is copied out, avoids that. The server copies as fast as the
// client, and so keeps up with it.
static void test_receive_buffers(void)
{
    static const char *const buffers[] = {"armci.large_buffers=1", "armci.large_buffers=3"};
    int64_t refused[2];
    for (int i = 0; i < 2; i++) {
        struct program_run *run = armci_run_good(&(struct test_program){
            .ranks = 2,
            .sets = {buffers[i], "armci.buffer=20000 B", "host.memory.copy_uncached=180 MB/s",
                     "host.memory.bus_rate=0 B/s"},
            .ops = {"{put: {to: 1, size: 400 kB}}, {fence: 1}"},
            .all = "barrier"});
        refused[i] = (int64_t)run->result->ledger.dropped_parts;
        program_run_free(run);
    }
    CU_ASSERT(refused[0] > 0);
    SUITE_SAME_INTEGER(refused[1], 0);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"armci.semantics.ordering_same_target", test_order},
        {"armci.semantics.fence: fences", test_fence},
        {"armci.semantics.fence: atomic read-modify-write", test_fetch_add},
        {"armci.semantics.fence: mutexes", test_mutex},
        {"armci.gm.recv_buffer_missing", test_receive_buffers},
        {0},
    };
    return suite_run("armci: semantics", cases);
}
