// SPDX-License-Identifier: GPL-3.0-or-later
// The table: alignment, missing cells, failures, the line on what ran.
#include "sim/output/table.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <string.h>

// What table_print writes; the caller frees it.
static char *printed(const struct result *result, bool colour, bool summary)
{
    struct table_options options = {colour, summary, "results/sample"};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    table_print(result, &options, file);
    fclose(file);
    return text;
}

static void test_sample(void)
{
    struct result *result = sample_result();
    char *text = printed(result, false, true);
    SUITE_SAME_TEXT(
        text, "                        VIA RPI      MVICH [deadlock]\n"
              "   size      latency  bandwidth    latency  bandwidth\n"
              "  bytes           us       MB/s         us       MB/s\n"
              "      0        73.50       0.00      80.25       0.00\n"
              "      1        74.01       0.01          -          -\n"
              "4194304    365432.12      10.95          -          -\n"
              "\n"
              "MVICH: deadlock at 12.5 us\n"
              "  1 of 2 ranks waits for what will never happen\n"
              "    rank 1: 20971520 bytes pinned\n"
              "      send, peer 0, 4194304 bytes, waits for memory that can be pinned\n"
              "  ledger NOT balanced: 2 messages, 1 not completed\n"
              "    message 2, rank 1 to 0, 5 B: still open\n"
              "\n"
              "1,000,500 events in 0.750 s (1.33 M events/s), 2.001000 s simulated; "
              "ledger NOT balanced: 1,202 messages, 1 not completed; fingerprint 7068e701773ff315; "
              "results in results/sample/\n");
    free(text);
    result_free(result);
}

// A series without any value still has its column, and says why.
static void test_series_without_values(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *bad = series_result_new("a very long name of a series", "s");
    bad->status = SIM_FAILED;
    bad->reason = json_pack("{s:s, s:s, s:f}", "kind", "connection_broken", "text", "VI 3 broke",
                            "time_us", 1.25);
    g_ptr_array_add(result->series, bad);
    struct series_result *good = series_result_new("ok", "s");
    series_result_add(good, -1, 64, "latency_us", 5.0);
    g_ptr_array_add(result->series, good);
    char *text = printed(result, false, false);
    SUITE_SAME_TEXT(text, "         a very long name of a series [failed]         ok\n"
                          " size                                  latency    latency\n"
                          "bytes                                       us         us\n"
                          "   64                                        -       5.00\n"
                          "\n"
                          "a very long name of a series: failed at 1.25 us\n"
                          "  VI 3 broke\n");
    free(text);
    result_free(result);
}

static void test_values_without_size(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *series = series_result_new("program", "s");
    series_result_add(series, -1, -1, "time_us", 12.5);
    series_result_add(series, 2, -1, "time_us", 11.0);
    series_result_add(series, -1, -1, "retransmissions", 3.0);
    g_ptr_array_add(result->series, series);
    char *text = printed(result, false, false);
    SUITE_SAME_TEXT(text, "program\n"
                          "  time (us)                                          12.50\n"
                          "  rank 2: time (us)                                     11\n"
                          "  retransmissions                                        3\n");
    free(text);
    result_free(result);
}

static void test_many_ranks_are_cut(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *series = series_result_new("program", "s");
    for (int rank = 0; rank < 1000; rank++)
        series_result_add(series, rank, -1, "time_us", 1.5);
    g_ptr_array_add(result->series, series);
    char *text = printed(result, false, false);
    SUITE_CONTAINS(text, "  and 960 more\n");
    free(text);
    result_free(result);
}

// A deadlock of many ranks, each with many requests: some of each, and how many more.
static void test_long_failures_are_cut(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *series = series_result_new("alltoall", "s");
    json_t *ranks = json_array();
    for (int rank = 0; rank < 100; rank++) {
        json_t *requests = json_array();
        for (int i = 0; i < 99; i++)
            json_array_append_new(requests, json_pack("{s:s, s:i}", "kind", "send", "peer", i));
        json_array_append_new(ranks, json_pack("{s:i, s:I, s:o}", "rank", rank, "pin_limit_bytes",
                                               (json_int_t)4096, "requests", requests));
    }
    series->status = SIM_DEADLOCK;
    series->reason = json_pack("{s:s, s:o}", "text", "nothing moves", "ranks", ranks);
    series->ledger = (struct ledger_totals){.messages = 9900, .open = 9900};
    series->ledger_balanced = false;
    g_ptr_array_add(result->series, series);
    char *text = printed(result, false, false);
    SUITE_CONTAINS(text, "    rank 0: 4096 bytes pin limit\n      send, peer 0\n");
    SUITE_CONTAINS(text, "      and 87 more requests\n");
    SUITE_CONTAINS(text, "    and 84 more ranks\n");
    SUITE_CONTAINS(text, "    and 9890 more messages\n");
    free(text);
    result_free(result);
}

// All lines of the table are equally wide, whatever stands in them.
static void test_alignment(void)
{
    struct result *result = result_new("r", 1);
    for (int i = 0; i < 3; i++) {
        struct series_result *series = series_result_new(i == 1 ? "größte µ-Serie" : "x", "s");
        for (int64_t size = 1; size < 1000000000; size *= 100)
            sample_point(series, size, (double)size * (i + 0.125), 1e-3 * (double)size);
        g_ptr_array_add(result->series, series);
    }
    char *text = printed(result, false, false);
    char **lines = g_strsplit(text, "\n", -1);
    for (int i = 0; lines[i] && *lines[i]; i++)
        SUITE_SAME_INTEGER(g_utf8_strlen(lines[i], -1), g_utf8_strlen(lines[0], -1));
    g_strfreev(lines);
    free(text);
    result_free(result);
}

static void test_colour(void)
{
    struct result *result = sample_result();
    char *text = printed(result, true, false), *plain = printed(result, false, false);
    SUITE_CONTAINS(text, "\033[1;31m");
    CU_ASSERT_PTR_NULL(strchr(plain, '\033'));
    free(text);
    free(plain);
    result_free(result);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"two series, one in a deadlock", test_sample},
        {"a series without a value", test_series_without_values},
        {"values of no size or of one rank", test_values_without_size},
        {"many ranks are cut", test_many_ranks_are_cut},
        {"long failures are cut", test_long_failures_are_cut},
        {"all lines are equally wide", test_alignment},
        {"colour only where it is wanted", test_colour},
        {0},
    };
    return suite_run("output: table", cases);
}
