// SPDX-License-Identifier: GPL-3.0-or-later
// Two results curve by curve: what differs is found, whatever it is, and what does not is not.
#include "sim/compare/compare.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <string.h>

static struct compared *read_csv(const char *text)
{
    GError *error = NULL;
    struct compared *compared = compared_new("test");
    bool good = compared_read_csv(compared, text, strlen(text), &error);
    SUITE_SAME_TEXT(error ? error->message : NULL, NULL);
    CU_ASSERT_TRUE(good);
    g_clear_error(&error);
    return compared;
}

// With tolerances as the command takes them.
static json_t *compare_as(const char *first, const char *second, const char *const *texts,
                          const char *metric, bool common)
{
    const char *metrics[] = {metric, NULL};
    struct compared *a = read_csv(first), *b = read_csv(second);
    GPtrArray *all = compared_metrics(a, b);
    GError *error = NULL;
    char *hint = NULL;
    struct tolerances *tolerances = tolerances_read(texts, all, &error, &hint);
    SUITE_SAME_TEXT(error ? error->message : NULL, NULL);
    struct compare_options options = {tolerances, metrics, common};
    json_t *comparison = compare(a, b, &options);
    tolerances_free(tolerances);
    g_ptr_array_unref(all);
    compared_free(a);
    compared_free(b);
    return comparison;
}

static json_t *compare_csv(const char *first, const char *second, double tolerance,
                           const char *metric)
{
    char *share = g_strdup_printf("%.17g%%", 100.0 * tolerance);
    json_t *comparison =
        compare_as(first, second, (const char *const[]){share, NULL}, metric, false);
    g_free(share);
    return comparison;
}

#define HEAD "series,rank,size,metric,value\n"

static void expect(const char *first, const char *second, double tolerance, int differences)
{
    json_t *comparison = compare_csv(HEAD, HEAD, 0.0, NULL);
    CU_ASSERT_TRUE(json_is_true(json_object_get(comparison, "same")));
    json_decref(comparison);
    char *a = g_strconcat(HEAD, first, NULL), *b = g_strconcat(HEAD, second, NULL);
    comparison = compare_csv(a, b, tolerance, NULL);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "differences")), differences);
    CU_ASSERT_EQUAL(json_is_true(json_object_get(comparison, "same")), differences == 0);
    json_decref(comparison);
    g_free(a);
    g_free(b);
}

static void test_values(void)
{
    expect("A,,1,m_us,10\n", "A,,1,m_us,10\n", 0.0, 0);
    expect("A,,1,m_us,10\n", "A,,1,m_us,10.000000001\n", 0.0, 1);
    expect("A,,1,m_us,10\n", "A,,1,m_us,10.5\n", 0.05, 0);
    expect("A,,1,m_us,10\n", "A,,1,m_us,10.51\n", 0.05, 1);
    expect("A,,1,m_us,10\n", "A,,1,m_us,9.49\n", 0.05, 1);
    // Nothing is a part of 0.
    expect("A,,1,m_us,0\n", "A,,1,m_us,0\n", 0.0, 0);
    expect("A,,1,m_us,0\n", "A,,1,m_us,1e-9\n", 100.0, 1);
    expect("A,,1,m_us,-4\n", "A,,1,m_us,4\n", 1.9, 1);
    // Ranks, and values of no size, are curves of their own.
    expect("A,0,,m_us,4\nA,1,,m_us,5\n", "A,1,,m_us,5\nA,0,,m_us,4\n", 0.0, 0);
    expect("A,0,,m_us,4\nA,1,,m_us,5\n", "A,1,,m_us,4\nA,0,,m_us,5\n", 0.0, 2);
    expect("A,all,1,m_us,4\n", "A,,1,m_us,4\n", 0.0, 0);
    // A value that is no number equals another such value, and no number.
    expect("A,,1,m_us,nan\n", "A,,1,m_us,nan\n", 0.0, 0);
    expect("A,,1,m_us,nan\n", "A,,1,m_us,1\n", 100.0, 1);
    expect("A,,1,m_us,1\n", "A,,1,m_us,inf\n", 100.0, 1);
    expect("A,,1,m_us,inf\n", "A,,1,m_us,inf\n", 0.0, 0);
    // Several values of one size are compared one by one.
    expect("A,,1,m_us,4\nA,,1,m_us,5\n", "A,,1,m_us,4\nA,,1,m_us,5\n", 0.0, 0);
    expect("A,,1,m_us,4\nA,,1,m_us,5\n", "A,,1,m_us,4\nA,,1,m_us,6\n", 0.0, 1);
    expect("A,,1,m_us,4\nA,,1,m_us,5\n", "A,,1,m_us,4\n", 0.0, 1);
    expect("A,,1,m_us,4\n", "A,,1,m_us,4\nA,,1,m_us,4\n", 0.0, 1);
}

