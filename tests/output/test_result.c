// SPDX-License-Identifier: GPL-3.0-or-later
// What is summed over the series of a result, and what a metric's name says about its unit.
#include "tests/output/sample.h"
#include "tests/support/suite.h"

static void test_units(void)
{
    static const struct {
        const char *metric, *unit;
    } cases[] = {
        {"latency_us", "us"},
        {"bandwidth_MB_per_s", "MB/s"},
        {"rate_Mb_per_s", "Mb/s"},
        {"sent_bytes", "B"},
        {"messages_per_s", "1/s"},
        {"utilisation_percent", "%"},
        {"retransmissions", ""},
        {"time_s", "s"},
        {"s", ""},
        {"interrupts_per_s", "1/s"},
        {"pinned_pages", "pages"},
        {"queue_length", ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        SUITE_SAME_TEXT(metric_unit(cases[i].metric), cases[i].unit);
}

static void test_sums(void)
{
    struct result *result = sample_result();
    SUITE_SAME_INTEGER((long long)result_events(result), 1000500);
    SUITE_SAME_INTEGER(result_simulated(result), 2 * TIME_S + TIME_MS);
    CU_ASSERT_DOUBLE_EQUAL(result_wall_s(result), 0.75, 1e-12);
    struct ledger_totals totals = result_ledger(result);
    SUITE_SAME_INTEGER((long long)totals.messages, 1202);
    SUITE_SAME_INTEGER((long long)totals.delivered, 1201);
    SUITE_SAME_INTEGER((long long)totals.open, 1);
    result_free(result);
}

static void test_worst_status_wins(void)
{
    struct result *result = result_new("status", 1);
    CU_ASSERT_EQUAL(result_status(result), SIM_COMPLETED);
    static const enum sim_status statuses[] = {SIM_COMPLETED, SIM_LOST, SIM_DEADLOCK, SIM_FAILED,
                                               SIM_DEADLOCK};
    static const enum sim_status worst[] = {SIM_COMPLETED, SIM_LOST, SIM_DEADLOCK, SIM_FAILED,
                                            SIM_FAILED};
    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++) {
        struct series_result *series = series_result_new("s", "t");
        series->status = statuses[i];
        g_ptr_array_add(result->series, series);
        CU_ASSERT_EQUAL(result_status(result), worst[i]);
    }
    result_free(result);
}

// Order and number of the series count, not only the set of their fingerprints.
static void test_fingerprint_depends_on_order(void)
{
    static const uint64_t orders[][3] = {{1, 2, 0}, {2, 1, 0}, {1, 2, 3}};
    uint64_t found[3];
    for (int i = 0; i < 3; i++) {
        struct result *result = result_new("order", 1);
        for (int j = 0; j < 3 && orders[i][j]; j++) {
            struct series_result *series = series_result_new("s", "t");
            series->fingerprint = orders[i][j];
            g_ptr_array_add(result->series, series);
        }
        found[i] = result_fingerprint(result);
        SUITE_SAME_INTEGER((long long)result_fingerprint(result), (long long)found[i]);
        result_free(result);
    }
    CU_ASSERT_NOT_EQUAL(found[0], found[1]);
    CU_ASSERT_NOT_EQUAL(found[0], found[2]);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a metric's name tells its unit", test_units},
        {"sums over the series", test_sums},
        {"the worst status wins", test_worst_status_wins},
        {"the fingerprint depends on the order of the series", test_fingerprint_depends_on_order},
        {0},
    };
    return suite_run("workload: result", cases);
}
