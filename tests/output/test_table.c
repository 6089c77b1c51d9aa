// SPDX-License-Identifier: GPL-3.0-or-later
// The table: alignment, missing cells, failures, the line on what ran.
#include "sim/output/table.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <string.h>

// The output of table_print; the caller frees it.
static char *printed(const struct result *result, bool colour, bool summary)
{
    struct table_options options = {
        .colour = colour, .summary = summary, .directory = "results/sample"};
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

// A series without any value still has its column, and its reason.
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

// All lines of the table are equally wide, whatever their contents.
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

static void same_print(struct result *result, bool colour, bool summary, const char *expected)
{
    char *text = printed(result, colour, summary);
    SUITE_SAME_TEXT(text, expected);
    free(text);
    result_free(result);
}

static struct series_result *add_series(struct result *result, const char *name)
{
    struct series_result *series = series_result_new(name, "s");
    g_ptr_array_add(result->series, series);
    return series;
}

static void test_colour(void)
{
    struct result *result = sample_result();
    struct series_result *more = add_series(result, "more");
    series_result_add(more, 0, 16, "time_us", 2.0);
    same_print(result, true, false,
               "           \033[1m             VIA RPI\033[0m    \033[1;31m  MVICH "
               "[deadlock]\033[0m    \033[1m   more\033[0m\n"
               "   size      latency  bandwidth    latency  bandwidth    latency\n"
               "  bytes           us       MB/s         us       MB/s         us\n"
               "      0        73.50       0.00      80.25       0.00          -\n"
               "      1        74.01       0.01          -          -          -\n"
               "4194304    365432.12      10.95          -          -          -\n"
               "\n"
               "\033[1mmore\033[0m\n"
               "  rank 0: time at 16 bytes (us)                          2\n"
               "\n"
               "\033[1;31mMVICH: deadlock\033[0m at 12.5 us\n"
               "  1 of 2 ranks waits for what will never happen\n"
               "    rank 1: 20971520 bytes pinned\n"
               "      send, peer 0, 4194304 bytes, waits for memory that can be pinned\n"
               "  ledger NOT balanced: 2 messages, 1 not completed\n"
               "    message 2, rank 1 to 0, 5 B: still open\n");
}

// Digits by the values of a column: whole counts have none, small values more; cells that are not
// there; sizes in the order of their numbers, over what all series count.
static void test_columns(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *first = add_series(result, "A"), *second = add_series(result, "\033B");
    first->counts = second->counts = "hosts";
    series_result_add(first, -1, 100, "drops", 12.0);
    series_result_add(first, -1, 100, "share_percent", 0.0125);
    series_result_add(first, -1, 100, "load", -0.5);
    series_result_add(first, -1, 100, "latency_us", 3.0);
    series_result_add(first, -1, 20, "drops", 3.0);
    series_result_add(first, -1, 20, "share_percent", 0.001);
    series_result_add(first, -1, 20, "load", 1.0);
    series_result_add(first, -1, 3, "load", 0.0);
    series_result_add(second, -1, 3, "drops", 1e15);
    series_result_add(second, -1, 20, "tiny", 1e-12);
    series_result_add(second, -1, 20, "none", 0.0);
    series_result_add(second, -1, 20, "rate_per_s", 5.0);
    series_result_add(second, 4, 20, "time_us", 0.25);
    series_result_add(second, -1, -1, "count", 7.0);
    series_result_add(first, 0, -1, "time_us", 0.25);
    same_print(
        result, false, false,
        "                                     A                                           \\x1bB\n"
        "hosts    drops   share   load  latency                  drops         tiny  none  rate\n"
        "                     %              us                                             1/s\n"
        "    3        -       -   0.00        -    1000000000000000.00            -     -     -\n"
        "   20        3  0.0010   1.00        -                      -  0.000000000     0  5.00\n"
        "  100       12  0.0125  -0.50     3.00                      -            -     -     -\n"
        "\n"
        "A\n"
        "  rank 0: time (us)                                  0.250\n"
        "\n"
        "\\x1bB\n"
        "  rank 4: time at 20 hosts (us)                      0.250\n"
        "  count                                                  7\n");
    result = result_new("r", 1);
    add_series(result, "A")->counts = "hosts";
    series_result_add(add_series(result, "B"), -1, 3, "drops", 1.0);
    same_print(result, false, false,
               "            A        B\n"
               "size    drops    drops\n"
               "                      \n"
               "   3        -        1\n");
}

// Series that do not fit next to each other are stacked, each with the sizes; one has its width.
static void test_width(void)
{
    struct result *result = result_new("r", 1);
    for (int i = 0; i < 3; i++)
        series_result_add(add_series(result, i == 0   ? "A"
                                             : i == 1 ? "B"
                                                      : "C"),
                          -1, 8, "latency_us", i + 1.0);
    for (int width = 0; width <= 38; width++) {
        struct table_options options = {.width = width};
        char *text = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&text, &length);
        table_print(result, &options, file);
        fclose(file);
        char **lines = g_strsplit(text, "\n", -1);
        int titles = 0;
        for (char **line = lines; *line; line++) {
            CU_ASSERT(width < 16 || strlen(*line) <= (size_t)width);
            titles += g_str_has_prefix(g_strchug(*line), "size");
        }
        CU_ASSERT_EQUAL(titles, width == 0 || width == 38 ? 1 : width < 27 ? 3 : 2);
        g_strfreev(lines);
        free(text);
    }
    result_free(result);
}

