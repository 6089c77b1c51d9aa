// SPDX-License-Identifier: GPL-3.0-or-later
// What ARMCI promises to programs, and how its data servers keep it (thesis 001, 2.3).
#include "tests/support/armci_run.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define SERVER "data server node1"

static sim_time when(const struct program_run *run, const char *where, const char *part, int nth)
{
    sim_time time = armci_run_when(run, where, part, nth);
    if (time < 0)
        SUITE_SAME_TEXT("", part); // there is no such line
    return time;
}

static int64_t number_behind(const char *text, const char *what)
{
    const char *at = strstr(text, what);
    return at ? g_ascii_strtoll(at + strlen(what), NULL, 10) : -1;
}

// ---- Order ----

// armci.semantics.ordering_same_target: operations that are started one behind the other, without
// waiting, are done at their target in that order; those to other targets need not be.
static void test_order(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 3,
        .sets = {"armci.accumulate_kib=1024 us", "armci.put_returns=after_last_send"},
        .ops = {"{accumulate: {to: 1, size: 300 kB, request: a}}, "
                "{put: {to: 1, size: 10 B, request: b}}, {get: {from: 1, size: 10 B, request: c}}, "
                "{put: {to: 1, size: 900 kB, request: d}}, {put: {to: 2, size: 10 B, request: e}}, "
                "{fetch_add: {to: 1, request: f}}, {waitall: all}"},
        .all = "barrier"});
    static const char *const done[] = {"done accumulate", "done put", "done get",      "done put",
                                       "done put",        "done put", "done fetch_add"};
    char *all = armci_run_text(run, SERVER, "data server");
    const char *at = all;
    for (size_t i = 0; i < G_N_ELEMENTS(done) && at; i++) {
        at = strstr(at, "done ");
        if (at)
            CU_ASSERT(g_str_has_prefix(at, done[i]));
        at = at ? at + 1 : NULL;
    }
    CU_ASSERT_PTR_NOT_NULL(at);
    g_free(all);
    program_run_free(run);
    run = armci_run_good(&(struct test_program){
        .ranks = 3,
        .sets = {"armci.accumulate_kib=1024 us"},
        .ops = {"{accumulate: {to: 1, size: 300 kB}}, {put: {to: 2, size: 10 B}}"},
        .all = "barrier"});
    // The later one is long done when the accumulate still adds.
    CU_ASSERT(when(run, "data server node2", "done put", 1) <
              when(run, SERVER, "COPYR", 1) + 300 * TIME_MS);
    program_run_free(run);
}

// armci.semantics.truly_one_sided: a target that computes and never calls is no hindrance, also if
// its node has one processor only.
static void test_one_sided(void)
{
    static const char *const cores[] = {"host.processor.cores=2", "host.processor.cores=1"};
    for (int i = 0; i < 2; i++) {
        struct program_run *run = armci_run_good(&(struct test_program){
            .ranks = 2,
            .sets = {cores[i]},
            .ops = {"{put: {to: 1, size: 900 kB}}, {fence: 1}, {get: {from: 1, size: 900 kB}}, "
                    "{fetch_add: 1}, {lock: 1}, {unlock: 1}",
                    "{compute: 1 s}"},
            .all = "barrier"});
        CU_ASSERT(when(run, "rank 0", "unlock[6]", 1) < 200 * TIME_MS);
        program_run_free(run);
    }
}

// ---- The data server ----

// armci.semantics.data_server: one for each node, however many ranks are on it; it sleeps until the
// card interrupts, so that each of these requests, far apart, is one interrupt, and none comes
// else.
static void test_server(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 4,
        .hosts = 2,
        .ops = {"{put: {to: 1, size: 10 B}}, {compute: 10 ms}, {put: {to: 3, size: 10 B}}, "
                "{compute: 10 ms}, {fetch_add: 3}"}});
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: interrupts of data servers"), 3);
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: messages received by data servers"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "RECV"), 3);
    SUITE_SAME_INTEGER(armci_run_count(run, "data server node0", "starts -> idle"), 1);
    SUITE_SAME_INTEGER(armci_run_count(run, SERVER, "starts -> idle"), 1);
    program_run_free(run);
}

// Within a node the client copies by itself, and no message is sent.
static void test_shared(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 4,
        .hosts = 2,
        .ops = {"{put: {to: 2, size: 900 kB}}, {get: {from: 2, size: 900 kB}}, "
                "{accumulate: {to: 0, size: 9 kB}}, {fetch_add: 2}, {fence: all}, {fence: 2}, "
                "{send: {to: 2, size: 100 kB}}",
                "", "{recv: {from: 0, size: 100 kB}}"}});
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: sends of clients"), 0);
    SUITE_SAME_INTEGER(armci_run_count(run, "rank 0", "-> shared"), 4);
    program_run_free(run);
}

