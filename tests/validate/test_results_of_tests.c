// SPDX-License-Identifier: GPL-3.0-or-later
// The results that `netsim test` leaves: the tests that passed, for which build; anything else was
// not run.
#include "sim/validate/test_results.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <string.h>

// As ctest writes it, with the property that tests/run_suite.py adds.
static const char results[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<testsuite name=\"Linux\" tests=\"6\"><properties>"
    "<property name=\"netsim.build\" value=\"abc\" /></properties>\n"
    "<testcase name=\"test_a_good\" classname=\"test_a_good\" time=\"0.1\" status=\"run\">"
    "<system-out>&lt;failure/> &amp; \xc3\xbc</system-out></testcase>\n"
    "<testcase name=\"test_a_good.py\" time=\"0.1\" status=\"run\"><properties />"
    "<system-out /></testcase>\n"
    "<testcase name=\"test_a_bad\" time=\"0.1\" status=\"fail\"><failure message=\"x\" "
    "/></testcase>\n"
    "<testcase name=\"test_a_odd\" time=\"0.1\"><error message=\"x\" /></testcase>\n"
    "<testcase name=\"test_a_skipped\" time=\"0\" status=\"notrun\">"
    "<skipped message=\"SKIP_RETURN_CODE=77\" /></testcase>\n"
    "<testcase name=\"test_b_off\" time=\"0\" status=\"disabled\" />\n"
    "</testsuite>\n";

static struct test_results *load(const char *text, const char *build)
{
    char *directory = temporary_directory();
    char *file = g_build_filename(directory, "tests.xml", NULL);
    if (text)
        g_file_set_contents(file, text, -1, NULL);
    struct test_results *read = test_results_load(file, build);
    temporary_remove(directory);
    g_free(file);
    return read;
}

static void test_outcomes(void)
{
    static const struct {
        const char *source;
        enum test_outcome outcome;
    } samples[] = {
        {"tests/a/test_good.c", TEST_PASSED},       {"tests/a/test_good.py", TEST_PASSED},
        {"tests/a/test_good.sh", TEST_NOT_RUN},     {"tests/a/test_bad.c", TEST_FAILED},
        {"tests/a/test_odd.c", TEST_FAILED},        {"tests/a/test_skipped.c", TEST_SKIPPED},
        {"tests/b/test_off.c", TEST_SKIPPED},       {"tests/b/test_good.c", TEST_NOT_RUN},
        {"tests/a/test_goo.c", TEST_NOT_RUN},       {"tests/a/good.c", TEST_NOT_RUN},
        {"tests/support/x/test_y.c", TEST_NOT_RUN}, {"", TEST_NOT_RUN},
        {"tests/a/good/it.case", TEST_PASSED},      {"tests/a/bad/it.case", TEST_FAILED},
        {"tests/a/good/it.txt", TEST_NOT_RUN},      {"tests/a/goo/it.case", TEST_NOT_RUN},
    };
    struct test_results *read = load(results, "abc");
    CU_ASSERT_PTR_NULL(test_results_lack(read));
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        if (test_results_of(read, samples[i].source) != samples[i].outcome)
            CU_FAIL(samples[i].source);
    test_results_free(read);
}

static void expect_lack(const char *text, const char *build, const char *part)
{
    struct test_results *read = load(text, build);
    const char *lack = test_results_lack(read);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lack);
    SUITE_CONTAINS(lack, part);
    CU_ASSERT_EQUAL(test_results_of(read, "tests/a/test_good.c"), TEST_NOT_RUN);
    test_results_free(read);
}

static void test_no_results(void)
{
    expect_lack(NULL, "abc", "were not run");
    expect_lack(results, "abd", "another build");
    expect_lack("<testsuite><testcase name=\"test_a_good\" status=\"run\" /></testsuite>", "abc",
                "another build");
    expect_lack("<testsuite>", "abc", "can't be read");
    expect_lack("", "abc", "can't be read");
    expect_lack("no XML", "abc", "can't be read");
    struct test_results *read = test_results_load(NULL, "abc");
    SUITE_CONTAINS(test_results_lack(read), "were not run");
    test_results_free(read);
    test_results_free(NULL);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"how each test ended", test_outcomes},
        {"results that are not there", test_no_results},
        {0},
    };
    return suite_run("validate: results of tests", cases);
}
