// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare GM, run as the program runs them: gm.allsize in its three forms, free programs,
// the machines of the firmware as text, and mistakes of scenarios.
#include "sim/core/random.h"
#include "sim/run/run.h"
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_gm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Runs ----

struct ran {
    struct compiled compiled;
    struct diag_list *diags;
    struct series_result *result; // NULL: the scenario is refused
};

static struct ran run_text(const char *text, const char *const *sets, struct trace *trace)
{
    struct ran ran = {.diags = diag_list_new()};
    ran.compiled = compiled_try(text, sets, ran.diags);
    if (ran.compiled.scenario)
        ran.result = run_case(&model_registry, ran.compiled.test_case, 0, 1,
                              &(struct run_options){.trace = trace});
    return ran;
}

static void ran_free(struct ran *ran)
{
    if (ran->result)
        series_result_free(ran->result);
    compiled_free(&ran->compiled);
    diag_list_free(ran->diags);
}

static double value(const struct ran *ran, int64_t size, const char *metric)
{
    for (guint i = 0; i < ran->result->values->len; i++) {
        const struct result_value *value =
            &g_array_index(ran->result->values, struct result_value, i);
        if (value->size == size && strcmp(value->metric, metric) == 0)
            return value->value;
    }
    return NAN;
}

static void check_ran(const struct ran *ran)
{
    if (!ran->result)
        diag_print(ran->diags, stderr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ran->result);
    CU_ASSERT_EQUAL(ran->result->status, SIM_COMPLETED);
    CU_ASSERT(ran->result->ledger_balanced);
    CU_ASSERT_EQUAL(ran->result->ledger.misordered + ran->result->ledger.duplicated, 0);
}

// ---- gm.allsize ----

#define SIZES "workload.sizes=[0 B, 8 B, 128 B, 4 KiB, 64 KiB]"

static struct ran allsize(const char *form)
{
    char *benchmark = g_strdup_printf("workload.benchmark=gm.allsize.%s", form);
    struct ran ran = run_text(gm_pair,
                              (const char *const[]){benchmark, SIZES, "gm_native.buffer=64 KiB",
                                                    "gm_native.receive_buffers=8", NULL},
                              NULL);
    g_free(benchmark);
    check_ran(&ran);
    return ran;
}

static double counter(const struct ran *ran, const char *name)
{
    return (double)json_integer_value(json_object_get(ran->result->counters, name));
}

static void test_allsize(void)
{
    static const int64_t sizes[] = {0, 8, 128, 4096, 65536};
    struct ran latency = allsize("latency"), one = allsize("one_way"), both = allsize("both_ways");
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        double half = value(&latency, sizes[i], "latency_us");
        double stream = value(&one, sizes[i], "latency_us");
        double bandwidth = value(&one, sizes[i], "bandwidth_MB_per_s");
        double duplex = value(&both, sizes[i], "bandwidth_MB_per_s");
        // A stream overlaps the parts of a round trip; two streams share buses and LANais, so both
        // together carry more than one, and no more than two.
        CU_ASSERT(half > 0 && stream > 0 && stream < half);
        CU_ASSERT_DOUBLE_EQUAL(bandwidth, (double)sizes[i] / stream, 1e-6 * bandwidth + 1e-12);
        CU_ASSERT(duplex <= 2 * bandwidth + 1e-12);
        CU_ASSERT(sizes[i] < 4096 || duplex > bandwidth);
    }
    // Enough buffers are there: nothing is refused or sent again.
    CU_ASSERT_EQUAL(counter(&both, "GM packets resent"), 0);
    CU_ASSERT_EQUAL(counter(&both, "GM messages refused for lack of a receive buffer"), 0);
    CU_ASSERT_EQUAL(counter(&latency, "GM interrupts"), 0);
    ran_free(&latency);
    ran_free(&one);
    ran_free(&both);
}

static void test_same_as_pingpong(void)
{
    const char *const sets[] = {"workload.benchmark=native.pingpong", SIZES,
                                "gm_native.buffer=64 KiB", "gm_native.receive_buffers=8", NULL};
    struct ran pingpong = run_text(gm_pair, sets, NULL), latency = allsize("latency");
    check_ran(&pingpong);
    CU_ASSERT_DOUBLE_EQUAL(value(&pingpong, 4096, "latency_us"),
                           value(&latency, 4096, "latency_us"), 1e-9);
    ran_free(&pingpong);
    ran_free(&latency);
}

// Blocking costs the interrupt and the switch of processes, and no more than the sleep.
static void test_blocking(void)
{
    struct ran poll = run_text(gm_pair, NULL, NULL);
    struct ran block = run_text(gm_pair, (const char *const[]){"gm_native.poll=false", NULL}, NULL);
    check_ran(&poll);
    check_ran(&block);
    double more = value(&block, 1, "latency_us") - value(&poll, 1, "latency_us");
    CU_ASSERT(more > 2.003 + 1.501 + 1.013 + 4.001 - 0.01);
    CU_ASSERT(counter(&block, "GM interrupts") >= 2 * 12);
    ran_free(&poll);
    ran_free(&block);
}