// The line on what ran, alone: no events, no time, one message, all faults of the books.
static void test_summary(void)
{
    struct result *result = result_new("r", 1);
    same_print(result, false, true,
               "0 events in 0.000 s (0.00 events/s), 0.000000 s simulated; ledger balanced: 0 "
               "messages; fingerprint 0000000000000000; results in results/sample/\n");
    result = result_new("r", 1);
    struct series_result *series = add_series(result, "A");
    series->events = 3000;
    series->wall_s = 0.001;
    series->simulated = 1500 * TIME_US;
    series->ledger = (struct ledger_totals){
        .messages = 1, .lost = 2000, .open = 3, .duplicated = 4, .misordered = 5};
    same_print(result, false, true,
               "3,000 events in 0.001 s (3.00 M events/s), 0.001500 s simulated; ledger balanced: "
               "1 message, 2,000 lost, 3 not completed, 4 duplicated, 5 misordered; fingerprint "
               "e220a8397b1dcdaf; results in results/sample/\n");
}

// Messages that receivers have declined are listed apart from faults, and only if there are any.
static void test_declined(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *series = add_series(result, "A");
    series->ledger =
        (struct ledger_totals){.messages = 12, .delivered = 1, .declined = 11, .declined_bytes = 9};
    series->declined = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < 11; i++)
        g_ptr_array_add(series->declined, g_strdup_printf("message %d", i));
    char *text = printed(result, false, true);
    SUITE_CONTAINS(text, "A: 11 messages declined by the receiver\n  message 0\n  message 1\n");
    SUITE_CONTAINS(text, "  message 9\n  and 1 more messages\n");
    SUITE_CONTAINS(text, "; ledger balanced: 12 messages, 11 declined; fingerprint");
    CU_ASSERT_PTR_NULL(strstr(text, "message 10"));
    free(text);
    result_free(result);
}

// 40 of the values without a size are shown; the number of further ones follows.
static void test_singles(void)
{
    for (int more = 0; more <= 2; more++) {
        struct result *result = result_new("r", 1);
        struct series_result *series = add_series(result, "A");
        for (int rank = 0; rank < 40 + more; rank++)
            series_result_add(series, rank, -1, "time_us", 1.5);
        char *text = printed(result, false, false);
        CU_ASSERT_EQUAL(strstr(text, "more") != NULL, more > 0);
        SUITE_CONTAINS(text, more == 0   ? "rank 39"
                             : more == 1 ? "\n  and 1 more\n"
                                         : "\n  and 2 more\n");
        CU_ASSERT_PTR_NULL(strstr(text, "rank 40"));
        free(text);
        result_free(result);
    }
}