static void test_missing(void)
{
    // One point; a metric; a series, which lacks its curve and itself; in both directions.
    expect("A,,1,m_us,4\nA,,2,m_us,4\n", "A,,1,m_us,4\n", 0.5, 1);
    expect("A,,1,m_us,4\n", "A,,1,m_us,4\nA,,2,m_us,4\n", 0.5, 1);
    expect("A,,1,m_us,4\nA,,1,n_us,4\n", "A,,1,m_us,4\n", 0.5, 1);
    expect("A,,1,m_us,4\nB,,1,m_us,4\n", "A,,1,m_us,4\n", 0.5, 2);
    expect("A,,1,m_us,4\n", "A,,1,m_us,4\nB,,1,m_us,4\n", 0.5, 2);
    // Two that each have one that the other has not.
    expect("A,,1,m_us,4\n", "A,,2,m_us,4\n", 0.5, 1);
}

static void test_worst(void)
{
    json_t *comparison = compare_csv(HEAD "A,,1,m_us,10\nA,,2,m_us,20\nA,,4,m_us,40\n",
                                     HEAD "A,,1,m_us,11\nA,,2,m_us,25\nA,,4,m_us,41\n", 0.2, NULL);
    json_t *curve = json_array_get(json_object_get(comparison, "curves"), 0);
    json_t *worst = json_object_get(curve, "worst");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(worst, "size_bytes")), 2);
    CU_ASSERT_EQUAL(json_number_value(json_object_get(worst, "deviation")), 0.25);
    CU_ASSERT_EQUAL(json_number_value(json_object_get(worst, "a")), 20.0);
    CU_ASSERT_EQUAL(json_number_value(json_object_get(worst, "b")), 25.0);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(curve, "outside")), 1);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(curve, "points")), 3);
    json_decref(comparison);
}

// Which deviations of 10 us and 20 MB/s count under which tolerances.
static void test_tolerances(void)
{
    static const struct {
        const char *texts[3];
        const char *time, *rate; // of the other result
        int differences;
    } samples[] = {
        {{"5%"}, "10.5", "19", 0},
        {{"5 %"}, "10.6", "18.9", 2},
        // An amount is for the metrics in its unit; the others have none.
        {{"0.5 us"}, "10.5", "20", 0},
        {{"500 ns"}, "9.4", "20", 1},
        {{"0.5 us"}, "10.5", "20.1", 1},
        {{"0.5 us", "100 kB/s"}, "10.5", "20.0625", 0},
        // One of several is enough.
        {{"1%", "0.5 us"}, "10.5", "20.1", 0},
        // That of a metric replaces those of all.
        {{"5%", "latency_us=1%"}, "10.4", "20", 1},
        {{"5%", "latency=1%"}, "10", "20.8", 0},
        {{"1%", "bandwidth = 5 MB/s"}, "10", "24", 0},
        // Of one side: longer times and lower rates are worse.
        {{"2% worse"}, "5", "40", 0},
        {{"2% worse"}, "10.3", "40", 1},
        {{"2% worse"}, "10.2", "19", 1},
        {{"0 worse"}, "10.001", "19.999", 2},
        {{"latency=0.1us worse", "bandwidth=1%less"}, "10.05", "19.9", 0},
        {{"1% more"}, "5", "5", 0},
        {{"1% more"}, "11", "25", 2},
        {{"1% less"}, "11", "25", 0},
        {{"1% less"}, "9", "19", 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *other = g_strdup_printf(HEAD "A,,1,latency_us,%s\nA,,1,bandwidth_MB_per_s,%s\n",
                                      samples[i].time, samples[i].rate);
        json_t *comparison = compare_as(HEAD "A,,1,latency_us,10\nA,,1,bandwidth_MB_per_s,20\n",
                                        other, samples[i].texts, NULL, false);
        SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "differences")),
                           samples[i].differences);
        json_decref(comparison);
        g_free(other);
    }
}