// armci.semantics.request_message and armci.semantics.client_descriptor: a header, which all have;
// a descriptor of the client's buffer where the server answers there; one of the remote memory;
// data.
static void test_messages(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 2,
        .sets = {"armci.header=100 B", "armci.client_descriptor=20 B"},
        .ops = {"{put: {to: 1, size: 1000 B}}, "
                "{put: {to: 1, strided: {counts: [8 B, 10], strides: [80 B]}}}, "
                "{put: {to: 1, segments: [{bytes: 8 B, count: 10}]}}, "
                "{get: {from: 1, size: 1000 B}}, {lock: 1}, {unlock: 1}, {fence: 1}"},
        .all = "barrier"});
    static const struct {
        const char *what;
        int64_t bytes;
    } wanted[] = {
        {"RECV put[1]", 100 + 8 + 1000},
        {"RECV put[2]", 100 + 8 + 4 * 3 + 80},
        {"RECV put[3]", 100 + 8 + 8 + 40 + 80},
        {"RECV get[4]", 100 + 20 + 8},
        {"RECV lock[5]", 100 + 20},
        {"RECV unlock[6]", 100},
        {"RECV fence[7]", 100 + 20},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        char *line = g_strdup_printf("%s of rank 0: %" G_GINT64_FORMAT " B", wanted[i].what,
                                     wanted[i].bytes);
        SUITE_SAME_INTEGER(armci_run_count(run, SERVER, line), 1);
        g_free(line);
    }
    program_run_free(run);
}

// ---- Synchronisation: armci.semantics.fence ----

// A fence returns when what was put before it is in its last place: of one node, or of all.
static void test_fence(void)
{
    struct program_run *run = armci_run_good(&(struct test_program){
        .ranks = 3,
        .sets = {"armci.accumulate_kib=1024 us", "armci.put_returns=after_last_send"},
        .ops = {"{accumulate: {to: 1, size: 50 kB}}, {accumulate: {to: 2, size: 200 kB}}, "
                "{fence: 1}, {fence: all}, {fence: all}, {fence: 2}"}});
    sim_time local = when(run, "rank 0", "fence[3] XMIT -> done", 1),
             all = when(run, "rank 0", "fence[4] XMIT -> done", 1);
    CU_ASSERT(local > when(run, SERVER, "COPYR", 1) + 50 * TIME_MS);
    CU_ASSERT(local < when(run, "data server node2", "COPYR", 1) + 200 * TIME_MS);
    CU_ASSERT(all > when(run, "data server node2", "COPYR", 1) + 200 * TIME_MS);
    // What is fenced is not asked for again.
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

// Nobody holds a mutex while another does, and all get it.
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
            holds[count++] = (struct hold){when(run, where, "-> answer", i),
                                           when(run, where, "unlock[", 4 * i - 3)};
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

static void test_wrong_unlock(void)
{
    struct program_run *run = armci_run(&(struct test_program){
        .ranks = 2, .ops = {"{unlock: 1}", "{lock: 1}, {compute: 10 ms}"}, .all = "barrier"});
    char *reason = program_reason(run, "text");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "failed");
    SUITE_CONTAINS(reason, "rank 0 unlocks the mutex of rank 1, which it does not hold");
    g_free(reason);
    program_run_free(run);
}

// ---- armci.gm.two_port_deadlock_reason ----

static struct program_run *requests_at_once(const char *ports, const char *stores)
{
    return armci_run(&(struct test_program){.ranks = 4,
                                            .sets = {"armci.get=sequential", ports, stores},
                                            .ops = {"{get: {from: 1, size: 100 kB}}", "",
                                                    "{get: {from: 1, size: 100 kB}}",
                                                    "{get: {from: 1, size: 100 kB}}"}});
}

static void test_ports(void)
{
    // One port: the callbacks of its own sends stand behind other clients' requests.
    struct program_run *run = requests_at_once("armci.server_ports=1", "armci.server_stores=false");
    char *reason = json_dumps(run->result->reason, 0);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    SUITE_CONTAINS(reason,
                   "in front of which another client's request stands (armci.server_ports)");
    free(reason);
    program_run_free(run);
    // Unless it receives and stores all of them.
    run = requests_at_once("armci.server_ports=1", "armci.server_stores=true");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: requests stored while a data server was busy"),
                       2);
    program_run_free(run);
    // With two ports it need not.
    run = requests_at_once("armci.server_ports=2", "armci.server_stores=false");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    SUITE_SAME_INTEGER(program_counter(run, "ARMCI: requests stored while a data server was busy"),
                       0);
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

// ---- What is refused ----

static void expect_failure(const char *op, const char *set, const char *part)
{
    struct program_run *run =
        armci_run(&(struct test_program){.ranks = 4, .hosts = 2, .sets = {set}, .ops = {op}});
    char *reason = program_reason(run, "text");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "failed");
    SUITE_CONTAINS(reason, part);
    g_free(reason);
    program_run_free(run);
}

static void test_refusals(void)
{
    expect_failure("{send: {to: 1, size: 1 MB}}", NULL, "eager messages only (mpich_gm.eager");
    expect_failure("{ssend: {to: 1, size: 1 B}}", NULL, "synchronously");
    expect_failure("{get: {from: 1, segments: [{bytes: 1 B, count: 1000000}]}}", NULL,
                   "fits no receive buffer of the data server (armci.buffer)");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"armci.semantics.ordering_same_target", test_order},
        {"armci.semantics.truly_one_sided", test_one_sided},
        {"armci.semantics.data_server", test_server},
        {"within a node", test_shared},
        {"armci.semantics.request_message, armci.semantics.client_descriptor", test_messages},
        {"armci.semantics.fence: fences", test_fence},
        {"armci.semantics.fence: atomic read-modify-write", test_fetch_add},
        {"armci.semantics.fence: mutexes", test_mutex},
        {"an unlock without a lock", test_wrong_unlock},
        {"armci.gm.two_port_deadlock_reason", test_ports},
        {"armci.gm.recv_buffer_missing", test_receive_buffers},
        {"what is refused", test_refusals},
        {0},
    };
    return suite_run("armci: semantics", cases);
}
