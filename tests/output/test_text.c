// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and names as text, and the line of the progress bar.
#include "sim/output/progress.h"
#include "sim/output/text.h"
#include "tests/support/suite.h"

#include <locale.h>

// Compares and frees.
static void same(char *actual, const char *expected)
{
    SUITE_SAME_TEXT(actual, expected);
    g_free(actual);
}

static void test_exact(void)
{
    same(text_exact(0.0), "0");
    same(text_exact(74.01), "74.01");
    same(text_exact(0.1), "0.1");
    same(text_exact(1e300), "1e+300");
    same(text_exact(365432.125), "365432.125");
    static const double hard[] = {0.1 + 0.2, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -2.5};
    for (size_t i = 0; i < G_N_ELEMENTS(hard); i++) {
        char *text = text_exact(hard[i]);
        CU_ASSERT_EQUAL(g_ascii_strtod(text, NULL), hard[i]);
        g_free(text);
    }
}

// A user's locale writes 74,01; files never do.
static void test_exact_in_any_locale(void)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        return; // not installed: nothing to show
    same(text_exact(74.01), "74.01");
    same(text_scaled(2.5e6), "2.50 M");
    setlocale(LC_NUMERIC, "C");
}

static void test_grouped_and_scaled(void)
{
    same(text_grouped(0), "0");
    same(text_grouped(999), "999");
    same(text_grouped(1000), "1,000");
    same(text_grouped(1234567), "1,234,567");
    same(text_grouped(G_MAXUINT64), "18,446,744,073,709,551,615");
    same(text_scaled(0.0), "0.00");
    same(text_scaled(9.994), "9.99");
    same(text_scaled(9.995), "10.0");
    same(text_scaled(99.94), "99.9");
    same(text_scaled(99.95), "100");
    same(text_scaled(999.5), "1.00 k");
    same(text_scaled(1e12), "1.00 T");
    same(text_scaled(1e15), "1000 T");
    same(text_scaled(999.4), "999");
    same(text_scaled(999.6), "1.00 k");
    same(text_scaled(17040), "17.0 k");
    same(text_scaled(2.94e6), "2.94 M");
    same(text_scaled(9.999e6), "10.0 M");
    same(text_scaled(5e9), "5.00 G");
}

static void test_metric_labels(void)
{
    same(text_metric_label("latency_us"), "latency");
    same(text_metric_label("bandwidth_MB_per_s"), "bandwidth");
    same(text_metric_label("messages_per_s"), "messages");
    same(text_metric_label("late_messages_per_s"), "late messages");
    same(text_metric_label("queue_length"), "queue length");
    same(text_metric_label("s"), "s");
    same(text_metric_axis("program_us"), "program time");
    same(text_metric_axis("latency_us"), "latency");
    static const char *const names[] = {"longest_gap_ms", "longest_gap", "longest gap", "gap"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        CU_ASSERT_TRUE(text_metric_is("longest_gap_ms", names[i]));
    CU_ASSERT_FALSE(text_metric_is("longest_gap_ms", "longest"));
}

static void test_padding_counts_columns(void)
{
    GString *out = g_string_new(NULL);
    text_append_right(out, "µs", 4);
    text_append_left(out, "näh", 5);
    text_append_right(out, "long", 2);
    SUITE_SAME_TEXT(out->str, "  µsnäh  long");
    CU_ASSERT_EQUAL(text_width("日本"), 4);
    CU_ASSERT_EQUAL(text_width("a\u0308"), 1);  // a letter and its dots
    CU_ASSERT_EQUAL(text_width("\xff\xfe"), 2); // no UTF-8: bytes
    g_string_free(out, TRUE);
}

static void test_wrapping(void)
{
    GString *out = g_string_new(NULL);
    text_append_wrapped(out, "one two  three\nfour", 9, 2);
    SUITE_SAME_TEXT(out->str, "one two\n  three\n  four");
    g_string_truncate(out, 0);
    text_append_wrapped(out, " a bc d efgh i", 4, 1); // full lines, and a word longer than one
    SUITE_SAME_TEXT(out->str, "a bc\n d\n efgh\n i");
    g_string_truncate(out, 0);
    text_append_wrapped(out, "long ab", 3, 0);
    SUITE_SAME_TEXT(out->str, "long\nab");
    g_string_free(out, TRUE);
}

static void test_microseconds_are_exact(void)
{
    GString *out = g_string_new(NULL);
    text_append_us(out, 0);
    g_string_append_c(out, ' ');
    text_append_us(out, 1);
    g_string_append_c(out, ' ');
    text_append_us(out, 106 * 24 * 3600 * TIME_S + 123456);
    SUITE_SAME_TEXT(out->str, "0.000000 0.000001 9158400000000.123456");
    g_string_free(out, TRUE);
}

static void test_progress_line(void)
{
    same(progress_line(0.5, "VIA RPI: 64 KiB", 1.25, 80),
         "[############------------]  50 %  VIA RPI: 64 KiB  1.2 s, 2 s left");
    same(progress_line(1.5, "x", 0.0, 80), "[########################] 100 %  x  0.0 s");
    // The description is cut, not the time that is left.
    same(progress_line(0.5, "3 of 6 series, LAM TCP: 131072 B", 3.6, 65),
         "[############------------]  50 %  3 of 6 series,  3.6 s, 4 s left");
    same(progress_line(0.5, "größer", 3.6, 55),
         "[############------------]  50 %  größ  3.6 s, 4 s left");
    char *line = progress_line(0.0, "a name that is much too long for this terminal", 0.0, 40);
    SUITE_SAME_INTEGER(text_width(line), 40);
    g_free(line);
    CU_ASSERT_PTR_NULL(progress_new(tmpfile(), 1)); // no terminal: no bar
    progress_update(NULL, 0, 0.5, "ignored");
    progress_free(NULL);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the shortest exact text of a double", test_exact},
        {"the locale changes nothing", test_exact_in_any_locale},
        {"grouped and scaled numbers", test_grouped_and_scaled},
        {"labels of metrics", test_metric_labels},
        {"padding counts columns, not bytes", test_padding_counts_columns},
        {"wrapping at blanks", test_wrapping},
        {"microseconds exact to the picosecond", test_microseconds_are_exact},
        {"the progress bar's line", test_progress_line},
        {0},
    };
    return suite_run("output: text", cases);
}