static void test_refused_tolerances(void)
{
    static const struct {
        const char *text, *message, *hint;
    } samples[] = {
        {"2", "2: a number needs its unit or percent sign", "write 2 %"},
        {"latency=2", "latency=2: a number needs its unit or percent sign", "write 2 %, or 2 us"},
        {"2 worse", "2 worse: a number needs its unit or percent sign", "write 2 %"},
        {"2 MB", "2 MB: this is no percentage, and no amount in the unit of a metric", "write 2 %"},
        {"latency=2 MB/s",
         "latency=2 MB/s: this is no percentage, and no amount in the unit of a metric",
         "write 2 %, or 2 us"},
        {"drops=2 us", "drops=2 us: this is no percentage, and no amount in the unit of a metric",
         "write 2 %, or the number alone"},
        {"-1%", "-1%: a percentage or an amount is expected, not negative", "write 2 %"},
        {"inf%", "inf%: a percentage or an amount is expected, not negative", "write 2 %"},
        {"worse", "worse: a percentage or an amount is expected, not negative", "write 2 %"},
        {"rate=1%", "rate=1%: neither result has the metric rate", NULL},
    };
    GPtrArray *metrics = g_ptr_array_new();
    g_ptr_array_add(metrics, "latency_us");
    g_ptr_array_add(metrics, "drops");
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        GError *error = NULL;
        char *hint;
        struct tolerances *tolerances =
            tolerances_read((const char *const[]){samples[i].text, NULL}, metrics, &error, &hint);
        CU_ASSERT_PTR_NULL(tolerances);
        SUITE_SAME_TEXT(error ? error->message : NULL, samples[i].message);
        SUITE_SAME_TEXT(hint, samples[i].hint);
        g_clear_error(&error);
        g_free(hint);
    }
    g_ptr_array_unref(metrics);
}

// Only what both have: the rest is neither a difference nor compared.
static void test_common(void)
{
    static const char a[] = HEAD "A,,1,m_us,4\nA,,2,m_us,5\nA,,2,n_us,5\nB,,1,m_us,4\n";
    json_t *comparison = compare_as(a, HEAD "A,,2,m_us,5\nA,,3,m_us,9\n", NULL, NULL, true);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "differences")), 0);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "compared")), 1);
    json_decref(comparison);
    comparison = compare_as(a, HEAD "A,,2,m_us,6\n", NULL, NULL, true);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "differences")), 1);
    json_decref(comparison);
}

// A difference is a failure, and a curve without common points is skipped.
static void test_junit(void)
{
    json_t *comparison = compare_as(HEAD "A,,1,m_us,4\nA,,2,m_us,8\nB,0,,n_us,1\n",
                                    HEAD "A,,1,m_us,4\nA,,2,m_us,7.00000001\nB,0,,n_us,1\n",
                                    (const char *const[]){"5%", NULL}, NULL, false);
    char *text = compare_junit(comparison);
    SUITE_SAME_TEXT(
        text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<testsuites name=\"netsim\" tests=\"2\" failures=\"1\" errors=\"0\" "
              "skipped=\"0\" time=\"0\">\n"
              "  <testsuite name=\"A\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" "
              "time=\"0\">\n"
              "    <testcase classname=\"A\" name=\"m_us\" time=\"0\">\n"
              "      <failure message=\"2 points, 1 outside, worst -12.5 % at 2 B: 8 against 7\" "
              "type=\"differs\">2 points, 1 outside, worst -12.5 % at 2 B: 8 against 7</failure>\n"
              "    </testcase>\n"
              "  </testsuite>\n"
              "  <testsuite name=\"B\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" "
              "time=\"0\">\n"
              "    <testcase classname=\"B\" name=\"n_us, rank 0\" time=\"0\"/>\n"
              "  </testsuite>\n"
              "</testsuites>\n");
    g_free(text);
    json_decref(comparison);
}

