// SPDX-License-Identifier: GPL-3.0-or-later
// A result that goes to another process as text is unchanged, to the last bit.
#include "sim/core/intern.h"
#include "sim/measure/result_text.h"
#include "sim/output/json.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct series_result *there_and_back(const struct series_result *series)
{
    char *text = result_text_of(series);
    struct series_result *read = result_text_read(text, series->name, series->stack);
    g_free(text);
    return read;
}

static void test_documents(void)
{
    struct result *result = sample_result();
    for (guint i = 0; i < result->series->len; i++) {
        struct series_result *series = g_ptr_array_index(result->series, i);
        struct series_result *read = there_and_back(series);
        char *before = document_text(series_json(series));
        char *after = document_text(series_json(read));
        SUITE_SAME_TEXT(after, before);
        CU_ASSERT_EQUAL(read->wall_s, series->wall_s);
        CU_ASSERT_EQUAL(read->ledger_report == NULL, series->ledger_report == NULL);
        g_free(before);
        g_free(after);
        series_result_free(read);
    }
    result_free(result);
}

static void test_every_bit(void)
{
    const double values[] = {0.1,     -0.0,        DBL_MIN / 8,        DBL_MAX,
                             1.0 / 3, M_PI * 1e-9, INFINITY,           -INFINITY,
                             NAN,     1e22,        123456789.123456789};
    struct series_result *series = series_result_new("s", "t");
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        series_result_add(series, (int)i - 1, INT64_MAX - (int64_t)i, "time_us", values[i]);
    struct series_result *read = there_and_back(series);
    CU_ASSERT_EQUAL_FATAL(read->values->len, G_N_ELEMENTS(values));
    for (guint i = 0; i < read->values->len; i++) {
        const struct result_value *value = &g_array_index(read->values, struct result_value, i);
        // To the last bit, and to the sign of 0.
        CU_ASSERT((value->value == values[i] && signbit(value->value) == signbit(values[i])) ||
                  (isnan(value->value) && isnan(values[i])));
        SUITE_SAME_INTEGER(value->rank, (int)i - 1);
        SUITE_SAME_INTEGER(value->size, INT64_MAX - (int64_t)i);
        CU_ASSERT_PTR_EQUAL(value->metric, intern_text("time_us"));
    }
    series_result_free(series);
    series_result_free(read);
}

static void test_members(void)
{
    struct series_result *series = series_result_new("s", "t");
    const struct result_loss loss = {intern_text("dropped"), LOSS_REPEATED, INT64_MAX, 3};
    g_array_append_val(series->losses, loss);
    series->counts = "messages";
    series->faults = true;
    series->fingerprint = UINT64_MAX - 1;
    series->events = (uint64_t)INT64_MAX + 7;
    series->simulated = INT64_MAX;
    series->ledger = (struct ledger_totals){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    series->reason = json_pack("{s:f}", "time_us", 0.1 + 0.2);
    series->declined = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(series->declined, g_strdup("message 1: declined: \"truncated\""));
    struct series_result *read = there_and_back(series);
    CU_ASSERT_EQUAL_FATAL(read->losses->len, 1);
    const struct result_loss *lost = &g_array_index(read->losses, struct result_loss, 0);
    CU_ASSERT_PTR_EQUAL(lost->name, loss.name);
    SUITE_SAME_INTEGER(lost->kind, loss.kind);
    SUITE_SAME_INTEGER(lost->count, loss.count);
    SUITE_SAME_INTEGER(lost->before, loss.before);
    CU_ASSERT_STRING_EQUAL(read->counts, "messages");
    CU_ASSERT(read->faults);
    CU_ASSERT(read->fingerprint == series->fingerprint && read->events == series->events &&
              read->simulated == series->simulated);
    CU_ASSERT_EQUAL(memcmp(&read->ledger, &series->ledger, sizeof series->ledger), 0);
    CU_ASSERT_EQUAL_FATAL(read->declined && read->declined->len == 1, true);
    SUITE_SAME_TEXT(g_ptr_array_index(read->declined, 0), "message 1: declined: \"truncated\"");
    CU_ASSERT(json_equal(read->reason, series->reason));
    CU_ASSERT_PTR_NULL(read->counters);
    series_result_free(series);
    series_result_free(read);
    CU_ASSERT_PTR_NULL(result_text_read("[1", "s", "t"));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what is made of it is the same", test_documents},
        {"values to the last bit", test_every_bit},
        {"every member", test_members},
        {0},
    };
    return suite_run("workload: a result as a text", cases);
}