// Everything a reason can have in it.
static void test_reasons(void)
{
    struct result *result = result_new("r", 1);
    struct series_result *first = add_series(result, "A"), *second = add_series(result, "B");
    first->status = SIM_DEADLOCK;
    first->reason = json_pack(
        "{s:s, s:i, s:[s, {s:i, s:s, s:b, s:b, s:n, s:f, s:i, s:i, s:i, s:{}, s:[s, i, {s:s, s:i}]}"
        ", {s:s}], s:[s, s]}",
        "text",
        "a text that is so long that it has to be wrapped at the width of a line, which it is here",
        "time_us", 3, "ranks", "no object", "rank", 0, "state", "blocked", "a_b", 1, "c", 0, "none",
        "real", 0.5, "size", 8, "bytes", 9, "pinned_bytes", 10, "hidden", "requests", "one", 2,
        "what", "send", "tag", 3, "why", "because", "held_ports", "port 1", "port 2");
    first->ledger_balanced = true;
    second->status = SIM_FAILED;
    second->reason = json_object();
    second->ledger = (struct ledger_totals){.messages = 20, .lost = 6, .open = 5};
    second->ledger_balanced = false;
    second->ledger_report = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < 10; i++)
        g_ptr_array_add(second->ledger_report, g_strdup_printf("line %d", i));
    same_print(result, false, false,
               "A: deadlock at 3 us\n"
               "  a text that is so long that it has to be wrapped at the width of a line, which\n"
               "  it is here\n"
               "    no object\n"
               "    rank 0: blocked, a b yes, c no, none none, real 0.5, 8 bytes, 9 bytes, 10 "
               "bytes pinned\n"
               "      one\n"
               "      2\n"
               "      send, tag 3\n"
               "    because\n"
               "    port 1\n"
               "    port 2\n"
               "\n"
               "B: failed\n"
               "  no reason was given\n"
               "  ledger NOT balanced: 20 messages, 6 lost, 5 not completed\n"
               "    line 0\n"
               "    line 1\n"
               "    line 2\n"
               "    line 3\n"
               "    line 4\n"
               "    line 5\n"
               "    line 6\n"
               "    line 7\n"
               "    line 8\n"
               "    line 9\n"
               "    and 1 more messages\n");
}

// Lists are shown as far as their limits, and the remainder is counted.
static void test_limits_of_lists(void)
{
    for (int more = 0; more <= 1; more++) {
        struct result *result = result_new("r", 1);
        struct series_result *series = add_series(result, "A");
        json_t *ranks = json_array(), *ports = json_array(), *items = json_array();
        for (int i = 0; i < 12 + more; i++)
            json_array_append_new(items, json_integer(i));
        for (int i = 0; i < 16 + more; i++) {
            json_array_append_new(ranks, json_pack("{s:i, s:O}", "rank", i, "things", items));
            json_array_append_new(ports, json_sprintf("port %d", i));
        }
        json_decref(items);
        series->status = SIM_DEADLOCK;
        series->reason = json_pack("{s:o, s:o}", "ranks", ranks, "held_ports", ports);
        series->ledger = (struct ledger_totals){.messages = 20, .lost = 3};
        series->ledger_balanced = false;
        series->ledger_report = g_ptr_array_new_with_free_func(g_free);
        for (int i = 0; i < 10 + more; i++)
            g_ptr_array_add(series->ledger_report, g_strdup_printf("message %d.", i));
        char *text = printed(result, false, false);
        SUITE_CONTAINS(text, more ? "      11\n      and 1 more things\n" : "      11\n    rank 1");
        SUITE_CONTAINS(text, more ? "    and 1 more ranks\n    port 0" : "      11\n    port 0\n");
        SUITE_CONTAINS(text, more ? "    port 15\n    and 1 more ports\n"
                                  : "    port 15\n  ledger NOT balanced: 20 messages, 3 lost\n");
        CU_ASSERT_TRUE(g_str_has_suffix(text, more ? "    message 9.\n    and 1 more messages\n"
                                                   : "    message 9.\n"));
        free(text);
        result_free(result);
    }
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
        {"columns", test_columns},
        {"no wider than the terminal", test_width},
        {"the line on what ran", test_summary},
        {"what was declined", test_declined},
        {"how many values stand alone", test_singles},
        {"reasons", test_reasons},
        {"limits of lists", test_limits_of_lists},
        {0},
    };
    return suite_run("output: table", cases);
}
