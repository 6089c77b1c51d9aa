// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the series of a result, and units by the names of metrics.
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
    result_free(result);
}

static void test_sum_of_the_books(void)
{
    static const struct ledger_totals parts[] = {
        {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12},
        {10, 20, 30, 40, 50, 60, 70, 80, 90, 11, 12},
        {100, 200, 300, 400, 500, 600, 700, 800, 900, 11, 12}};
    struct result *result = result_new("books", 1);
    struct ledger_totals none = result_ledger(result);
    SUITE_SAME_INTEGER((long long)none.messages, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        struct series_result *series = series_result_new("s", "t");
        series->ledger = parts[i];
        g_ptr_array_add(result->series, series);
    }
    struct ledger_totals sum = result_ledger(result);
    SUITE_SAME_INTEGER((long long)sum.messages, 111);
    SUITE_SAME_INTEGER((long long)sum.bytes, 222);
    SUITE_SAME_INTEGER((long long)sum.delivered, 333);
    SUITE_SAME_INTEGER((long long)sum.lost, 444);
    SUITE_SAME_INTEGER((long long)sum.open, 555);
    SUITE_SAME_INTEGER((long long)sum.duplicated, 666);
    SUITE_SAME_INTEGER((long long)sum.misordered, 777);
    SUITE_SAME_INTEGER((long long)sum.delivered_bytes, 888);
    SUITE_SAME_INTEGER((long long)sum.dropped_parts, 999);
    SUITE_SAME_INTEGER((long long)sum.declined, 33);
    SUITE_SAME_INTEGER((long long)sum.declined_bytes, 36);
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
        {"the books are summed over the series", test_sum_of_the_books},
        {"the worst status wins", test_worst_status_wins},
        {"the fingerprint depends on the order of the series", test_fingerprint_depends_on_order},
        {0},
    };
    return suite_run("workload: result", cases);
}