static void test_metric(void)
{
    json_t *comparison = compare_csv(HEAD "A,,1,m_us,10\nA,,1,n_us,1\n",
                                     HEAD "A,,1,m_us,10\nA,,1,n_us,2\n", 0.0, "m_us");
    CU_ASSERT_TRUE(json_is_true(json_object_get(comparison, "same")));
    json_decref(comparison);
}

static void test_heads(void)
{
    static const char golden[] =
        "# fingerprint 00ff\n# series A, b: c: completed 1234\n" HEAD "\"A, b: c\",,1,m_us,4\n";
    struct compared *compared = read_csv(golden);
    const struct compared_series *series = g_ptr_array_index(compared->series, 0);
    SUITE_SAME_TEXT(compared->fingerprint, "00ff");
    SUITE_SAME_TEXT(series->name, "A, b: c");
    SUITE_SAME_TEXT(series->status, "completed");
    SUITE_SAME_TEXT(series->fingerprint, "1234");
    SUITE_SAME_INTEGER(compared->series->len, 1);
    compared_free(compared);
    json_t *comparison = compare_csv("# fingerprint 1\n# series A: completed 1\n" HEAD,
                                     "# fingerprint 2\n# series A: deadlock 1\n" HEAD, 0.0, NULL);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "differences")), 1);
    json_t *prints = json_object_get(comparison, "fingerprints");
    CU_ASSERT_TRUE(json_is_false(json_object_get(prints, "agree")));
    json_decref(comparison);
}

