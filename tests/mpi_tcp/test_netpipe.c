// SPDX-License-Identifier: GPL-3.0-or-later
// Bare TCP as NetPIPE measures it (via.cfg.native_baselines): below every library.
#include "sim/run/run.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <limits.h>
#include <string.h>

static const int64_t sizes[] = {1, 100, 1460, 20000, 1 << 20};

// A run of a PingPong, in which each direction of each link loses the nth frame (0: none); the
// complaints of the compiler, or "" and the result.
static char *run_lossy(const char *stack, const char *size_list, int nth,
                       struct series_result **result)
{
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nhosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch}]\nnic: eepro100\nstack: %s\n"
        "host: {processor: {cores: 2}}\n"
        "workload: {benchmark: %s, sizes: %s, repetitions: 5}\nlink: {drop_nth: [%d]}\n",
        stack, strcmp(stack, "tcp") == 0 ? "native.pingpong" : "pmb.pingpong", size_list,
        nth > 0 ? nth : INT_MAX);
    struct diag_list *diags = diag_list_new();
    struct compiled compiled = compiled_try(text, NULL, diags);
    const struct diag *first = diags->items->len ? g_ptr_array_index(diags->items, 0) : NULL;
    char *complaint = first ? g_strdup_printf("%s: %s (%s)", first->path, first->message,
                                              first->hint ? first->hint : "")
                            : g_strdup("");
    if (compiled.test_case)
        *result = run_case(&model_registry, compiled.test_case, 0, 1, NULL);
    compiled_free(&compiled);
    diag_list_free(diags);
    g_free(text);
    return complaint;
}

static char *run(const char *stack, const char *size_list, struct series_result **result)
{
    return run_lossy(stack, size_list, 0, result);
}

static void test_below_libraries(void)
{
    static const char *const stacks[] = {"tcp", "lam_tcp", "mpich_p4"};
    struct series_result *results[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        char *complaint = run(stacks[i], "[1 B, 100 B, 1460 B, 20000 B, 1 MiB]", &results[i]);
        SUITE_SAME_TEXT(complaint, "");
        g_free(complaint);
        CU_ASSERT_PTR_NOT_NULL_FATAL(results[i]);
        SUITE_SAME_TEXT(sim_status_name(results[i]->status), "completed");
        CU_ASSERT(results[i]->ledger_balanced);
    }
    for (size_t at = 0; at < G_N_ELEMENTS(sizes); at++) {
        double latencies[3];
        for (int i = 0; i < 3; i++) {
            // Latency and bandwidth of each size.
            const struct result_value *value =
                &g_array_index(results[i]->values, struct result_value, 2 * at);
            SUITE_SAME_INTEGER(value->size, sizes[at]);
            latencies[i] = value->value;
        }
        CU_ASSERT(latencies[0] < latencies[1]);
        CU_ASSERT(latencies[0] < latencies[2]);
    }
    for (int i = 0; i < 3; i++)
        series_result_free(results[i]);
}

// One byte stands for a message of no bytes.
static void test_empty(void)
{
    struct series_result *result = NULL;
    char *complaint = run("tcp", "[0 B, 1 B]", &result);
    SUITE_SAME_TEXT(complaint, "");
    g_free(complaint);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    SUITE_SAME_TEXT(sim_status_name(result->status), "completed");
    CU_ASSERT(result->ledger_balanced);
    double empty = g_array_index(result->values, struct result_value, 0).value,
           one = g_array_index(result->values, struct result_value, 2).value;
    CU_ASSERT_DOUBLE_EQUAL(empty, one, 0.5);
    series_result_free(result);
}

// That byte can be lost like any other, and then comes again.
static void test_empty_lost(void)
{
    uint64_t drops = 0;
    for (int nth = 1; nth <= 30; nth++) {
        struct series_result *result = NULL;
        g_free(run_lossy("tcp", "[0 B, 100 B, 0 B]", nth, &result));
        CU_ASSERT_PTR_NOT_NULL_FATAL(result);
        SUITE_SAME_TEXT(sim_status_name(result->status), "completed");
        CU_ASSERT(result->ledger_balanced);
        drops += result->ledger.dropped_parts;
        series_result_free(result);
    }
    CU_ASSERT(drops > 10);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"below the libraries", test_below_libraries},
        {"empty messages", test_empty},
        {"empty messages that are lost", test_empty_lost},
        {0},
    };
    return suite_run("mpi_tcp: bare TCP", cases);
}
