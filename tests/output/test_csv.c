// SPDX-License-Identifier: GPL-3.0-or-later
// results.csv: long form, quoting after RFC 4180.
#include "sim/output/csv.h"
#include "sim/output/csv_field.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

static void test_rows(void)
{
    struct result *result = sample_result();
    GString *csv = csv_text(result, NULL);
    SUITE_SAME_TEXT(csv->str, "scenario,series,rank,size,metric,unit,value\n"
                              "sample,VIA RPI,all,0,latency_us,us,73.5\n"
                              "sample,VIA RPI,all,0,bandwidth_MB_per_s,MB/s,0\n"
                              "sample,VIA RPI,all,1,latency_us,us,74.01\n"
                              "sample,VIA RPI,all,1,bandwidth_MB_per_s,MB/s,0.012886\n"
                              "sample,VIA RPI,all,4194304,latency_us,us,365432.125\n"
                              "sample,VIA RPI,all,4194304,bandwidth_MB_per_s,MB/s,10.9458\n"
                              "sample,VIA RPI,all,,copies,count,2\n"
                              "sample,VIA RPI,all,,interrupts,count,3\n"
                              "sample,MVICH,all,0,latency_us,us,80.25\n"
                              "sample,MVICH,all,0,bandwidth_MB_per_s,MB/s,0\n");
    g_string_free(csv, TRUE);
    result_free(result);
}

static void test_metrics(void)
{
    static const char *const latency[] = {"nothing", "latency", NULL}, *const none[] = {"nothing",
                                                                                        NULL};
    struct result *result = sample_result();
    GString *csv = csv_text(result, latency);
    SUITE_SAME_TEXT(csv->str, "scenario,series,rank,size,metric,unit,value\n"
                              "sample,VIA RPI,all,0,latency_us,us,73.5\n"
                              "sample,VIA RPI,all,1,latency_us,us,74.01\n"
                              "sample,VIA RPI,all,4194304,latency_us,us,365432.125\n"
                              "sample,MVICH,all,0,latency_us,us,80.25\n");
    g_string_free(csv, TRUE);
    csv = csv_text(result, none);
    SUITE_SAME_TEXT(csv->str, "scenario,series,rank,size,metric,unit,value\n");
    g_string_free(csv, TRUE);
    result_free(result);
}

static void test_quoting(void)
{
    struct result *result = result_new("a,b", 1);
    struct series_result *series = series_result_new("say \"hi\"\nthere", "stack");
    series_result_add(series, 3, -1, "time_us", 1.0 / 3.0);
    g_ptr_array_add(result->series, series);
    GString *csv = csv_text(result, NULL);
    SUITE_SAME_TEXT(csv->str,
                    "scenario,series,rank,size,metric,unit,value\n"
                    "\"a,b\",\"say \"\"hi\"\"\nthere\",3,,time_us,us,0.3333333333333333\n");
    g_string_free(csv, TRUE);
    result_free(result);
}

static void test_empty(void)
{
    struct result *result = result_new("empty", 1);
    GString *csv = csv_text(result, NULL);
    SUITE_SAME_TEXT(csv->str, "scenario,series,rank,size,metric,unit,value\n");
    g_string_free(csv, TRUE);
    result_free(result);
}

// Names of the user's that a spreadsheet would take for formulas; written ones can be read back.
static void test_formulas(void)
{
    static const char *const cases[][2] = {
        {"=1+2", "'=1+2"},
        {"+x", "'+x"},
        {"-x", "'-x"},
        {"@sum", "'@sum"},
        {"=a,b", "\"'=a,b\""},
        {"'=x", "''=x"},
        {"''-x", "'''-x"},
        {"'tis", "'tis"},
        {"a=b", "a=b"},
        {"-5", "-5"},
        {"+1.5e3", "+1.5e3"},
        {"-5 us", "'-5 us"},
        {"", ""},
        {"'", "'"},
        {"=\"x\"", "\"'=\"\"x\"\"\""},
        {"\tx", "'\tx"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *out = g_string_new(NULL);
        csv_append_field(out, cases[i][0]);
        SUITE_SAME_TEXT(out->str, cases[i][1]);
        if (out->str[0] != '"')
            SUITE_SAME_TEXT(csv_field_text(out->str), cases[i][0]);
        g_string_free(out, TRUE);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a row for each value, in order", test_rows},
        {"the rows of chosen metrics", test_metrics},
        {"quoting, one rank, no size, all digits", test_quoting},
        {"no series: the header alone", test_empty},
        {"what looks like a formula", test_formulas},
        {0},
    };
    return suite_run("output: csv", cases);
}