// ---- The firmware's machines ----

static char *machine_story(const char *machine)
{
    struct transition_log *log = transition_log_new(machine, true);
    struct world *world = world_new(&world_gm, gm_pair, NULL, &log->sink.trace);
    struct gm_end *from = gm_end_new(world, 0, 2), *to = gm_end_new(world, 1, 2);
    gm_end_provide(to, 13, 1, 0);
    gm_end_send(from,
                &(struct gm_send_job){.to = to, .bytes = 8000, .size = -1, .at = 100 * TIME_US});
    world_run(world);
    char *text = g_strdup(log->text->str);
    world_free(world);
    transition_log_free(log);
    return text;
}

static void check_machine(const char *machine, const char *expected)
{
    char *text = machine_story(machine);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// Two packets from node0 to node1, and their ACKs back.
static void test_machines(void)
{
    check_machine("SDMA", "node0 SDMA[0] idle -> fetching\n"
                          "node0 SDMA[0] fetching -> idle\n"
                          "node0 SDMA[0] idle -> fetching\n"
                          "node0 SDMA[0] fetching -> idle\n");
    check_machine("SEND", "node0 SEND[0] idle -> data\n"
                          "node0 SEND[0] data -> idle\n"
                          "node1 SEND[0] idle -> control\n"
                          "node1 SEND[0] control -> idle\n"
                          "node0 SEND[0] idle -> data\n"
                          "node0 SEND[0] data -> idle\n"
                          "node1 SEND[0] idle -> control\n"
                          "node1 SEND[0] control -> idle\n");
    check_machine("RECV", "node1 RECV[0] empty -> some\n"
                          "node0 RECV[0] empty -> some\n"
                          "node0 RECV[0] some -> empty\n"
                          "node1 RECV[0] some -> full\n"
                          "node1 RECV[0] full -> some\n"
                          "node0 RECV[0] empty -> some\n"
                          "node0 RECV[0] some -> empty\n"
                          "node1 RECV[0] some -> empty\n");
    check_machine("RDMA", "node1 RDMA[0] idle -> writing\n" // a packet
                          "node1 RDMA[0] writing -> idle\n"
                          "node1 RDMA[0] idle -> writing\n" // the other
                          "node0 RDMA[0] idle -> writing\n" // the token
                          "node0 RDMA[0] writing -> idle\n"
                          "node1 RDMA[0] writing -> idle\n"
                          "node1 RDMA[0] idle -> writing\n" // the event
                          "node1 RDMA[0] writing -> idle\n");
    check_machine("send token", "node0 send token[0] client -> written\n"
                                "node0 send token[0] sent -> client\n");
}

// ---- Free programs ----

// The pair with another workload. The caller frees it.
static char *pair_with(const char *workload)
{
    const char *end = strstr(gm_pair, "workload:");
    return g_strdup_printf("%.*s%s", (int)(end - gm_pair), gm_pair, workload);
}

static const char program[] =
    "workload: {program: [{ranks: 0, do: [{loop: {count: 90, do: [{isend: {to: 1, size: 3000 B, "
    "request: a}}, {isend: {to: 1, size: 70 B, request: b}}, {recv: {from: 1, size: 64 KiB}}, "
    "{waitall: all}]}}]}, {ranks: 1, do: [{loop: {count: 90, do: [{recv: {from: 0, size: 64 "
    "KiB}}, {isend: {to: 0, size: 12000 B, request: c}}, {recv: {from: 0, size: 64 KiB}}, "
    "{waitall: "
    "all}]}}]}]}\n";

static void test_program(void)
{
    char *text = pair_with(program);
    struct ran ran = run_text(text,
                              (const char *const[]){"gm_native.buffer=64 KiB", "gm.send_tokens=1",
                                                    "gm_native.receive_buffers=2", NULL},
                              NULL);
    check_ran(&ran);
    SUITE_SAME_INTEGER((long long)ran.result->ledger.messages, 270);
    g_free(text);
    ran_free(&ran);
}

// ---- What is wrong ----

static void check_refused(const char *const *sets, const char *part)
{
    struct ran ran = run_text(gm_pair, sets, NULL);
    CU_ASSERT_PTR_NULL(ran.result);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    diag_print(ran.diags, file);
    fclose(file);
    SUITE_CONTAINS(text, part);
    free(text);
    ran_free(&ran);
}

static void check_failed(const char *text, const char *const *sets, const char *kind,
                         const char *part)
{
    struct ran ran = run_text(text, sets, NULL);
    if (!ran.result)
        diag_print(ran.diags, stderr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ran.result);
    CU_ASSERT_EQUAL(ran.result->status, SIM_FAILED);
    SUITE_SAME_TEXT(json_string_value(json_object_get(ran.result->reason, "kind")), kind);
    SUITE_CONTAINS(json_string_value(json_object_get(ran.result->reason, "text")), part);
    ran_free(&ran);
}

static void test_bad_scenarios(void)
{
    check_refused(
        (const char *const[]){"gm_native.receive_buffers=200", "gm_native.buffer=64 KiB", NULL},
        "200 receive buffers of each of 17 size classes are more than a port's");
    check_refused((const char *const[]){"gm.ports=2", NULL}, "programs on bare GM use port 2");
    check_refused((const char *const[]){"gm.fast_receive=4 KiB", "gm.mtu=1 KiB", NULL},
                  "fast_receive is more than a packet's payload");
    check_refused((const char *const[]){"gm.send_timeout=1 ms", NULL},
                  "a send would end before anything is sent again");
    check_refused((const char *const[]){"lanai7.sram=128 KiB", NULL},
                  "--set lanai7.sram=128 KiB: error: lanai7.sram: the MCP, connections with 2 "
                  "hosts, 4 packets and a port take");
    check_refused((const char *const[]){"nic=eepro100", NULL}, "eepro100");
}

static void test_failures(void)
{
    check_failed(gm_pair, (const char *const[]){"workload.sizes=[2 B]", NULL}, "buffer_too_small",
                 "gm_native.buffer");
    check_failed(gm_pair,
                 (const char *const[]){"links=[{from: node0, to: switch, down: [{from: 0 ms, to: "
                                       "10 s}]}, {from: node1, to: switch}]",
                                       "gm.send_timeout=100 ms", NULL},
                 "gm_send_failed", "GM_SEND_TIMED_OUT");
    char *any = pair_with("workload: {program: [{ranks: 0, do: [{recv: {from: any, size: 1 B}}]}, "
                          "{ranks: 1, do: [{compute: 1 us}]}]}\n");
    check_failed(any, NULL, "unsupported", "any source");
    g_free(any);
}

static const char *const roomy[] = {"gm_native.buffer=64 KiB", "gm_native.receive_buffers=8", NULL};

#define PROGRAM(zero, one)                                                                         \
    "workload: {ranks: 2, program: [{ranks: 0, do: [" zero "]}, {ranks: 1, do: [" one "]}]}\n"

// State of GM that is reported for a rank that waits for ever; registered memory is known to the
// port.
static void test_deadlock(void)
{
    char *pair =
        pair_with(PROGRAM("{register: {size: 8 KiB, buffer: 1}}, {recv: {from: 1, size: 4 B}}",
                          "{register: {size: 8 KiB, buffer: 1}}, {deregister: {size: 8 KiB, "
                          "buffer: 1}}, {recv: {from: 0, size: 4 B}}"));
    struct ran ran = run_text(pair, roomy, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ran.result);
    CU_ASSERT_EQUAL(ran.result->status, SIM_DEADLOCK);
    json_t *ranks = json_object_get(ran.result->reason, "ranks"), *rank;
    size_t index;
    json_array_foreach(ranks, index, rank)
    {
        json_object_del(rank, "at"); // a line of gm_pair
    }
    char *text = json_dumps(ranks, 0);
    char *told = g_strdelimit(g_strdup(text), "\"", '\'');
    SUITE_SAME_TEXT(told,
                    "[{'rank': 0, 'host': 'node0', 'requests': [{'kind': 'recv', 'request': 1, "
                    "'peer': 1, 'tag': 'any', 'size': 4, 'waits_for': 'a message'}], 'gm_port': 2, "
                    "'send_tokens': 61, 'receive_tokens': 118, 'events_waiting': 0, 'sends': []}, "
                    "{'rank': 1, 'host': 'node1', 'requests': [{'kind': 'recv', 'request': 1, "
                    "'peer': 0, 'tag': 'any', 'size': 4, 'waits_for': 'a message'}], 'gm_port': 2, "
                    "'send_tokens': 61, 'receive_tokens': 118, 'events_waiting': 0, 'sends': []}]");
    g_free(told);
    free(text);
    ran_free(&ran);
    g_free(pair);
}

static void test_truncated(void)
{
    char *pair = pair_with(PROGRAM("{send: {to: 1, size: 5 B}}", "{recv: {from: 0, size: 4 B}}"));
    check_failed(pair, roomy, "truncated", "rank 1 receives 5 B from rank 0 into a buffer of 4 B");
    g_free(pair);
}

static const struct suite_case cases[] = {
    {"gm.allsize", test_allsize},
    {"gm.allsize.latency is native.pingpong", test_same_as_pingpong},
    {"blocking instead of polling", test_blocking},
    {"the four machines", test_machines},
    {"a free program", test_program},
    {"what a scenario may get wrong", test_bad_scenarios},
    {"how runs fail", test_failures},
    {"a deadlock", test_deadlock},
    {"a message that is too long", test_truncated},
    {0},
};

int main(void)
{
    return suite_run("myrinet_gm: programs on bare GM", cases);
}