// How a series ended differs by the kind of its failure too, if that is known of both.
static void test_failures(void)
{
    static const struct {
        const char *a, *b;
        int differences;
    } samples[] = {
        {"# series A: failed 1 overrun\n", "# series A: failed 1 overrun\n", 0},
        {"# series A: failed 1 overrun\n", "# series A: failed 1 connection_broken\n", 1},
        {"# series A: failed 1\n", "# series A: failed 1 overrun\n", 0},
        {"# series A: failed 1\n", "# series A: completed 1\n", 1},
        {"# series A: failed 1\n", "", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *a = g_strconcat(samples[i].a, HEAD, NULL), *b = g_strconcat(samples[i].b, HEAD, NULL);
        json_t *comparison = compare_csv(a, b, 100.0, NULL);
        SUITE_SAME_INTEGER(json_integer_value(json_object_get(comparison, "differences")),
                           samples[i].differences);
        if (i == 1) {
            json_t *one = json_array_get(json_object_get(comparison, "series"), 0);
            SUITE_SAME_TEXT(json_string_value(json_object_get(one, "a")), "failed (overrun)");
        }
        json_decref(comparison);
        g_free(a);
        g_free(b);
    }
}

static void expect_bytes_refused(const char *text, size_t length, const char *part)
{
    GError *error = NULL;
    struct compared *compared = compared_new("test");
    CU_ASSERT_FALSE(compared_read_csv(compared, text, length, &error));
    SUITE_CONTAINS(error ? error->message : NULL, part);
    g_clear_error(&error);
    compared_free(compared);
}

static void expect_refused(const char *text, const char *part)
{
    expect_bytes_refused(text, strlen(text), part);
}

static void test_broken(void)
{
    expect_refused("a,b\n1,2\n", "1: the columns series, size, metric and value");
    expect_refused(HEAD "A,,1,m_us\n", "2: this row has no value");
    expect_refused(HEAD "A,,1,m_us,4\nA,,2,m_us,four\n", "3: this row has no value");
    expect_refused(HEAD "A,,1,m_us,4 \n", "2: this row has no value");
    expect_refused(HEAD "A,,1\n", "2: this row has no value: it has too few fields");
    expect_refused(HEAD "A,-3,1,m_us,4\n", "2: the rank of this row is no number");
    expect_refused(HEAD "A,99999999999,1,m_us,4\n", "2: the rank of this row is no number");
    expect_refused(HEAD "A,,1 B,m_us,4\n", "2: the size of this row is no whole number");
    expect_refused(HEAD "\"A\nB\",,1,m_us,4\nA,,1,m_us,\n", "4: this row has no value");
    expect_refused(HEAD "\"A,,1,m_us,4\n", "2: a quote is not closed");
    expect_refused(HEAD "\"A\"B,,1,m_us,4\n", "2: a comma is expected after what is in quotes");
}

// Two files that are no tables are not equal.
static void test_no_table(void)
{
    expect_refused("", "1: the columns series, size, metric and value");
    expect_refused("# fingerprint 12\n", "2: the columns series, size, metric and value");
    struct compared *empty = read_csv(HEAD);
    SUITE_SAME_INTEGER(empty->curves->len, 0);
    compared_free(empty);
}

// Texts that are no UTF-8 would be left out of the output, or break it.
static void test_characters(void)
{
    static const char nul[] = HEAD "A,,1,m_us,4\n\0";
    expect_refused("# fingerprint \xff\n" HEAD, "1: this is no text in UTF-8");
    expect_refused(HEAD "A,,1,m_us,4\n\xff,,1,m_us,4\n", "3: this is no text in UTF-8");
    expect_refused(HEAD "A,,1,lat\xff,4\n", "2: this is no text in UTF-8");
    expect_bytes_refused(nul, sizeof nul - 1, "3: this is no text in UTF-8");
}

// A document is checked before values are taken from it.
static void test_documents(void)
{
    static const struct {
        const char *text, *part;
    } samples[] = {
        {"{\"series\": 5}", "it has no list of series"},
        {"{\"series\": [5]}", "series[0]: an object is expected"},
        {"{\"series\": [{\"status\": \"completed\"}]}", "series[0]: name: a text is expected"},
        {"{\"series\": [{\"name\": \"A\"}]}", "series[0]: status: a text is expected"},
        {"{\"series\": [{\"name\": \"A\", \"status\": \"completed\"},"
         " {\"name\": \"A\", \"status\": \"completed\"}]}",
         "series[1]: name: series[0] has the same"},
        {"{\"series\": [{\"name\": \"A\", \"status\": \"completed\", \"points\":"
         " [{\"m_us\": 1}]}]}",
         "series[0]: points[0].size_bytes: a whole number from 0 on is expected"},
        {"{\"series\": [{\"name\": \"A\", \"status\": \"completed\", \"points\":"
         " [{\"size_bytes\": 1, \"m_us\": \"1\"}]}]}",
         "series[0]: points[0].m_us: a number or null is expected"},
        {"{\"series\": [{\"name\": \"A\", \"status\": \"completed\", \"values\":"
         " [{\"metric\": \"m_us\", \"rank\": -1}]}]}",
         "series[0]: values[0].rank: a rank or null is expected"},
        {"[", "t.json:1:1: "},
    };
    char *directory = temporary_directory();
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *path = temporary_file(directory, "t.json", samples[i].text);
        GError *error = NULL;
        CU_ASSERT_PTR_NULL(compared_load(path, &error));
        SUITE_CONTAINS(error ? error->message : NULL, samples[i].part);
        g_clear_error(&error);
        g_free(path);
    }
    temporary_remove(directory);
}

int main(void)
{
    static const struct suite_case cases[] = {{"values", test_values},
                                              {"what is missing", test_missing},
                                              {"the worst", test_worst},
                                              {"one metric", test_metric},
                                              {"tolerances", test_tolerances},
                                              {"refused tolerances", test_refused_tolerances},
                                              {"common points", test_common},
                                              {"for build servers", test_junit},
                                              {"heads of files", test_heads},
                                              {"how series failed", test_failures},
                                              {"broken files", test_broken},
                                              {"no table", test_no_table},
                                              {"characters", test_characters},
                                              {"documents", test_documents},
                                              {0}};
    return suite_run("validate: compare", cases);
}
