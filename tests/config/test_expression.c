// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions: values, units after numbers, names, and errors.
#include "sim/config/expression.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

static double values[] = {3, 8, 2};
static const char *const names[] = {"rank", "ranks", "i"};
static const struct expression_variables variables = {3, names, values};

static void test_values(void)
{
    static const struct {
        const char *text;
        int64_t value;
    } goods[] = {
        {"42", 42},
        {"64 KiB", 65536},
        {"64KiB", 65536},
        {"1 KiB * (i + 1)", 3072},
        {"1KiB*(i+1)", 3072},
        {"(rank + 1) % ranks", 4},
        {"(rank - 9) % ranks", 2},
        {"rank-1", 2},
        {"2.5 us", 2500000},
        {"3 ms + 1 s", INT64_C(1003000000000)},
        {"1 ms * rank", INT64_C(3000000000)},
        {"7 ps + 1 ns", 1007},
        {"1 B + 1 kB + 1 MB + 1 GB", 1001001001},
        {"1 MiB + 1 GiB", 1048576 + 1073741824},
        {"min(5, 2, 9)", 2},
        {"max(rank, 10)", 10},
        {"floor(7 / 2)", 3},
        {"ceil(7 / 2)", 4},
        {"7 / 2", 4},
        {"2 ^ i", 4},
        {"2 ^ 40", INT64_C(1) << 40},
        {"rank == 3", 1},
        {"rank != 3", 0},
        {"rank < 3", 0},
        {"rank >= 3 && i < 9", 1},
        {"rank > 2 ? 1 KiB : 2 KiB", 1024},
        {"-rank", -3},
        {"i B", 2},
        {"10 % 4 % 3", 2},
        {"2 + 3 * 4 % 5", 4},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(goods); i++) {
        char *error;
        struct expression *expression = expression_new(goods[i].text, &variables, &error);
        SUITE_SAME_TEXT(error, NULL);
        if (expression)
            SUITE_SAME_INTEGER(expression_value(expression, &error), goods[i].value);
        SUITE_SAME_TEXT(error, NULL);
        g_free(error);
        expression_free(expression);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *error;
    } bads[] = {
        {"", "empty"},
        {"   ", "empty"},
        {"1 +", "nexpected end"},
        {"((1)", "parenthesis"},
        {"1)", "parenthesis"},
        {"foo + 1", "\"foo\" is not known here; there are rank, ranks, i,"},
        {"sin(1)", "\"sin\" is not known"},
        {"_pi", "\"_pi\" is not known"},
        {"rank rank", "nexpected"},
        {"1, 2", "comma"},
        {"rank = 5", "write =="},
        {"i = i + 1", "write =="},
        {"\"text\"", "no meaning"},
        {"1 # comment", "no meaning"},
        {"3 KB", "\"KB\" is not known"},
        {"1 KiBs", ""},
        {"max()", ""},
        {"random()", ""},
        {"randon(2)",
         "\"randon\" is not known here; there are rank, ranks, i, min, max, floor, ceil, "
         "random, and"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        char *error;
        struct expression *expression = expression_new(bads[i].text, &variables, &error);
        if (expression)
            SUITE_SAME_TEXT(bads[i].text, "an error");
        SUITE_CONTAINS(error, bads[i].error);
        g_free(error);
        expression_free(expression);
    }
    char *error, *deep = g_strnfill(5000, '(');
    CU_ASSERT_PTR_NULL(expression_new(deep, &variables, &error));
    SUITE_CONTAINS(error, "too long");
    g_free(error);
    g_free(deep);
}

static void test_undefined_values(void)
{
    static const char *const texts[] = {"1 / 0",       "0 / 0",      "2 ^ 70",
                                        "-(2 ^ 63)",   "10 % 0",     "1 / (rank - 3)",
                                        "random(0.9)", "random(-5)", "random(0 / 0, 1)"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *error;
        struct expression *expression = expression_new(texts[i], &variables, &error);
        CU_ASSERT_PTR_NOT_NULL_FATAL(expression);
        expression_value(expression, &error);
        CU_ASSERT_PTR_NOT_NULL(error);
        g_free(error);
        expression_free(expression);
    }
}

static int64_t value_of(const char *format, ...) G_GNUC_PRINTF(1, 2);

static int64_t value_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments), *error;
    va_end(arguments);
    struct expression *expression = expression_new(text, &variables, &error);
    SUITE_SAME_TEXT(error, NULL);
    int64_t value = expression ? expression_value(expression, &error) : -1;
    SUITE_SAME_TEXT(error, NULL);
    g_free(error);
    expression_free(expression);
    g_free(text);
    return value;
}

// The same arguments give the same number, today and on other machines; all of a range are about
// equally frequent, and one key does not predict the next.
static void test_random(void)
{
    SUITE_SAME_INTEGER(value_of("random(1000000)"), 177061);
    SUITE_SAME_INTEGER(value_of("random(1000000, 1)"), 668132);
    SUITE_SAME_INTEGER(value_of("random(1000000, 2, 1)"), 199927);
    SUITE_SAME_INTEGER(value_of("random(1000000, rank - 1, rank - 2)"), 199927);
    CU_ASSERT_NOT_EQUAL(value_of("random(1000000, 1, 2)"), 199927);
    SUITE_SAME_INTEGER(value_of("random(10.7, 5)"), value_of("random(10, 5)"));
    SUITE_SAME_INTEGER(value_of("random(10, 0)"), value_of("random(10, -0)"));
    SUITE_SAME_INTEGER(value_of("random(1, rank)"), 0);
    int counts[8] = {0}, repeats = 0;
    int64_t before = -1;
    for (int key = 0; key < 8000; key++) {
        int64_t number = value_of("random(8, 7, %d)", key);
        CU_ASSERT_FATAL(number >= 0 && number < 8);
        counts[number]++;
        repeats += number == before;
        before = number;
    }
    // 1000 each, with a standard deviation of 30.
    for (int i = 0; i < 8; i++)
        CU_ASSERT(counts[i] > 850 && counts[i] < 1150);
    CU_ASSERT(repeats > 850 && repeats < 1150);
}

static void test_random_of_nothing(void)
{
    char *error;
    struct expression *expression = expression_new("random(rank - 3)", &variables, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(expression);
    expression_value(expression, &error);
    SUITE_SAME_TEXT(error, "\"random(rank - 3)\" has no value: it divides by zero, or random "
                           "chooses from less than one number");
    g_free(error);
    expression_free(expression);
}

// Variables are looked up when the value is asked for.
static void test_variables(void)
{
    double counter = 0;
    const char *const name[] = {"n"};
    struct expression_variables one = {1, name, &counter};
    char *error;
    struct expression *expression = expression_new("n * n KiB", &one, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(expression);
    for (int n = 0; n < 100; n++) {
        counter = n;
        SUITE_SAME_INTEGER(expression_value(expression, &error), n * n * 1024);
    }
    expression_free(expression);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"values", test_values},
        {"what does not compile", test_refused},
        {"values that are none", test_undefined_values},
        {"random numbers", test_random},
        {"random numbers of none", test_random_of_nothing},
        {"variables change between evaluations", test_variables},
        {0},
    };
    return suite_run("config: expression", cases);
}
